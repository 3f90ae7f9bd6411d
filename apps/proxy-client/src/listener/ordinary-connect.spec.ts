import { ODD_TRANSFER_ENCODINGS, PLAIN_TRANSFER_ENCODINGS } from '../../../../test/support/transfer-encodings.js';
import { readOrdinaryConnect } from './ordinary-connect.js';

const LINE = 'CONNECT a.example:443 HTTP/1.1\r\n';
const HOST = 'Host: a.example:443\r\n';

const read = (text: string, limit = 1000) => readOrdinaryConnect(Buffer.from(text, 'latin1'), 0, limit);

describe('readOrdinaryConnect', () => {
  it('reads a CONNECT in the words of node:http, every byte as it came', () => {
    const head = `CONNECT [::1]:443 HTTP/1.1\r\n${HOST}X-Y: \xff a\tb\r\nproxy-connection: Keep-Alive\r\n\r\n`;
    expect(read(head)).toEqual({
      url: '[::1]:443',
      httpVersion: '1.1',
      rawHeaders: ['Host', 'a.example:443', 'X-Y', '\xff a\tb', 'proxy-connection', 'Keep-Alive'],
      length: head.length,
    });
  });

  it('reads from where it is told, and leaves what stands behind', () => {
    const head = `${LINE}${HOST}\r\n`;
    const found = readOrdinaryConnect(Buffer.from(`GET ${head}\r\n\r\nCONNECT `, 'latin1'), 4, 1000);
    expect([found?.url, found?.rawHeaders, found?.length]).toEqual([
      ...['a.example:443', ['Host', 'a.example:443'], head.length],
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
    ['another method', `GET a.example:443 HTTP/1.1\r\n${HOST}`],
    ['a method in small letters', `connect a.example:443 HTTP/1.1\r\n${HOST}`],
    ['an empty line before it', `\r\n${LINE}${HOST}`],
    ['no target', `CONNECT  HTTP/1.1\r\n${HOST}`],
    ['absolute-form', `CONNECT http://a.example:443 HTTP/1.1\r\n${HOST}`],
    ['a path', `CONNECT a.example:443/ HTTP/1.1\r\n${HOST}`],
    ['a user', `CONNECT b@a.example:443 HTTP/1.1\r\n${HOST}`],
    ['percent-encoding', `CONNECT a%41:443 HTTP/1.1\r\n${HOST}`],
    ['a control character in the target', `CONNECT a\x01:443 HTTP/1.1\r\n${HOST}`],
    ['two blanks', `CONNECT a.example:443  HTTP/1.1\r\n${HOST}`],
    ['HTTP/1.0', `CONNECT a.example:443 HTTP/1.0\r\n${HOST}`],
    ['a bare LF behind the request line', `CONNECT a.example:443 HTTP/1.1\n${HOST}`],
    ['no blank behind a colon', `${LINE}Host:a\r\n`],
    ['a folded line', `${LINE}${HOST}X: y\r\n z\r\n`],
    ['Content-Length', `${LINE}${HOST}Content-Length: 0\r\n`],
    ['Expect', `${LINE}${HOST}Expect: 100-continue\r\n`],
    ['Upgrade', `${LINE}${HOST}Upgrade: websocket\r\n`],
    ['Connection: close', `${LINE}${HOST}Connection: close\r\n`],
  ])('leaves %s to node:http', (_, head) => {
    expect(read(`${head}\r\n`)).toBeUndefined();
  });

  it.each([...ODD_TRANSFER_ENCODINGS, ...PLAIN_TRANSFER_ENCODINGS])('leaves Transfer-Encoding: %j to it', (value) => {
    expect(read(`${LINE}${HOST}Transfer-Encoding: ${value}\r\n\r\n`)).toBeUndefined();
  });

  it.each(['Proxy-Connection: keep-alive', 'Proxy-Authorization: Basic eDp5', 'User-Agent: x'])('takes %s', (line) => {
    expect(read(`${LINE}${HOST}${line}\r\n\r\n`)?.rawHeaders.slice(2)).toEqual(line.split(': '));
  });
});
