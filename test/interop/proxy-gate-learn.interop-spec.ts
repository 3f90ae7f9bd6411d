import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { NodeOrigin } from '../support/node-origin.js';
import { findProgram } from '../support/peers/find-program.js';
import { Program } from '../support/program.js';
import { GATE_BUILDS } from '../support/proxy/gate-builds.js';
import { LOCAL_BUILDS } from '../support/proxy/package-registries.js';

const MAIN = 'apps/proxy-client/bundle/lib/proxy-client.js';
const SLOW_MS = 900_000;
/** Set to try the builds from public registries: they need the network, and 20 minutes. */
const HAS_NETWORK = process.env['GATE_BUILDS'] === 'network';

const bwrap = spawnSync('bwrap', ['--unshare-net', '--ro-bind', '/', '/', '--proc', '/proc', 'true']).status;
const areInstalled = (files: readonly string[]): boolean =>
  bwrap === 0 && files.every((file) => findProgram('NO_SUCH_VARIABLE', file) !== undefined);

let directory: string;
beforeAll(() => {
  directory = mkdtempSync(join(tmpdir(), 'gate-learn-'));
});
afterAll(() => {
  rmSync(directory, { recursive: true });
});

/** Runs a command in a new project. */
async function run(command: string, files: Readonly<Record<string, string>>, args: readonly string[]) {
  const project = mkdtempSync(join(directory, 'project-'));
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(dirname(join(project, path)), { recursive: true });
    writeFileSync(join(project, path), content);
  }
  const program = new Program({
    ...{ main: MAIN, cwd: project, args: [...args, '--', 'bash', '-ec', `exec </dev/null; ${command}`] },
    env: { HOME: process.env['HOME'] ?? '/root', PATH: process.env['PATH'] ?? '', PROXY_ADMIN_PORT: 'off' },
  });
  const { code } = await program.ended;
  rmSync(project, { recursive: true });
  return `${program.stdout}${program.stderr}\ncode ${code}`;
}

/** Learns the rules of a command, and runs it with them. @returns the rules */
async function learnAndRun(
  command: string,
  files: Readonly<Record<string, string>>,
  upstream: string,
): Promise<string> {
  const out = join(mkdtempSync(join(directory, 'rules-')), 'gate.yaml');
  const learned = await run(command, files, ['learn', '--upstream', upstream, '--out', out]);
  expect(learned).toMatch(/proxy-client: wrote [^]*\ncode 0$/);
  const again = await run(command, files, ['run', '--unattended', '--config', out]);
  expect(again).toMatch(/\ncode 0$/);
  expect(again).not.toContain('proxy-client: refused');
  return readFileSync(out, 'utf8');
}

describe('what learn writes lets the same build pass', () => {
  for (const { name, tools, registry, project, command, hosts } of LOCAL_BUILDS) {
    (areInstalled(tools) ? it : it.skip)(
      `from a registry of this test: ${name}`,
      async () => {
        const files = registry(directory);
        // An HTTP proxy that is every host itself, so that nothing leaves this machine.
        await using upstream = await NodeOrigin.start(({ url = '' }, response) => {
          const content = files[url];
          if (url.endsWith('/')) response.setHeader('Content-Type', 'text/html');
          response.writeHead(content === undefined ? 404 : 200).end(content);
        });
        const rules = await learnAndRun(command, project, upstream.url);
        const [, learned = ''] = /hosts:\n((?: +- .*\n)+) +ports:\n +- 80\n +to: upstream\n$/.exec(rules) ?? [];
        expect(learned.split('\n').map((line) => line.replace(/^ +- /, ''))).toEqual([...hosts, '']);
      },
      SLOW_MS,
    );
  }

  for (const { name, file, command } of GATE_BUILDS) {
    (HAS_NETWORK && areInstalled([file]) ? it : it.skip)(
      `from a public registry: ${name}`,
      async () => {
        expect(await learnAndRun(command, {}, 'embedded')).toContain('default: reject');
      },
      SLOW_MS,
    );
  }
});
