import fc from 'fast-check';
import { METHODS as NODE_METHODS } from 'node:http';
import { METHODS } from './request-head.js';
import { BEHIND, mutatedRequests } from './testing/mutated-requests.js';
import { readRequestsWithNode } from './testing/read-requests-with-node.js';
import { readRequests, split } from './testing/read-requests.js';

const HEADER_BYTES = 4096;
const CH = 'Host: a\r\nTransfer-Encoding: chunked\r\n';

const CORPUS = [
  'GET http://a.example/x HTTP/1.1\r\nHost: a.example\r\n\r\n',
  'HEAD http://a.example:8080?q HTTP/1.1\r\nHost: a.example:8080\r\nAccept: */*\r\nProxy-Connection: Keep-Alive\r\n\r\n',
  'GET http://[::1]:81/%7e?a=b&c HTTP/1.1\r\nHost: [::1]:81\r\nX:y\r\nZ:  z \r\n\r\n',
  'GET http://a/ HTTP/1.1\r\nHost: a\r\nConnection: keep-alive\r\nCookie: a=b; c="d"\r\nX: \xe9\t.\r\nTE: trailers\r\n\r\n',
  'OPTIONS * HTTP/1.1\r\nHost: a\r\nMax-Forwards: 5\r\n\r\n',
  'GET /x?y HTTP/1.0\r\nConnection: keep-alive\r\n\r\n',
  'GET /x HTTP/1.1\r\nHost: a\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Key: k\r\n\r\nframe',
  'CONNECT a.example:443 HTTP/1.1\r\nHost: a.example:443\r\n\r\n\x16\x03\x01',
  'CONNECT b\xc3\xbccher.example:443 HTTP/1.1\r\nHost: b\xc3\xbccher.example:443\r\n\r\n',
  'POST http://a/ HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\nhello',
  'GET http://a/ HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\nExpect: 100-continue\r\n\r\nhello',
  `PUT http://a/ HTTP/1.1\r\n${CH}\r\n5;a=b\r\nhello\r\n3;c="d"\r\nyou\r\n0\r\nX-Sum: y\r\n\r\n`,
  `PATCH http://a/ HTTP/1.1\r\n${CH}\r\n0\r\n\r\n`,
  `\r\nPOST http://a/ HTTP/1.1\r\n${CH}\r\n1\r\nx\r\n0\r\n\r\n\r\nGET http://a/ HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n`,
  `GET http://a/ HTTP/1.1\r\nHost: a\r\n${Array.from({ length: 40 }, (_, index) => `X-${index}: ${index}\r\n`).join('')}\r\n`,
];

const cases = fc.tuple(
  fc.array(mutatedRequests(CORPUS), { minLength: 1, maxLength: 3 }).map((texts) => texts.join('')),
  fc.array(fc.nat(2000), { maxLength: 4 }),
);

const RUNS = Number(process.env['FUZZ_RUNS'] ?? 4000);

/** Cases that were found by this test once, each with what was wrong. */
const FOUND: readonly (readonly [what: string, text: string])[] = [['none', '']];

const ascii = (text: string) => text.replaceAll(/[\x80-\xff]/g, 'x');

/** Replaces the one thing that Node refuses and this proxy accepts: names in UTF-8 in the target of CONNECT. */
function withAsciiTarget(message: string): string {
  return message.replace(/^(?:\r\n)*CONNECT [^ ]+ /, ascii);
}

async function compare(text: string, bounds: readonly number[]): Promise<number> {
  const whole = readRequests([text], HEADER_BYTES);
  const pieces = readRequests(split(text, bounds), HEADER_BYTES);
  // The same in any pieces, but for which of two faults is seen first.
  expect({ ...pieces, fault: pieces.fault !== undefined }).toEqual({ ...whole, fault: whole.fault !== undefined });
  const { requests, ends } = whole;
  const last = requests.at(-1);
  if (last === undefined) return 0;
  const messages = ends.map((end, index) => withAsciiTarget(text.slice(ends[index - 1] ?? 0, end)));
  const continues = last.keepAlive && readRequests([...messages, BEHIND], HEADER_BYTES).fault === undefined;
  const node = await readRequestsWithNode([...messages, ...(continues ? [BEHIND] : [])], HEADER_BYTES);
  expect(node.refused).toBe(false);
  const expected = requests.map((each) => (each.method === 'CONNECT' ? { ...each, target: ascii(each.target) } : each));
  expect(node.requests.slice(0, requests.length)).toEqual(expected);
  expect(node.requests.slice(requests.length).map(({ target }) => target)).toEqual(continues ? ['http://behind/'] : []);
  return requests.length;
}

describe('RequestReader compared with the parser of Node (llhttp, no lenient switch)', () => {
  it('accepts nothing that Node rejects, and parses the rest as Node does, however it is split', async () => {
    let taken = 0;
    let left = 0;
    await fc.assert(
      fc.asyncProperty(cases, async ([text, bounds]) => {
        const count = await compare(text, bounds);
        if (count > 0) taken += 1;
        else left += 1;
      }),
      { numRuns: RUNS },
    );
    // A test in which nothing is taken, or everything, would compare nothing.
    expect(taken).toBeGreaterThan(RUNS / 10);
    expect(left).toBeGreaterThan(RUNS / 10);
  });

  it.each(CORPUS)('accepts %j', async (text) => {
    expect(await compare(text, [])).toBeGreaterThan(0);
  });

  it.each(FOUND)('reads no more than Node: %s', async (_, text) => {
    await compare(text, []);
  });

  it('knows the methods that Node knows', () => {
    expect([...METHODS].sort()).toEqual([...NODE_METHODS].sort());
  });
});
