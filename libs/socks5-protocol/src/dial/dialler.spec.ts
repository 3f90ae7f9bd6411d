import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, Socket } from 'node:net';
import { CLOSED_PORT } from '../../../../test/support/closed-port.js';
import { Dialler } from './dialler.js';
import { Resolver } from './resolver.js';

let server: Server;
let port: number;

beforeAll(async () => {
  server = createServer((socket) => socket.on('error', () => undefined).end('hello')).listen(0, '127.0.0.1');
  await once(server, 'listening');
  ({ port } = server.address() as AddressInfo);
});

afterAll(async () => {
  await new Promise((resolve) => server.close(resolve));
});

/** A resolver whose system knows one name. */
function knowing(...addresses: string[]): Resolver {
  const known = addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 }));
  return new Resolver((_host, _options, answer) => {
    queueMicrotask(() => {
      answer(null, known);
    });
  });
}

interface DialHere {
  readonly admit?: (address: string) => boolean;
  /** Packets to these vanish: their sockets never begin. */
  readonly dead?: readonly string[];
  readonly timeout?: number;
  readonly port?: number;
}

/** What was begun, in its order. */
const begun: { readonly address: string; readonly socket: Socket }[] = [];

afterEach(() => {
  for (const { socket } of begun.splice(0)) socket.destroy();
});

/** Connects, and gives the address that it is connected to. */
async function dial(dialler: Dialler, host: string, options: DialHere = {}): Promise<string | undefined> {
  const { admit = () => true, dead = [], timeout = 20_000 } = options;
  return new Promise((resolve, reject) => {
    dialler.dial({
      target: { host, port: options.port ?? port },
      admit,
      timeout,
      open: (to) => {
        const socket = dead.includes(to.host) ? new Socket() : connect(to);
        begun.push({ address: to.host, socket: socket.on('error', () => undefined) });
        return { socket };
      },
      connected: ({ socket }) => {
        resolve(socket.remoteAddress);
      },
      failed: reject,
    });
  });
}

const addresses = (): string[] => begun.map(({ address }) => address);

describe('Dialler', () => {
  it('connects to an address without a look-up, and to a name by what the system says', async () => {
    const none = new Dialler(
      new Resolver(() => {
        throw new Error('asked');
      }),
    );
    expect(await dial(none, '127.0.0.1')).toBe('127.0.0.1');
    expect(await dial(new Dialler(), 'localhost')).toBe('127.0.0.1');
  });

  it('connects to nothing that it may not, whatever else the name has', async () => {
    const dialler = new Dialler(knowing('127.0.0.2', '127.0.0.1', '127.0.0.3'));
    expect(await dial(dialler, 'a.example', { admit: (address) => address === '127.0.0.1' })).toBe('127.0.0.1');
    expect(addresses()).toEqual(['127.0.0.1']);
    await expect(dial(dialler, 'a.example', { admit: () => false })).rejects.toMatchObject({ code: 'DIAL.PROHIBITED' });
    await expect(dial(new Dialler(), '127.0.0.1', { admit: () => false })).rejects.toThrow('may be connected to');
    expect(begun).toHaveLength(1);
  });

  it('takes the families in turns, and the next address at once when one is refused', async () => {
    const dialler = new Dialler(knowing('127.0.0.1', '127.0.0.2', '::1'));
    const started = dial(dialler, 'a.example', { port: CLOSED_PORT });
    await expect(started).rejects.toMatchObject({ code: 'DIAL.FAILED', cause: { code: 'ECONNREFUSED' } });
    expect(addresses()).toEqual(['127.0.0.1', '::1', '127.0.0.2']);
  });

  it('does not wait for a dead IPv6, ends that attempt, and begins with IPv4 the next time', async () => {
    const dialler = new Dialler(knowing('::1', '127.0.0.1'));
    const dead = ['::1'];
    expect(await dial(dialler, 'a.example', { dead })).toBe('127.0.0.1');
    expect(addresses()).toEqual(['::1', '127.0.0.1']);
    expect(begun[0]!.socket.destroyed).toBe(true);
    expect(await dial(dialler, 'a.example', { dead })).toBe('127.0.0.1');
    // Another one may have been begun beside it on a busy machine.
    expect(addresses()[2]).toBe('127.0.0.1');
  });

  it('is over in time, with every attempt ended', async () => {
    const dialler = new Dialler(knowing('127.0.0.2', '127.0.0.3'));
    const dead = ['127.0.0.2', '127.0.0.3'];
    await expect(dial(dialler, 'a.example', { dead, timeout: 300 })).rejects.toMatchObject({ code: 'DIAL.TIMEOUT' });
    expect(begun.every(({ socket }) => socket.destroyed)).toBe(true);
    const silent = new Dialler(new Resolver(() => undefined));
    await expect(dial(silent, 'a.example', { timeout: 50 })).rejects.toMatchObject({ code: 'DIAL.TIMEOUT' });
  });

  it('says that a name has no address', async () => {
    await expect(dial(new Dialler(), 'no.such.host.invalid')).rejects.toMatchObject({ code: 'DIAL.UNRESOLVED' });
    await expect(dial(new Dialler(knowing()), 'a.example')).rejects.toMatchObject({ code: 'DIAL.UNRESOLVED' });
  });

  it('gives up when it is told to, before and during the connection', async () => {
    let called = 0;
    const socket = new Socket();
    const options = {
      target: { host: '127.0.0.1', port },
      admit: () => true,
      open: () => ({ socket }),
      timeout: 50,
      connected: () => (called += 1),
      failed: () => (called += 1),
    };
    const dialler = new Dialler();
    dialler.dial(options).cancel();
    const attempt = dialler.dial(options);
    await new Promise(setImmediate);
    attempt.cancel();
    attempt.expire();
    expect(socket.destroyed).toBe(true);
    await expect(dial(dialler, 'a.invalid')).rejects.toThrow();
    expect(called).toBe(0);
  });
});
