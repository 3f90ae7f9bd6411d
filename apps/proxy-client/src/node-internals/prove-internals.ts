import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { acceptedBytes, canHandOver, handOver, internals, isReset, readInto, type Internal } from './socket-handle.js';

/**
 * The timeout of the trial, which normally takes a few milliseconds. A busy machine may delay it for more than a second, and
 * features that fail stay off until the program exits.
 */
const TIMEOUT_MS = 10_000;

let proof: Promise<unknown> | undefined;

/** Proves the internals once per process; all proxies share the result. */
export async function ensureInternalsProven(): Promise<void> {
  proof ??= proveInternals();
  await proof;
}

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
  const timeout = new AbortController();
  const { signal } = timeout;
  const timer = setTimeout(() => {
    timeout.abort();
  }, TIMEOUT_MS);
  try {
    server.listen(0, '127.0.0.1');
    await once(server, 'listening', { signal });
    const { port } = server.address() as AddressInfo;
    const client = connect({ host: '127.0.0.1', port, noDelay: true }).on('error', ignore);
    sockets.push(client);
    const [accepted] = (await once(server, 'connection', { signal })) as [Socket];
    sockets.push(accepted.on('error', ignore));
    if (canHandOver(accepted)) {
      for await (const internal of trial(client, accepted, sockets, signal)) proven.add(internal);
    }
  } catch {
    // A feature that is not proven by now is not used.
  } finally {
    clearTimeout(timer);
    server.close();
    for (const socket of sockets) socket.destroy();
  }
  const failed = (Object.keys(internals) as Internal[]).filter((internal) => !proven.has(internal));
  for (const internal of failed) internals[internal] = false;
  return failed;
}

/** Tries the features one after the other on both ends of a connection, and yields those that work. */
async function* trial(
  client: Socket,
  accepted: Socket,
  sockets: Socket[],
  signal: AbortSignal,
): AsyncGenerator<Internal> {
  const [first, second] = [Buffer.alloc(8), Buffer.alloc(8)];
  let buffer = first;
  let continues = true;
  let read = Promise.withResolvers<number>();
  const callback = (count: number): boolean => {
    read.resolve(count);
    return continues;
  };
  const socket = handOver(accepted, { buffer: () => buffer, callback }).on('error', ignore);
  sockets.push(socket);
  /** Sends three characters to the socket; returns whether its next read puts them into `expected`. */
  const receives = async (text: string, expected: Buffer): Promise<boolean> => {
    read = Promise.withResolvers();
    signal.addEventListener('abort', read.reject, { once: true });
    client.write(text);
    return (await read.promise) === text.length && textOf(expected) === text;
  };

  socket.resume();
  if (!(await receives('one', first))) return;
  socket.write('back');
  const [back] = (await once(client, 'data', { signal })) as [Buffer];
  if (String(back) !== 'back') return;
  yield 'handOver';
  if (acceptedBytes(socket) === socket.bytesWritten) yield 'writeQueue';

  // The buffer of a socket that reads, as of an idle tunnel. Its old buffer may already belong to another tunnel.
  if (readInto(socket, second)) {
    buffer = second;
    continues = false;
    if ((await receives('two', second)) && textOf(first) === 'one') yield 'liveBuffer';
  }

  // A socket whose peer has reset before any event reports it.
  if (isReset(socket)) return;
  client.resetAndDestroy();
  await once(client, 'close', { signal });
  if (!socket.destroyed && isReset(socket)) yield 'detectReset';
}

/** The first three characters, which a trial sends. */
function textOf(buffer: Buffer): string {
  return buffer.toString('latin1', 0, 3);
}

function ignore(): void {
  // The connections of a trial may end in any way.
}
