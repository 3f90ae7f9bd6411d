import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import type { Readable, Writable } from 'node:stream';
import { runs } from '../../support/chaincode-folders.js';
import { until } from '../../support/until.js';

const TOOL = resolve('dist/apps/ledger-api/bundle/lib/ledger-tool.js');
const EXAMPLE_MS = 120_000;

let home: string;
beforeAll(() => {
  home = mkdtempSync(join(tmpdir(), 'testing-chaincode-'));
  cpSync('docs/examples/25.testing-chaincode', home, { recursive: true });
  symlinkSync(resolve('node_modules'), join(home, 'chaincode/node_modules'));
  // As npm installs the package, whose library is next to the programs.
  const installed = join(home, 'node_modules/ledger-api');
  mkdirSync(installed, { recursive: true });
  const exports = { './testing': { import: './library/testing.js', require: './library/testing.cjs' } };
  writeFileSync(join(installed, 'package.json'), JSON.stringify({ name: 'ledger-api', type: 'module', exports }));
  for (const folder of ['library', 'bundle']) {
    symlinkSync(resolve('dist/apps/ledger-api', folder), join(installed, folder));
  }
});
afterAll(() => {
  rmSync(home, { recursive: true });
});

/** Runs a program in a folder of the examples. */
async function run(
  folder: string,
  program: string,
  args: readonly string[],
  variables: Readonly<Record<string, string>> = {},
): Promise<{ readonly code: number | null; readonly output: string }> {
  const env = { ...process.env, LEDGER_TOOL: `${process.execPath} ${TOOL}`, ...variables };
  const child = spawn(program, args, { cwd: join(home, folder), env, stdio: ['ignore', 'pipe', 'pipe'] });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (text) => (output += String(text)));
  const [code] = (await once(child, 'close')) as [number | null];
  return { code, output };
}
const script = (source: string) => {
  writeFileSync(join(home, 'script.mjs'), `import { startLedger } from 'ledger-api/testing';\n${source}`);
  return run('.', process.execPath, ['script.mjs']);
};

describe('the examples of docs/testing-chaincode.md', () => {
  const hasPytest = runs('python3', '-c', 'import pytest');
  const hasGo = runs('go', 'version');

  it(
    'pass with jest',
    async () => {
      const jest = resolve('node_modules/jest/bin/jest.js');
      const { code, output } = await run('jest', process.execPath, ['--experimental-vm-modules', jest, '--no-cache'], {
        NODE_OPTIONS: '',
      });
      expect(output).toContain('3 passed');
      expect(code).toBe(0);
    },
    EXAMPLE_MS,
  );

  (hasPytest ? it : it.skip)(
    'pass with pytest',
    async () => {
      const { code, output } = await run('pytest', 'python3', ['-m', 'pytest', '-p', 'no:cacheprovider']);
      expect(output).toContain('3 passed');
      expect(code).toBe(0);
    },
    EXAMPLE_MS,
  );

  (hasGo ? it : it.skip)(
    'pass with go test',
    async () => {
      const { code, output } = await run('go', 'go', ['test', '-v', './...']);
      expect(output.match(/^--- PASS/gm)).toHaveLength(3);
      expect(code).toBe(0);
    },
    EXAMPLE_MS,
  );
});

