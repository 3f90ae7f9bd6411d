import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { DatabaseSync } from 'node:sqlite';
import { freePort } from '../../support/free-port.js';
import { Program } from '../../support/program.js';

const EXAMPLES = resolve('docs/examples/18.audit-log');
/** In CI few; the night and the benchmark kill more often. */
const KILLS = 4;

let home: string;
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'ledger-library-'));
  const installed = join(home, 'node_modules/ledger-api');
  mkdirSync(installed, { recursive: true });
  const exports = { './embedded': { import: './library/index.js', require: './library/index.cjs' } };
  writeFileSync(join(installed, 'package.json'), JSON.stringify({ name: 'ledger-api', type: 'module', exports }));
  symlinkSync(resolve('dist/apps/ledger-api/library'), join(installed, 'library'));
});
afterEach(() => {
  rmSync(home, { recursive: true });
});

interface Result {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

const start = (...args: readonly string[]) =>
  spawn(process.execPath, args, { cwd: home, stdio: ['ignore', 'pipe', 'pipe'] });
async function node(...args: readonly string[]): Promise<Result> {
  const child = start(...args);
  const result = { stdout: '', stderr: '' };
  child.stdout.setEncoding('utf8').on('data', (text: string) => (result.stdout += text));
  child.stderr.setEncoding('utf8').on('data', (text: string) => (result.stderr += text));
  const [code] = (await once(child, 'close')) as [number | null];
  return { code, ...result };
}
/** Writes a script and runs it. */
function run(name: string, source: string): Promise<Result> {
  writeFileSync(join(home, name), source);
  return node(name);
}
const esm = (source: string) =>
  run('script.mjs', `import { openLedger, verifyLedger } from 'ledger-api/embedded';\n${source}`);
const store = (directory = 'audit') => join(home, directory, 'channels/mychannel/ledger.db');
const edit = (sql: string) => {
  const db = new DatabaseSync(store());
  db.exec(sql);
  db.close();
};

describe('the library ledger-api/embedded', () => {
  it('appends and reads in an ES module, and ends with the program without being closed', async () => {
    const { stdout, stderr, code } = await esm(`
      const log = await openLedger('audit');
      const { id, block } = await log.append('login', { user: 'ana', n: 1.5 });
      await log.append('login', { user: 'bob' }, { id: 'own' });
      const records = [];
      for await (const record of log.list('login')) records.push(record.id);
      console.log(JSON.stringify([await log.get('login', id), records.includes(id), records.includes('own'), block]));
      console.log(JSON.stringify([await log.get('login', 'none'), await log.get('other', 'none')]));`);
    expect(stderr).toBe('');
    expect(code).toBe(0);
    const [first = '', second] = stdout.trim().split('\n');
    const id = expect.stringMatching(/^[0-9a-f-]{36}$/);
    expect(JSON.parse(first)).toEqual([{ id, version: 1, document: { n: 1.5, user: 'ana' } }, true, true, 2]);
    expect(second).toBe('[null,null]');
  });

  it('works in CommonJS, and in tests of node --test, which end', async () => {
    const common = `const { openLedger } = require('ledger-api/embedded');
      (async () => { const log = await openLedger('audit'); console.log((await log.append('t', 1)).block); })();`;
    expect(await run('script.cjs', common)).toEqual({ code: 0, stdout: '2\n', stderr: '' });
    writeFileSync(
      join(home, 'log.test.mjs'),
      `import test from 'node:test';
      import assert from 'node:assert';
      import { openLedger } from 'ledger-api/embedded';
      test('appends', async () => {
        const log = await openLedger('audit-of-test');
        assert.equal((await log.append('t', { a: 1 })).replayed, false);
      });`,
    );
    const { code, stdout } = await node('--test', 'log.test.mjs');
    expect(stdout).toContain('pass 1');
    expect(code).toBe(0);
  });

  it('stores documents outside the blocks, lists and proves them, and erases them', async () => {
    const { stdout, stderr } = await esm(`
      import { readdirSync, readFileSync } from 'node:fs';
      const schema = { type: 'object', required: ['name'], properties: { name: { type: 'string' } }, additionalProperties: { type: 'boolean' } };
      {
        await using log = await openLedger('audit');
        await log.define('patient', { payload: 'outside', mode: 'mutable', indexes: ['name'], schema });
        const first = await log.append('patient', { name: 'canary-1' }, { id: 'p1' });
        const { created, refused } = await log.appendMany('patient', [{ name: 'canary-2', no: true }, { name: 'x', 'canary-3': 1 }]);
        console.log(created.length, refused[0].index, refused[0].message);
        const { document, outside } = await log.get('patient', 'p1');
        console.log(document.name, outside.state, outside.digest.length, outside.salt.length);
        for await (const each of log.list('patient', { where: { name: 'canary-1' } })) console.log(each.id, each.outside.state);
        let events = 0;
        for await (const { id, document, digest } of log.events({ from: 0 })) {
          console.log(document, id === 'p1' ? digest === outside.digest : digest.length);
          if (++events === 2) break;
        }
        console.log((await log.receipt(first.transactionId)).includes('"format"'));
        await log.purge('patient', 'p1');
        console.log(await log.get('patient', 'p1'));
        for await (const change of log.history('patient', 'p1')) console.log(change.deleted, change.document, change.outside?.state);
      }
      const files = readdirSync('audit', { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
      const texts = files.map((entry) => readFileSync(entry.parentPath + '/' + entry.name, 'latin1')).join();
      console.log(['canary-1', 'canary-2', 'canary-3'].map((canary) => texts.includes(canary)).join());
      console.log((await verifyLedger('audit')).ok);`);
    expect(stderr).toBe('');
    expect(stdout.split('\n')).toEqual([
      '1 1 the document is refused: /canary-3 must be boolean',
      'canary-1 stored 64 64',
      'p1 stored',
      'null true',
      'null 64',
      'true',
      'undefined',
      'true undefined undefined',
      'false null erased',
      'false,true,false',
      'true',
      '',
    ]);
  });

  it('lists by indexed fields, follows changes of mutable records, and refuses with codes', async () => {
    const { stdout, stderr } = await esm(`
      await using log = await openLedger('audit');
      await log.define('visit', { indexes: ['user'], schema: { properties: { user: { type: 'string' } } } });
      const { created, refused } = await log.appendMany('visit', [
        { user: 'ana', no: 'v1' }, { user: 5, no: 'v2' }, { user: 'bob', no: 'v3' }, { user: 'ana', no: 'v1' }, undefined, { no: 7 },
      ], { key: 'no' });
      console.log(created.map(({ id }) => id).join(), refused.map(({ index, code }) => index + code).join());
      for await (const { id } of log.list('visit', { where: { user: 'ana' } })) console.log(id);
      for await (const { document } of log.history('visit', 'v1')) console.log(document.user);
      for (const fails of [
        () => log.append('visit', { user: 1 }), () => log.append('visit', undefined), () => log.append('visit', { n: 2n }),
        () => log.append('visit', {}, { id: 'v1' }), () => log.define('visit', { mode: 'mutable' }),
        () => log.list('visit', { where: { no: 'v1' } }).next(),
      ]) console.log(await fails().then(() => 'no error', (error) => error.code ?? error.name));
      const events = log.events({ from: 0 });
      console.log((await events.next()).value.id, (await events.next()).value.document.user);`);
    expect(stderr).toBe('');
    expect(stdout.trim().split('\n')).toEqual([
      'v1,v3 1LEDGER.RECORD_INVALID,3LEDGER.RECORD_EXISTS,4LEDGER.RECORD_INVALID,5LEDGER.INVALID_ARGUMENT',
      'v1',
      'ana',
      'LEDGER.RECORD_INVALID',
      'LEDGER.RECORD_INVALID',
      'LEDGER.RECORD_INVALID',
      'LEDGER.RECORD_EXISTS',
      'LEDGER.RECORD_TYPE_CONFLICT',
      'LEDGER.INVALID_ARGUMENT',
      'v1 bob',
    ]);
  });

  it('refuses what JSON would alter or does not have, and nothing else of a batch', async () => {
    const { stdout, stderr } = await esm(`
      await using log = await openLedger('audit');
      const cycle = {}; cycle.self = cycle;
      const values = [{ a: NaN }, -Infinity, 2n, cycle, { toJSON() { throw new Error('mine'); } }, () => 1];
      for (const value of values) console.log(await log.append('odd', value).catch(({ message }) => message));
      const { created, refused } = await log.appendMany('odd', [1, ...values, { ok: 1 }]);
      console.log(created.length, refused.map(({ index, code }) => index + code).join(' '));`);
    expect(stderr).toBe('');
    const lines = stdout.trim().split('\n');
    const refusal = 'the document is refused: it must be JSON';
    expect(lines.slice(0, 2)).toEqual([`${refusal}, which has no NaN ("a")`, `${refusal}, which has no -Infinity`]);
    expect(lines.slice(2, 5)).toEqual([
      expect.stringMatching(/BigInt\)$/),
      expect.stringMatching(/circular structure to JSON\)$/),
      `${refusal} (mine)`,
    ]);
    const codes = [1, 2, 3, 4, 5, 6].map((index) => `${index}LEDGER.RECORD_INVALID`);
    expect(lines.slice(5)).toEqual([refusal, `2 ${codes.join(' ')}`]);
  });

