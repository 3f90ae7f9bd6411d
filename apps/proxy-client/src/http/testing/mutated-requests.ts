import fc from 'fast-check';
import { ODD_TRANSFER_ENCODINGS } from '../../../../../test/support/transfer-encodings.js';

/** A request that may follow another one on a connection. */
export const BEHIND = 'GET http://behind/ HTTP/1.1\r\nHost: behind\r\n\r\n';

/** Pieces that change what a request means. */
const SPLICES = [
  '\r', '\n', '\r\n', '\r\n\r\n', '\0', ' ', '  ', '\t', ':', ': ', ';', ',', '"', '\\', '@', '#', '?', '/', '*', '%', '[', ']', '{', '<', '-', '\x0b', '\x7f', '\x80', '\xff',
  'GET ', 'HEAD ', 'POST ', 'CONNECT ', 'PRI ', 'get ', 'http://', 'https://', 'HTTP://', 'http:/', 'HTTP/1.1', 'HTTP/1.0', 'HTTP/0.9', 'HTTP/2.0', 'RTSP/1.0', 'user@', ':80', ':443', ':', 'CONNECT a:1 HTTP/1.1\r\n',
  'Content-Length: 5\r\n', 'Content-Length: 0\r\n', 'content-length:0\r\n', 'Transfer-Encoding: chunked\r\n', 'Upgrade: websocket\r\n', 'Upgrade: h2c\r\n',
  'Connection: close\r\n', 'connection: keep-alive\r\n', 'Connection: upgrade\r\n', 'Connection: keep-alive, close\r\n', 'Connection: x\r\n', 'Connection: Keep-Alive\r\n',
  'Proxy-Connection: close\r\n', 'Proxy-Connection: upgrade\r\n', 'proxy-connection: keep-alive\r\n', 'PROXY-CONNECTION: close\r\n', 'Expect: 100-continue\r\n', 'Expect: x\r\n',
  'Host: b\r\n', 'Host:\r\n', 'X:\r\n', 'X: \r\n', 'X:y\r\n', 'X : y\r\n', ' folded\r\n', '\tfolded\r\n', 'X: y \r\n', 'X: y\t\r\n', 'X:\ty\r\n', 'Trailer: X\r\n', 'x'.repeat(4000),
  ...ODD_TRANSFER_ENCODINGS.map((value) => `Transfer-Encoding: ${value}\r\n`),
  BEHIND,
]; // prettier-ignore

const mutation = fc.record({
  at: fc.nat(1_000_000),
  /** Whether it is put where a line begins. */
  line: fc.boolean(),
  cut: fc.oneof({ weight: 3, arbitrary: fc.constant(0) }, fc.integer({ min: 1, max: 12 })),
  splice: fc.oneof(
    { weight: 5, arbitrary: fc.constantFrom(...SPLICES) },
    fc.constant(''),
    fc.string({ unit: 'binary-ascii', maxLength: 3 }),
    fc.integer({ min: 0, max: 255 }).map((code) => String.fromCharCode(code)),
  ),
});

type Mutation = typeof mutation extends fc.Arbitrary<infer Value> ? Value : never;

function mutate(text: string, mutations: readonly Mutation[]): string {
  return mutations.reduce((before, { at, line, cut, splice }) => {
    const anywhere = at % (before.length + 1);
    const position = line ? before.lastIndexOf('\r\n', anywhere) + 2 : anywhere;
    return before.slice(0, position) + splice + before.slice(position + cut);
  }, text);
}

/** Requests of a corpus, with up to three changes that may make them mean something else, or nothing. */
export function mutatedRequests(corpus: readonly string[]): fc.Arbitrary<string> {
  return fc
    .tuple(fc.constantFrom(...corpus), fc.array(mutation, { minLength: 0, maxLength: 3 }))
    .map(([text, mutations]) => mutate(text, mutations));
}
