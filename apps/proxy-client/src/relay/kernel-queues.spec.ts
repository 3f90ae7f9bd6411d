import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { until } from '../../../../test/support/until.js';
import { heldByKernel } from './kernel-queues.js';

const held = async (socket: Socket): Promise<number | undefined> => (await heldByKernel([socket]))[0];

(existsSync('/proc/net/tcp') ? describe : describe.skip)('heldByKernel', () => {
  it.each(['127.0.0.1', '::1'])('tells what a peer has not taken, and that it takes it (%s)', async (host) => {
    const accepted: Socket[] = [];
    const server = createServer((each) => accepted.push(each)).listen(0, host);
    await once(server, 'listening');
    const socket = connect((server.address() as AddressInfo).port, host);
    await once(socket, 'connect');
    // Whoever else tries a port that was free a moment ago is none of it.
    await until(() => accepted.some(({ remotePort }) => remotePort === socket.localPort));
    const peer = accepted.find(({ remotePort }) => remotePort === socket.localPort)!;
    expect(await heldByKernel([socket, peer])).toEqual([0, 0]);
    socket.write(Buffer.alloc(32 * 1_048_576));
    const [full, none] = await heldByKernel([socket, peer]);
    expect(full).toBeGreaterThan(0);
    expect(none).toBe(0);
    socket.end();
    peer.resume();
    await until(() => peer.readableEnded);
    expect((await held(socket)) ?? 0).toBeLessThan(full!);
    for (const each of [...accepted, socket]) each.destroy();
    expect(await held(socket)).toBeUndefined();
    await new Promise((resolve) => server.close(resolve));
  });
});
