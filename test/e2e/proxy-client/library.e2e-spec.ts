import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import type { ScriptedSocks5Server } from '#socks5-protocol/testing';
import { receivedBy, startPasswordSocks } from '../../support/proxy/password-socks.js';
import { runTool } from '../../support/proxy/run-tool.js';
import { RawConnection } from '../../support/raw-http.js';
import { RawOrigin } from '../../support/raw-origin.js';

const BODY = 'hello from the shop';
const EXAMPLES = 'docs/examples/16.proxy-library';
const HOOK = ['--import', './test/support/proxy/library-import.mjs'];

let origin: RawOrigin;
let socks: ScriptedSocks5Server;
let env: Readonly<Record<string, string>>;
beforeAll(async () => {
  origin = await RawOrigin.answering(`HTTP/1.1 200 OK\r\nContent-Length: ${BODY.length}\r\n\r\n${BODY}`);
  socks = await startPasswordSocks(origin.port);
  env = { UPSTREAM: `socks5://me:s3cret@127.0.0.1:${socks.port}`, SITE: 'http://shop.example/' };
});
afterAll(async () => {
  await socks.close();
  await origin[Symbol.asyncDispose]();
});

async function run(...args: readonly string[]) {
  return runTool(process.execPath, [...HOOK, ...args], { env });
}

describe('the library, bundled', () => {
  it.each(['undici', 'axios'])('serves %s, as in the example', async (name) => {
    const before = socks.connections.length;
    expect(await run(`${EXAMPLES}/${name}.mjs`)).toEqual({ code: 0, stdout: `${BODY}\n`, stderr: '' });
    expect(receivedBy(socks).slice(before)).toEqual(['me:s3cret']);
    expect(socks.connections.at(-1)!.target!.host).toBe('shop.example');
  });

  it('chooses upstreams by user and counts bytes, as in the example, and its process exits after close', async () => {
    const args = [...HOOK, `${EXAMPLES}/choose-upstream.mjs`];
    const child = spawn(process.execPath, args, {
      env: { ANN_UPSTREAM: env['UPSTREAM'] },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const exited = once(child, 'exit');
    const lines = createInterface(child.stdout)[Symbol.asyncIterator]();
    const { value: url } = (await lines.next()) as { value: string };
    const get = async (credentials: string): Promise<string> => {
      const client = await RawConnection.open(url);
      const authorization = `Proxy-Authorization: Basic ${btoa(credentials)}\r\n`;
      const head = 'GET http://shop.example/ HTTP/1.1\r\nHost: shop.example\r\nConnection: close\r\n';
      return client.write(`${head}${authorization}\r\n`).closed;
    };
    expect(await get('ann:correct horse')).toContain(BODY);
    expect((await lines.next()).value).toMatch(/^ann http:\/\/shop\.example\/ 200, \d+ bytes so far$/);
    expect(await get('bob:battery staple')).toContain(' 403 ');
    expect((await lines.next()).value).toBe('bob http://shop.example/ 403, 0 bytes so far');
    child.kill('SIGINT');
    expect(await exited).toEqual([0, null]);
  });

  it('can be required by a CommonJS program', async () => {
    const script = `const { anonymize } = require('proxy-client');
anonymize(process.env.UPSTREAM).then((proxy) => proxy.close()).then(() => console.log('closed'));`;
    expect(await run('--input-type=commonjs', '--eval', script)).toEqual({ code: 0, stdout: 'closed\n', stderr: '' });
  });

  it('leaves no handle, listener, timer or global after 50 proxies, unreferenced ones included', async () => {
    const { code, stdout, stderr } = await run('test/support/proxy/many-proxies.mjs');
    expect([code, stderr]).toEqual([0, '']);
    const { listeners, ...result } = JSON.parse(stdout) as { listeners: readonly object[] };
    expect(result).toEqual({
      statuses: { '200 200': 45, '502 502': 5 },
      urls: 50,
      left: [],
      globals: 0,
      warnings: [],
    });
    const [before, during, after] = listeners;
    expect(during).toEqual(before);
    expect(after).toEqual(before);
  });
});
