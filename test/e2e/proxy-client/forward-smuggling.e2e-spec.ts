import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { NodeOrigin } from '../../support/node-origin.js';
import { ProxyProgram, type RunningProxy } from '../../support/proxy/proxy-program.js';
import { exchange } from '../../support/raw-http.js';
import { until } from '../../support/until.js';
import { ODD_TRANSFER_ENCODINGS } from '../../support/transfer-encodings.js';

/** What a smuggler hopes the origin takes for a request of its own. */
const HIDDEN = 'GET /hidden HTTP/1.1\r\nHost: a\r\n\r\n';
/** Pieces that change where a request ends for one reader and not for another. */
const SPLICES = [
  ...[
    '\r',
    '\n',
    '\r\n',
    '\r\n\r\n',
    '\0',
    ' ',
    '\t',
    ':',
    ',',
    ';',
    '"',
    '0',
    '5',
    'f',
    '-',
    '+',
    '\x0b',
    '\x7f',
    '\xff',
  ],
  ...[
    'chunked',
    'Transfer-Encoding: chunked\r\n',
    'Transfer-Encoding: x\r\n',
    'Content-Length: 5\r\n',
    'Content-Length: 0\r\n',
  ],
  ...['Connection: close\r\n', 'Connection: content-length\r\n', 'Host: b\r\n', 'HTTP/1.0', ' folded\r\n', HIDDEN],
];

let origin: NodeOrigin;
let seen: string[] = [];
let proxy: RunningProxy;
let lenient: RunningProxy;

beforeAll(async () => {
  origin = await NodeOrigin.start((incoming, response) => {
    seen.push(incoming.url!);
    incoming.resume();
    incoming.on('error', () => undefined);
    response.end('hi');
  });
  const config = { timeouts: { read: '200ms', idle: '200ms' }, logLevel: 'error' };
  proxy = await ProxyProgram.start(config);
  // Node's own switch for lenient parsing must not reach the proxy.
  lenient = await ProxyProgram.start(config, { NODE_OPTIONS: '--insecure-http-parser' });
});

afterAll(async () => {
  await Promise.all([proxy, lenient, origin].map((started) => started[Symbol.asyncDispose]()));
});

/** Sends text and expects that the origin has seen no more requests than were answered, and no hidden one. */
async function expectNoneMore(through: RunningProxy, sent: string): Promise<number> {
  seen = [];
  const answers = await exchange(through.url, sent);
  const accepted = answers.match(/HTTP\/1\.[01] 200 /g)?.length ?? 0;
  expect({ sent, seen: seen.length > accepted ? seen : [] }).toEqual({ sent, seen: [] });
  return accepted;
}

function post(fields: string, body: string): string {
  return `POST ${origin.url}/ HTTP/1.1\r\nHost: ${origin.authority}\r\n${fields}\r\n${body}`;
}

describe('smuggling through the built proxy to node:http (RFC 9112, section 11.2)', () => {
  it.each(['strict', 'insecure-http-parser'])(
    'no spelling of Transfer-Encoding gets anything to the origin (%s)',
    async (mode) => {
      const through = mode === 'strict' ? proxy : lenient;
      for (const value of ODD_TRANSFER_ENCODINGS) {
        const body = `0\r\n\r\n${HIDDEN}`;
        for (const fields of [
          `Transfer-Encoding: ${value}\r\n`,
          `Transfer-Encoding: ${value}\r\nContent-Length: ${body.length}\r\n`,
          `Content-Length: ${body.length}\r\nTransfer-Encoding: ${value}\r\n`,
        ]) {
          expect([value, await expectNoneMore(through, post(fields, body)), seen]).toEqual([value, 0, []]);
        }
      }
    },
  );

  it('mangled requests never become more at the origin than the proxy answered', async () => {
    const corpus = [
      post('Content-Length: 5\r\nConnection: close\r\n', 'hello'),
      post(`Content-Length: ${HIDDEN.length}\r\n`, HIDDEN),
      post('Transfer-Encoding: chunked\r\n', '5\r\nhello\r\n0\r\n\r\n'),
      post(
        'Transfer-Encoding: chunked\r\nTrailer: X\r\n',
        `2;a="b"\r\nhi\r\n0\r\nX: y\r\n\r\n${post('Content-Length: 0\r\nConnection: close\r\n', '')}`,
      ),
      `GET ${origin.url}/a HTTP/1.1\r\nHost: a\r\n\r\nGET ${origin.url}/b HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n`,
      `GET ${origin.url}/a HTTP/1.0\r\n\r\n${HIDDEN}`,
    ];
    const mutation = fc.record({
      at: fc.nat(1_000_000),
      cut: fc.oneof({ weight: 3, arbitrary: fc.constant(0) }, fc.integer({ min: 1, max: 12 })),
      splice: fc.constantFrom(...SPLICES, ''),
    });
    const message = fc
      .tuple(fc.constantFrom(...corpus), fc.array(mutation, { minLength: 1, maxLength: 3 }))
      .map(([base, mutations]) =>
        mutations.reduce((text, { at, cut, splice }) => {
          const position = at % (text.length + 1);
          return text.slice(0, position) + splice + text.slice(position + cut);
        }, base),
      );
    let accepted = 0;
    await fc.assert(
      fc.asyncProperty(message, async (text) => {
        accepted += await expectNoneMore(proxy, text);
        expect(seen).not.toContain('/hidden');
      }),
      { numRuns: 150 },
    );
    expect(accepted).toBeGreaterThan(0);
  });

  it('lives on afterwards', async () => {
    for (const { url } of [proxy, lenient]) {
      const ask = 'GET /health HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n';
      // On a busy machine the request may come later than the short limit wants it.
      await until(async () => (await exchange(url, ask)).includes('"status":"healthy"'));
    }
  });
});
