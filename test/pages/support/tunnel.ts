import { once } from 'node:events';
import { connect, type Socket } from 'node:net';

/** Requests a tunnel. @returns the client's socket after the response, whatever its status */
export async function openTunnel(proxy: string, target: string): Promise<Socket> {
  const socket = connect(Number(new URL(proxy).port), '127.0.0.1').on('error', () => undefined);
  socket.write(`CONNECT ${target} HTTP/1.1\r\nHost: ${target}\r\n\r\n`);
  await once(socket, 'data');
  return socket;
}
