import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { KernelQueues } from './kernel-queues.js';

(existsSync('/proc/net/tcp') ? describe : describe.skip)('KernelQueues', () => {
  it.each(['127.0.0.1', '::1'])('sees what a peer has not taken, and that it takes it (%s)', async (host) => {
    const server = createServer().listen(0, host);
    await once(server, 'listening');
    const socket = connect((server.address() as AddressInfo).port, host);
    const [peer] = (await once(server, 'connection')) as [Socket];
    expect((await KernelQueues.look())!.heldFor(socket)).toBe(0);
    socket.write(Buffer.alloc(32 * 1_048_576));
    const full = (await KernelQueues.look())!.heldFor(socket)!;
    expect(full).toBeGreaterThan(0);
    socket.end();
    peer.resume();
    await once(peer, 'end');
    const after = (await KernelQueues.look())!.heldFor(socket);
    expect(after ?? 0).toBeLessThan(full);
    peer.destroy();
    socket.destroy();
    expect((await KernelQueues.look())!.heldFor(socket)).toBeUndefined();
    await new Promise((resolve) => server.close(resolve));
  });
});
