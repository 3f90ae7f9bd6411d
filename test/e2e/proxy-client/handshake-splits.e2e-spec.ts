import { describe, expect, it } from '@jest/globals';
import type { Socket } from 'node:net';
import { ScriptedSocks5Server, type ScriptStep } from '#socks5-protocol/testing';
import { ProxyProgram } from '../../support/proxy/proxy-program.js';
import { LoopTurns } from '../../support/proxy/loop-turns.js';
import { exchange, RawConnection } from '../../support/raw-http.js';

/** Replies that grant the request, with each type of bound address (RFC 1928, section 6). */
const REPLIES = {
  IPv4: Uint8Array.of(5, 0, 0, 1, 192, 0, 2, 1, 0x1f, 0x90),
  IPv6: Uint8Array.of(5, 0, 0, 4, 0x20, 0x01, 0x0d, 0xb8, ...new Uint8Array(11), 1, 0x1f, 0x90),
  name: Uint8Array.of(5, 0, 0, 3, 13, ...Buffer.from('bound.example'), 0x1f, 0x90),
};
const ANSWER = 'HTTP/1.1 200 OK\r\nContent-Length: 5\r\nConnection: close\r\n\r\nhello';

const KINDS = [
  ['without credentials', 'stepwise', undefined],
  ['with credentials', 'stepwise', { username: 'me', password: 's3cret' }],
  ['without credentials, in one flight', 'oneflight', undefined],
  ['with credentials, in one flight', 'oneflight', { username: 'me', password: 's3cret' }],
  ['without credentials, as learned', 'auto', undefined],
  ['with credentials, as learned', 'auto', { username: 'me', password: 's3cret' }],
] as const;

interface Messages {
  readonly method: Uint8Array;
  readonly status: Uint8Array | undefined;
  readonly reply: Uint8Array;
}

type Then = Extract<ScriptStep, { then: unknown }>['then'];
type Cuts = Partial<Record<keyof Messages, readonly number[]>>;

/** Answers message by message, each split at the positions in `cuts`. */
function script({ method, status, reply }: Messages, cuts: Cuts, { between }: LoopTurns, then: Then): ScriptStep[] {
  return [
    { read: 'greeting' },
    { write: method, cuts: cuts.method ?? [], between },
    ...(status === undefined
      ? []
      : ([{ read: 'credentials' }, { write: status, cuts: cuts.status ?? [], between }] satisfies ScriptStep[])),
    { read: 'request' },
    { write: reply, cuts: cuts.reply ?? [], between },
    { then },
  ];
}

/** Every way to cut one of the messages in two, and each of them byte by byte. */
function* everyCut(messages: Messages): Generator<Cuts> {
  for (const name of ['method', 'status', 'reply'] as const) {
    const length = messages[name]?.length ?? 0;
    const all = Array.from({ length: Math.max(0, length - 1) }, (_, index) => index + 1);
    for (const cut of all) yield { [name]: [cut] };
    if (all.length > 1) yield { [name]: all };
  }
}

/** Sends bytes right after the reply, and then echoes. */
const greetAndEcho: Then = (socket: Socket) => {
  socket.write('early ');
  socket.pipe(socket);
};

const answerGet: Then = (socket: Socket) => {
  socket.once('data', () => socket.end(ANSWER));
};

async function tunnel(url: string): Promise<string> {
  const client = await RawConnection.open(url);
  client.write('CONNECT a.example:80 HTTP/1.1\r\nHost: a.example:80\r\n\r\n');
  await client.until('early ');
  client.write('ping').half();
  return client.closed;
}

const get = (url: string): Promise<string> =>
  exchange(url, 'GET http://a.example/ HTTP/1.1\r\nHost: a.example\r\nConnection: close\r\n\r\n');

describe('a SOCKS5 server whose messages arrive in pieces', () => {
  it.each(KINDS)('is understood, whichever message is cut wherever (%s)', async (_, handshake, credentials) => {
    await using socks = await new ScriptedSocks5Server(() => []).listen();
    await using proxy = await ProxyProgram.start({
      upstream: { host: '127.0.0.1', port: socks.port, handshake, ...credentials },
    });
    using turns = await LoopTurns.of(proxy.url);
    const messages = (reply: Uint8Array): Messages => ({
      method: Uint8Array.of(5, credentials === undefined ? 0 : 2),
      status: credentials === undefined ? undefined : Uint8Array.of(1, 0),
      reply,
    });
    const wrong: object[] = [];
    let tried = 0;
    for (const [bound, reply] of Object.entries(REPLIES)) {
      for (const cuts of everyCut(messages(reply))) {
        tried += 1;
        socks.script = () => script(messages(reply), cuts, turns, answerGet);
        const answer = await get(proxy.url);
        if (!/^HTTP\/1\.1 200 .*\r\n\r\nhello$/s.test(answer)) wrong.push({ bound, cuts, answer });
        socks.script = () => script(messages(reply), cuts, turns, greetAndEcho);
        const tunnelled = await tunnel(proxy.url).catch(String);
        if (!/^HTTP\/1\.1 200 .*\r\n\r\nearly ping$/s.test(tunnelled)) wrong.push({ bound, cuts, tunnelled });
      }
    }
    expect(wrong).toEqual([]);
    expect(tried).toBeGreaterThan(50);
    const flight = /^05010[02](01026d6506733363726574)?05010003/;
    if (handshake === 'auto') expect(socks.connections.at(-1)?.received.toString('hex')).toMatch(flight);
  });

  it('is understood when all its messages are one stream, cut anywhere', async () => {
    await using socks = await new ScriptedSocks5Server(() => []).listen();
    const upstream = {
      host: '127.0.0.1',
      port: socks.port,
      handshake: 'oneflight',
      username: 'me',
      password: 's3cret',
    };
    await using proxy = await ProxyProgram.start({ upstream });
    using turns = await LoopTurns.of(proxy.url);
    const wrong: object[] = [];
    for (const reply of Object.values(REPLIES)) {
      const stream = Buffer.concat([Uint8Array.of(5, 2, 1, 0), reply, Buffer.from('early ')]);
      for (let cut = 1; cut < stream.length; cut += 1) {
        socks.script = () => [
          { read: 'greeting' },
          { read: 'credentials' },
          { read: 'request' },
          { write: stream, cuts: [cut], between: turns.between },
          { then: (socket) => socket.pipe(socket) },
        ];
        const tunnelled = await tunnel(proxy.url).catch(String);
        if (!/^HTTP\/1\.1 200 .*\r\n\r\nearly ping$/s.test(tunnelled)) wrong.push({ cut, tunnelled });
      }
    }
    expect(wrong).toEqual([]);
  });
});
