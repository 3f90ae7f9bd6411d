import { mkdtempSync, rmSync } from 'node:fs';
import { once } from 'node:events';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { LocalSocks5Server } from '#socks5-protocol/testing';
import { EchoTarget } from '../../../apps/proxy-client/src/tunnel/testing/chaos.js';
import { ProxyProgram } from '../../support/proxy/proxy-program.js';
import { CallCount, straceWorks } from '../../support/strace.js';

const TUNNELS = 200;
/** Their number depends on how many events arrive together. */
const WAITING = ['epoll_pwait', 'epoll_wait', 'io_uring_enter', 'futex'];
const withStrace = straceWorks() ? it : it.skip;

/** Opens a tunnel, sends one byte through it, and ends it when the byte is back. */
async function useTunnel(proxyPort: number, targetPort: number): Promise<void> {
  const client = connect(proxyPort, '127.0.0.1');
  client.write(`CONNECT 127.0.0.1:${targetPort} HTTP/1.1\r\nHost: 127.0.0.1:${targetPort}\r\n\r\n`);
  await once(client, 'data');
  client.write('x');
  await once(client, 'data');
  client.end();
  await once(client.resume(), 'close');
}

describe('the system calls of a tunnel', () => {
  withStrace('are at most 27, of which 2 set options of its sockets (needs root and strace)', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'calls-'));
    const socks = new LocalSocks5Server();
    await socks.listen();
    await using target = await EchoTarget.start();
    await using proxy = await ProxyProgram.start({
      logLevel: 'error',
      upstream: { ...socks.address, handshake: 'oneflight' },
      admin: 'off',
    });
    const port = Number(new URL(proxy.url).port);
    await useTunnel(port, target.port);
    const count = await CallCount.attach(proxy.program.process.pid ?? 0, join(folder, 'calls'));
    for (let opened = 0; opened < TUNNELS; opened += 1) await useTunnel(port, target.port);
    const calls = await count.detach();
    await socks.close();
    rmSync(folder, { recursive: true });
    const counted = [...calls].filter(([name]) => !WAITING.includes(name));
    const sum = counted.reduce((total, [, each]) => total + each, 0);
    // A tunnel that lives when the timeouts are swept, once a second, gets keep-alive: eight more calls.
    expect((calls.get('setsockopt') ?? 0) / TUNNELS).toBeLessThan(3);
    expect(sum / TUNNELS).toBeLessThanOrEqual(27);
  });
});