  it('follows events as they are committed, keeps the program running meanwhile, and ends them with the ledger', async () => {
    const { stdout, stderr, code } = await esm(`
      const log = await openLedger('audit');
      await log.append('event', { n: 0 });
      setTimeout(() => void log.append('event', { n: 1 }), 200).unref();
      for await (const { type, document } of log.events()) {
        console.log(type, document.n);
        break;
      }
      const rest = log.events();
      const next = rest.next();
      await log.close();
      console.log((await next).done);`);
    expect({ stdout, stderr, code }).toEqual({ stdout: 'event 1\ntrue\n', stderr: '', code: 0 });
  });

  it('names the process that has the directory open, and prints readable lines of an uncaught error', async () => {
    const holder = await esm(`
      import { spawnSync } from 'node:child_process';
      const log = await openLedger('audit');
      console.log(process.pid, await openLedger('audit').catch((error) => error.message));
      const second = spawnSync(process.execPath, ['--input-type=module', '-e', "await (await import('ledger-api/embedded')).openLedger('audit')"]);
      console.log(second.status + String(second.stderr));`);
    const [first = '', ...second] = holder.stdout.split('\n');
    const [pid] = first.split(' ');
    expect(first).toContain(`This process (${pid}) uses the data directory`);
    const text = second.join('\n');
    expect(text).toMatch(/^1/);
    expect(text).toContain(`Another process (${pid}) uses the data directory`);
    expect(Math.max(...text.split('\n').map(({ length }) => length))).toBeLessThan(400);
  });

