import { readBasic } from './request-head.js';

const encoded = (text: string) => Buffer.from(text).toString('base64');

describe('readBasic', () => {
  it.each([
    ['Basic', 'me:secret', 'me', 'secret'],
    ['BASIC ', 'me:a:b:', 'me', 'a:b:'],
    ['basic', 'test:123\u00a3', 'test', '123\u00a3'],
    ['Basic', ':', '', ''],
    ['Basic', 'me:', 'me', ''],
  ])('parses %s with %j', (scheme, text, username, password) => {
    expect(readBasic(`${scheme} ${encoded(text)}`)).toEqual({ username, password });
  });

  it('reads the example of RFC 7617, section 2.1', () => {
    expect(readBasic('Basic dGVzdDoxMjPCow==')).toEqual({ username: 'test', password: '123\u00a3' });
  });

  it.each([
    '',
    'Basic',
    'Basic ',
    `Basic ${encoded('nocolon')}`,
    `Bearer ${encoded('me:secret')}`,
    encoded('me:secret'),
    `Basic ${encoded('me:secret')}, Basic ${encoded('me:secret')}`,
    `Basic ${encoded('me:secret')} x`,
    'Basic bWU6c2Vj!mV0',
  ])('rejects %j', (value) => {
    expect(readBasic(value)).toBeUndefined();
  });
});
