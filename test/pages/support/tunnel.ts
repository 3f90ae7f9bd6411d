import { once } from 'node:events';
import { connect, type Socket } from 'node:net';

/** Asks a proxy for a tunnel; gives the client's socket when it has been answered, whatever the answer is. */
export async function openTunnel(proxy: string, target: string): Promise<Socket> {
  const socket = connect(Number(new URL(proxy).port), '127.0.0.1').on('error', () => undefined);
  socket.write(`CONNECT ${target} HTTP/1.1\r\nHost: ${target}\r\n\r\n`);
  await once(socket, 'data');
  return socket;
}