  it('loses nothing that it has acknowledged when it is killed', async () => {
    const source = `import { openLedger } from 'ledger-api/embedded';
      const log = await openLedger('audit');
      await Promise.all(Array.from({ length: 8 }, async () => {
        for (;;) console.log((await log.append('event', { at: process.hrtime()[1] })).id);
      }));`;
    writeFileSync(join(home, 'endless.mjs'), source);
    const acknowledged: string[] = [];
    for (let kill = 0; kill < KILLS; kill++) {
      const child = start('endless.mjs');
      const lines = createInterface({ input: child.stdout });
      let count = 0;
      for await (const id of lines) {
        acknowledged.push(id);
        if (++count === 50 * (kill + 1)) child.kill('SIGKILL');
      }
    }
    expect(acknowledged.length).toBeGreaterThanOrEqual(KILLS * 50);
    const { stdout } = await esm(`
      await using log = await openLedger('audit');
      for await (const { id } of log.list('event')) console.log(id);
      console.log((await log.verify()).ok);`);
    const stored = new Set(stdout.trim().split('\n'));
    expect(acknowledged.filter((id) => !stored.has(id))).toEqual([]);
    expect(stored).toContain('true');
  });
});

describe('tampering with the directory of a log', () => {
  const filled = `
    await using log = await openLedger('audit');
    for (let n = 0; n < 5; n++) await log.append('event', { n }, { id: 'e' + n });`;
  const verify = async (options = '') => {
    const { stdout, stderr } = await esm(`
      import { readFileSync } from 'node:fs';
      const { ok, findings } = await verifyLedger('audit', ${options || '{}'});
      console.log(JSON.stringify([ok, ...findings.map(({ where }) => where)]));`);
    if (stdout === '') throw new Error(stderr);
    return JSON.parse(stdout) as [boolean, ...string[]];
  };
  const CHECKPOINT = "{ checkpoint: readFileSync('checkpoint', 'utf8') }";

  it('is found when a value was changed, and names the record', async () => {
    await esm(filled);
    expect(await verify()).toEqual([true]);
    edit(`UPDATE state SET value = CAST('{"d":{"n":100},"v":1}' AS BLOB) WHERE qualified_key = 'records/r/event/e3'`);
    const [ok, first] = await verify();
    expect(ok).toBe(false);
    expect(first).toContain('records/r/event/e3');
    const read = await esm(`const log = await openLedger('audit'); console.log(await log.get('event', 'e3'));`);
    expect(read.stderr).toContain('LEDGER.DAMAGED');
  });

  it('is found when a row was deleted', async () => {
    await esm(filled);
    edit("DELETE FROM state WHERE qualified_key = 'records/r/event/e2'; DELETE FROM blocks WHERE number = 4");
    expect((await verify())[0]).toBe(false);
  });

  it('is found when the newest block was cut off', async () => {
    await esm(filled);
    edit('DELETE FROM blocks WHERE number = (SELECT max(number) FROM blocks)');
    expect((await verify())[0]).toBe(false);
    expect((await esm("await openLedger('audit');")).stderr).toContain('LEDGER.DAMAGED');
  });

  it('is found by a checkpoint when everything was recomputed with all keys, or an older copy put back', async () => {
    // The copy has the keys of the ledger and of its tree, so that its owner can sign any history.
    await esm(`await using log = await openLedger('audit'); await log.checkpoint();`);
    cpSync(join(home, 'audit'), join(home, 'copy'), { recursive: true });
    await esm(`import { writeFileSync } from 'node:fs';${filled}
      writeFileSync('checkpoint', await log.checkpoint());`);
    expect(await verify(CHECKPOINT)).toEqual([true]);
    rmSync(join(home, 'audit'), { recursive: true });
    cpSync(join(home, 'copy'), join(home, 'audit'), { recursive: true });
    expect((await verify(CHECKPOINT))[0]).toBe(false);
    await esm(filled.replace('{ n }', '{ n: -n }'));
    expect(await verify()).toEqual([true]);
    expect((await verify(CHECKPOINT))[0]).toBe(false);
  });

  it('is found with witnesses, which confirm no second history', async () => {
    const tool = (...args: readonly string[]) =>
      new Program({
        main: 'apps/ledger-api/bundle/lib/ledger-tool.js',
        args: ['witness', ...args, '--directory', join(home, 'w')],
      });
    const created = tool('init', 'lisbon', 'witness.example.org');
    await created.ended;
    const { stdout: key } = await esm(`const log = await openLedger('audit'); console.log(await log.verifierKey());`);
    const port = await freePort();
    const served = tool('serve', 'lisbon', '--log', key.trim(), '--port', String(port));
    try {
      await served.printed('\n');
      const policy = `log ${key.trim()}\nwitness w ${created.stdout.trim()} http://127.0.0.1:${port}\nquorum w\n`;
      writeFileSync(join(home, 'policy'), policy);
      cpSync(join(home, 'audit'), join(home, 'copy'), { recursive: true });
      const open = "const log = await openLedger('audit', { witnesses: { policy: 'policy', intervalMs: 200 } });";
      const first = await esm(`import { writeFileSync } from 'node:fs'; ${open}
        await log.append('event', { n: 1 });
        writeFileSync('checkpoint', await log.checkpoint());`);
      expect(first.stderr).toBe('');
      expect(readFileSync(join(home, 'checkpoint'), 'utf8')).toContain('— witness.example.org');
      const witnessed = "{ checkpoint: readFileSync('checkpoint', 'utf8'), policy: 'policy' }";
      expect(await verify(witnessed)).toEqual([true]);
      rmSync(join(home, 'audit'), { recursive: true });
      cpSync(join(home, 'copy'), join(home, 'audit'), { recursive: true });
      const second = await esm(`${open}
        await log.append('event', { n: 2 });
        console.log(await log.checkpoint().catch((error) => error.message));`);
      expect(second.stdout).toContain('tree');
      expect((await verify(witnessed))[0]).toBe(false);
    } finally {
      await served.end();
    }
  });
});

