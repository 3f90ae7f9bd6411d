import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { acceptedBytes, canHandOver, handOver, internals, isGone, readInto, type Internal } from './socket-handle.js';

/**
 * The timeout of the trial, which normally takes a few milliseconds. A busy machine may delay it for more than a second, and
 * what is not proven then stays off for as long as the program runs.
 */
const TIMEOUT_MS = 10_000;

/**
 * Tries the undocumented features of Node on a connection of this process to itself, and turns off those that do not work as
 * expected. Must be awaited before the first connection.
 *
 * @returns the features that do not work
 */
export async function proveInternals(): Promise<readonly Internal[]> {
  const server = createServer({ allowHalfOpen: true, pauseOnConnect: true });
  const sockets: Socket[] = [];
  const proven = new Set<Internal>();
  try {
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    const client = connect({ host: '127.0.0.1', port, noDelay: true }).on('error', ignore);
    sockets.push(client);
    const [accepted] = (await once(server, 'connection')) as [Socket];
    sockets.push(accepted.on('error', ignore));
    if (canHandOver(accepted)) {
      const trial = new Trial(client, accepted);
      sockets.push(trial.socket);
      for await (const internal of trial.run()) proven.add(internal);
    }
  } catch {
    // A feature that is not proven by now is not used.
  } finally {
    server.close();
    for (const socket of sockets) socket.destroy();
  }
  const failed = (Object.keys(internals) as Internal[]).filter((internal) => !proven.has(internal));
  for (const internal of failed) internals[internal] = false;
  return failed;
}

/** Both ends of a connection, and the steps of the trial, each of which continues where the previous one ended. */
class Trial {
  readonly socket: Socket;
  readonly #client: Socket;
  readonly #signal = AbortSignal.timeout(TIMEOUT_MS);
  readonly #first = Buffer.alloc(8);
  readonly #second = Buffer.alloc(8);
  /** The buffer for the next read. */
  #buffer = this.#first;
  #continues = true;
  #read: (count: number) => void = ignore;

  constructor(client: Socket, accepted: Socket) {
    this.#client = client;
    const callback = (count: number): boolean => {
      this.#read(count);
      return this.#continues;
    };
    this.socket = handOver(accepted, { buffer: () => this.#buffer, callback }).on('error', ignore);
  }

  /** Yields each feature that works. */
  async *run(): AsyncGenerator<Internal> {
    if (!(await this.#handsOver())) return;
    yield 'handOver';
    if (acceptedBytes(this.socket) === this.socket.bytesWritten) yield 'writeQueue';
    if (await this.#replacesBuffer()) yield 'liveBuffer';
    if (await this.#noticesReset()) yield 'peerName';
  }

  async #handsOver(): Promise<boolean> {
    this.socket.resume();
    if ((await this.#send('one')) !== 3 || textOf(this.#first) !== 'one') return false;
    this.socket.write('back');
    const [back] = (await once(this.#client, 'data', { signal: this.#signal })) as [Buffer];
    return String(back) === 'back';
  }

  /** Replaces the buffer of a socket that reads, as an idle tunnel does. Its old buffer may already belong to another tunnel. */
  async #replacesBuffer(): Promise<boolean> {
    if (!readInto(this.socket, this.#second)) return false;
    this.#buffer = this.#second;
    this.#continues = false;
    const count = await this.#send('two');
    return count === 3 && textOf(this.#second) === 'two' && textOf(this.#first) === 'one';
  }

  /** Checks a socket whose peer has reset before any event reports it. */
  async #noticesReset(): Promise<boolean> {
    if (isGone(this.socket)) return false;
    this.#client.resetAndDestroy();
    await once(this.#client, 'close', { signal: this.#signal });
    return !this.socket.destroyed && isGone(this.socket);
  }

  /** Sends text to the socket and returns how many bytes its next read produced. */
  async #send(text: string): Promise<number> {
    return new Promise((resolve, reject) => {
      this.#read = resolve;
      this.#signal.addEventListener('abort', reject, { once: true });
      this.#client.write(text);
    });
  }
}

/** The first three characters, which a trial sends. */
function textOf(buffer: Buffer): string {
  return buffer.toString('latin1', 0, 3);
}

function ignore(): void {
  // The connections of a trial may end in any way.
}
