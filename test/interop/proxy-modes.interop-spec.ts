import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import { LocalSocks5Server } from '#socks5-protocol/testing';
import { chaos, COUNTABLE, EchoTarget, RUDE, SOCKS5 } from '../../apps/proxy-client/src/tunnel/testing/chaos.js';
import { hashPassword } from '../../apps/proxy-client/src/users/password-hash.js';
import { startSshd } from '../support/peers/socks-peers.js';
import { gitBackend } from '../support/proxy/git-backend.js';
import { registryOf } from '../support/proxy/npm-registry.js';
import { ProxyProgram, type RunningProxy } from '../support/proxy/proxy-program.js';
import { compareTries } from '../support/proxy/password-tries.js';
import { runTool } from '../support/proxy/run-tool.js';
import { WebOrigin } from '../support/proxy/web-origin.js';
import { CURL, GIT, NC, NPM, SSH, SSH_KEYGEN, SSHD, withTools } from '../support/proxy/with-tool.js';
import { CLOSED_PORT } from '../support/closed-port.js';
import { until } from '../support/until.js';

const SLOW_MS = 300_000;
const PASSWORD = 'p@ss:wörd';
const USERINFO = `ann:${encodeURIComponent(PASSWORD)}`;

let proxy: RunningProxy;
/** host:port of a listener that speaks both, for one user. */
let place: string;
let directory: string;

beforeAll(async () => {
  const users = [{ name: 'ann', password: await hashPassword(PASSWORD) }];
  proxy = await ProxyProgram.start({ mode: 'mixed', listen: { port: 0, users }, admin: { port: 0 } });
  place = new URL(proxy.url).host;
}, SLOW_MS);

afterAll(async () => {
  await proxy[Symbol.asyncDispose]();
});

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'proxy-modes-'));
});

afterEach(() => {
  rmSync(directory, { recursive: true, force: true });
});

interface Stats {
  readonly active_connections: number;
  readonly bytes_sent: number;
  readonly bytes_received: number;
}

async function stats({ url }: RunningProxy = proxy): Promise<Stats> {
  return (await (await fetch(`${url}/stats`)).json()) as Stats;
}

async function ofAnn(): Promise<number> {
  const metrics = await (await fetch(`${proxy.admin!}/metrics`)).text();
  return Number(/^proxy_client_user_requests_total\{user="ann",outcome="success"\} (\d+)$/m.exec(metrics)?.[1] ?? 0);
}

withTools('curl through a mixed listener with a user', [CURL], (curl) => {
  it.each([
    ['SOCKS5', ['--socks5-hostname']],
    ['HTTP', ['--proxy']],
    ['a tunnel', ['--proxytunnel', '--proxy']],
  ])('gets a page by %s, and nothing with a wrong password', async (_, options) => {
    await using origin = await WebOrigin.start((request, response) => response.end(`page ${request.url ?? ''}`));
    const run = async (userinfo: string) =>
      runTool(curl, ['--silent', '--fail', '--noproxy', '', ...options, `${userinfo}@${place}`, `${origin.http}/a`]);
    const before = await ofAnn();
    expect(await run(USERINFO)).toEqual({ code: 0, stdout: 'page /a', stderr: '' });
    expect(await ofAnn()).toBe(before + 1);
    const { code, stdout } = await run('ann:wrong');
    expect([code === 0, stdout]).toEqual([false, '']);
    expect(origin.requests).toEqual(['GET /a']);
  });
});

withTools('git through a mixed listener with a user', [GIT], (git) => {
  it.each(['http', 'socks5h'])('clones by %s', async (scheme) => {
    const root = join(directory, 'root');
    mkdirSync(root);
    const env = { GIT_CONFIG_GLOBAL: '/dev/null', GIT_CONFIG_SYSTEM: '/dev/null', GIT_TERMINAL_PROMPT: '0' };
    const run = async (cwd: string, ...args: string[]) => {
      const settings = ['-c', 'user.name=t', '-c', 'user.email=t@example.com'];
      const { code, stdout, stderr } = await runTool(git, [...settings, ...args], { cwd, env });
      expect([args, code, code === 0 ? '' : stderr]).toEqual([args, 0, '']);
      return stdout.trim();
    };
    const repository = join(root, 'repo.git');
    await run(root, 'init', '--quiet', '--initial-branch=main', 'repo.git');
    await run(repository, 'commit', '--quiet', '--allow-empty', '--message', 'first');
    await using origin = await WebOrigin.start(gitBackend(git, root));
    const via = `http.proxy=${scheme}://${USERINFO}@${place}`;
    await run(directory, '-c', via, 'clone', '--quiet', `${origin.http}/repo.git/.git`, 'clone');
    expect(await run(join(directory, 'clone'), 'rev-parse', 'HEAD')).toBe(await run(repository, 'rev-parse', 'HEAD'));
  });
});

