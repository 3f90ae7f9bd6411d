import type { Socket } from 'node:net';
import { granting, ScriptedSocks5Server } from '#socks5-protocol/testing';
import { RawOrigin } from '../../../../test/support/raw-origin.js';
import { until } from '../../../../test/support/until.js';
import { RunningProxy } from '../proxy/testing/running-proxy.js';
import { requestTo } from './testing/proxied.js';

const MIB = 1_048_576;
const LIMIT_MS = 30_000;
const TOTAL = 64 * MIB;
/** More than the kernel waits for before it accepts more of the sender. */
const STEP = 2 * MIB;

/**
 * Reads a stream in steps, with pauses that together are longer than the limit; resolves when all of it was read, or it was cut. No time
 * passes once the sender has sent everything: then the proxy may have sent it too, because the kernel buffers several MiB, and waits for the
 * response.
 *
 * @returns the bytes that were read, and the time that passed
 */
async function readSlowly(socket: Socket, proxy: RunningProxy, sender: Socket): Promise<{ count: number; ms: number }> {
  let count = 0;
  let ms = 0;
  let sincePause = 0;
  socket.on('data', (chunk: Buffer) => {
    count += chunk.length;
    sincePause += chunk.length;
    if (sincePause < STEP || sender.writableLength === 0) return;
    sincePause = 0;
    ms += LIMIT_MS / 2;
    socket.pause();
    void proxy.pass(LIMIT_MS / 2).then(() => socket.resume());
  });
  socket.resume();
  await until(() => count >= TOTAL || socket.destroyed);
  return { count, ms };
}

describe('Forwarder, with a slow peer', () => {
  it('does not cut a response that its client reads slowly', async () => {
    await using proxy = await RunningProxy.start({ timeouts: { write: LIMIT_MS }, holdsTime: true });
    let sender: Socket | undefined;
    await using origin = await RawOrigin.start((side) => {
      sender = side.socket;
      side.write(`HTTP/1.1 200 OK\r\nContent-Length: ${TOTAL}\r\n\r\n`).socket.write(Buffer.alloc(TOTAL));
    });
    const client = proxy.connect().on('error', () => undefined);
    client.write(requestTo(origin));
    await until(() => sender !== undefined);
    const { count, ms } = await readSlowly(client, proxy, sender!);
    expect([count >= TOTAL, ms > LIMIT_MS]).toEqual([true, true]);
    client.destroy();
  });

  it('does not fail a request that its origin reads slowly', async () => {
    let origin: Socket | undefined;
    const script = granting((socket) => {
      origin = socket.pause();
    });
    await using socks = await new ScriptedSocks5Server(() => script).listen();
    const upstream = { kind: 'socks5', host: '127.0.0.1', port: socks.port, handshake: 'stepwise', warm: 0 } as const;
    await using proxy = await RunningProxy.start({ upstream, timeouts: { response: LIMIT_MS }, holdsTime: true });
    const client = proxy.connect().on('error', () => undefined);
    client.write(`POST http://a.test/ HTTP/1.1\r\nHost: a.test\r\nContent-Length: ${TOTAL}\r\n\r\n`);
    client.write(Buffer.alloc(TOTAL));
    await until(() => origin !== undefined);
    const { count, ms } = await readSlowly(origin!, proxy, client);
    expect([count >= TOTAL, ms > LIMIT_MS]).toEqual([true, true]);
    expect(proxy.counted).toEqual([0, 0]);
    client.destroy();
  });
});
