import { targetOf } from './route-target.js';

describe('targetOf', () => {
  it('accepts hosts, with port 443 by default', () => {
    expect(
      ['denied.test', ' denied.test:25 ', '10.0.0.1', '[::1]', '[::1]:22', '::1', 'fe80::1', ''].map(targetOf),
    ).toEqual([
      ...[
        'denied.test:443',
        'denied.test:25',
        '10.0.0.1:443',
        '[::1]:443',
        '[::1]:22',
        '[::1]:443',
        '[fe80::1]:443',
        '',
      ],
    ]);
  });

  it('accepts URLs of pages', () => {
    const urls = ['https://denied.test/a?b', 'http://denied.test', 'HTTP://denied.test:8080/', 'wss://denied.test/'];
    expect(urls.map(targetOf)).toEqual(['denied.test:443', 'denied.test:80', 'denied.test:8080', 'denied.test:443']);
  });

  it('leaves invalid texts to the proxy', () => {
    expect(['a b', 'a:b', 'https://'].map(targetOf)).toEqual(['a b:443', 'a:b', 'https://']);
  });
});
