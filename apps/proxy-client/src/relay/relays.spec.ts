import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { until } from '../../../../test/support/until.js';
import { BufferPool } from './buffer-pool.js';
import { heldByKernel } from './kernel-queues.js';
import { adoptSocket } from './pooled-source.js';
import { Relays } from './relays.js';
import { UptakeWatch } from './uptake.js';

const MIB = 1_048_576;
const WRITE_MS = 5000;
const STEP_MS = 100;
/** More than the kernel waits for before it tells the sender, and less than it waits for before it takes more of the sender. */
const TAKEN_AT_ONCE = MIB / 4;

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
  readonly #watch = new UptakeWatch([WRITE_MS, 0]);
  readonly relays = new Relays({ write: WRITE_MS, idle: 0 }, this.#watch);
  readonly #near: Socket;
  readonly #target: Socket;
  #now = 1000;

  private constructor(client: readonly [Socket, Socket], target: readonly [Socket, Socket]) {
    const pool = new BufferPool();
    this.client = client[1].pause();
    this.#target = target[1];
    const source = adoptSocket(pool, client[0]);
    this.#near = source.socket;
    this.relays.join(source, adoptSocket(pool, target[0]));
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
    this.#watch.sweep(this.#now);
    await this.#watch.looking;
    await new Promise(setImmediate);
  }

  /** So much time passes, and it is looked at as often as a sweeper does. */
  async passInSteps(milliseconds: number): Promise<void> {
    for (let passed = 0; passed < milliseconds; passed += STEP_MS) await this.pass(STEP_MS);
  }

  /** The client reads so many bytes, and the kernel has heard of it. */
  async take(bytes: number): Promise<void> {
    const [before = 0] = await heldByKernel([this.#near]);
    let left = bytes;
    let last: number | undefined;
    await until(async () => {
      if (left > 0) left -= (this.client.read() as Buffer | null)?.length ?? 0;
      const [held = 0] = await heldByKernel([this.#near]);
      const settled = left <= 0 && held < before && held === last;
      last = held;
      return settled;
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.client.destroy();
    this.#target.destroy();
    await until(() => this.relays.size === 0);
  }
}

describe('Relays, when a client is slow', () => {
  it('cut nothing that takes something within each limit, whenever that is', async () => {
    await using clogged = await Clogged.start();
    // The first time soon, so that the kernel has to be asked from the beginning; then as late as may be.
    await clogged.passInSteps(WRITE_MS / 5);
    for (let taken = 0; taken < 2; taken += 1) {
      await clogged.take(TAKEN_AT_ONCE);
      await clogged.passInSteps(WRITE_MS - 5 * STEP_MS);
      expect(clogged.relays.size).toBe(1);
    }
  });

  it('cut what is not read, and not before the limit', async () => {
    await using clogged = await Clogged.start();
    await clogged.passInSteps(WRITE_MS - 2 * STEP_MS);
    expect(clogged.relays.size).toBe(1);
    // What the kernel moved from one of its own buffers to another counts as reading, once.
    await until(async () => {
      await clogged.pass(5 * STEP_MS);
      return clogged.relays.size === 0;
    });
  });
});
