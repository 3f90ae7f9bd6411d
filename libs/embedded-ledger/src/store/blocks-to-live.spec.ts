import { readFileSync, writeFileSync } from 'node:fs';
import { TemporaryDirectory } from '../testing/temporary-ledger.js';
import { defineCollections, expiringSpaces, readBlocksToLive } from './blocks-to-live.js';

describe('the definitions of collections', () => {
  let directory: TemporaryDirectory;
  let path: string;
  beforeEach(() => {
    directory = new TemporaryDirectory();
    path = directory.file('collections.json');
  });
  afterEach(() => {
    directory.remove();
  });
  const collection = (name: string, blockToLive: number) => ({ chaincode: 'cc', name, blockToLive });

  it('are recorded once, and stay when a collection is no longer configured', () => {
    expect(readBlocksToLive(path)).toEqual({});
    expect(defineCollections(path, [])).toEqual({});
    expect(() => readFileSync(path)).toThrow('ENOENT');
    expect(defineCollections(path, [collection('a', 0), collection('b', 3)])).toEqual({ 'cc/a': 0, 'cc/b': 3 });
    expect(defineCollections(path, [collection('c', 1)])).toEqual({ 'cc/a': 0, 'cc/b': 3, 'cc/c': 1 });
    expect(readBlocksToLive(path)).toEqual({ 'cc/a': 0, 'cc/b': 3, 'cc/c': 1 });
    expect([...expiringSpaces(readBlocksToLive(path))]).toEqual([
      ['cc\0b', 3],
      ['cc\0c', 1],
    ]);
  });

  it('cannot be changed, not even from never', () => {
    defineCollections(path, [collection('a', 0)]);
    expect(() => defineCollections(path, [collection('a', 2)])).toThrow('is 2, and was 0 when it was defined');
    expect(readBlocksToLive(path)).toEqual({ 'cc/a': 0 });
  });

  it.each([
    ['no JSON', '{', 'cannot be read'],
    ['null', 'null', 'is not a file of collections'],
    ['no numbers', '{"format":1,"blockToLive":{"cc/a":"x"}}', 'is not a file of collections'],
    ['a list', '{"format":1,"blockToLive":[]}', 'is not a file of collections'],
    ['a newer format', '{"format":2}', 'format 2'],
  ])('are refused when the file contains %s', (_, content, text) => {
    writeFileSync(path, content);
    expect(() => readBlocksToLive(path)).toThrow(text);
  });
});
