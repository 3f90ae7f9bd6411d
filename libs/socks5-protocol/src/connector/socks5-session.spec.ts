import { once } from 'node:events';
import { connect } from 'node:net';
import { parseSocks5Target } from '../codec/address.js';
import { Method } from '../codec/constants.js';
import type { Socks5Error } from '../codec/socks5-error.js';
import { granting } from '../testing/scripts.js';
import { ScriptedSocks5Server, type ScriptStep } from '../testing/scripted-socks5-server.js';
import { Socks5Session } from './socks5-session.js';
import { SocketTransport } from './transport.js';

const target = parseSocks5Target('example.com', 80);

type Happening = 'ready' | 'established' | Socks5Error;

/**
 * A session that greets ahead, and what happened to it so far.
 * @param handshake - milliseconds; long where nothing may run out, however busy the machine is
 */
function greetAhead(port: number, handshake: number): { session: Socks5Session; next: () => Promise<Happening> } {
  const happenings: Happening[] = [];
  let wake = (): void => undefined;
  const note = (happening: Happening): void => {
    happenings.push(happening);
    wake();
  };
  const session = new Socks5Session({
    open: () => new SocketTransport(connect({ port, host: '127.0.0.1', allowHalfOpen: true })),
    offer: [Method.none],
    timeouts: { connect: 0, handshake },
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

describe('Socks5Session, greeted ahead', () => {
  it('waits as long as it must for its request, whatever the handshake limit', async () => {
    await using server = await serverOf(granting());
    const { session, next } = greetAhead(server.port, 500);
    expect(await next()).toBe('ready');
    await new Promise((resolve) => setTimeout(resolve, 550));
    session.request(target);
    expect(await next()).toBe('established');
    expect(server.connections[0]!.target).toMatchObject({ host: 'example.com' });
    session.cancel();
    expect(session.socket.destroyed).toBe(false);
    session.socket.destroy();
  });

  it('keeps the limit once the request is out', async () => {
    await using server = await serverOf([{ read: 'greeting' }, { write: Uint8Array.of(5, 0) }, { then: 'stall' }]);
    const { session, next } = greetAhead(server.port, 100);
    expect(await next()).toBe('ready');
    session.request(target);
    expect(await next()).toMatchObject({ code: 'SOCKS5.TIMEOUT', phase: 'request' });
    expect(session.greeted).toBe(true);
  });

  it.each<[string, ScriptStep, string]>([
    ['closes', { then: 'close' }, 'SOCKS5.CLOSED'],
    ['resets', { then: 'reset' }, 'SOCKS5.CLOSED'],
    ['speaks unasked', { write: Uint8Array.of(5, 0) }, 'SOCKS5.PROTOCOL'],
  ])('fails while it waits when the server %s', async (_what, step, code) => {
    await using server = await serverOf([{ read: 'greeting' }, { write: Uint8Array.of(5, 0) }, step]);
    const { session, next } = greetAhead(server.port, 30_000);
    const first = await next();
    expect(first === 'ready' ? await next() : first).toMatchObject({ code });
    if (!session.socket.closed) await once(session.socket, 'close');
  });
});
