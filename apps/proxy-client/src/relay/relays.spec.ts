import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { until } from '../../../../test/support/until.js';
import { BufferPool } from './buffer-pool.js';
import { adoptSocket } from './pooled-source.js';
import { Relays } from './relays.js';

const MIB = 1_048_576;
const WRITE_MS = 5000;
const STEP_MS = 100;

/** Both ends of a connection. */
async function pair(): Promise<readonly [near: Socket, far: Socket]> {
  const server = createServer({ allowHalfOpen: true, pauseOnConnect: true }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const far = connect({ host: '127.0.0.1', port: (server.address() as AddressInfo).port, allowHalfOpen: true });
  const [near] = (await once(server, 'connection')) as [Socket];
  server.close();
  return [near, far.on('error', () => undefined)];
}

/** A relay whose client does not read while its target sends more than fits into all buffers; time is the test's. */
class Clogged implements AsyncDisposable {
  readonly client: Socket;
  readonly relays = new Relays({ write: WRITE_MS, idle: 0 });
  readonly #target: Socket;
  #now = 1000;

  private constructor(client: readonly [Socket, Socket], target: readonly [Socket, Socket]) {
    const pool = new BufferPool();
    this.client = client[1].pause();
    this.#target = target[1];
    this.relays.join(adoptSocket(pool, client[0]), adoptSocket(pool, target[0]));
  }

  static async start(): Promise<Clogged> {
    const clogged = new Clogged(await pair(), await pair());
    clogged.#target.write(Buffer.alloc(64 * MIB));
    let before = -1;
    // Until nothing moves any more.
    await until(async () => {
      const last = before;
      before = clogged.#target.bytesWritten - clogged.#target.writableLength;
      await clogged.pass(0);
      return clogged.#target.writableLength > 0 && last === before;
    });
    return clogged;
  }

  /** So much time passes, and what the kernel says of it is heard. */
  async pass(milliseconds: number): Promise<void> {
    this.#now += milliseconds;
    this.relays.sweep(this.#now);
    await this.relays.asking;
    await new Promise(setImmediate);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.client.destroy();
    this.#target.destroy();
    await until(() => this.relays.size === 0);
  }
}

describe('Relays, when a client is slow', () => {
  it('cut nothing that is read so slowly that the kernel takes nothing for longer than the limit', async () => {
    await using clogged = await Clogged.start();
    // The client takes 20 KiB each 100 ms; the kernel asks for more only when a good part of its buffer (6 MiB) is free, which
    // has to come before the limit: at half this rate it did not in one run of five.
    for (let passed = 0; passed < 3 * WRITE_MS; passed += STEP_MS) {
      clogged.client.read(20_480);
      await clogged.pass(STEP_MS);
    }
    expect(clogged.relays.size).toBe(1);
  });

  it('cut what is not read, and not before the limit', async () => {
    await using clogged = await Clogged.start();
    for (let passed = 0; passed < WRITE_MS - 2 * STEP_MS; passed += STEP_MS) await clogged.pass(STEP_MS);
    expect(clogged.relays.size).toBe(1);
    // The kernel may have moved some bytes from one of its own buffers to another: that counts as reading, once.
    await until(async () => {
      await clogged.pass(STEP_MS);
      return clogged.relays.size === 0;
    });
  });
});
