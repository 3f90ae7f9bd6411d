import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import openapiTS, { astToString, type OpenAPI3 } from 'openapi-typescript';
import { LedgerApi } from '../../support/ledger-api.js';
import { addCaller, changeCallers } from '../../support/ledger-callers.js';
import { makePythonClient, pythonOf } from '../../support/python-client.js';

const run = promisify(execFile);
const DOCUMENT = readFileSync('docs/clients.md', 'utf8');
/** Packages of other languages are fetched from their registries. */
const FETCH_MS = 900_000;

/** The only program in a language that docs/clients.md prints. */
function printed(language: string): string {
  return new RegExp(`^\`\`\`${language}\\n([^]*?)^\`\`\``, 'm').exec(DOCUMENT)![1]!;
}

/** What a documented program prints on a ledger that only it writes. */
function output(prefix: string): string {
  const ids = [1, 2, 3].map((number) => `${prefix}-${number}`);
  return ['Ana', `${ids[0]} ${ids[1]}`, ids[2], ...ids, ''].join('\n');
}

const directory = await mkdtemp(join(tmpdir(), 'documented-clients-'));
let api: LedgerApi;
let env: Readonly<Record<string, string>>;

beforeEach(async () => {
  api = await LedgerApi.start({ LEDGER_AUTH: 'on' });
  const KEY = await changeCallers(api, () => addCaller(api.dataDir, 'alice', '--role', 'writer'));
  env = { KEY };
});
afterEach(async () => {
  expect(await api.stop()).toEqual({ code: 0, signal: null });
});
afterAll(async () => {
  await rm(directory, { recursive: true, force: true });
});

/** Runs a program, and fails with its output. */
async function succeed(file: string, args: readonly string[]): Promise<string> {
  const options = { cwd: directory, env: { ...process.env, ...env } };
  const { stdout } = await run(file, args, options).catch((error: unknown) => {
    const { stdout: out, stderr } = error as { readonly stdout: string; readonly stderr: string };
    throw new Error(out + stderr, { cause: error });
  });
  return stdout;
}

describe('docs/clients.md', () => {
  it('has a client in TypeScript that compiles in strict mode, and runs', async () => {
    await symlink(join(process.cwd(), 'node_modules'), join(directory, 'node_modules'));
    await writeFile(join(directory, 'package.json'), '{"type":"module"}');
    await writeFile(join(directory, 'client.ts'), printed('ts'));
    const document = (await (await fetch(`${api.origin}/docs-json`)).json()) as OpenAPI3;
    await writeFile(join(directory, 'ledger-api.d.ts'), astToString(await openapiTS(document)));
    const target = ['--module', 'nodenext', '--target', 'esnext', '--types', 'node', '--noEmit', '--ignoreConfig'];
    const flags = ['--strict', '--skipLibCheck', '--allowImportingTsExtensions'];
    await succeed(join(process.cwd(), 'node_modules/.bin/tsc'), [...flags, ...target, 'client.ts']);
    expect(await succeed(process.execPath, ['client.ts', `${api.origin}/api/v1`])).toBe(output('ts'));
  });

  it(
    'has a client in Python that runs (needs Python and its packages)',
    async () => {
      const missing = await makePythonClient(directory, `${api.origin}/docs-json`);
      if (missing !== undefined) {
        console.warn(`skipped: ${missing}`);
        return;
      }
      await writeFile(join(directory, 'client.py'), printed('python'));
      expect(await succeed(pythonOf(directory), ['client.py', `${api.origin}/api/v1`])).toBe(output('py'));
    },
    FETCH_MS,
  );

  it(
    'names a generator for Go, whose client compiles (needs Go and its modules)',
    async () => {
      const [, command = ''] = /^(go run .*) -generate types,client/m.exec(DOCUMENT)!;
      const [go = '', ...args] = command.split(' ');
      await writeFile(join(directory, 'go.mod'), 'module ledger\n\ngo 1.22\n');
      const options = ['-generate', 'types,client', '-package', 'ledger', '-o', 'ledger.go'];
      const generated = succeed(go, [...args, ...options, `${api.origin}/docs-json`]);
      const missing = await generated.then(
        () => undefined,
        (error: unknown) => (error as Error).message,
      );
      if (missing !== undefined && /ENOENT|dial tcp|no such host/.test(missing)) {
        console.warn(`skipped: Go and its modules are needed: ${missing.slice(0, 200)}`);
        return;
      }
      expect(missing).toBeUndefined();
      await succeed('go', ['mod', 'tidy']);
      await succeed('go', ['vet', '.']);
    },
    FETCH_MS,
  );
});
