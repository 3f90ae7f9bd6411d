import { chmodSync, mkdtempSync, readFileSync, renameSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino, type Logger } from 'pino';
import { addCaller, changeCallers, type ChangedCallers, revokeCaller, rotateKeys } from '#ledger-callers';
import { until } from '../../../../test/support/until.js';
import { CallerRegistry } from './caller-registry.js';

let directory: string;
let file: string;
let lines: string[];
let registry: CallerRegistry;
let now = 0;

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'caller-registry-'));
  file = join(directory, 'callers.json');
  lines = [];
});
afterEach(() => {
  registry.onApplicationShutdown();
  rmSync(directory, { recursive: true });
});

const logger = (): Logger => pino({}, { write: (line: string) => lines.push(line) });
async function follow(): Promise<CallerRegistry> {
  registry = new CallerRegistry(file, logger(), { pollEvery: 2, holdFor: 10_000, now: () => now });
  await registry.follow();
  return registry;
}

async function add(name: string, expires?: Date): Promise<string> {
  const change = (callers: ChangedCallers['callers']) =>
    addCaller(callers, { name, role: 'writer', withKey: true, ...(expires && { expires }) });
  return (await changeCallers(file, change)).key!.text;
}

const outcome = (key: string) => registry.findByKey(key).outcome;

describe('CallerRegistry', () => {
  it('has the callers of the file, and reloads changes', async () => {
    const alice = await add('alice');
    await follow();
    expect(registry.findByKey(alice)).toMatchObject({
      outcome: 'known',
      session: { caller: { name: 'alice', role: 'writer' } },
    });
    expect(registry.has('alice')).toBe(true);
    const bob = await add('bob');
    await until(() => outcome(bob) === 'known');
    const { key } = await changeCallers(file, (callers) => rotateKeys(callers, { name: 'bob' }));
    await until(() => outcome(key!.text) === 'known');
    expect(outcome(bob)).toBe('unknown');
    await changeCallers(file, (callers) => revokeCaller(callers, { name: 'alice' }));
    await until(() => outcome(alice) === 'unknown');
    expect(registry.has('alice')).toBe(false);
  });

  it('distinguishes expired keys, unknown keys and other text', async () => {
    const end = new Date(Date.now() + 60_000);
    const key = await add('alice', end);
    const other = await add('bob');
    await changeCallers(file, (callers) => revokeCaller(callers, { name: 'bob' }));
    await follow();
    expect(registry.findByKey(key)).toMatchObject({ outcome: 'known' });
    expect(registry.findByKey(key, end.getTime())).toMatchObject({ outcome: 'expired', caller: 'alice' });
    expect(registry.findByKey(other)).toEqual({ outcome: 'unknown', keyId: other.slice(3, 11) });
    expect(registry.findByKey(`${key} `)).toEqual({ outcome: 'no key' });
    // Its checksum is another's.
    expect(registry.findByKey(key.slice(0, -6) + other.slice(-6))).toEqual({ outcome: 'no key' });
  });

  it('refuses a client that has only the id of a key', async () => {
    const key = await add('alice');
    const kept = readFileSync(file, 'utf8');
    await follow();
    const other = await add('bob');
    // The right id and another one's secret, with its own checksum.
    const { id } = (JSON.parse(kept) as { callers: [{ keys: [{ id: string }] }] }).callers[0].keys[0];
    writeFileSync(file, kept.replace(id, other.slice(3, 11)), { mode: 0o600 });
    await until(() => outcome(key) === 'unknown');
    expect(outcome(other)).toBe('unknown');
  });

  it('refuses everyone and logs it without a file, and reads one that is created later', async () => {
    await follow();
    expect(registry.isCurrent()).toBe(true);
    expect(lines.join()).toContain('There are no callers');
    const key = await add('alice');
    await until(() => outcome(key) === 'known');
    renameSync(file, `${file}.gone`);
    await until(() => outcome(key) === 'unknown');
    expect(registry.isCurrent()).toBe(true);
    renameSync(`${file}.gone`, file);
    await until(() => outcome(key) === 'known');
  });

  it('uses the last content while the file is unusable, for a limited time', async () => {
    const key = await add('alice');
    const good = readFileSync(file);
    await follow();
    const spoilt = {
      cut: () => {
        truncateSync(file, 50);
      },
      'for all to write': () => {
        chmodSync(file, 0o666);
      },
      'something else': () => {
        writeFileSync(file, '[]');
      },
    };
    for (const spoil of Object.values(spoilt)) {
      lines = [];
      spoil();
      await until(() => lines.length > 0);
      expect(lines).toEqual([
        expect.stringMatching(/"level":50.+cannot be used.+for 10 s; then all requests are refused/),
      ]);
      expect(registry.isCurrent()).toBe(true);
      expect(outcome(key)).toBe('known');
      now += 10_000;
      expect(registry.isCurrent()).toBe(true);
      now += 1;
      expect(registry.isCurrent()).toBe(false);
      rmSync(file);
      writeFileSync(file, good, { mode: 0o600 });
      await until(() => registry.isCurrent());
      expect(lines.join()).toContain('is readable again');
    }
  });

  it('does not begin with a file that cannot be used', async () => {
    writeFileSync(file, '{', { mode: 0o600 });
    await expect(follow()).rejects.toMatchObject({ code: 'LEDGER_API.CALLERS' });
  });
});
