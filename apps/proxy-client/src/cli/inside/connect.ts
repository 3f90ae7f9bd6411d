import { connect, createServer, type Socket } from 'node:net';
import { pipeline } from 'node:stream/promises';

/** A target, and the proxy through which to reach it. */
export interface ConnectRequest {
  readonly host: string;
  readonly port: number;
  /** The URL of an HTTP proxy. */
  readonly proxy: string;
}

/** The maximum size of the head of the proxy's answer. */
const MAX_HEAD_BYTES = 65_536;
const END_OF_HEAD = '\r\n\r\n';

/** The proxy refused the tunnel, or could not be reached; the message is one line. */
export class ConnectError extends Error {}

/**
 * Opens a tunnel through an HTTP proxy.
 *
 * @throws {@link ConnectError}
 */
export async function openTunnel({ host, port, proxy }: ConnectRequest): Promise<Socket> {
  const { hostname, port: proxyPort } = new URL(proxy);
  const authority = `${host.includes(':') ? `[${host}]` : host}:${port}`;
  const socket = connect({ host: hostname, port: Number(proxyPort), allowHalfOpen: true });
  try {
    socket.write(`CONNECT ${authority} HTTP/1.1\r\nHost: ${authority}\r\n\r\n`);
    const { status, body } = await readHead(socket);
    if (status === 200) return socket;
    throw new ConnectError(`${authority}: ${(await rest(socket, body)) || `the proxy answered ${status}`}`);
  } catch (error) {
    socket.destroy();
    if (error instanceof ConnectError) throw error;
    throw new ConnectError(`${authority}: the proxy ${proxy} cannot be reached (${(error as Error).message})`);
  }
}

/** Connects standard input and output with a tunnel until its other side has ended. */
export async function relayStandardStreams(tunnel: Socket): Promise<void> {
  process.stdin.pipe(tunnel);
  // Then ssh learns that its connection has ended: it does not end its own side first.
  await pipeline(tunnel, process.stdout, { end: false }).catch(() => undefined);
  tunnel.destroy();
  process.stdin.destroy();
}

/** Listens on a port of the loopback, and opens a tunnel for each connection. */
export async function forwardPort(
  listen: number,
  request: ConnectRequest,
  report: (message: string) => void,
): Promise<void> {
  const server = createServer({ allowHalfOpen: true }, (client) => {
    client.on('error', () => client.destroy());
    openTunnel(request).then(
      (tunnel) => {
        client.on('close', () => tunnel.destroy());
        tunnel.on('error', () => client.resetAndDestroy());
        client.pipe(tunnel).pipe(client);
      },
      (error: unknown) => {
        report((error as Error).message);
        client.destroy();
      },
    );
  });
  await new Promise<void>((resolve, reject) => {
    server.on('error', reject).listen(listen, '127.0.0.1', resolve);
  });
}

/** Reads the head of the proxy's answer; the bytes after it are put back. */
async function readHead(socket: Socket): Promise<{ readonly status: number; readonly body: Buffer }> {
  let read = Buffer.alloc(0);
  for await (const chunk of socket.iterator({ destroyOnReturn: false })) {
    read = Buffer.concat([read, chunk as Buffer]);
    const end = read.indexOf(END_OF_HEAD);
    if (end === -1 && read.length <= MAX_HEAD_BYTES) continue;
    const after = read.subarray(end + END_OF_HEAD.length);
    const status = Number(/^HTTP\/1\.[01] (\d{3})/.exec(read.toString('latin1', 0, 64))?.[1] ?? 0);
    if (end === -1 || status === 0) throw new Error('its answer is not HTTP');
    if (status === 200 && after.length > 0) socket.unshift(after);
    return { status, body: after };
  }
  throw new Error('it closed the connection');
}

/** Returns the first line of a refusal, without control characters. */
async function rest(socket: Socket, begun: Buffer): Promise<string> {
  let text = begun.toString('utf8');
  socket.end();
  for await (const chunk of socket) if (text.length < MAX_HEAD_BYTES) text += String(chunk);
  return (text.split('\n', 1)[0] ?? '').replace(/\p{Cc}/gu, '').trim();
}
