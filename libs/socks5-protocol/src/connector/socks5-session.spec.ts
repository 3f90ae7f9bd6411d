import { once } from 'node:events';
import { connect } from 'node:net';
import { jest } from '@jest/globals';
import { parseSocks5Target } from '../codec/address.js';
import { Method } from '../codec/constants.js';
import type { Socks5Error } from '../codec/socks5-error.js';
import { granting } from '../testing/scripts.js';
import { ScriptedSocks5Server, type ScriptStep } from '../testing/scripted-socks5-server.js';
import { Socks5Session } from './socks5-session.js';
import { SocketTransport } from './transport.js';

const target = parseSocks5Target('example.com', 80);
const HANDSHAKE_MS = 30_000;

type Happening = 'ready' | 'established' | Socks5Error;

/** A session that greets ahead, and what happened to it so far. */
function greetAhead(port: number): { session: Socks5Session; next: () => Promise<Happening> } {
  const happenings: Happening[] = [];
  let wake = (): void => undefined;
  const note = (happening: Happening): void => {
    happenings.push(happening);
    wake();
  };
  const session = new Socks5Session({
    open: () => new SocketTransport(connect({ port, host: '127.0.0.1', allowHalfOpen: true })),
    offer: [Method.none],
    timeouts: { connect: 0, handshake: HANDSHAKE_MS },
    listener: {
      ready: () => {
        note('ready');
      },
      established: () => {
        note('established');
      },
      failed: note,
    },
  });
  const next = async (): Promise<Happening> => {
    while (happenings.length === 0) await new Promise<void>((resolve) => (wake = resolve));
    return happenings.shift()!;
  };
  return { session, next };
}

async function serverOf(script: readonly ScriptStep[]): Promise<ScriptedSocks5Server> {
  return new ScriptedSocks5Server(() => script).listen();
}

beforeAll(() => {
  // What limits are made of is in the hands of the test.
  jest.useFakeTimers({ doNotFake: ['nextTick', 'setImmediate', 'queueMicrotask'] });
});

afterAll(() => {
  jest.useRealTimers();
});

describe('Socks5Session, greeted ahead', () => {
  it('waits as long as it must for its request, whatever the handshake limit', async () => {
    await using server = await serverOf(granting());
    const { session, next } = greetAhead(server.port);
    expect(await next()).toBe('ready');
    jest.advanceTimersByTime(2 * HANDSHAKE_MS);
    session.request(target);
    expect(await next()).toBe('established');
    expect(server.connections[0]!.target).toMatchObject({ host: 'example.com' });
    session.cancel();
    expect(session.socket.destroyed).toBe(false);
    session.socket.destroy();
  });

  it('keeps the limit once the request is out', async () => {
    await using server = await serverOf([{ read: 'greeting' }, { write: Uint8Array.of(5, 0) }, { then: 'stall' }]);
    const { session, next } = greetAhead(server.port);
    expect(await next()).toBe('ready');
    session.request(target);
    jest.advanceTimersByTime(HANDSHAKE_MS);
    expect(await next()).toMatchObject({ code: 'SOCKS5.TIMEOUT', phase: 'request' });
    expect(session.greeted).toBe(true);
  });

  it.each<[string, ScriptStep, string]>([
    ['closes', { then: 'close' }, 'SOCKS5.CLOSED'],
    ['resets', { then: 'reset' }, 'SOCKS5.CLOSED'],
    ['speaks unasked', { write: Uint8Array.of(5, 0) }, 'SOCKS5.PROTOCOL'],
  ])('fails while it waits when the server %s', async (_what, step, code) => {
    await using server = await serverOf([{ read: 'greeting' }, { write: Uint8Array.of(5, 0) }, step]);
    const { session, next } = greetAhead(server.port);
    const first = await next();
    expect(first === 'ready' ? await next() : first).toMatchObject({ code });
    if (!session.socket.closed) await once(session.socket, 'close');
  });
});
