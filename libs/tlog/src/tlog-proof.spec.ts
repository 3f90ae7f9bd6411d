import { describe, expect, it } from '@jest/globals';
import { isIncluded, leafHash } from './merkle.js';
import { inclusionProof } from './testing/reference-tree.js';
import { TestLog } from './testing/test-log.js';
import { base64Of, TlogFault } from './text.js';
import { parseTlogProof, tlogProofText } from './tlog-proof.js';

const log = new TestLog();
const hash = base64Of(leafHash(Buffer.from('hash')));
const proofOf = (index: number, size: number) =>
  tlogProofText(index, inclusionProof(log.leaves.slice(0, size), index), log.checkpoint(size));

describe('a proof of an entry', () => {
  it('is written and parsed for every leaf of every tree up to 33 leaves', () => {
    for (let size = 1; size <= 33; size++) {
      for (let index = 0; index < size; index++) {
        const { path, checkpoint, ...rest } = parseTlogProof(proofOf(index, size));
        expect(rest).toEqual({ index, extra: undefined });
        expect(isIncluded(log.leaves[index]!, index, checkpoint, path)).toBe(true);
      }
    }
  });

  it('shows one leaf at one index of one tree', () => {
    const { path, checkpoint } = parseTlogProof(proofOf(5, 11));
    const leaf = log.leaves[5]!;
    for (const index of [4, 6, 10, 11, -1, 0.5, 2 ** 53]) expect(isIncluded(leaf, index, checkpoint, path)).toBe(false);
    for (const size of [0, 5, 2 ** 53]) expect(isIncluded(leaf, 5, { ...checkpoint, size }, path)).toBe(false);
    expect(isIncluded(log.leaves[6]!, 5, checkpoint, path)).toBe(false);
    for (const changed of [
      path.slice(1),
      path.slice(0, -1),
      [...path, leaf],
      [leaf, ...path],
      path.toReversed(),
      path.with(1, leaf),
      path.with(1, path[1]!.subarray(1)),
      path.with(1, Buffer.concat([path[1]!, leaf])),
    ])
      expect(isIncluded(leaf, 5, checkpoint, changed)).toBe(false);
  });

  it('may contain extra data', () => {
    const text = proofOf(0, 3).replace('\nindex', `\nextra ${hash}\nindex`);
    expect(base64Of(parseTlogProof(text).extra!)).toBe(hash);
  });

  it.each([
    ['nothing', ''],
    ['another first line', proofOf(0, 3).replace('@v1', '@v2')],
    ['no index', proofOf(0, 3).replace('index 0\n', '')],
    ['an index of another form', proofOf(0, 3).replace('index 0', 'index 00')],
    ['extra data that are not base64', proofOf(0, 3).replace('\nindex', '\nextra ?\nindex')],
    ['extra data twice', proofOf(0, 3).replace('\nindex', `\nextra ${hash}\nextra ${hash}\nindex`)],
    ['a short hash', proofOf(0, 3).replace('index 0\n', 'index 0\nAAAA\n')],
    ['a hash in the base64 of URLs', proofOf(0, 3).replace(/\n[^\n]{43}=/, `\n${'_'.repeat(43)}=`)],
    ['more hashes than a path has', proofOf(0, 3).replace('index 0\n', `index 0\n${`${hash}\n`.repeat(52)}`)],
    ['no checkpoint', proofOf(0, 3).split('\n\n')[0]!],
  ])('is refused with %s', (_, text) => {
    expect(() => parseTlogProof(text)).toThrow(TlogFault);
  });
});
