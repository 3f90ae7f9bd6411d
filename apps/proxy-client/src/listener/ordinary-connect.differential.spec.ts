import fc from 'fast-check';
import { readOrdinaryConnect } from './ordinary-connect.js';
import { BEHIND, mutatedRequests } from './testing/mutated-requests.js';
import { readRequestsWithNode } from './testing/read-requests-with-node.js';

const HEADER_BYTES = 4096;

const CORPUS = [
  'CONNECT a.example:443 HTTP/1.1\r\nHost: a.example:443\r\n\r\n',
  'CONNECT 127.0.0.1:8443 HTTP/1.1\r\nHost: 127.0.0.1:8443\r\nUser-Agent: x/1.0 (y; z)\r\nProxy-Connection: Keep-Alive\r\n\r\n',
  'CONNECT [2001:db8::1]:443 HTTP/1.1\r\nHost: [2001:db8::1]:443\r\nProxy-Authorization: Basic eDp5\r\n\r\n',
  'CONNECT a_b~c-d.example:1 HTTP/1.1\r\nHost: a\r\nConnection: keep-alive\r\nX: \xe9\t.\r\nTE: trailers\r\nVia: 1.1 x\r\n\r\n',
  `CONNECT a:65535 HTTP/1.1\r\nHost: a\r\n${Array.from({ length: 40 }, (_, index) => `X-${index}: ${index}\r\n`).join('')}\r\n`,
];

const request = mutatedRequests(CORPUS);

/** Bytes that stand before it in the same read. */
const before = fc.string({ unit: 'binary-ascii', maxLength: 8 });
/** Bytes that the client sends ahead into the tunnel. */
const behind = fc.oneof(
  fc.constantFrom('', BEHIND, '\r\n', '\r\n\r\n', '\n', '\0', '5\r\nabcde\r\n0\r\n\r\n', ...CORPUS),
  fc.string({ unit: 'binary', maxLength: 12 }),
  fc.uint8Array({ maxLength: 12 }).map((bytes) => Buffer.from(bytes).toString('latin1')),
);

const SEED = 42;
const RUNS = 6000;

describe('readOrdinaryConnect beside the parser of Node (llhttp, no lenient switch)', () => {
  it('takes nothing that Node refuses, and reads what it takes as Node does, to the same end', () => {
    let taken = 0;
    let left = 0;
    fc.assert(
      fc.property(request, before, behind, (text, junk, early) => {
        const ours = readOrdinaryConnect(Buffer.from(junk + text, 'latin1'), junk.length, HEADER_BYTES);
        if (ours === undefined) {
          left += 1;
          return;
        }
        taken += 1;
        const { url, rawHeaders, length } = ours;
        const bytes = Buffer.from(text.slice(0, length) + early, 'latin1');
        expect(readRequestsWithNode(bytes, HEADER_BYTES)).toEqual([
          {
            ...{ event: 'connect', method: 'CONNECT', url, version: '1.1', rawHeaders },
            ...{ complete: true, keepAlive: false, head: bytes.toString('latin1', length) },
          },
        ]);
      }),
      { numRuns: RUNS, seed: SEED },
    );
    // A test in which nothing is taken, or everything, would compare nothing.
    expect(taken).toBeGreaterThan(RUNS / 10);
    expect(left).toBeGreaterThan(RUNS / 10);
  });

  it.each(CORPUS)('takes %j, as Node does', (text) => {
    expect(readOrdinaryConnect(Buffer.from(text, 'latin1'), 0, HEADER_BYTES)?.length).toBe(text.length);
    expect(readRequestsWithNode(Buffer.from(text, 'latin1'), HEADER_BYTES)).toHaveLength(1);
  });
});
