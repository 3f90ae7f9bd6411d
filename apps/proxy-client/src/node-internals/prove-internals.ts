import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type OnReadOpts, type Socket } from 'node:net';
import { internals, type Internal } from './internals.js';
import { canHandOver, handOver, isGone, readInto, unsentBytes } from './socket-handle.js';

/**
 * A trial takes a few milliseconds; one that takes so long is one that failed. A busy machine may let it wait for more than a
 * second, and what is not proven then is off for as long as the program runs.
 */
const DEADLINE_MS = 10_000;

/**
 * Tries what the proxy uses of Node's insides, each on a connection of this process to itself, and turns off what does not
 * do what it is used for. To be awaited before the first connection.
 *
 * @returns what does not work
 */
export async function proveInternals(): Promise<readonly Internal[]> {
  const server = createServer({ allowHalfOpen: true, pauseOnConnect: true });
  const sockets: Socket[] = [];
  const proven = new Set<Internal>();
  const pair = async (onread?: OnReadOpts): Promise<[Socket, Socket]> => {
    const { port } = server.address() as AddressInfo;
    const client = connect({ host: '127.0.0.1', port, noDelay: true, ...(onread && { onread }) });
    sockets.push(client.on('error', ignore));
    const [accepted] = (await once(server, 'connection')) as [Socket];
    sockets.push(accepted.on('error', ignore));
    return [client, accepted];
  };
  try {
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const [client, accepted] = await pair();
    if (canHandOver(accepted)) {
      const trial = new Trial(client, accepted);
      sockets.push(trial.socket);
      for await (const internal of trial.run()) proven.add(internal);
    }
    if (await sharesBuffer(pair)) proven.add('sharedBuffer');
  } catch {
    // What was not proven by now is not used.
  } finally {
    server.close();
    for (const socket of sockets) socket.destroy();
  }
  const failed = (Object.keys(internals) as Internal[]).filter((internal) => !proven.has(internal));
  for (const internal of failed) internals[internal] = false;
  return failed;
}

/**
 * Has two sockets read into one buffer, both with bytes before either is read: were those of one still on their way into the
 * buffer, or there already, when the other's are told, one tunnel would get what is another one's.
 */
async function sharesBuffer(pair: (onread: OnReadOpts) => Promise<[Socket, Socket]>): Promise<boolean> {
  const buffer = Buffer.alloc(8);
  const reads: Promise<string>[] = [];
  const peers: Socket[] = [];
  for (let socket = 0; socket < 2; socket += 1) {
    const { promise, resolve } = Promise.withResolvers<string>();
    const callback = (count: number): boolean => {
      resolve(buffer.toString('latin1', 0, count));
      return true;
    };
    const [, peer] = await pair({ buffer, callback });
    reads.push(promise);
    peers.push(peer);
  }
  peers[0]?.write('one');
  peers[1]?.write('two');
  const tooLate = once(AbortSignal.timeout(DEADLINE_MS), 'abort').then(() => []);
  return (await Promise.race([Promise.all(reads), tooLate])).join() === 'one,two';
}

/** Both ends of one connection, and what is tried on them, each step on what the one before has left. */
class Trial {
  readonly socket: Socket;
  readonly #client: Socket;
  readonly #signal = AbortSignal.timeout(DEADLINE_MS);
  readonly #first = Buffer.alloc(8);
  readonly #second = Buffer.alloc(8);
  /** What the socket shall read into. */
  #buffer = this.#first;
  #goesOn = true;
  #read: (count: number) => void = ignore;

  constructor(client: Socket, accepted: Socket) {
    this.#client = client;
    const callback = (count: number): boolean => {
      this.#read(count);
      return this.#goesOn;
    };
    this.socket = handOver(accepted, { buffer: () => this.#buffer, callback }).on('error', ignore);
  }

  /** Names each thing that has been seen to work. */
  async *run(): AsyncGenerator<Internal> {
    if (!(await this.#handsOver())) return;
    yield 'handOver';
    if (unsentBytes(this.socket) === 0) yield 'writeQueue';
    if (await this.#changesBuffer()) yield 'liveBuffer';
    if (await this.#seesThatPeerIsGone()) yield 'peerName';
  }

  async #handsOver(): Promise<boolean> {
    this.socket.resume();
    if ((await this.#sent('one')) !== 3 || textOf(this.#first) !== 'one') return false;
    this.socket.write('back');
    const [back] = (await once(this.#client, 'data', { signal: this.#signal })) as [Buffer];
    return String(back) === 'back';
  }

  /** While it reads, as a tunnel does that comes to rest: bytes in the first buffer would be another tunnel's. */
  async #changesBuffer(): Promise<boolean> {
    if (!readInto(this.socket, this.#second)) return false;
    this.#buffer = this.#second;
    this.#goesOn = false;
    const count = await this.#sent('two');
    return count === 3 && textOf(this.#second) === 'two' && textOf(this.#first) === 'one';
  }

  /** By a socket that nobody reads, or that reads: it is looked at before the end has been read. */
  async #seesThatPeerIsGone(): Promise<boolean> {
    if (isGone(this.socket)) return false;
    this.#client.resetAndDestroy();
    await once(this.#client, 'close', { signal: this.#signal });
    return !this.socket.destroyed && isGone(this.socket);
  }

  /** Sends text to the socket, and tells how many bytes its next read has brought. */
  async #sent(text: string): Promise<number> {
    return new Promise((resolve, reject) => {
      this.#read = resolve;
      this.#signal.addEventListener('abort', reject, { once: true });
      this.#client.write(text);
    });
  }
}

/** The three characters that a trial sends. */
function textOf(buffer: Buffer): string {
  return buffer.toString('latin1', 0, 3);
}

function ignore(): void {
  // Connections of a trial may end in any way.
}