describe('ledger-api/testing', () => {
  it('opens another empty ledger in the same process, also while one is open, and lets the program exit', async () => {
    const { code, output } = await script(`
      const options = { chaincodes: { notes: './chaincode' } };
      const [one, two] = await Promise.all([startLedger(options), startLedger(options)]);
      await one.submit('notes', 'Put', 'a', 'of one');
      await two.submit('notes', 'Put', 'a', new Uint8Array([0x6f, 0x66]));
      const read = async (ledger) => (await ledger.evaluate('notes', 'Get', 'a')).payload;
      console.log(await read(one), await read(two), new URL(one.url).port === new URL(two.url).port);
      await one.close();
      console.log(await one.evaluate('notes', 'Get', 'a').catch(({ code }) => code), await read(two));
      await two.submit('notes', 'Put', 'n', { n: 9007199254740993n });
      console.log((await two.evaluate('notes', 'Get', 'n')).payload);
      console.log((await (await two.fetch('/blockchain/height')).json()).data.height);
      try { two.as('bob'); } catch ({ message }) { console.log(message); }`);
    expect(output.split('\n')).toEqual([
      'of one of true',
      'LEDGER.CHANNEL_UNKNOWN of',
      '{"n":9007199254740993}',
      '3',
      'There is no caller "bob": name it in the option callers.',
      '',
    ]);
    expect(code).toBe(0);
  });

  it('sends transient data with the calls of one ledger', async () => {
    cpSync(join(home, 'chaincode'), join(home, 'transient'), { recursive: true });
    const source = `const { Contract } = require('fabric-contract-api');
      class Transient extends Contract {
        async Text({ stub }) { return String(stub.getTransient().get('text')); }
      }
      module.exports.contracts = [Transient];`;
    writeFileSync(join(home, 'transient/notes.js'), source);
    const { output } = await script(`
      const ledger = await startLedger({ chaincodes: { notes: './transient' } });
      for (const text of ['a price', new Uint8Array([0x62]), { n: 1n }]) {
        console.log((await ledger.withTransient({ text }).submit('notes', 'Text')).payload);
      }
      console.log((await ledger.evaluate('notes', 'Text')).payload);
      await ledger.close();`);
    expect(output.split('\n')).toEqual(['a price', 'b', '{"n":1}', 'undefined', '']);
  });

  it('defect: a second close failed, and was counted as that of another ledger', async () => {
    const { code, output } = await script(`
      const options = { chaincodes: { notes: './chaincode' } };
      const [one, two] = [await startLedger(options), await startLedger(options)];
      await Promise.all([one.close(), one.close(), one.close()]);
      await two.submit('notes', 'Put', 'a', 'stored');
      console.log((await two.evaluate('notes', 'Get', 'a')).payload);
      await two.close();`);
    expect(output).toBe('stored\n');
    expect(code).toBe(0);
  });

  it('defect: sent values that are not JSON as null, and ignored unknown options', async () => {
    const { output } = await script(`
      const report = ({ name, message }) => console.log(name, message);
      await startLedger({ chaincode: {} }).catch(report);
      const ledger = await startLedger();
      for (const value of [undefined, NaN, { n: Infinity }, () => 1]) {
        await ledger.evaluate('basic', 'ReadAsset', value).catch(report);
      }
      try { ledger.withTransient({ text: undefined }); } catch (error) { report(error); }
      await ledger.close();`);
    expect(output.split('\n')).toEqual([
      'TypeError The option "chaincode" is unknown. Known: chaincodes, callers, environment.',
      'TypeError The argument 1 of "ReadAsset" is undefined, which is no JSON value.',
      'TypeError "0" is NaN, which is no JSON value.',
      'TypeError "n" is Infinity, which is no JSON value.',
      'TypeError The argument 1 of "ReadAsset" is a function, which is no JSON value.',
      'TypeError The transient value "text" is undefined, which is no JSON value.',
      '',
    ]);
  });

  it('reports why a chaincode cannot be started', async () => {
    const { output } = await script(`
      for (let n = 0; n < 2; n++) {
        await startLedger({ chaincodes: { x: './none' } }).catch(({ message }) => console.log(message));
      }`);
    expect(output.match(/the chaincode "x" cannot be started from \S+: there is no such folder/g)).toHaveLength(2);
  });
});

