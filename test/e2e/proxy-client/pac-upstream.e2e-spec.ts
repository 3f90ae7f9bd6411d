import { describe, expect, it } from '@jest/globals';
import { writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { HttpProxy } from '../../../apps/proxy-client/src/upstream/testing/chain-peers.js';
import { NodeOrigin } from '../../support/node-origin.js';
import { LogLines } from '../../support/proxy/log-lines.js';
import { ProxyProgram } from '../../support/proxy/proxy-program.js';
import { runTool } from '../../support/proxy/run-tool.js';

const script = (answer: string): string => `function FindProxyForURL(url, host) { return ${answer}; }`;

describe('a PAC script as the upstream', () => {
  it('chooses by URL, fails over, keeps connections, and is replaced when its file has changed', async () => {
    await using one = await HttpProxy.start();
    await using two = await HttpProxy.start();
    await using origin = await NodeOrigin.start((_incoming, response) => response.end('hello'));
    const config = { listen: { port: 0 }, admin: 'off', upstreams: { company: { pac: { file: 'a.pac' } } } };
    const answer = `/two/.test(url) ? "PROXY 127.0.0.1:1; PROXY 127.0.0.1:${two.port}" : "PROXY 127.0.0.1:${one.port}"`;
    await using proxy = new ProxyProgram({ config, files: { 'a.pac': script(answer) }, args: ['--watch'] });
    const { proxy: url = '' } = await proxy.program.ready();
    const log = new LogLines(proxy.program);
    const get = async (...paths: readonly string[]) =>
      (await runTool('curl', ['--silent', '--proxy', url, ...paths.map((path) => `${origin.url}${path}`)])).stdout;
    expect(await get('/one', '/one', '/two')).toBe('hellohellohello');
    expect([one.requests.length, one.connections]).toEqual([2, 1]);
    expect(two.requests).toEqual([`GET ${origin.url}/two`]);
    expect((await runTool('curl', ['--silent', '--proxytunnel', '--proxy', url, `${origin.url}/x`])).stdout).toBe(
      'hello',
    );
    writeFileSync(join(dirname(proxy.configFile), 'a.pac'), script('"DIRECT"'));
    await log.next('configuration reloaded');
    expect(await get('/one')).toBe(
      'The PAC script of the proxy chose a direct connection, which is off. Set direct: on in pac, or add a rule to direct.\n',
    );
    writeFileSync(join(dirname(proxy.configFile), 'a.pac'), 'function FindProxyForURL(');
    const { faults } = await log.next('configuration not reloaded: the previous one stays in force');
    expect(faults).toEqual([
      expect.stringMatching(/^config\.yaml: upstreams\.company\.pac: a\.pac cannot be used: .* syntax error/),
    ]);
  });

  it('is shown by --explain and --check', async () => {
    await using one = await HttpProxy.start();
    const config = { upstreams: { company: { pac: { file: 'a.pac' } }, corp: `http://127.0.0.1:${one.port}` } };
    const files = { 'a.pac': script(`"PROXY 127.0.0.1:${one.port}; DIRECT"`) };
    await using explained = new ProxyProgram({ config, files, args: ['--explain', 'a.example:443'] });
    const { stdout } = await explained.outcome();
    expect(stdout).toContain(`the script returned for https://a.example/: PROXY 127.0.0.1:${one.port}; DIRECT`);
    expect(stdout).toContain('so the request goes to corp');
    await using checked = new ProxyProgram({ config, files, args: ['--check', `127.0.0.1:${one.port}`] });
    const check = await checked.outcome();
    expect(check.stdout).toContain('pac             ok       a.pac: loaded');
    expect(check.stdout).toMatch(new RegExp(`pac +ok +PROXY 127.0.0.1:${one.port}; DIRECT\nconnect +ok`));
    expect(check.code).toBe(0);
  });
});
