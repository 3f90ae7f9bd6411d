import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Command } from 'commander';
import { generateKey, parsePolicy, SignatureType, verifierKeyText, Witness } from '#tlog';
import { TestLog } from '#tlog/testing';
import { requireWitnessed } from './checkpoint-option.js';

const log = new TestLog();
const keys = ['a', 'b', 'c'].map((name) => generateKey(`${name}.example.org`, SignatureType.COSIGNATURE));
const policy = parsePolicy(
  [
    `log ${verifierKeyText(log.key)}`,
    ...keys.map((key, index) => `witness w${index} ${verifierKeyText(key)}`),
    'group all 2 w0 w1 w2',
    'quorum all',
  ].join('\n'),
);

/** The checkpoint of a size with the confirmations of some witnesses. */
function confirmed(size: number, ...indexes: readonly number[]): string {
  const lines = indexes.map(
    (index) => new Witness(keys[index]!, [log.key], new Map()).addCheckpoint(log.request(0, size)).body,
  );
  return log.checkpoint(size) + lines.join('');
}

describe('the options --policy and --checkpoint', () => {
  let file: string;
  beforeAll(() => {
    file = join(mkdtempSync(join(tmpdir(), 'checkpoint-')), 'checkpoint');
  });
  afterAll(() => {
    rmSync(join(file, '..'), { recursive: true });
  });
  const read = (text: string) => {
    writeFileSync(file, text);
    return requireWitnessed({ policy, checkpoint: file }, new Command());
  };

  it('accept a checkpoint that enough witnesses confirmed, and name them', async () => {
    const witnessed = await read(confirmed(7, 0, 2));
    expect(witnessed?.checkpoint.size).toBe(7);
    expect(witnessed?.confirmation).toContain('w0, w2');
  });

  it.each([
    ['too few confirmations', () => confirmed(7, 1), /not enough witnesses .*: w1$/],
    ['the signature of another log', () => new TestLog('other.example.org').checkpoint(7), /no log of the policy/],
    ['a changed size', () => confirmed(7, 0, 1).replace('\n7\n', '\n8\n'), /is not that of its key/],
    ['no form of a checkpoint', () => 'checkpoint', /checkpoint: /],
    ['no block', () => confirmed(0, 0, 1), /empty log/],
  ])('refuse a checkpoint with %s', async (_, text, message) => {
    await expect(read(text())).rejects.toThrow(message);
  });

  it('are both optional, and need each other', async () => {
    const command = new Command().exitOverride().configureOutput({ writeErr: () => undefined });
    expect(await requireWitnessed({}, command)).toBeUndefined();
    await expect(requireWitnessed({ policy }, command)).rejects.toThrow(/need each other/);
    await expect(requireWitnessed({ checkpoint: file }, command)).rejects.toThrow(/need each other/);
  });
});
