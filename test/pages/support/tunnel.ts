import { once } from 'node:events';
import { connect, type Socket } from 'node:net';

/**
 * Requests a tunnel.
 *
 * @param login - `name:password`
 * @returns the client's socket after the response, whatever its status
 */
export async function openTunnel(proxy: string, target: string, login?: string): Promise<Socket> {
  const socket = connect(Number(new URL(proxy).port), '127.0.0.1').on('error', () => undefined);
  const basic = login && `Proxy-Authorization: Basic ${Buffer.from(login).toString('base64')}\r\n`;
  socket.write(`CONNECT ${target} HTTP/1.1\r\nHost: ${target}\r\n${basic ?? ''}\r\n`);
  await once(socket, 'data');
  return socket;
}

/** Sends bytes to a target that echoes them, and waits for all of them: the proxy may pass them on in pieces. */
export async function echo(socket: Socket, bytes: number): Promise<void> {
  let missing = bytes;
  const allReturned = new Promise<void>((resolve) => {
    socket.on('data', (chunk: Buffer) => {
      missing -= chunk.length;
      if (missing <= 0) resolve();
    });
  });
  socket.write('x'.repeat(bytes));
  await allReturned;
}
