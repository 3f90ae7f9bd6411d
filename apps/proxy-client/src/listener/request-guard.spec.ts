import fc from 'fast-check';
import { ProxyFailure } from '../failure/proxy-failure.js';
import { RequestGuard, type GuardedBody } from './request-guard.js';

const GET = 'GET http://a.example/ HTTP/1.1\r\nHost: a.example\r\nX:  two blanks \r\n\r\n';
const POST = 'POST http://a.example/ HTTP/1.1\r\nHost: a.example\r\n\r\n';

/** Takes chunks as a connection does, and gives the pieces; `bodies` says what follows each head. */
function pieces(chunks: readonly string[], bodies: readonly GuardedBody[] = []): string[] {
  const guard = new RequestGuard(1000);
  const found: string[] = [];
  let heads = 0;
  for (const text of chunks) {
    const chunk = Buffer.from(text, 'latin1');
    for (let position = 0; position < chunk.length;) {
      const stop = guard.next(chunk, position);
      found.push(chunk.toString('latin1', position, stop));
      position = stop;
      if (guard.headOver) guard.body(bodies[heads++] ?? 0);
    }
  }
  return found;
}

function failureOf(text: string, bodies: readonly GuardedBody[] = []): string | undefined {
  try {
    pieces([text], bodies);
  } catch (error) {
    return (error as ProxyFailure).category;
  }
  return undefined;
}

describe('RequestGuard', () => {
  it('stops behind each head and each message', () => {
    expect(pieces([GET + GET])).toEqual([GET, GET]);
    expect(pieces([`${POST}hello${GET}`], [5])).toEqual([POST, 'hello', GET]);
    const chunked = '5;a=b\r\nhello\r\n0\r\nX: y\r\n\r\n';
    expect(pieces([POST + chunked + GET], ['chunked'])).toEqual([POST, chunked, GET]);
    expect(pieces([`\r\n\r\n${GET}\r\n${GET}`])).toEqual([`\r\n\r\n${GET}`, `\r\n${GET}`]);
  });

  it('finds the same however the bytes are split', () => {
    const messages = `${POST}5\r\nhello\r\n0\r\n\r\n\r\n${GET}${POST}hello${GET}`;
    const bodies: GuardedBody[] = ['chunked', 0, 5, 0];
    for (let at = 1; at < messages.length; at += 1) {
      const text = pieces([messages.slice(0, at), messages.slice(at)], bodies);
      expect(text.join('')).toBe(messages);
      expect(text.length).toBeLessThanOrEqual(7);
    }
    expect(pieces(messages.split(''), bodies).join('')).toBe(messages);
  });

  it.each([
    ['two blanks behind the method', 'GET  http://a/ HTTP/1.1\r\n'],
    ['two blanks behind the target', 'GET http://a/  HTTP/1.1\r\n'],
    ['a blank before the method', ' GET http://a/ HTTP/1.1\r\n'],
    ['a blank behind the version', 'GET http://a/ HTTP/1.1 \r\n'],
    ['no target', 'GET\r\n'],
    ['no version', 'GET http://a/\r\n'],
    ['LF behind the target', 'GET http://a/\n'],
    ['RTSP', 'DESCRIBE http://a/ RTSP/1.0\r\n'],
    ['ICE', 'SOURCE http://a/ ICE/1.0\r\n'],
    ['a protocol in lower case', 'GET http://a/ http/1.1\r\n'],
    ['LF before the line', '\nGET http://a/ HTTP/1.1\r\n'],
    ['CR before the line', '\r\r\nGET http://a/ HTTP/1.1\r\n'],
    ['CR without LF behind the line', 'GET http://a/ HTTP/1.1\rHost: a\r\n'],
  ])('refuses %s, as a whole and byte by byte, first and later', (_, line) => {
    for (const before of ['', GET, `${POST}hello`]) {
      const bodies = before.startsWith('POST') ? [5] : [];
      expect(failureOf(before + line, bodies)).toBe('bad_request');
      expect(() => pieces((before + line).split(''), bodies)).toThrow(ProxyFailure);
    }
  });

  it('leaves everything else about the line to the parser', () => {
    for (const line of ['G@T x HTTP/9.9', 'GET \xe9 HTTP/1.1', 'PRI * HTTP/2.0', 'GET http://a/ HTTP/10.10']) {
      expect(failureOf(`${line}\r\n`)).toBeUndefined();
    }
  });

  it.each(['80000000', 'FFFFFFFF', '100000000', 'FFFFFFFFFFFFFFFF', '10000000000000000', '0x5', '-1', '5 ', '', 'g'])(
    'refuses a chunk of %j bytes',
    (size) => {
      expect(failureOf(`${POST}${size}\r\n`, ['chunked'])).toBe('request_body_malformed');
    },
  );

  it('takes a chunk of 2^31 - 1 bytes', () => {
    expect(pieces([`${POST}7fffffff\r\nhello`], ['chunked'])).toEqual([POST, '7fffffff\r\nhello']);
  });

  it('refuses framing in the trailer, and a trailer over the limit', () => {
    expect(failureOf(`${POST}0\r\nContent-Length: 1\r\n\r\n`, ['chunked'])).toBe('request_body_malformed');
    expect(failureOf(`${POST}0\r\nX: ${'x'.repeat(1000)}\r\n\r\n`, ['chunked'])).toBe('request_body_malformed');
  });

  it('never gives bytes twice or not at all', () => {
    const message = fc.constantFrom<readonly [string, GuardedBody]>(
      [GET, 0],
      [`${POST}abc`, 3],
      [`${POST}0\r\n\r\n`, 'chunked'],
    );
    fc.assert(
      fc.property(fc.array(message), fc.array(fc.nat(200)), (messages, cuts) => {
        const text = messages.map(([bytes]) => bytes).join('');
        const places = [0, ...cuts.map((cut) => Math.min(cut, text.length)).sort((a, b) => a - b), text.length];
        const chunks = places.slice(1).map((place, index) => text.slice(places[index], place));
        expect(
          pieces(
            chunks,
            messages.map(([, body]) => body),
          ).join(''),
        ).toBe(text);
      }),
    );
  });
});
