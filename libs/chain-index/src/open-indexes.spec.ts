import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { checkIndexDirectory, indexOpener } from './open-indexes.js';

let home: string;
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'indexes-'));
  mkdirSync(join(home, 'directory'));
  writeFileSync(join(home, 'file'), '');
});
afterEach(() => {
  rmSync(home, { recursive: true });
});

const outcomeOf = (run: () => unknown): string => {
  try {
    run();
    return 'accepted';
  } catch (error) {
    return (error as Error).message.replace(/\(.*\)/, '(REASON)');
  }
};

describe('the directory of indexes', () => {
  it.each([
    ['directory', 'accepted'],
    ['new/one', 'accepted'],
    ['file', expect.stringMatching(/file for the indexes of the channels cannot be written \(REASON\)/)],
    ['file/below', expect.stringMatching(/below for the indexes of the channels cannot be written \(REASON\)/)],
  ])('is checked as a start opens it, without writing: %s', (name, expected) => {
    const directory = join(home, name);
    const before = readdirSync(home, { recursive: true });
    const checked = outcomeOf(() => {
      checkIndexDirectory(directory);
    });
    expect(readdirSync(home, { recursive: true })).toEqual(before);
    expect(checked).toEqual(expected);
    expect(outcomeOf(() => indexOpener({ directory }))).toBe(checked);
  });
});
