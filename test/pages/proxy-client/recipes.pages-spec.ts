import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ScriptedSocks5Server } from '#socks5-protocol/testing';
import { receivedBy, startPasswordSocks } from '../../support/proxy/password-socks.js';
import { runTool } from '../../support/proxy/run-tool.js';
import { RawOrigin } from '../../support/raw-origin.js';
import { describePages } from '../support/tab.js';

const PAGE = '<!doctype html><title>The shop</title>';

describePages('a browser behind a SOCKS5 server with a password', () => {
  const { executablePath, env = {} } = JSON.parse(process.env['BROWSER_PROGRAM'] ?? '{}') as {
    readonly executablePath: string;
    readonly env?: Readonly<Record<string, string>>;
  };
  let directory: string;
  let origin: RawOrigin;
  let socks: ScriptedSocks5Server;
  beforeAll(async () => {
    directory = mkdtempSync(join(tmpdir(), 'recipes-'));
    const head = `HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: ${PAGE.length}`;
    origin = await RawOrigin.answering(`${head}\r\n\r\n${PAGE}`);
    socks = await startPasswordSocks(origin.port);
    // The tests may run as root, for which the sandbox does not work.
    writeFileSync(join(directory, 'chromium'), `#!/bin/sh\nexec '${executablePath}' --no-sandbox "$@"\n`, {
      mode: 0o755,
    });
  });
  afterAll(async () => {
    await socks.close();
    await origin[Symbol.asyncDispose]();
    rmSync(directory, { recursive: true, force: true });
  });

  it.each(['playwright', 'puppeteer'])('opens a page, as in the example for %s', async (name) => {
    const before = socks.connections.length;
    const args = ['--import', './test/support/proxy/library-import.mjs', `docs/examples/16.proxy-library/${name}.mjs`];
    const settings = {
      UPSTREAM: `socks5://me:s3cret@127.0.0.1:${socks.port}`,
      SITE: 'http://shop.example/',
      CHROMIUM: join(directory, 'chromium'),
    };
    const result = await runTool(process.execPath, args, { env: { ...env, ...settings } });
    expect(result).toEqual({ code: 0, stdout: 'The shop\n', stderr: '' });
    expect(new Set(receivedBy(socks).slice(before))).toEqual(new Set(['me:s3cret']));
    expect(socks.connections.slice(before).map(({ target }) => target?.host)).toContain('shop.example');
  });
});
