import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, Socket } from 'node:net';
import { CLOSED_PORT } from '../../../../test/support/closed-port.js';
import { withoutDescriptors } from '../../../../test/support/without-descriptors.js';
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

/** Returns a resolver that resolves every name to these addresses. */
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
  /** Addresses that never answer. */
  readonly dead?: readonly string[];
  readonly timeout?: number;
  readonly port?: number;
}

/** The attempts in their order. */
const attempts: { readonly address: string; readonly socket: Socket }[] = [];

afterEach(() => {
  for (const { socket } of attempts.splice(0)) socket.destroy();
});

/** Connects, and returns the address of the connection. */
async function dial(dialler: Dialler, host: string, options: DialHere = {}): Promise<string | undefined> {
  const { admit = () => true, dead = [], timeout = 20_000 } = options;
  return new Promise((resolve, reject) => {
    dialler.dial({
      target: { host, port: options.port ?? port },
      admit,
      timeout,
      open: (to) => {
        const socket = dead.includes(to.host) ? new Socket() : connect(to);
        attempts.push({ address: to.host, socket: socket.on('error', () => undefined) });
        return { socket };
      },
      connected: ({ socket }) => {
        resolve(socket.remoteAddress);
      },
      failed: reject,
    });
  });
}

const addresses = (): string[] => attempts.map(({ address }) => address);

describe('Dialler', () => {
  it('connects to an address without a look-up, and to a name as the system resolves it', async () => {
    const none = new Dialler(
      new Resolver(() => {
        throw new Error('asked');
      }),
    );
    expect(await dial(none, '127.0.0.1')).toBe('127.0.0.1');
    expect(await dial(new Dialler(), 'localhost')).toBe('127.0.0.1');
  });

  it('connects only to allowed addresses of a name', async () => {
    const dialler = new Dialler(knowing('127.0.0.2', '127.0.0.1', '127.0.0.3'));
    expect(await dial(dialler, 'a.example', { admit: (address) => address === '127.0.0.1' })).toBe('127.0.0.1');
    expect(addresses()).toEqual(['127.0.0.1']);
    await expect(dial(dialler, 'a.example', { admit: () => false })).rejects.toMatchObject({ code: 'DIAL.PROHIBITED' });
    await expect(dial(new Dialler(), '127.0.0.1', { admit: () => false })).rejects.toMatchObject({
      code: 'DIAL.PROHIBITED',
    });
    expect(attempts).toHaveLength(1);
  });

  it('alternates the address families, and tries the next address at once when one is refused', async () => {
    const dialler = new Dialler(knowing('127.0.0.1', '127.0.0.2', '::1'));
    const started = dial(dialler, 'a.example', { port: CLOSED_PORT });
    await expect(started).rejects.toMatchObject({ code: 'DIAL.FAILED', cause: { code: 'ECONNREFUSED' } });
    expect(addresses()).toEqual(['127.0.0.1', '::1', '127.0.0.2']);
  });

  it('does not wait for a dead IPv6 address, closes that attempt, and starts with IPv4 the next time', async () => {
    const dialler = new Dialler(knowing('::1', '127.0.0.1'));
    const dead = ['::1'];
    expect(await dial(dialler, 'a.example', { dead })).toBe('127.0.0.1');
    expect(addresses()).toEqual(['::1', '127.0.0.1']);
    expect(attempts[0]!.socket.destroyed).toBe(true);
    expect(await dial(dialler, 'a.example', { dead })).toBe('127.0.0.1');
    // Another attempt may have started concurrently on a busy machine.
    expect(addresses()[2]).toBe('127.0.0.1');
  });

  it('starts with the address that won the last time', async () => {
    const dialler = new Dialler(knowing('127.0.0.2', '127.0.0.1'));
    expect(await dial(dialler, 'a.example', { dead: ['127.0.0.2'] })).toBe('127.0.0.1');
    expect(await dial(dialler, 'a.example', { dead: ['127.0.0.2'] })).toBe('127.0.0.1');
    // Another attempt may have started concurrently on a busy machine.
    expect(addresses()[2]).toBe('127.0.0.1');
  });

  it('resolves a cached name once, and again after its addresses have failed', async () => {
    let asked = 0;
    const resolver = new Resolver((_host, _options, answer) => {
      asked += 1;
      queueMicrotask(() => {
        answer(null, [{ address: '127.0.0.1', family: 4 }]);
      });
    });
    const dialler = new Dialler(resolver, 30_000);
    for (let times = 0; times < 3; times += 1) expect(await dial(dialler, 'a.example')).toBe('127.0.0.1');
    expect(asked).toBe(1);
    await expect(dial(dialler, 'a.example', { port: CLOSED_PORT })).rejects.toMatchObject({ code: 'DIAL.FAILED' });
    expect(await dial(dialler, 'a.example')).toBe('127.0.0.1');
    expect(asked).toBe(2);
  });

  it('reports that no file descriptor is free as its own failure, and caches the name further', async () => {
    let asked = 0;
    const resolver = new Resolver((_host, _options, answer) => {
      asked += 1;
      const error = Object.assign(new Error('getaddrinfo EMFILE'), { code: 'EMFILE' });
      queueMicrotask(() => {
        if (asked === 1) answer(error, []);
        else answer(null, [{ address: '127.0.0.1', family: 4 }]);
      });
    });
    const dialler = new Dialler(resolver, 30_000);
    const noDescriptor = { code: 'DIAL.NO_DESCRIPTOR', cause: { code: 'EMFILE' } };
    await expect(dial(dialler, 'a.example')).rejects.toMatchObject(noDescriptor);
    const exhausted = withoutDescriptors(CLOSED_PORT);
    await expect(dial(dialler, 'a.example', { port: CLOSED_PORT })).rejects.toMatchObject(noDescriptor);
    await expect(dial(dialler, 'a.example', { port: CLOSED_PORT })).rejects.toMatchObject(noDescriptor);
    exhausted[Symbol.dispose]();
    expect(asked).toBe(2);
  });

  it('fails when its timeout expires, with every attempt closed', async () => {
    const dialler = new Dialler(knowing('127.0.0.2', '127.0.0.3'));
    const dead = ['127.0.0.2', '127.0.0.3'];
    await expect(dial(dialler, 'a.example', { dead, timeout: 300 })).rejects.toMatchObject({ code: 'DIAL.TIMEOUT' });
    expect(attempts.every(({ socket }) => socket.destroyed)).toBe(true);
    const silent = new Dialler(new Resolver(() => undefined));
    await expect(dial(silent, 'a.example', { timeout: 50 })).rejects.toMatchObject({ code: 'DIAL.TIMEOUT' });
  });

  it('fails when a name has no address', async () => {
    await expect(dial(new Dialler(), 'no.such.host.invalid')).rejects.toMatchObject({ code: 'DIAL.UNRESOLVED' });
    await expect(dial(new Dialler(knowing()), 'a.example')).rejects.toMatchObject({ code: 'DIAL.UNRESOLVED' });
  });

  it('can be cancelled, before and during the connection', async () => {
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
    dialler.dial(options).abort();
    const attempt = dialler.dial(options);
    await new Promise(setImmediate);
    attempt.abort();
    attempt.expire();
    expect(socket.destroyed).toBe(true);
    await expect(dial(dialler, 'a.invalid')).rejects.toThrow();
    expect(called).toBe(0);
  });
});
