import { describe, expect, it } from '@jest/globals';
import { CLOSED_PORT } from '../../support/closed-port.js';
import { ProxyProgram } from '../../support/proxy/proxy-program.js';
import { RawConnection } from '../../support/raw-http.js';

describe('a proxy that may open few files', () => {
  it('reports that connections and requests cannot be served, and serves again when there is room', async () => {
    await using proxy = new ProxyProgram({
      config: { listen: { port: 0 }, upstream: 'embedded', admin: 'off' },
      openFiles: 64,
    });
    const { proxy: url = '' } = await proxy.program.ready();
    const first = await RawConnection.open(url);
    await first.write('GET /health HTTP/1.1\r\nHost: localhost\r\n\r\n').until('healthy');
    const clients = await Promise.all(Array.from({ length: 128 }, async () => RawConnection.open(url)));
    await proxy.program.printed('"code":"EMFILE","msg":"no file descriptor is available');
    const authority = `127.0.0.1:${CLOSED_PORT}`;
    const answer = await first.write(`CONNECT ${authority} HTTP/1.1\r\nHost: ${authority}\r\n\r\n`).closed;
    expect(answer).toMatch(/HTTP\/1\.1 503 [^]*This proxy has no free file descriptors [^]*ulimit -n/);
    for (const { socket } of clients) socket.destroy();
    await Promise.all(clients.map(async ({ closed }) => closed));
    await proxy.program.printed('file descriptors are available again');
    expect((await fetch(`${url}/health`)).status).toBe(200);
    expect(await proxy.program.end()).toEqual({ code: 0, signal: null });
  });
});
