import fc from 'fast-check';
import { ODD_TRANSFER_ENCODINGS } from '../../../../test/support/transfer-encodings.js';
import { readOrdinaryRequest } from './ordinary-request.js';
import { readRequestsWithNode } from './testing/read-requests-with-node.js';

const HEADER_BYTES = 4096;
const BEHIND = 'GET http://behind/ HTTP/1.1\r\nHost: behind\r\n\r\n';

const CORPUS = [
  'GET http://a.example/x HTTP/1.1\r\nHost: a.example\r\n\r\n',
  'HEAD http://a.example:8080?q HTTP/1.1\r\nHost: a.example:8080\r\nAccept: */*\r\nProxy-Connection: Keep-Alive\r\n\r\n',
  'GET http://[::1]:81/%7e?a=b&c#f HTTP/1.1\r\nHost: [::1]:81\r\n\r\n',
  'GET http://a/ HTTP/1.1\r\nHost: a\r\nConnection: keep-alive\r\nCookie: a=b; c="d"\r\nX: \xe9\t.\r\nTE: trailers\r\n\r\n',
  'GET http://a/ HTTP/1.1\r\nHost: a\r\nKeep-Alive: 5\r\nVia: 1.1 x\r\nProxy-Authorization: Basic eDp5\r\nRange: bytes=0-\r\n\r\n',
  `GET http://a/ HTTP/1.1\r\nHost: a\r\n${Array.from({ length: 40 }, (_, index) => `X-${index}: ${index}\r\n`).join('')}\r\n`,
];
/** Pieces that change what a request means. */
const SPLICES = [
  '\r', '\n', '\r\n', '\r\n\r\n', '\0', ' ', '  ', '\t', ':', ': ', ';', ',', '"', '\\', '@', '#', '?', '/', '*', '%', '[', ']', '{', '<', '-', '\x0b', '\x7f', '\x80', '\xff',
  'GET ', 'HEAD ', 'POST ', 'CONNECT ', 'PRI ', 'get ', 'http://', 'https://', 'HTTP://', 'http:/', 'HTTP/1.1', 'HTTP/1.0', 'HTTP/0.9', 'HTTP/2.0', 'RTSP/1.0', 'user@', ':80',
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

const request = fc
  .tuple(fc.constantFrom(...CORPUS), fc.array(mutation, { minLength: 0, maxLength: 3 }))
  .map(([text, mutations]) => mutate(text, mutations));

/** Bytes that stand before it in the same read. */
const before = fc.string({ unit: 'binary-ascii', maxLength: 8 });

const SEED = 42;
const RUNS = 6000;

describe('readOrdinaryRequest beside the parser of Node (llhttp, no lenient switch)', () => {
  it('takes nothing that Node refuses, and reads what it takes as Node does, to the same end', () => {
    let taken = 0;
    let left = 0;
    fc.assert(
      fc.property(request, before, (text, junk) => {
        const ours = readOrdinaryRequest(Buffer.from(junk + text, 'latin1'), junk.length, HEADER_BYTES);
        if (ours === undefined) {
          left += 1;
          return;
        }
        taken += 1;
        const { method, url, rawHeaders, length } = ours;
        const node = readRequestsWithNode(Buffer.from(text.slice(0, length) + BEHIND, 'latin1'), HEADER_BYTES);
        expect(node?.[0]).toEqual({
          ...{ event: 'request', method, url, version: '1.1', rawHeaders },
          ...{ complete: true, keepAlive: true },
        });
        expect(node?.slice(1).map(({ url: behind }) => behind)).toEqual(['http://behind/']);
      }),
      { numRuns: RUNS, seed: SEED },
    );
    // A test in which nothing is taken, or everything, would compare nothing.
    expect(taken).toBeGreaterThan(RUNS / 10);
    expect(left).toBeGreaterThan(RUNS / 10);
  });

  it.each(CORPUS.filter((text) => !text.includes('#')))('takes %j, as Node does', (text) => {
    expect(readOrdinaryRequest(Buffer.from(text, 'latin1'), 0, HEADER_BYTES)?.length).toBe(text.length);
    expect(readRequestsWithNode(Buffer.from(text, 'latin1'), HEADER_BYTES)).toHaveLength(1);
  });
});
