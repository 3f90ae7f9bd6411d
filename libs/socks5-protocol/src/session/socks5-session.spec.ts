import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { jest } from '@jest/globals';
import { parseSocks5Target } from '../codec/address.js';
import { Method } from '../codec/messages.js';
import type { Socks5Error } from '../codec/socks5-error.js';
import { SocketSource } from '../testing/connect-socks5.js';
import { granting } from '../testing/scripts.js';
import { ScriptedSocks5Server, type ScriptStep } from '../testing/scripted-socks5-server.js';
import { Socks5Session } from './socks5-session.js';

const target = parseSocks5Target('example.com', 80);
const TIMEOUT_MS = 30_000;

type SessionEvent = 'ready' | 'established' | Socks5Error;

/** A session without a target, and its events so far. */
async function openWithoutTarget(
  port: number,
): Promise<{ session: Socks5Session; socket: Socket; next: () => Promise<SessionEvent> }> {
  const events: SessionEvent[] = [];
  let wake = (): void => undefined;
  const add = (event: SessionEvent): void => {
    events.push(event);
    wake();
  };
  const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true });
  await once(socket, 'connect');
  const session = new Socks5Session({
    source: new SocketSource(socket),
    offer: [Method.none],
    timeout: TIMEOUT_MS,
    listener: {
      ready: () => {
        add('ready');
      },
      established: () => {
        add('established');
        return false;
      },
      failed: add,
    },
  });
  const next = async (): Promise<SessionEvent> => {
    while (events.length === 0) await new Promise<void>((resolve) => (wake = resolve));
    return events.shift()!;
  };
  return { session, socket, next };
}

async function serverOf(script: readonly ScriptStep[]): Promise<ScriptedSocks5Server> {
  return new ScriptedSocks5Server(() => script).listen();
}

beforeAll(() => {
  // The test controls the timeouts.
  jest.useFakeTimers({ doNotFake: ['nextTick', 'setImmediate', 'queueMicrotask'] });
});

afterAll(() => {
  jest.useRealTimers();
});

describe('Socks5Session without a target', () => {
  it('waits for its request without a timeout', async () => {
    await using server = await serverOf(granting());
    const { session, socket, next } = await openWithoutTarget(server.port);
    expect(await next()).toBe('ready');
    jest.advanceTimersByTime(2 * TIMEOUT_MS);
    session.request(target);
    expect(await next()).toBe('established');
    expect(server.connections[0]!.target).toMatchObject({ host: 'example.com' });
    session.abort();
    expect(socket.destroyed).toBe(false);
    socket.destroy();
  });

  it('applies the timeout after the request was sent', async () => {
    await using server = await serverOf([{ read: 'greeting' }, { write: Uint8Array.of(5, 0) }, { then: 'stall' }]);
    const { session, next } = await openWithoutTarget(server.port);
    expect(await next()).toBe('ready');
    session.request(target);
    jest.advanceTimersByTime(TIMEOUT_MS);
    expect(await next()).toMatchObject({ code: 'SOCKS5.TIMEOUT', phase: 'request' });
    expect(session.method).toBe(Method.none);
  });

  it.each<[string, ScriptStep, string]>([
    ['closes', { then: 'close' }, 'SOCKS5.CLOSED'],
    ['resets', { then: 'reset' }, 'SOCKS5.CLOSED'],
    ['sends unexpected bytes', { write: Uint8Array.of(5, 0) }, 'SOCKS5.PROTOCOL'],
  ])('fails while it waits when the server %s', async (_what, step, code) => {
    await using server = await serverOf([{ read: 'greeting' }, { write: Uint8Array.of(5, 0) }, step]);
    const { socket, next } = await openWithoutTarget(server.port);
    const first = await next();
    expect(first === 'ready' ? await next() : first).toMatchObject({ code });
    if (!socket.closed) await once(socket, 'close');
  });
});