describe('ledger-tool serve --ephemeral', () => {
  /** A process that serves ledgers for tests, by the lines that it prints. */
  class Served {
    readonly child: ChildProcessByStdio<Writable, Readable, null>;
    readonly #lines: AsyncIterator<string>;

    constructor(...options: readonly string[]) {
      const args = [TOOL, 'serve', '--ephemeral', ...options];
      // A setting of a lasting ledger, which does not apply.
      const env = { ...process.env, LEDGER_DRIVER: 'fabric', LEDGER_API_PORT: '1' };
      this.child = spawn(process.execPath, args, { cwd: home, env, stdio: ['pipe', 'pipe', 'inherit'] });
      this.#lines = createInterface({ input: this.child.stdout })[Symbol.asyncIterator]();
    }

    async line(): Promise<Readonly<Record<string, unknown>>> {
      const { value } = (await this.#lines.next()) as { value: string };
      return JSON.parse(value) as Readonly<Record<string, unknown>>;
    }

    async command(text: string): Promise<Readonly<Record<string, unknown>>> {
      this.child.stdin.write(`${text}\n`);
      return this.line();
    }
  }
  it('prints url and key, executes commands in their order, and leaves nothing when its input is closed', async () => {
    const before = ephemeralFolders();
    const served = new Served();
    const ready = (await served.line()) as { url: string; key: string; channel: string };
    expect(ready).toMatchObject({ channel: 'mychannel', keys: { test: ready.key } });
    expect((await fetch(`${ready.url}/blockchain/height`)).status).toBe(401);
    const headers = { 'x-api-key': ready.key };
    expect((await fetch(`${ready.url}/blockchain/height`, { headers })).status).toBe(200);
    expect(await served.command('open')).toEqual({
      url: `${ready.url}/channels/mychannel-2`,
      channel: 'mychannel-2',
    });
    expect(await served.command('close mychannel-2')).toEqual({ closed: 'mychannel-2' });
    expect(await served.command('close mychannel-2')).toEqual({ error: 'There is no ledger "mychannel-2" to close.' });
    expect(await served.command('{"open":true}')).toEqual({
      error: 'Unknown command: use "open", or "close NAME".',
    });
    served.child.stdin.end('open\n');
    expect(await served.line()).toMatchObject({ channel: 'mychannel-3' });
    expect(await once(served.child, 'exit')).toEqual([0, null]);
    expect(ephemeralFolders().filter((name) => !before.includes(name))).toEqual([]);
  });

  it.each(['SIGTERM', 'SIGKILL'] as const)('ends its server when it gets %s', async (signal) => {
    const before = new Set(ephemeralFolders());
    const served = new Served();
    await served.line();
    const made = ephemeralFolders().filter((name) => !before.has(name));
    expect(made.length).toBeGreaterThan(0);
    served.child.kill(signal);
    await once(served.child, 'exit');
    await until(() => !ephemeralFolders().some((name) => made.includes(name)));
  });

  it('ends when the program that started it is killed', async () => {
    const before = new Set(ephemeralFolders());
    const source = `
      import { spawn } from 'node:child_process';
      const child = spawn(process.execPath, [${JSON.stringify(TOOL)}, 'serve', '--ephemeral'], { stdio: ['pipe', 'pipe', 'inherit'] });
      child.stdout.on('data', (text) => process.stdout.write(text));`;
    const parent = spawn(process.execPath, ['--input-type=module', '-e', source], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    await once(parent.stdout, 'data');
    const made = ephemeralFolders().filter((name) => !before.has(name));
    parent.kill('SIGKILL');
    await until(() => !ephemeralFolders().some((name) => made.includes(name)));
  });

  it('needs --ephemeral', async () => {
    const { code, output } = await run('.', process.execPath, [TOOL, 'serve']);
    expect([code, output]).toEqual([2, "ledger-tool: required option '--ephemeral' not specified\n"]);
  });
});

function ephemeralFolders(): readonly string[] {
  return ['/dev/shm', tmpdir()]
    .filter((folder) => existsSync(folder))
    .flatMap((folder) => readdirSync(folder))
    .filter((name) => name.startsWith('ledger-ephemeral-'));
}
