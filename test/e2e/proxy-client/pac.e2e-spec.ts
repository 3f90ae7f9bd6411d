import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { runInNewContext } from 'node:vm';
import { freePort } from '../../support/free-port.js';
import { ProxyProgram, type RunningProxy } from '../../support/proxy/proxy-program.js';
import { runTool } from '../../support/proxy/run-tool.js';

const PAC = 'application/x-ns-proxy-autoconfig';

let proxy: RunningProxy;
let port: string;
/** Of a listener that has no such page. */
let other: number;
beforeAll(async () => {
  other = await freePort();
  proxy = await ProxyProgram.start({
    listen: undefined,
    listeners: [{ port: 0, host: '0.0.0.0', clients: ['127.0.0.0/8'], pac: true }, { port: other }],
    admin: { port: 0 },
    rules: [{ hosts: ['*.corp.example'], to: 'direct' }],
  });
  ({ port } = new URL(proxy.url));
});
afterAll(async () => {
  await proxy[Symbol.asyncDispose]();
});

async function curl(
  ...args: readonly string[]
): Promise<{ readonly status: number; readonly type: string; readonly text: string }> {
  const { stdout } = await runTool('curl', ['--silent', '--write-out', '\n%{http_code}\n%{content_type}', ...args]);
  const lines = stdout.split('\n');
  const [status, type = ''] = lines.splice(-2);
  return { status: Number(status), type, text: lines.join('\n') };
}

/** Where the script sends a host that no rule names, and one that is to be reached directly. */
function ways(script: string): unknown {
  const ask = (host: string) => `FindProxyForURL("https://${host}/", "${host}")`;
  return runInNewContext(`${script};[${ask('example.com')}, ${ask('git.corp.example')}].join()`);
}

it('is served by the admin listener, which asks for no token since a listener shows it to everybody', async () => {
  const { status, type, text } = await curl(`${proxy.admin!}/proxy.pac`);
  expect([status, type, ways(text)]).toEqual([200, PAC, `PROXY 127.0.0.1:${port},DIRECT`]);
  expect(await curl(`${proxy.admin!}/stats`)).toMatchObject({ status: 401 });
});

it('is served by a listener that has it enabled, and names the proxy by the host of the request', async () => {
  const { status, type, text } = await curl('--header', 'Host: localhost:1', `${proxy.url}/proxy.pac?x`);
  expect([status, type, ways(text)]).toEqual([200, PAC, `PROXY localhost:${port},DIRECT`]);
  expect(await curl('--header', 'Host: evil.example', `${proxy.url}/proxy.pac`)).toMatchObject({ status: 403 });
  expect(await curl('--request', 'POST', `${proxy.url}/proxy.pac`)).toMatchObject({ status: 405 });
});

it('is none of the pages of other listeners, which forward what names another host', async () => {
  const url = `http://127.0.0.1:${other}/proxy.pac`;
  expect(await curl(url)).toMatchObject({ status: 404 });
  expect(await curl('--header', `Host: 127.0.0.1:${port}`, url)).toMatchObject({ status: 403 });
  const { stdout } = await runTool('curl', ['--silent', '--include', '--header', 'Host: 127.0.0.1:9', url]);
  expect(stdout).toContain('Proxy-Status: proxy-client; error=');
});
