import { describe, expect, it } from '@jest/globals';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { ListServer } from '../../../apps/proxy-client/src/routing/lists/testing/list-server.js';
import { LogLines } from '../../support/proxy/log-lines.js';
import { ProxyProgram } from '../../support/proxy/proxy-program.js';
import { RawConnection } from '../../support/raw-http.js';

async function status(url: string, host: string): Promise<string> {
  const connection = await RawConnection.open(url);
  connection.write(`CONNECT ${host}:1 HTTP/1.1\r\nHost: ${host}:1\r\n\r\n`);
  const answer = await connection.until('\r\n\r\n');
  connection.socket.destroy();
  return answer.slice(9, 12);
}

const COMMON = { listen: { port: 0 }, upstream: 'embedded', admin: 'off' };
const reject = (hosts: object) => ({ ...COMMON, rules: [{ hosts, to: 'reject' }] });

describe('lists of the program', () => {
  it('are read again when their file has changed, and keep their content when it is unusable', async () => {
    const config = reject([{ file: 'ads.txt', format: 'auto' }, '+.corp.invalid', '<local>']);
    const files = { 'ads.txt': '0.0.0.0 ads.invalid\n0.0.0.0 ADS2.invalid.\n' };
    await using proxy = new ProxyProgram({ config, files, args: ['--watch'] });
    const { proxy: url = '' } = await proxy.program.ready();
    const log = new LogLines(proxy.program);
    const statuses = async () =>
      Promise.all(
        ['ads.invalid', 'ads2.invalid', 'x.corp.invalid', 'corp.invalid', 'printer', 'new.invalid'].map(async (host) =>
          status(url, host),
        ),
      );
    expect(await statuses()).toEqual(['403', '403', '403', '403', '403', '502']);
    const list = join(dirname(proxy.configFile), 'ads.txt');
    writeFileSync(list, '||new.invalid^\n');
    await log.next('configuration reloaded');
    expect(await statuses()).toEqual(['502', '502', '403', '403', '403', '403']);
    writeFileSync(list, '<html>\n');
    const { faults } = await log.next('configuration not reloaded: the previous one stays in force');
    expect(faults).toEqual([
      expect.stringMatching(/^config.yaml: rules\[0\].hosts\[0\]: ads.txt is an HTML page, not a list/),
    ]);
    expect(await status(url, 'new.invalid')).toBe('403');
  });

  it('are loaded from a URL, and from its copy when the server is gone', async () => {
    const cache = mkdtempSync(join(tmpdir(), 'copies-'));
    const config = reject({ url: '${LIST}', via: 'direct' });
    try {
      const server = await ListServer.start();
      const env = { LIST: server.url, XDG_CACHE_HOME: cache };
      {
        await using proxy = new ProxyProgram({ config, env });
        expect(await status((await proxy.program.ready())['proxy']!, 'ads.example')).toBe('403');
      }
      await server[Symbol.asyncDispose]();
      await using again = new ProxyProgram({ config, env });
      expect(await status((await again.program.ready())['proxy']!, 'ads.example')).toBe('403');
      await using explained = new ProxyProgram({ config, env, args: ['--explain', 'ads.example:443'] });
      expect((await explained.outcome()).stdout).toContain('rule 1 matches: lists http://127.0.0.1');
      await using without = new ProxyProgram({ config, env: { ...env, XDG_CACHE_HOME: join(cache, 'none') } });
      const { code, stderr } = await without.outcome();
      expect([code, stderr]).toEqual([
        1,
        expect.stringMatching(
          /cannot be loaded, and there is no copy of it: the connection failed \(ECONNREFUSED\)\. To start without it, remove it from the configuration/,
        ),
      ]);
      await using unloaded = new ProxyProgram({
        ...{ config, env: { ...env, XDG_CACHE_HOME: join(cache, 'none') } },
        args: ['--explain', 'ads.example:443'],
      });
      expect((await unloaded.outcome()).stdout).toContain('is not loaded, so it matches nothing here');
    } finally {
      rmSync(cache, { recursive: true });
    }
  });

  it('are described by --check', async () => {
    const config = reject({ file: 'ads.txt', format: 'auto' });
    const files = { 'ads.txt': `${'||a.example^\n'.repeat(9)}||b.example^$popup\n` };
    await using proxy = new ProxyProgram({ config, files, args: ['--check'] });
    const { stdout, code } = await proxy.outcome();
    expect(stdout).toContain('list            ok       ads.txt: 9 of 10 lines used as adblock, first unused: line 10');
    expect(code).toBe(0);
  });
});
