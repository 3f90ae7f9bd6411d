import fc from 'fast-check';
import { flat, readAnswer } from './testing/read-answers.js';
import { readWithNode } from './testing/read-with-node.js';

const CORPUS = [
  'HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello',
  'HTTP/1.1 200 OK\r\nContent-Length: 5\r\nConnection: close\r\nX-A: b, "c" \t\r\n\r\nhello',
  'HTTP/1.0 200 OK\r\nConnection: keep-alive\r\nContent-Length: 0\r\n\r\n',
  'HTTP/1.1 404\r\nDate: x\r\n\r\nto the end',
  'HTTP/1.1 204 No Content\r\nX: \xe9\r\n\r\n',
  'HTTP/1.1 304 Not Modified\r\nContent-Length: 9\r\nETag: "x"\r\n\r\n',
  'HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi',
  'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n',
  'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nTrailer: X\r\n\r\na;x=y;z="q\\"r"\r\n0123456789\r\n1\r\n!\r\n00\r\nX: 1\r\n\r\n',
];
/** Pieces that change what a message means. */
const SPLICES = [
  '\r', '\n', '\r\n', '\r\n\r\n', '\0', ' ', '\t', ':', ';', ',', '"', '\\', '=', '0', '5', 'f', 'G', '-', '+', '\x0b', '\x7f', '\x80', '\xff',
  'chunked', 'Transfer-Encoding: chunked\r\n', 'transfer-encoding: gzip, chunked\r\n', 'Content-Length: 5\r\n', 'Content-Length: 6\r\n',
  'Connection: close\r\n', 'Connection: upgrade\r\nUpgrade: x\r\n', 'HTTP/1.1 200 OK\r\n', 'HTTP/1.0', 'HTTP/0.9', 'HTTP/2.0', '101', '199', '204',
  ' folded\r\n', 'X: 1\r\n', ';a=b', '18446744073709551621', '20000000000000', '10000000000000005',
]; // prettier-ignore

const mutation = fc.record({
  at: fc.nat(1_000_000),
  cut: fc.oneof({ weight: 3, arbitrary: fc.constant(0) }, fc.integer({ min: 1, max: 12 })),
  splice: fc.oneof(
    { weight: 5, arbitrary: fc.constantFrom(...SPLICES) },
    fc.constant(''),
    fc.string({ unit: 'binary-ascii', maxLength: 3 }),
  ),
});

function mutate(text: string, mutations: readonly { at: number; cut: number; splice: string }[]): string {
  return mutations.reduce((before, { at, cut, splice }) => {
    const position = at % (before.length + 1);
    return before.slice(0, position) + splice + before.slice(position + cut);
  }, text);
}

const message = fc
  .tuple(fc.constantFrom(...CORPUS), fc.array(mutation, { minLength: 0, maxLength: 3 }))
  .map(([text, mutations]) => mutate(text, mutations));

describe('ResponseReader compared with the parser of Node (llhttp, no lenient switch)', () => {
  it('refuses whatever Node refuses, and reads what it accepts as Node does', async () => {
    let accepted = 0;
    let refused = 0;
    await fc.assert(
      fc.asyncProperty(message, fc.constantFrom('GET', 'HEAD'), async (text, method) => {
        const ours = readAnswer([text], { method });
        if (!ours.complete) {
          refused += 1;
          return;
        }
        accepted += 1;
        const node = await readWithNode(Buffer.from(text.slice(0, ours.consumed), 'latin1'), method);
        expect({ text, refused: node.refused }).toEqual({ text, refused: undefined });
        expect([node.status, node.headers]).toEqual([ours.head!.status, flat(ours.head!.lines)]);
        expect([node.body, node.complete]).toEqual([ours.body, true]);
        expect(node.trailers).toEqual(ours.trailers ?? []);
      }),
      { numRuns: 4000, examples: [['HTTP/1.1 101\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi', 'GET']] },
    );
    // A test in which nothing is refused, or everything, would compare nothing.
    expect(accepted).toBeGreaterThan(400);
    expect(refused).toBeGreaterThan(400);
  });

  it.each(CORPUS)('accepts %j, as Node does', async (text) => {
    expect(readAnswer([text]).complete).toBe(true);
    expect((await readWithNode(Buffer.from(text, 'latin1'), 'GET')).refused).toBeUndefined();
  });
});
