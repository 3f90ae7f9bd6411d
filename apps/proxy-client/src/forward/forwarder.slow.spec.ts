import type { Socket } from 'node:net';
import { granting, ScriptedSocks5Server } from '#socks5-protocol/testing';
import { RawOrigin } from '../../../../test/support/raw-origin.js';
import { until } from '../../../../test/support/until.js';
import { RunningProxy } from '../testing/running-proxy.js';
import { requestTo } from './testing/proxied.js';

const MIB = 1_048_576;
const LIMIT_MS = 30_000;
/** Twice as long as the limit, and less than it takes until the kernel takes more of the sender. */
const SIPS = 20;

/** Reads what a stream holds now and then, so many times; resolves with how often there was something before it was cut. */
async function sip(socket: Socket, proxy: RunningProxy): Promise<number> {
  let sips = 0;
  for (; sips < SIPS; sips += 1) {
    await until(() => socket.destroyed || socket.read() !== null);
    if (socket.destroyed) break;
    await proxy.pass(LIMIT_MS / 10);
  }
  return sips;
}

describe('Forwarder, when a peer takes a little at a time', () => {
  it('cuts no answer that its client reads', async () => {
    await using proxy = await RunningProxy.start({ timeouts: { write: LIMIT_MS }, holdsTime: true });
    await using origin = await RawOrigin.start((side) => {
      side.write(`HTTP/1.1 200 OK\r\nContent-Length: ${64 * MIB}\r\n\r\n`).socket.write(Buffer.alloc(64 * MIB));
    });
    const client = proxy.connect().on('error', () => undefined);
    client.write(requestTo(origin));
    expect([await sip(client, proxy), proxy.counted]).toEqual([SIPS, [0, 0]]);
    client.destroy();
  });

  it('gives no origin up that takes the request', async () => {
    let origin: Socket | undefined;
    const script = granting((socket) => {
      origin = socket.pause();
    });
    await using socks = await new ScriptedSocks5Server(() => script).listen();
    const upstream = { kind: 'socks5', host: '127.0.0.1', port: socks.port, handshake: 'stepwise', warm: 0 } as const;
    await using proxy = await RunningProxy.start({ upstream, timeouts: { response: LIMIT_MS }, holdsTime: true });
    const client = proxy.connect().on('error', () => undefined);
    client.write(`POST http://a.test/ HTTP/1.1\r\nHost: a.test\r\nContent-Length: ${64 * MIB}\r\n\r\n`);
    client.write(Buffer.alloc(64 * MIB));
    await until(() => origin !== undefined);
    expect([await sip(origin!, proxy), proxy.counted]).toEqual([SIPS, [0, 0]]);
    client.destroy();
  });
});
