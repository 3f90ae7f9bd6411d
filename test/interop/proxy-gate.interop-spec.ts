import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { NodeOrigin } from '../support/node-origin.js';
import { Program } from '../support/program.js';
import { registryOf } from '../support/proxy/npm-registry.js';
import { CURL, NPM, withTools } from '../support/proxy/with-tool.js';

const MAIN = 'apps/proxy-client/bundle/lib/proxy-client.js';
const REGISTRY = 'http://packages.example.org/';
const SLOW_MS = 120_000;

let directory: string;
let upstream: NodeOrigin;

beforeAll(() => {
  directory = mkdtempSync(join(tmpdir(), 'proxy-gate-'));
  writeFileSync(join(directory, 'package.json'), '{"private": true, "dependencies": {"tiny-thing": "1.2.3"}}');
});

afterAll(async () => {
  await upstream[Symbol.asyncDispose]();
  rmSync(directory, { recursive: true });
});

async function run(...args: readonly string[]) {
  const env = { HOME: '/nonexistent', PROXY_ADMIN_PORT: 'off' };
  const program = new Program({ main: MAIN, args, cwd: directory, env });
  const { code } = await program.ended;
  return { code, stdout: program.stdout, stderr: program.stderr };
}

const BWRAP = { name: 'bubblewrap', variable: 'BWRAP', names: ['bwrap'] };
withTools('the egress gate', [NPM, CURL, BWRAP], (npm, curl) => {
  const install = [npm, 'install', '--registry', REGISTRY, '--cache', '.cache', '--no-audit', '--no-fund'];

  it(
    'learns what npm reaches, allows that in the sandbox, and nothing else',
    async () => {
      const registry = await registryOf(npm, directory);
      // An HTTP proxy that is every host itself, so that nothing leaves this machine.
      upstream = await NodeOrigin.start((request, response) => {
        request.url = new URL(request.url ?? '', REGISTRY).pathname;
        registry(request, response);
      });
      const learned = await run('learn', '--upstream', upstream.url, '--out', 'gate.yaml', '--', ...install);
      expect([learned.code, learned.stderr]).toEqual([0, expect.stringContaining('wrote gate.yaml')]);
      expect(readFileSync(join(directory, 'gate.yaml'), 'utf8')).toMatch(
        /default: reject\nrules:\n {2}- hosts:\n {6}- packages\.example\.org\n {4}ports:\n {6}- 80\n {4}to: upstream\n$/,
      );
      rmSync(join(directory, 'node_modules'), { recursive: true });
      rmSync(join(directory, '.cache'), { recursive: true });
      const clean = [npm, 'ci', ...install.slice(2)];
      expect((await run('run', '--config', 'gate.yaml', '--', ...clean)).code).toBe(0);
      expect(readFileSync(join(directory, 'node_modules/tiny-thing/index.js'), 'utf8')).toBe('module.exports = 42;\n');
      const refused = await run('run', '--config', 'gate.yaml', '--', curl, '-sS', 'http://telemetry.example/');
      expect(refused.stdout).toContain('proxy-client allow telemetry.example:80 --for 1h');
      expect(refused.stderr).toContain('refused telemetry.example:80; this rule would allow it');
    },
    SLOW_MS,
  );
});