describe('the examples of docs/examples/18.audit-log', () => {
  const example = async (name: string) => {
    const source = readFileSync(join(EXAMPLES, name), 'utf8');
    const result = await run(name, source);
    expect(result.stderr).toBe('');
    expect(result.code).toBe(0);
    return result.stdout;
  };

  it('have at most ten lines of code', () => {
    for (const name of readdirSync(EXAMPLES)) {
      const lines = readFileSync(join(EXAMPLES, name), 'utf8').split('\n');
      expect(lines.filter((line) => line !== '' && !line.startsWith('//')).length).toBeLessThanOrEqual(10);
    }
  });

  it('work', async () => {
    expect(await example('append.mjs')).toContain("user: 'ana'");
    expect(JSON.parse(readFileSync(join(home, 'receipt.json'), 'utf8'))).toHaveProperty('block');
    await example('intent-then-outcome.mjs');
    expect(await example('concurrent.mjs')).toBe('true 2\n');
    await example('signed-export.mjs');
    expect(readFileSync(join(home, 'export/policy.txt'), 'utf8')).toMatch(/^log \S+\nquorum none\n$/);
    expect(await example('verify.mjs')).toMatch(/^\d+ blocks are sound\n$/);
    mkdirSync(join(home, 'elsewhere'));
    for (let round = 0; round < 2; round++) await example('periodic-verification.mjs');
    rmSync(join(home, 'audit'), { recursive: true });
    const replaced = await run(
      'periodic-verification.mjs',
      readFileSync(join(EXAMPLES, 'periodic-verification.mjs'), 'utf8'),
    );
    expect(replaced.stderr).toMatch(/^tampered: /);
    rmSync(join(home, 'audit'), { recursive: true });
    expect((await example('organizations.mjs')).split('\n')).toHaveLength(3);
  });
});
