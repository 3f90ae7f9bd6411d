import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { NodeOrigin } from '../support/node-origin.js';
import { findProgram } from '../support/peers/find-program.js';
import { Program } from '../support/program.js';
import { GATE_PROGRAMS, type GateProgram } from '../support/proxy/gate-programs.js';

const MAIN = 'apps/proxy-client/bundle/lib/proxy-client.js';
const SLOW_MS = 120_000;
const ALLOWED = 'allowed.example';
const REFUSED = 'refused.example';

/** Variables of the commands: packages and an interpreter that are installed elsewhere, and a browser. */
const TOOLS = {
  MODULES: process.env['GATE_NODE_MODULES'] ?? join(process.cwd(), 'node_modules'),
  PYTHON: process.env['GATE_PYTHON'] ?? 'python3',
  CHROMIUM: process.env['CHROMIUM_PATH'] ?? 'chromium',
  CONNECT: `${process.execPath} ${join(process.cwd(), 'dist', MAIN)} connect`,
};
const bwrap = spawnSync('bwrap', ['--unshare-net', '--ro-bind', '/', '/', '--proc', '/proc', 'true']).status;

let directory: string;
let upstream: NodeOrigin;
const reached = new Set<string>();
beforeAll(async () => {
  directory = mkdtempSync(join(tmpdir(), 'gate-matrix-'));
  // An HTTP proxy that is every host itself, so that nothing leaves this machine.
  upstream = await NodeOrigin.start((request, response) => {
    reached.add(new URL(request.url ?? '', 'http://nothing').hostname);
    response.end('hello');
  });
  upstream.server.on('connect', (request, socket) => {
    reached.add((request.url ?? '').split(':', 1)[0] ?? '');
    socket.on('error', () => undefined);
    // Otherwise the server waits for it at its end.
    socket.end('HTTP/1.1 200 OK\r\n\r\n', () => socket.destroy());
  });
  writeFileSync(
    join(directory, 'gate.yaml'),
    JSON.stringify({
      upstream: upstream.url,
      default: 'reject',
      admin: 'off',
      rules: [{ hosts: [ALLOWED], to: 'upstream' }],
    }),
  );
});
afterAll(async () => {
  await upstream[Symbol.asyncDispose]();
  rmSync(directory, { recursive: true });
});

async function run(command: string) {
  const project = mkdtempSync(join(directory, 'project-'));
  const mounts = [TOOLS.MODULES, TOOLS.PYTHON, TOOLS.CHROMIUM, process.cwd()]
    .filter((path) => path.startsWith('/'))
    .map((path) => (path === TOOLS.PYTHON ? join(path, '../..') : path));
  const program = new Program({
    main: MAIN,
    args: [
      ...['run', '--config', join(directory, 'gate.yaml')],
      ...mounts.flatMap((path) => ['--mount', path]),
      ...['--', 'bash', '-c', `exec </dev/null; ${command}`],
    ],
    cwd: project,
    env: { ...TOOLS, HOME: process.env['HOME'] ?? '/root', PATH: process.env['PATH'] ?? '' },
  });
  await program.ended;
  return program.stderr;
}

/** Programs of other places are tried only if a variable names them. */
const VARIABLES = { $MODULES: 'GATE_NODE_MODULES', $PYTHON: 'GATE_PYTHON', $CHROMIUM: 'CHROMIUM_PATH' } as const;

function isInstalled({ file, command }: GateProgram): boolean {
  const used = Object.entries(VARIABLES).filter(([name]) => command.includes(name));
  if (used.some(([, variable]) => process.env[variable] === undefined)) return false;
  return bwrap === 0 && (file.startsWith('$') || findProgram('NO_SUCH_VARIABLE', file) !== undefined);
}

describe('programs in the sandbox of run', () => {
  for (const program of GATE_PROGRAMS) {
    const { name, command } = program;
    (isInstalled(program) ? it : it.skip)(
      `${name} reaches an allowed target, and is refused by the gate elsewhere`,
      async () => {
        reached.clear();
        const allowed = await run(command.replaceAll('HOST', ALLOWED));
        expect([[...reached], allowed]).toEqual([expect.arrayContaining([ALLOWED]), expect.anything()]);
        const refused = await run(command.replaceAll('HOST', REFUSED));
        expect(refused).toContain(`refused ${REFUSED}:`);
        expect(reached).not.toContain(REFUSED);
      },
      SLOW_MS,
    );
  }
});
