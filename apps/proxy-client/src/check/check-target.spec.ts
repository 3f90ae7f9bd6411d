import { parseCheckTarget } from './check-target.js';

describe('parseCheckTarget', () => {
  it.each([
    ['example.com:443', { host: 'example.com', port: 443 }],
    ['127.0.0.1:1', { host: '127.0.0.1', port: 1 }],
    ['[::1]:65535', { host: '::1', port: 65_535 }],
  ])('reads %s', (text, target) => {
    expect(parseCheckTarget(text)).toEqual(target);
  });

  it.each([
    '',
    'example.com',
    'example.com:',
    ':443',
    'example.com:0',
    'example.com:65536',
    '::1:443',
    'a b:1',
    'http://h:1',
  ])('refuses %j', (text) => {
    expect(parseCheckTarget(text)).toBeUndefined();
  });
});
