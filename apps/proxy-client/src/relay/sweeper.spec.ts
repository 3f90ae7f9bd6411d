import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { until } from '../../../../test/support/until.js';
import { IdleTimer } from './sweeper.js';

describe('IdleTimer', () => {
  it('measures from the first sweep, until there is progress', () => {
    const timer = new IdleTimer();
    expect([100, 150, 200].map((now) => timer.elapsed(now, 'request', 1))).toEqual([0, 50, 100]);
    expect([250, 300].map((now) => timer.elapsed(now, 'request', 2))).toEqual([0, 50]);
  });

  it('starts again when something else is awaited, whatever the progress is', () => {
    const timer = new IdleTimer();
    expect([100, 150].map((now) => timer.elapsed(now, 'request', 1))).toEqual([0, 50]);
    expect([200, 250].map((now) => timer.elapsed(now, 'response', 1))).toEqual([0, 50]);
    expect([300, 350].map((now) => timer.elapsed(now, undefined))).toEqual([0, 0]);
    expect([400, 450].map((now) => timer.elapsed(now, 'response', 1))).toEqual([0, 50]);
  });

  it('counts a part of one write that the kernel has accepted as progress of the write', async () => {
    const server = createServer({ pauseOnConnect: true }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const socket = connect((server.address() as AddressInfo).port, '127.0.0.1').on('error', () => undefined);
    const [reader] = (await once(server, 'connection')) as [Socket];
    server.close();
    const timer = new IdleTimer();
    expect([100, 200].map((now) => timer.writeStalled(now, socket))).toEqual([0, 0]);
    socket.write(Buffer.alloc(64 * 1_048_576));
    // Bytes that the kernel moves between its buffers are progress too.
    let now = 1000;
    await until(() => timer.writeStalled((now += 100), socket) >= 500);
    reader.resume();
    await until(() => timer.writeStalled((now += 100), socket) === 0);
    expect(socket.writableLength).toBeGreaterThan(0);
    socket.destroy();
    reader.destroy();
  });
});
