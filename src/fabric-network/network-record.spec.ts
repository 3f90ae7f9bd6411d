import { mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { down, readRecord, status, writeRecord, type NetworkRecord } from './network-record.js';
import { examplePlan } from './testing/example-plan.js';

describe('the record of a network', () => {
  let home: string;
  let directory: string;
  let file: string;

  beforeEach(() => {
    home = mkdtempSync(join(tmpdir(), 'record-'));
    directory = join(home, 'net');
    file = join(directory, 'network.json');
  });

  afterEach(() => {
    rmSync(home, { recursive: true });
  });

  const record = (changes: Partial<NetworkRecord> = {}): NetworkRecord => ({
    format: 1,
    state: 'ready',
    plan: examplePlan({ directory }),
    fabricVersion: '2.5.16',
    processes: [{ name: 'orderer', pid: process.pid, started: 'linux boot 1', log: '/log' }],
    ...changes,
  });

  it('is read as it was written, from a folder that others cannot enter', () => {
    writeRecord(file, record());
    expect(readRecord(file)).toEqual(record());
    expect(statSync(directory).mode & 0o077).toBe(0);
  });

  it('is nothing where there is none', () => {
    expect(readRecord(file)).toBeUndefined();
    writeFileSync(directory, 'a file');
    expect(readRecord(file)).toBeUndefined();
  });

  it.each(['not json', 'null', '{}', '{"format":2}'])('is not %j', (text) => {
    mkdirSync(directory);
    writeFileSync(file, text);
    expect(() => readRecord(file)).toThrow(`${file} is not a network record of this version`);
  });

  it('lets down forget a process that has gone, and leave alone who has its number now', async () => {
    writeRecord(file, record());
    expect(await down(directory, false)).toEqual([]);
    expect(readRecord(file)?.processes).toEqual([]);
    expect(await down(directory, true)).toEqual([]);
    expect(await down(directory, true)).toBeUndefined();
  });

  it('reports stopped processes to status', async () => {
    expect(await status(directory)).toBeUndefined();
    writeRecord(file, record({ plan: examplePlan({ directory, ca: false }) }));
    const found = await status(directory);
    expect(found?.isUp).toBe(false);
    expect(found?.components.map(({ name, state }) => `${name} ${state}`)).toEqual([
      'orderer down',
      'peer-org1 down',
      'peer-org2 down',
      'chaincode down',
      'records down',
    ]);
    // A network of an earlier release has no chaincode of records.
    const { records, ...earlier } = examplePlan({ directory });
    expect(records?.name).toBe('records');
    writeRecord(file, record({ plan: earlier }));
    expect((await status(directory))?.components.map(({ name }) => name)).not.toContain('records');
  });
});
