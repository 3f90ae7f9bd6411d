import { describe, expect, it } from '@jest/globals';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { exchange } from '../../support/raw-http.js';
import { LogLines } from '../../support/proxy/log-lines.js';
import { ProxyProgram } from '../../support/proxy/proxy-program.js';
import { runTool } from '../../support/proxy/run-tool.js';

const BASE = { listen: { port: 0 }, upstream: 'embedded', admin: 'off' };
const server = { host: '127.0.0.1', port: 1 };

/** Every key that names a file which is read while the configuration is loaded. */
const NAMING: readonly (readonly [key: string, with_: (file: string) => object])[] = [
  ['listen.certificate', (file) => ({ listen: { port: 0, certificate: file, key: file } })],
  ['upstream.ca', (ca) => ({ upstream: { ...server, protocol: 'https', ca } })],
  ['upstream.password.file', (file) => ({ upstream: { ...server, username: 'me', password: { file } } })],
  ['upstream.keytab', (keytab) => ({ upstream: { ...server, protocol: 'http', auth: 'negotiate', keytab } })],
  ['upstreams.a.pac', (file) => ({ upstream: undefined, upstreams: { a: { pac: { file } } } })],
  ['rules[0].hosts.file', (file) => ({ rules: [{ hosts: { file }, to: 'direct' }] })],
  ['rules[0].hosts[0]', (file) => ({ rules: [{ hosts: [{ file, format: 'hosts' }], to: 'direct' }] })],
];

describe('files that do not end', () => {
  it('are refused at a reload, which continues to serve', async () => {
    await using proxy = await ProxyProgram.start();
    const log = new LogLines(proxy.program);
    execFileSync('mkfifo', [join(dirname(proxy.configFile), 'pipe')]);
    for (const file of ['pipe', '/dev/zero']) {
      for (const [key, settings] of NAMING) {
        writeFileSync(proxy.configFile, JSON.stringify({ ...BASE, ...settings(file) }));
        proxy.program.process.kill('SIGHUP');
        const { faults } = await log.next('configuration not reloaded: the previous one stays in force');
        const reason =
          /: (?:pipe |\/dev\/zero )?is (?:a named pipe, which cannot be read again after a reload|neither a file nor a pipe|not a file)$/;
        expect(faults).toEqual(expect.arrayContaining([expect.stringMatching(reason)]));
        expect(String(faults)).toContain(`config.yaml: ${key}: `);
      }
    }
    const stats = 'GET /stats HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n';
    expect(await exchange(proxy.url, stats)).toMatch(/^HTTP\/1\.1 200 /);
  });

  it('are refused by --check, as configuration files as well', async () => {
    for (const config of ['pipe', '/dev/zero']) {
      await using checked = new ProxyProgram({ args: ['--config', config, '--check'], files: { 'config.yaml': '' } });
      execFileSync('mkfifo', [join(dirname(checked.configFile), 'pipe')]);
      const { code, stderr } = await checked.outcome();
      expect([code, stderr]).toEqual([
        1,
        expect.stringMatching(/: is (?:a named pipe, .*|neither a file nor a pipe)\n$/),
      ]);
    }
  });

  it('may be pipes of a shell, which end, but not a line without end', async () => {
    await using checked = new ProxyProgram({ files: { 'zeros.list': '\0'.repeat(200_000) }, args: ['--check'] });
    const main = 'dist/apps/proxy-client/bundle/lib/proxy-client.js';
    const config = JSON.stringify({
      ...BASE,
      rules: [{ hosts: { file: join(dirname(checked.configFile), 'zeros.list') }, to: 'direct' }],
    });
    const script = `"$0" ${main} --check --config <(sleep 0.1; printf '%s' "$1")`;
    const { stderr } = await runTool('bash', ['-c', script, process.execPath, config]);
    expect(stderr).toMatch(/^\/dev\/fd\/\d+: rules\[0\]\.hosts\.file: line 1 is longer than 65536 characters$/m);
  });
});

describe('a named pipe', () => {
  it('may be the file .env, which is read once', async () => {
    const directory = mkdtempSync(join(tmpdir(), 'env-pipe-'));
    const main = resolve('dist/apps/proxy-client/bundle/lib/proxy-client.js');
    const script = `mkfifo .env; echo PROXY_UPSTREAM=nonsense > .env & "$0" ${main} --check`;
    const { stderr } = await runTool('sh', ['-c', script, process.execPath], { cwd: directory });
    rmSync(directory, { recursive: true });
    expect(stderr).toMatch(/^PROXY_UPSTREAM: /m);
  });
});

describe('a request log', () => {
  it('that is a socket is refused by --check, and one that is a pipe needs a reader at the start', async () => {
    const config = { ...BASE, log: { requests: 'log' } };
    await using listening = await ProxyProgram.start({ listen: { socket: { path: 'log' } } });
    const path = join(dirname(listening.configFile), 'log');
    await using refused = new ProxyProgram({ config: { ...config, log: { requests: path } }, args: ['--check'] });
    const { code, stderr } = await refused.outcome();
    expect([code, stderr]).toEqual([1, 'config.yaml: log.requests: is a socket (ENOTSUP)\n']);
    await using accepted = new ProxyProgram({ config, args: ['--check'] });
    execFileSync('mkfifo', [join(dirname(accepted.configFile), 'log')]);
    expect((await accepted.outcome()).stderr).toMatch(
      /^log\.requests: \S+log is a pipe, which another program must be reading\n$/,
    );
  });
});
