import { afterEach, describe, expect, it } from '@jest/globals';
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PasswordChecks } from '../../../apps/proxy-client/src/users/password-checks.js';
import { Users } from '../../../apps/proxy-client/src/users/users.js';
import { findProgram } from '../../support/peers/find-program.js';
import { RawConnection } from '../../support/raw-http.js';
import { until } from '../../support/until.js';

const script = findProgram('SCRIPT', 'script');
const whereThereIsOne = script === undefined ? it.skip : it;

const undo: (() => unknown)[] = [];
afterEach(async () => {
  for (const step of undo.splice(0).reverse()) await step();
});

/** A built program on its own terminal, which is closed when `script` is killed. */
function onTerminal(main: string, env: Readonly<Record<string, string>>, option = '') {
  const cwd = mkdtempSync(join(tmpdir(), 'terminal-'));
  undo.push(() => {
    rmSync(cwd, { recursive: true, force: true });
  });
  const command = `exec '${process.execPath}' '${join(process.cwd(), 'dist', main)}' ${option}`;
  const terminal: ChildProcess = spawn(script!, ['--quiet', '--return', '--command', command, '/dev/null'], {
    cwd,
    env: { PATH: process.env['PATH'], SHELL: '/bin/sh', TERM: 'xterm', ...env },
    stdio: ['pipe', 'pipe', 'ignore'],
  });
  const shown = { text: '' };
  terminal.stdout!.setEncoding('utf8').on('data', (text: string) => (shown.text += text));
  undo.push(async () => {
    if (terminal.exitCode !== null || terminal.signalCode !== null) return;
    terminal.kill('SIGKILL');
    await once(terminal, 'close');
  });
  return { terminal, shown };
}

const PROXY = { PROXY_LISTEN_PORT: '0', PROXY_ADMIN_PORT: 'off', PROXY_UPSTREAM: 'embedded' };

describe('on a terminal', () => {
  whereThereIsOne('proxy-client shows a link to the dashboard that brings a made token along', async () => {
    const open = { ...PROXY, PROXY_LISTEN_HOST: '0.0.0.0', PROXY_ADMIN_PORT: '0' };
    const { terminal, shown } = onTerminal('apps/proxy-client/bundle/lib/proxy-client.js', open);
    await until(() => /#t=[\w-]{43}\r?\n/.test(shown.text));
    const [, admin = '', token = ''] = /dashboard, with its token: (\S+)\/#t=([\w-]{43})/.exec(shown.text)!;
    const status = async (headers: Record<string, string>) => (await fetch(`${admin}/stats`, { headers })).status;
    expect([await status({}), await status({ Authorization: `Bearer ${token}` })]).toEqual([401, 200]);
    terminal.kill('SIGTERM');
    await once(terminal, 'close');
    // In no line of the log.
    expect(shown.text.split(token)).toHaveLength(2);
  });

  whereThereIsOne.each([
    ['proxy-client', 'apps/proxy-client/bundle/lib/proxy-client.js', PROXY],
    [
      'ledger-api',
      'apps/ledger-api/bundle/lib/ledger-api.js',
      { LEDGER_API_PORT: '0', LEDGER_API_HTTPS_PORT: '0', LEDGER_DATA_DIR: 'ledger' },
    ],
  ])('%s logs lines for people', async (name, main, env) => {
    const { terminal, shown } = onTerminal(main, env);
    await until(() => shown.text.includes('is ready'));
    terminal.kill('SIGTERM');
    await once(terminal, 'close');
    expect(shown.text).toMatch(new RegExp(`^\\[\\d\\d:\\d\\d:\\d\\d\\.\\d{3}\\] .*INFO.*${name} is ready`, 'm'));
    expect(shown.text).not.toContain('"level"');
  });

  whereThereIsOne('proxy-client lets tunnels finish when the terminal is closed', async () => {
    const echo = createServer((socket) => socket.pipe(socket)).listen(0, '127.0.0.1');
    await once(echo, 'listening');
    undo.push(() => echo.close());
    const { terminal, shown } = onTerminal('apps/proxy-client/bundle/lib/proxy-client.js', PROXY);
    await until(() => /http:\/\/127\.0\.0\.1:\d+/.test(shown.text));
    const url = /http:\/\/127\.0\.0\.1:\d+/.exec(shown.text)![0];
    const target = `127.0.0.1:${(echo.address() as AddressInfo).port}`;
    const tunnel = await RawConnection.open(url);
    tunnel.write(`CONNECT ${target} HTTP/1.1\r\nHost: ${target}\r\n\r\n`);
    await tunnel.until('\r\n\r\n');
    terminal.kill('SIGKILL');
    await until(async () => {
      const connection = await RawConnection.open(url).catch(() => undefined);
      connection?.socket.destroy();
      return connection === undefined;
    });
    tunnel.write('still here');
    await tunnel.until('still here');
    tunnel.half();
    await tunnel.closed;
  });

  whereThereIsOne('proxy-client ends at Ctrl-C while it asks for a password', async () => {
    const { terminal, shown } = onTerminal('apps/proxy-client/bundle/lib/proxy-client.js', {}, '--hash-password');
    await until(() => shown.text.includes('Password: '));
    terminal.stdin!.write('\u0003');
    await once(terminal, 'close');
    expect(shown.text.trim()).toBe('Password:');
  });

  whereThereIsOne('proxy-client asks for the password to hash twice, and shows it never', async () => {
    const { terminal, shown } = onTerminal('apps/proxy-client/bundle/lib/proxy-client.js', {}, '--hash-password');
    await until(() => shown.text.includes('Password: '));
    terminal.stdin!.write('hunter2\r');
    await until(() => shown.text.includes('Repeat the password: '));
    terminal.stdin!.write('hunter2\r');
    await once(terminal, 'close');
    const hash = /scrypt:[\w:-]+/.exec(shown.text)?.[0] ?? '';
    expect(shown.text).not.toContain('hunter');
    expect(
      await new Users([{ name: 'me', password: hash }], new PasswordChecks()).check(
        { username: 'me', password: 'hunter2' },
        '',
      ),
    ).toBe('right');
  });
});