withTools('npm through a mixed listener with a user', [NPM], (npm) => {
  it(
    'installs a package',
    async () => {
      await using origin = await WebOrigin.start(await registryOf(npm, directory));
      const user = join(directory, 'user');
      mkdirSync(user);
      writeFileSync(join(user, 'package.json'), '{"private": true}');
      const options = ['--registry', `${origin.http}/`, '--proxy', `http://${USERINFO}@${place}`, '--cache', '.cache'];
      const { code, stderr } = await runTool(npm, ['install', 'tiny-thing', '--no-audit', '--no-fund', ...options], {
        cwd: user,
      });
      expect([code, stderr]).toEqual([0, expect.not.stringContaining('ERR')]);
      expect(readFileSync(join(user, 'node_modules/tiny-thing/index.js'), 'utf8')).toBe('module.exports = 42;\n');
      expect(origin.requests).toContain('GET /tiny-thing.tgz');
    },
    SLOW_MS,
  );
});

withTools('ssh with nc as its ProxyCommand', [SSH, SSHD, SSH_KEYGEN, NC], (ssh, sshd, keygen, nc) => {
  it('runs a command and forwards what it reads, by SOCKS5', async () => {
    // nc has no words for a password of SOCKS5.
    await using open = await ProxyProgram.start({ mode: 'mixed' });
    await using server = await startSshd(sshd, keygen);
    const input = Buffer.alloc(3 * 1_048_576, 'bytes of a file ');
    const command = `ProxyCommand=${nc} -X 5 -x ${new URL(open.url).host} %h %p`;
    const { code, stdout } = await runTool(
      ssh,
      [...server.login, '-o', command, `${userInfo().username}@127.0.0.1`, 'cat'],
      { cwd: directory, input },
    );
    expect([code, stdout === input.toString()]).toEqual([0, true]);
    expect((await stats(open)).bytes_received).toBeGreaterThan(input.length);
  });
});

describe('10,000 SOCKS5 connections that do not behave', () => {
  it(
    'are counted to the byte if possible, and release their file descriptors',
    async () => {
      const socks = new LocalSocks5Server();
      await socks.listen();
      await using target = await EchoTarget.start();
      {
        await using served = await ProxyProgram.start({
          mode: 'mixed',
          logLevel: 'error',
          upstream: socks.address,
          timeouts: { write: '1s' },
        });
        const descriptors = () => readdirSync(`/proc/${String(served.program.process.pid)}/fd`).length;
        const proxyPort = Number(new URL(served.url).port);
        const at = { proxyPort, targetPort: target.port, closedPort: CLOSED_PORT, protocol: SOCKS5 };
        const settled = async () => until(async () => (await stats(served)).active_connections === 0);
        const before = descriptors();
        await chaos(COUNTABLE, 4000, 64, at);
        await settled();
        const { bytes_sent: sent, bytes_received: received } = await stats(served);
        expect({ sent, received }).toEqual({ sent: target.received, received: target.sent });
        const few = Array.from({ length: 12 }, () => [...COUNTABLE, 'reset-during', 'unfinished'] as const).flat();
        await chaos([...few, ...RUDE], 6000, 64, at);
        await settled();
        await until(() => descriptors() <= before + 2);
        expect(served.program.process.exitCode).toBeNull();
      }
      await socks.close();
    },
    SLOW_MS,
  );
});

describe('2,000 tries of a password', () => {
  it.each(['HTTP', 'SOCKS5'] as const)(
    'do not distinguish an unknown user from a wrong password (%s)',
    async (protocol) => {
      const cost = { logN: 9, blockSize: 8, parallel: 1 };
      const users = [
        { name: 'hashed', password: await hashPassword('one', cost) },
        { name: 'plain', password: 'two' },
      ];
      await using asked = await ProxyProgram.start({ mode: 'mixed', logLevel: 'error', listen: { port: 0, users } });
      const { answers, standardErrors } = await compareTries(asked.url, protocol, ['hashed', 'plain', 'nobody'], 2000);
      expect(answers.size).toBe(1);
      expect(standardErrors).toBeLessThan(6);
    },
    SLOW_MS,
  );
});
