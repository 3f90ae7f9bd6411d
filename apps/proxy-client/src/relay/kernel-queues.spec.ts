import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { heldByKernel } from './kernel-queues.js';

const held = async (socket: Socket): Promise<number | undefined> => (await heldByKernel([socket]))[0];

(existsSync('/proc/net/tcp') ? describe : describe.skip)('heldByKernel', () => {
  it.each(['127.0.0.1', '::1'])('tells what a peer has not taken, and that it takes it (%s)', async (host) => {
    const server = createServer().listen(0, host);
    await once(server, 'listening');
    const socket = connect((server.address() as AddressInfo).port, host);
    const [[peer]] = (await Promise.all([once(server, 'connection'), once(socket, 'connect')])) as [[Socket], unknown];
    expect(await heldByKernel([socket, peer])).toEqual([0, 0]);
    socket.write(Buffer.alloc(32 * 1_048_576));
    const [full, none] = await heldByKernel([socket, peer]);
    expect(full).toBeGreaterThan(0);
    expect(none).toBe(0);
    socket.end();
    peer.resume();
    await once(peer, 'end');
    expect((await held(socket)) ?? 0).toBeLessThan(full!);
    peer.destroy();
    socket.destroy();
    expect(await held(socket)).toBeUndefined();
    await new Promise((resolve) => server.close(resolve));
  });
});
