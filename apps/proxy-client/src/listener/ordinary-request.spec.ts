import { ODD_TRANSFER_ENCODINGS, PLAIN_TRANSFER_ENCODINGS } from '../../../../test/support/transfer-encodings.js';
import { readOrdinaryRequest } from './ordinary-request.js';

const LINE = 'GET http://a/b?c HTTP/1.1\r\n';
const HOST = 'Host: a\r\n';

const read = (text: string, limit = 1000) => readOrdinaryRequest(Buffer.from(text, 'latin1'), 0, limit);

describe('readOrdinaryRequest', () => {
  it('reads a request in the words of node:http, every byte as it came', () => {
    const head = `HEAD http://A:81?x HTTP/1.1\r\n${HOST}X-Y: \xff a\tb\r\nconnection: Keep-Alive\r\n\r\n`;
    expect(read(head)).toEqual({
      method: 'HEAD',
      url: 'http://A:81?x',
      authority: 'A:81',
      httpVersionMajor: 1,
      httpVersionMinor: 1,
      rawHeaders: ['Host', 'a', 'X-Y', '\xff a\tb', 'connection', 'Keep-Alive'],
      length: head.length,
    });
  });

  it('reads from where it is told, and leaves what stands behind', () => {
    const head = `${LINE}${HOST}\r\n`;
    const found = readOrdinaryRequest(Buffer.from(`POST${head}GET `, 'latin1'), 4, 1000);
    expect([found?.method, found?.url, found?.authority, found?.rawHeaders, found?.length]).toEqual([
      ...['GET', 'http://a/b?c', 'a', ['Host', 'a'], head.length],
    ]);
  });

  it('takes no head that is not there as a whole', () => {
    const head = `${LINE}${HOST}X: y\r\n\r\n`;
    for (let length = 0; length < head.length; length += 1) expect(read(head.slice(0, length))).toBeUndefined();
    expect(read(head)).toBeDefined();
  });

  it('takes no head of as many bytes as it may have', () => {
    const head = `${LINE}${HOST}\r\n`;
    expect([read(head, head.length), read(head, head.length + 1)?.length]).toEqual([undefined, head.length]);
  });

  it.each([
    ['another method', `POST http://a/ HTTP/1.1\r\n${HOST}`],
    ['a method in small letters', `get http://a/ HTTP/1.1\r\n${HOST}`],
    ['an empty line before it', `\r\n${LINE}${HOST}`],
    ['origin-form', `GET / HTTP/1.1\r\n${HOST}`],
    ['no path', `GET http://a\r\n${HOST}`],
    ['another scheme', `GET https://a/ HTTP/1.1\r\n${HOST}`],
    ['a user in the target', `GET http://b@a/ HTTP/1.1\r\n${HOST}`],
    ['an odd host', `GET http://a%41/ HTTP/1.1\r\n${HOST}`],
    ['no host', `GET http:///b HTTP/1.1\r\n${HOST}`],
    ['a fragment', `GET http://a/#b HTTP/1.1\r\n${HOST}`],
    ['a byte above 126 in the target', `GET http://a/\x7f HTTP/1.1\r\n${HOST}`],
    ['a control character in the target', `GET http://a/\x01 HTTP/1.1\r\n${HOST}`],
    ['two blanks', `GET http://a/  HTTP/1.1\r\n${HOST}`],
    ['HTTP/1.0', `GET http://a/ HTTP/1.0\r\n${HOST}`],
    ['a bare LF behind the request line', `GET http://a/ HTTP/1.1\n${HOST}`],
    ['a bare LF behind a field', `${LINE}Host: a\n`],
    ['a CR inside a value', `${LINE}Host: a\rb\r\n`],
    ['a NUL in a value', `${LINE}${HOST}X: \0\r\n`],
    ['a name that is no token', `${LINE}${HOST}X Y: z\r\n`],
    ['a field without a name', `${LINE}${HOST}: z\r\n`],
    ['a folded line', `${LINE}${HOST}X: y\r\n z\r\n`],
    ['no blank behind the colon', `${LINE}Host:a\r\n`],
    ['two blanks behind the colon', `${LINE}Host:  a\r\n`],
    ['a tab behind the blank', `${LINE}Host: \ta\r\n`],
    ['a blank behind the value', `${LINE}Host: a \r\n`],
    ['a tab behind the value', `${LINE}Host: a\t\r\n`],
    ['an empty value', `${LINE}${HOST}X: \r\n`],
    ['Content-Length', `${LINE}${HOST}Content-Length: 0\r\n`],
    ['Expect', `${LINE}${HOST}expect: 100-continue\r\n`],
    ['Upgrade', `${LINE}${HOST}Upgrade: h2c\r\n`],
    ['Connection: close', `${LINE}${HOST}Connection: close\r\n`],
    ['options of Connection', `${LINE}${HOST}Connection: keep-alive, X\r\n`],
    ['Proxy-Connection: close', `${LINE}${HOST}PROXY-connection: close\r\n`],
  ])('leaves %s to node:http', (_, head) => {
    expect(read(`${head}\r\n`)).toBeUndefined();
  });

  it.each([...ODD_TRANSFER_ENCODINGS, ...PLAIN_TRANSFER_ENCODINGS])('leaves Transfer-Encoding: %j to it', (value) => {
    expect(read(`${LINE}${HOST}Transfer-Encoding: ${value}\r\n\r\n`)).toBeUndefined();
  });

  it.each(['Proxy-Connection: keep-alive', 'Proxy-Authorization: Basic eDp5', 'TE: trailers', 'Date: x', 'Tea: x'])(
    'takes %s',
    (line) => {
      expect(read(`${LINE}${HOST}${line}\r\n\r\n`)?.rawHeaders).toEqual(['Host', 'a', ...line.split(': ')]);
    },
  );
});
