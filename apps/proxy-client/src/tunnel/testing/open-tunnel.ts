import type { Socket } from 'node:net';
import type { RunningProxy } from '../../proxy/testing/running-proxy.js';
import { until } from '../../../../../test/support/until.js';

export const ESTABLISHED = 'HTTP/1.1 200 Connection established\r\n\r\n';

/** Reads until `text` is received or the connection has ended, and returns everything received. */
export async function readUntil(socket: Socket, isEnough: (text: string) => boolean): Promise<string> {
  let text = '';
  return new Promise((resolve) => {
    const finish = (): void => {
      socket.off('data', take).off('end', finish).off('close', finish);
      socket.pause();
      resolve(text);
    };
    const take = (chunk: Buffer): void => {
      text += chunk.toString('latin1');
      if (isEnough(text)) finish();
    };
    socket
      .on('error', () => undefined)
      .on('data', take)
      .once('end', finish)
      .once('close', finish)
      .resume();
  });
}

/** Sends a CONNECT, with `early` bytes right after it, and waits for the head of the answer. */
export async function openTunnel(
  proxy: RunningProxy,
  authority: string,
  early = '',
): Promise<{ readonly socket: Socket; readonly answer: string }> {
  const socket = proxy.connect();
  socket.write(`CONNECT ${authority} HTTP/1.1\r\nHost: ${authority}\r\n\r\n${early}`, 'latin1');
  return { socket, answer: await readUntil(socket, (text) => text.includes('\r\n\r\n')) };
}

/** Everything that still comes on a connection until it ends. */
export async function readAll(socket: Socket): Promise<Buffer> {
  const chunks: Buffer[] = [];
  socket
    .on('error', () => undefined)
    .on('data', (chunk: Buffer) => chunks.push(chunk))
    .resume();
  await until(() => socket.readableEnded || socket.destroyed);
  return Buffer.concat(chunks);
}
