import type { Socket } from 'node:net';
import { granting, ScriptedSocks5Server } from '#socks5-protocol/testing';
import { RawOrigin } from '../../../../test/support/raw-origin.js';
import { until } from '../../../../test/support/until.js';
import { RunningProxy } from '../testing/running-proxy.js';
import { requestTo } from './testing/proxied.js';

const MIB = 1_048_576;
const LIMIT_MS = 30_000;
const TOTAL = 16 * MIB;
/** More than the kernel waits for before it accepts more of the sender. */
const STEP = 2 * MIB;

/** Reads a stream in steps, with pauses that together are longer than the limit; resolves when all of it was read, or it was cut. */
async function readSlowly(socket: Socket, proxy: RunningProxy): Promise<number> {
  let count = 0;
  let sincePause = 0;
  socket.on('data', (chunk: Buffer) => {
    count += chunk.length;
    sincePause += chunk.length;
    if (sincePause < STEP) return;
    sincePause = 0;
    socket.pause();
    void proxy.pass(LIMIT_MS / 2).then(() => socket.resume());
  });
  socket.resume();
  await until(() => count >= TOTAL || socket.destroyed);
  return count;
}

describe('Forwarder, with a slow peer', () => {
  it('does not cut a response that its client reads slowly', async () => {
    await using proxy = await RunningProxy.start({ timeouts: { write: LIMIT_MS }, holdsTime: true });
    await using origin = await RawOrigin.start((side) => {
      side.write(`HTTP/1.1 200 OK\r\nContent-Length: ${TOTAL}\r\n\r\n`).socket.write(Buffer.alloc(TOTAL));
    });
    const client = proxy.connect().on('error', () => undefined);
    client.write(requestTo(origin));
    expect(await readSlowly(client, proxy)).toBeGreaterThanOrEqual(TOTAL);
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
    expect(await readSlowly(origin!, proxy)).toBeGreaterThanOrEqual(TOTAL);
    expect(proxy.counted).toEqual([0, 0]);
    client.destroy();
  });
});
