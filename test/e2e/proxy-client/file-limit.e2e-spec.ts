import { describe, expect, it } from '@jest/globals';
import { ProxyProgram } from '../../support/proxy/proxy-program.js';
import { RawConnection } from '../../support/raw-http.js';

describe('a proxy that may open few files', () => {
  it('reports that connections cannot be served, and serves again when there is room', async () => {
    await using proxy = new ProxyProgram({
      config: { listen: { port: 0 }, upstream: 'embedded', admin: 'off' },
      openFiles: 64,
    });
    const { proxy: url = '' } = await proxy.program.ready();
    const clients = await Promise.all(Array.from({ length: 128 }, async () => RawConnection.open(url)));
    await proxy.program.printed('"code":"EMFILE","msg":"no file descriptor is available');
    for (const { socket } of clients) socket.destroy();
    await Promise.all(clients.map(async ({ closed }) => closed));
    await proxy.program.printed('file descriptors are available again');
    expect((await fetch(`${url}/health`)).status).toBe(200);
    expect(await proxy.program.end()).toEqual({ code: 0, signal: null });
  });
});
