import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from '../../support/free-port.js';
import { NodeOrigin } from '../../support/node-origin.js';
import { ProxyProgram } from '../../support/proxy/proxy-program.js';
import { SocketActivator } from '../../support/proxy/socket-activator.js';
import { exchange } from '../../support/raw-http.js';
import { until } from '../../support/until.js';

const LOOPBACK = { host: '127.0.0.1', port: 0 };
const COMMON = { upstream: 'embedded', admin: 'off' };
const DONE = 'configuration reloaded';

let origin: NodeOrigin;
beforeAll(async () => {
  origin = await NodeOrigin.start((_request, response) => response.end('page'));
});
afterAll(async () => {
  await origin[Symbol.asyncDispose]();
});

async function get(port: number): Promise<string> {
  const request = `GET ${origin.url}/ HTTP/1.1\r\nHost: ${origin.authority}\r\nConnection: close\r\n\r\n`;
  return (await exchange(`http://127.0.0.1:${port}`, request)).slice(9, 12);
}

describe('sockets of systemd', () => {
  it('are chosen by name, several of one name by one listener, and none by a name is an error', async () => {
    const config = { ...COMMON, listeners: [{ systemd: 'web' }, { mode: 'socks5', systemd: 'socks' }] };
    const places = ['web', 'socks', 'web', 'spare'].map((name) => ({ name, at: LOOPBACK }));
    await using activator = await SocketActivator.open(config, places);
    activator.start();
    await activator.ready();
    const [web = 0, socks = 0, second = 0] = activator.ports;
    expect([await get(web), await get(second)]).toEqual(['200', '200']);
    const greeting = connect({ host: '127.0.0.1', port: socks }).end(Buffer.from([5, 1, 0]));
    expect(await greeting.toArray()).toEqual([Buffer.from([5, 0])]);
    expect(activator.lines).toContainEqual(expect.objectContaining({ level: 40, sockets: ['spare'] }));

    await using started = new ProxyProgram({
      config: { ...COMMON, listeners: [{ systemd: 'web' }] },
      env: { LISTEN_PID: '1', LISTEN_FDS: '1', LISTEN_FDNAMES: 'web' },
    });
    expect(await started.outcome()).toMatchObject({
      code: 1,
      stderr:
        'Cannot listen on the systemd socket "web": systemd has passed no sockets to this process: start its socket unit ' +
        'instead (ENOENT). See listeners[0] in config.yaml.\n',
    });
  });

  it('end the start with an error that names the one that is missing, also while clients wait on another', async () => {
    const config = { upstream: 'embedded', listeners: [{ systemd: 'web' }, { systemd: 'other' }] };
    expect(await SocketActivator.refused(config, { name: 'web', at: LOOPBACK })).toEqual([
      1,
      'Cannot listen on the systemd socket "other": systemd has passed only web (FileDescriptorName) (ENOENT). See ' +
        'listeners[1] in config.yaml.\n',
    ]);
  });

  it('have their path in the log and on the admin pages if they are Unix sockets: it was empty', async () => {
    const directory = mkdtempSync(join(tmpdir(), 'activation-'));
    const paths = ['first socket', 'second'].map((name) => join(directory, name));
    const port = await freePort();
    const token = 'of-the-activation-test';
    const config = { ...COMMON, admin: { port, token }, listeners: [{ systemd: 'web' }] };
    const places = paths.map((path) => ({ name: 'web', at: { path } }));
    await using activator = await SocketActivator.open(config, places);
    activator.start();
    await activator.ready();
    expect(activator.stdout).toContain(`proxy-client is ready on unix:${paths[0]}, admin on`);
    const headers = { Authorization: `Bearer ${token}` };
    const answer = await fetch(`http://127.0.0.1:${port}/listeners`, { headers });
    expect(((await answer.json()) as { listeners: unknown }).listeners).toMatchObject(
      paths.map((socket) => ({ host: null, port: null, socket })),
    );
    rmSync(directory, { recursive: true });
  });

  it('stay open while a reload does not use them', async () => {
    const listeners = [{ systemd: 'web' }, { systemd: 'other' }];
    await using activator = await SocketActivator.open({ ...COMMON, listeners }, [
      { name: 'web', at: LOOPBACK },
      { name: 'other', at: LOOPBACK },
    ]);
    activator.start();
    const pid = await activator.ready();
    const [web = 0, other = 0] = activator.ports;
    let reloads = 0;
    const reload = async (of: readonly object[]): Promise<void> => {
      writeFileSync(join(activator.directory, 'config.yaml'), JSON.stringify({ ...COMMON, listeners: of }));
      process.kill(pid, 'SIGHUP');
      reloads += 1;
      await until(() => activator.lines.filter(({ msg }) => msg === DONE).length === reloads);
    };
    await reload(listeners.slice(0, 1));
    expect([await get(web), await get(other).catch(() => 'closed')]).toEqual(['200', '']);
    await reload(listeners);
    expect([await get(web), await get(other)]).toEqual(['200', '200']);
  });

  it('beyond the loopback are refused without users, clients or open, also by a reload', async () => {
    const open = { ...COMMON, listeners: [{ systemd: 'web', open: true }] };
    await using activator = await SocketActivator.open(open, [{ name: 'web', at: { host: '0.0.0.0', port: 0 } }]);
    activator.start();
    const pid = await activator.ready();
    writeFileSync(
      join(activator.directory, 'config.yaml'),
      JSON.stringify({ ...COMMON, listeners: [{ systemd: 'web' }] }),
    );
    process.kill(pid, 'SIGHUP');
    await until(() => activator.stdout.includes('configuration not reloaded'));
    const { faults } = activator.lines.find(({ msg }) => String(msg).startsWith('configuration not reloaded')) ?? {};
    expect(faults).toEqual([
      expect.stringMatching(/^Cannot listen on the systemd socket "web": is not a loopback address/),
    ]);
    expect(await get(activator.ports[0]!)).toBe('200');
  });

  it('let the program restart under load: no connection is refused and no request is lost', async () => {
    const config = { ...COMMON, listeners: [{ systemd: 'web' }], logLevel: 'warn' };
    await using activator = await SocketActivator.open(config, [{ name: 'web', at: LOOPBACK }]);
    activator.start();
    await activator.ready();
    const [port = 0] = activator.ports;
    const answers = new Map<string, number>();
    let continues = true;
    const client = async (): Promise<void> => {
      while (continues) {
        const answer = await get(port).catch((error: unknown) => (error as NodeJS.ErrnoException).code ?? 'failed');
        answers.set(answer, (answers.get(answer) ?? 0) + 1);
      }
    };
    const clients = Array.from({ length: 8 }, client);
    for (let restart = 1; restart <= 3; restart += 1) {
      const before = answers.get('200') ?? 0;
      await until(() => (answers.get('200') ?? 0) > before + 100);
      await activator.restart();
    }
    continues = false;
    await Promise.all(clients);
    expect([...answers.keys()]).toEqual(['200']);
  });
});
