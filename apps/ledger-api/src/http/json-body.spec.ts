import { EventEmitter, once } from 'node:events';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import * as fc from 'fast-check';
import Fastify, { type FastifyInstance } from 'fastify';
import { RawConnection } from '../../../../test/support/raw-http.js';
import { until } from '../../../../test/support/until.js';
import { answerOf } from './error-answers.js';
import { parseJson, useBodyBudget } from './json-body.js';

const parse = (text: string) => parseJson(Buffer.from(text));

describe('parseJson', () => {
  it.each([
    '{}',
    '[]',
    '"text"',
    '1',
    'null',
    '{"a":{"b":[1,{"a":"x"}]}}',
    ' {"a" : "x"} ',
    '{"a":"\\"\\\\","b":"\\\\"}',
  ])('reads %s as JSON.parse does', (text) => {
    expect(parse(text)).toEqual(JSON.parse(text));
  });

  it.each(['', '{', '{"a":}', "{'a':'b'}", '{"a":"b",}', 'undefined', '{"a":"\n"}', '\u0000', '{"a":"b"}{}'])(
    'refuses %j',
    (text) => {
      expect(() => parse(text)).toThrow(expect.objectContaining({ code: 'API.INVALID_REQUEST' }));
    },
  );

  it.each([
    [0xff, 0xfe],
    [0x22, 0xc3, 0x28, 0x22],
    [0x22, 0xed, 0xa0, 0x80, 0x22],
    [0x22, 0xc0, 0xaf, 0x22],
  ])('refuses bytes that are not UTF-8 (%p …)', (...bytes) => {
    expect(() => parseJson(Uint8Array.from(bytes))).toThrow('The body is not valid UTF-8.');
  });

  it.each([
    '{"a":"1","a":"2"}',
    '{"a":"\\"","\\u0061":"x"}',
    '{"a":"1","b":"2","a":"1"}',
    '{"a":"1","a":"2","b":["3"]}',
    '{"a":["1"],"a":["2"]}',
    '{"a":{"b":1,"b":2}}',
  ])('refuses a duplicated field: %s', (text) => {
    expect(() => parse(text)).toThrow('The body names a field twice.');
  });

  it('keeps __proto__ as a key and touches no prototype', () => {
    const value = parse('{"__proto__":{"polluted":true},"constructor":"x"}') as object;
    expect(Object.keys(value)).toEqual(['__proto__', 'constructor']);
    expect(({} as { polluted?: boolean }).polluted).toBeUndefined();
  });

  it('reads nesting of 100,000 without overflowing', () => {
    const depth = 100_000;
    expect(() => parse('['.repeat(depth) + ']'.repeat(depth))).not.toThrow();
    expect(() => parse('['.repeat(depth))).toThrow(expect.objectContaining({ code: 'API.INVALID_REQUEST' }));
  });

  it('accepts every flat object of strings unchanged', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string({ unit: 'binary' }), fc.string({ unit: 'binary' })), (value) => {
        expect(parse(JSON.stringify(value))).toEqual(JSON.parse(JSON.stringify(value)));
      }),
    );
  });

  it('finds a doubled key whatever it and its value hold', () => {
    fc.assert(
      fc.property(fc.string(), fc.string(), fc.string(), (key, one, other) => {
        const member = (value: string) => `${JSON.stringify(key)}:${JSON.stringify(value)}`;
        expect(() => parse(`{${member(one)},${member(other)}}`)).toThrow('twice');
      }),
    );
  });
});

describe('useBodyBudget', () => {
  let app: FastifyInstance;
  let origin: string;
  let begun: EventEmitter;
  beforeEach(async () => {
    app = Fastify({ bodyLimit: 100_000, forceCloseConnections: true });
    begun = new EventEmitter();
    app.addHook('preParsing', (_request, _reply, _payload, done) => {
      done(null);
      begun.emit('begun');
    });
    useBodyBudget(app, { bodyLimit: 100_000, budget: 150_000 });
    app.setErrorHandler((error, _, reply) => {
      const { status, headers, body } = answerOf(error);
      void reply.code(status).headers(headers).send(body);
    });
    app.post('/', ({ body }) => JSON.stringify(body).length);
    origin = await app.listen({ host: '127.0.0.1', port: 0 });
  });
  afterEach(async () => {
    await app.close();
  });

  const body = (length: number): string => JSON.stringify('x'.repeat(length - 2));
  const post = async (framing: string, text: string): Promise<RawConnection> => {
    const connection = await RawConnection.open(origin);
    const isBegun = once(begun, 'begun');
    connection.write(`POST / HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\n${framing}\r\n\r\n${text}`);
    await isBegun;
    return connection;
  };
  const whole = async (length: number): Promise<string> =>
    (await post(`Content-Length: ${length}`, body(length))).until('\r\n\r\n');

  it('refuses large bodies with Retry-After while too many are being received', async () => {
    const slow = await post('Content-Length: 90000', '"half');
    expect(await whole(90_000)).toMatch(/^HTTP\/1.1 500 [^]*retry-after: 1\r\n[^]*LEDGER.OVERLOADED/);
    expect(await whole(10_000)).toMatch(/^HTTP\/1.1 200 /);
    expect(await whole(60_000)).toMatch(/^HTTP\/1.1 200 /);
    const rest = body(90_000).slice(5);
    expect(await slow.write(rest).until('90000')).toMatch(/^HTTP\/1.1 200 /);
    expect(await whole(90_000)).toMatch(/^HTTP\/1.1 200 /);
  });

  it('counts a body of no announced length as the longest, and forgets one that does not come', async () => {
    const slow = await post('Transfer-Encoding: chunked', '5\r\n"half\r\n');
    expect(await whole(60_000)).toMatch(/^HTTP\/1.1 500 /);
    slow.socket.destroy();
    await until(async () => (await whole(60_000)).startsWith('HTTP/1.1 200 '));
  });

  it('forgets a body whose response was complete before, when its client leaves', async () => {
    for (let client = 0; client < 3; client += 1) {
      const refused = await post('Transfer-Encoding: chunked', `186a1\r\n${'x'.repeat(100_001)}\r\n`);
      expect(await refused.until('\r\n\r\n')).toMatch(/^HTTP\/1.1 413 /);
      refused.socket.destroy();
    }
    await until(async () => (await whole(90_000)).startsWith('HTTP/1.1 200 '));
  });

  it('leaves what is too long to who refuses that', async () => {
    await post('Content-Length: 90000', '"half');
    expect(await whole(100_001)).toMatch(/^HTTP\/1.1 413 /);
  });
});
