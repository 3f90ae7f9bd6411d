import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { mkdirSync, readFileSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { granting, ScriptedSocks5Server } from '#socks5-protocol/testing';
import { NodeOrigin } from '../../support/node-origin.js';
import { LogLines } from '../../support/proxy/log-lines.js';
import { ProxyProgram } from '../../support/proxy/proxy-program.js';
import { reloadUnderTunnels } from '../../support/proxy/reload-proof.js';
import { exchange, RawConnection } from '../../support/raw-http.js';
import { until } from '../../support/until.js';

const DONE = 'configuration reloaded';
const REFUSED = 'configuration not reloaded: the previous one stays in force';
const OWN = { PROXY_ADMIN_PORT: 'off' };

let socks: ScriptedSocks5Server;
beforeAll(async () => {
  socks = await new ScriptedSocks5Server(() => granting('echo')).listen();
});
afterAll(async () => {
  await socks.close();
});

/** What a CONNECT is answered, without what follows. */
async function status(url: string, authority: string): Promise<number> {
  const connection = await RawConnection.open(url);
  connection.write(`CONNECT ${authority} HTTP/1.1\r\nHost: ${authority}\r\n\r\n`);
  const answer = await connection.until('\r\n\r\n');
  connection.socket.destroy();
  return Number(answer.slice(9, 12));
}

describe('SIGHUP', () => {
  it('changes rules, upstreams and listeners, and nothing that is open', async () => {
    const upstream = { host: '127.0.0.1', port: socks.port };
    await using proxy = new ProxyProgram({ config: { listen: { port: 0 }, upstream }, env: OWN });
    const { proxy: url = '' } = await proxy.program.ready();
    const log = new LogLines(proxy.program);
    const reload = async (content: object | string, end: string) => {
      writeFileSync(proxy.configFile, typeof content === 'string' ? content : JSON.stringify(content));
      proxy.program.process.kill('SIGHUP');
      return log.next(end);
    };
    const tunnel = await RawConnection.open(url);
    await tunnel.write('CONNECT a.example:1 HTTP/1.1\r\nHost: a.example:1\r\n\r\n').until('\r\n\r\n');

    const rules = [{ hosts: ['a.example'], to: 'reject' }];
    await reload({ listen: { port: 0 }, upstream, rules }, DONE);
    expect([await status(url, 'a.example:1'), await status(url, 'b.example:1')]).toEqual([403, 200]);

    const { faults } = await reload('rules: [{ to: upstraem }]\nvia: maybe', REFUSED);
    expect(faults).toEqual(['config.yaml: via: must be on or off']);
    expect(await status(url, 'a.example:1')).toBe(403);

    await using other = new ProxyProgram({ config: { listen: { port: 0 }, upstream }, env: OWN });
    const taken = Number(new URL((await other.program.ready())['proxy']!).port);
    const listeners = [{ port: 0 }, { port: taken }];
    const refused = await reload({ listeners, upstream }, REFUSED);
    expect(refused['faults']).toEqual([
      `Cannot listen on 127.0.0.1:${taken}: the port is in use (EADDRINUSE). See listeners[1] in config.yaml.`,
    ]);
    expect(await status(url, 'a.example:1')).toBe(403);

    const own = Number(new URL(url).port);
    const elsewhere = await reload(
      { listeners: [{ port: 0 }, { host: '0.0.0.0', port: own, open: true }], upstream },
      REFUSED,
    );
    expect(elsewhere['faults']).toEqual([
      expect.stringMatching(
        `^Cannot listen on 0.0.0.0:${own}: this proxy uses the port .* restart it \\(EADDRINUSE\\)`,
      ),
    ]);

    // The listener on any free port keeps its port; a listener on another port is opened before the old one is closed.
    const { proxy: moved = '' } = await reload({ listen: { host: '127.0.0.2', port: 0 }, upstream }, DONE);
    expect(new URL(moved as string).hostname).toBe('127.0.0.2');
    expect(await status(moved as string, 'a.example:1')).toBe(200);
    await expect(RawConnection.open(url)).rejects.toMatchObject({ code: 'ECONNREFUSED' });
    tunnel.write('still here');
    await tunnel.until('still here');
    const stats = await exchange(
      moved as string,
      'GET /stats HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n',
    );
    expect(stats).toContain('"successful_requests":3,');
  });

  it('leaves options and environment as they are', async () => {
    const env = { ...OWN, PROXY_UPSTREAM: `socks5://127.0.0.1:${socks.port}` };
    await using proxy = new ProxyProgram({ config: 'logLevel: info', args: ['--listen', '0'], env });
    const { proxy: url = '' } = await proxy.program.ready();
    writeFileSync(proxy.configFile, 'listen: { port: 1 }\nupstream: socks5://127.0.0.1:1');
    proxy.program.process.kill('SIGHUP');
    expect(await new LogLines(proxy.program).next(DONE)).toMatchObject({ proxy: url, reason: 'SIGHUP' });
    expect(await status(url, 'a.example:1')).toBe(200);
  });
});

describe('SIGHUP during the start', () => {
  it('reloads as soon as that is over', async () => {
    await using proxy = new ProxyProgram({ config: { listen: { port: 0 }, upstream: 'embedded' }, env: OWN });
    await until(() => isHandled(proxy.program.process.pid!));
    proxy.program.process.kill('SIGHUP');
    const { proxy: url } = await proxy.program.ready();
    const log = new LogLines(proxy.program);
    expect(await log.next(DONE)).toMatchObject({ reason: 'SIGHUP', proxy: url });
    expect(await proxy.program.end()).toEqual({ code: 0, signal: null });
  });
});

/** Whether a process has something to do at SIGHUP, the first of the signals. */
function isHandled(pid: number): boolean {
  const [, caught = '0'] = /^SigCgt:\t(\w+)$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
  return (BigInt(`0x${caught}`) & 1n) === 1n;
}

describe('users and clients', () => {
  const upstream = 'embedded';
  const basic = (user: string) => `Proxy-Authorization: Basic ${Buffer.from(`${user}:secret`).toString('base64')}\r\n`;
  const users = (name: string) => [{ name, password: 'secret' }];

  it('that have changed are asked by the next request, on connections that are open as well', async () => {
    await using origin = await NodeOrigin.start((_request, response) => response.end('page'));
    const listen = { port: 0 };
    await using proxy = new ProxyProgram({
      config: { mode: 'mixed', listen: { ...listen, users: users('ann') }, upstream },
      env: OWN,
    });
    const { proxy: url = '' } = await proxy.program.ready();
    const log = new LogLines(proxy.program);
    const reload = async (changed: object) => {
      writeFileSync(proxy.configFile, JSON.stringify({ mode: 'mixed', listen: { ...listen, ...changed }, upstream }));
      proxy.program.process.kill('SIGHUP');
      await log.next(DONE);
    };
    const ask = async (connection: RawConnection, fields = '') => {
      connection.received = '';
      connection.write(`GET ${origin.url}/ HTTP/1.1\r\nHost: ${new URL(origin.url).host}\r\n${fields}\r\n`);
      const answer = await connection.until('\r\n\r\n');
      await until(() => /(?:page|\.\n|0\r\n\r\n)$/.test(connection.received) || connection.socket.destroyed);
      return Number(answer.slice(9, 12));
    };
    const hex = (text: string) => Buffer.from(text, 'latin1').toString('hex');
    const say = async (connection: RawConnection, bytes: string, answer: number) => {
      connection.received = '';
      connection.write(Buffer.from(bytes, 'hex').toString('latin1'));
      await until(() => connection.received.length >= answer || connection.socket.destroyed);
      return hex(connection.received);
    };
    const port = Number(new URL(origin.url).port).toString(16).padStart(4, '0');
    const [greeting, login, request] = ['050102', `0103${hex('ann')}06${hex('secret')}`, `050100017f000001${port}`];

    const [kept, silent, greeted, known, same] = (await Promise.all(
      Array.from({ length: 5 }, async () => RawConnection.open(url)),
    )) as [RawConnection, RawConnection, RawConnection, RawConnection, RawConnection];
    expect(await ask(kept, basic('ann'))).toBe(200);
    expect([await say(greeted, greeting, 2), await say(known, greeting, 2)]).toEqual(['0502', '0502']);
    expect([await say(known, login, 2), await say(same, greeting + login, 4)]).toEqual(['0100', '05020100']);

    await reload({ users: [...users('ann'), ...users('eve')] });
    expect([await ask(kept, basic('ann')), (await say(same, request, 10)).slice(0, 4)]).toEqual([200, '0500']);

    await reload({ users: users('bob') });
    expect([await ask(kept, basic('ann')), await ask(kept, basic('bob'))]).toEqual([407, 200]);
    expect([await say(greeted, login, 2), (await say(known, request, 10)).slice(0, 4)]).toEqual(['0101', '0502']);
    expect(await ask(silent)).toBe(407);

    await reload({});
    const unasked = await RawConnection.open(url);
    expect([await ask(kept), await say(unasked, '050100', 2)]).toEqual([200, '0500']);
    await reload({ users: users('bob') });
    expect((await say(unasked, request, 10)).slice(0, 4)).toBe('0502');

    const waiting = await RawConnection.open(url);
    expect(await say(waiting, greeting, 2)).toBe('0502');
    await reload({ clients: ['10.0.0.0/8'] });
    expect([await ask(kept), await ask(silent)]).toEqual([403, 403]);
    expect((await say(waiting, login + request, 12)).slice(0, 8)).toBe('01000502');
    expect(await (await RawConnection.open(url)).closed).toBe('');
  });
});

describe('--watch', () => {
  it('sees an edited file, one in its place, and the files that it names', async () => {
    const config = {
      listen: { port: 0 },
      upstream: { host: '127.0.0.1', port: socks.port, username: 'me', password: { file: 'current/password' } },
    };
    await using proxy = new ProxyProgram({ args: ['--config', 'config.yaml', '--watch'], env: OWN });
    const directory = dirname(proxy.configFile);
    const write = (name: string, content: string) => {
      writeFileSync(join(directory, name), content);
    };
    for (const name of ['one', 'two']) mkdirSync(join(directory, name));
    write('one/password', 'first');
    write('two/password', 'second');
    symlinkSync('one', join(directory, 'current'));
    write('config.yaml', JSON.stringify(config));
    await proxy.program.ready();
    const log = new LogLines(proxy.program);

    write('new.yaml', JSON.stringify({ ...config, rules: [{ hosts: ['a.example'], to: 'reject' }] }));
    renameSync(join(directory, 'new.yaml'), proxy.configFile);
    expect((await log.next(DONE))['reason']).toBe(`${proxy.configFile} has changed`);

    // As Kubernetes changes what is mounted.
    symlinkSync('two', join(directory, 'next'));
    renameSync(join(directory, 'next'), join(directory, 'current'));
    expect((await log.next(DONE))['reason']).toMatch(/current\/password has changed$/);

    rmSync(proxy.configFile);
    expect((await log.next(REFUSED))['faults']).toEqual(['config.yaml: does not exist']);
    write('config.yaml', JSON.stringify(config));
    await log.next(DONE);
  });
});

describe('reloads', () => {
  it('cut none of 100 tunnels, and lose no byte', async () => {
    const { reloaded, refused, faults } = await reloadUnderTunnels({ tunnels: 100, reloads: 7 });
    expect(faults).toEqual([]);
    expect([reloaded, refused]).toEqual([4, 3]);
  });
});
