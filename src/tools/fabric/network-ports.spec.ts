import { once } from 'node:events';
import { createServer, type AddressInfo } from 'node:net';
import { freePorts, requireFreePorts } from './network-ports.js';

describe('requireFreePorts', () => {
  it('names a port that is taken, and what it was meant for', async () => {
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    try {
      await expect(requireFreePorts({ ca: port })).rejects.toMatchObject({
        code: 'FABRIC_NETWORK.PORT_TAKEN',
        message:
          `port ${port} on 127.0.0.1, meant for the certificate authority, cannot be listened on (EADDRINUSE): ` +
          'end what uses it, or choose other ports with --first-port (0: any free ones)',
      });
    } finally {
      server.close();
    }
  });

  it('takes free ones, and leaves them free', async () => {
    const ports = await freePorts();
    await requireFreePorts(ports);
    await requireFreePorts(ports);
  });
});
