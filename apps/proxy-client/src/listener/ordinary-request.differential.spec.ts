import fc from 'fast-check';
import { readOrdinaryRequest } from './ordinary-request.js';
import { BEHIND, mutatedRequests } from './testing/mutated-requests.js';
import { readRequestsWithNode } from './testing/read-requests-with-node.js';

const HEADER_BYTES = 4096;

const CORPUS = [
  'GET http://a.example/x HTTP/1.1\r\nHost: a.example\r\n\r\n',
  'HEAD http://a.example:8080?q HTTP/1.1\r\nHost: a.example:8080\r\nAccept: */*\r\nProxy-Connection: Keep-Alive\r\n\r\n',
  'GET http://[::1]:81/%7e?a=b&c#f HTTP/1.1\r\nHost: [::1]:81\r\n\r\n',
  'GET http://a/ HTTP/1.1\r\nHost: a\r\nConnection: keep-alive\r\nCookie: a=b; c="d"\r\nX: \xe9\t.\r\nTE: trailers\r\n\r\n',
  'GET http://a/ HTTP/1.1\r\nHost: a\r\nKeep-Alive: 5\r\nVia: 1.1 x\r\nProxy-Authorization: Basic eDp5\r\nRange: bytes=0-\r\n\r\n',
  `GET http://a/ HTTP/1.1\r\nHost: a\r\n${Array.from({ length: 40 }, (_, index) => `X-${index}: ${index}\r\n`).join('')}\r\n`,
];
const request = mutatedRequests(CORPUS);

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
          ...{ complete: true, keepAlive: true, head: '' },
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
