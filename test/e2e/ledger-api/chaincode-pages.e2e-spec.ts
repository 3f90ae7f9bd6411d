import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { cpSync, symlinkSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { runs } from '../../support/chaincode-folders.js';
import { DocumentedStart } from '../../support/documented-start.js';

const FIXTURES = 'test/fixtures/chaincodes';
const STEP_MS = 300_000;
const isRecentPython = runs('python3', '-c', 'import sys; sys.exit(sys.version_info < (3, 10))');

describe('the commands of a page', () => {
  let start: DocumentedStart;
  beforeEach(() => {
    start = new DocumentedStart();
  });
  afterEach(async () => {
    await start.stop();
  });

  /** Calls the functions of the fixtures. */
  const requireNotes = async (chaincode: string): Promise<void> => {
    expect(await start.call('submit', chaincode, 'Put', 'a', 'ä 1')).toMatchObject({ status: 200 });
    expect(await start.call('evaluate', chaincode, 'Get', 'a')).toMatchObject({ data: { payload: 'ä 1' } });
  };

  it(
    'docs/private-data.md run a chaincode with private data',
    async () => {
      const example = 'docs/examples/26.private-data';
      cpSync(example, join(start.path, example), { recursive: true });
      // In the workspace they are found above it.
      symlinkSync(resolve('node_modules'), join(start.path, example, 'node_modules'));
      await start.run('docs/private-data.md');
      const text = Buffer.from('the price is 110').toString('base64');
      const put = { function: 'Put', arguments: ['notes', 'one'], transient: { text } };
      expect(await start.send('submit', 'notes', put)).toMatchObject({ status: 200, data: { blockNumber: 1 } });
      const payload = '80290777a32166010ca73d72c265c02971ea8be54840bab0b1c997db068fe99d';
      expect(await start.call('evaluate', 'notes', 'Hash', 'notes', 'one')).toMatchObject({ data: { payload } });
      expect(await start.call('submit', 'notes', 'Purge', 'notes', 'one')).toMatchObject({ status: 200 });
      expect(await start.call('evaluate', 'notes', 'Get', 'notes', 'one')).toMatchObject({ data: { payload: '' } });
    },
    STEP_MS,
  );

  (runs('go', 'version') ? it : it.skip)(
    'docs/chaincode-go.md run a chaincode in Go',
    async () => {
      cpSync(join(FIXTURES, 'notes-go'), join(start.path, '../fabric-samples/asset-transfer-basic/chaincode-go'), {
        recursive: true,
      });
      await start.run('docs/chaincode-go.md');
      await requireNotes('cars');
    },
    STEP_MS,
  );

  (isRecentPython ? it : it.skip)(
    'docs/chaincode-python.md run a chaincode in Python',
    async () => {
      cpSync(join(FIXTURES, 'notes-python'), join(start.path, 'notes'), { recursive: true });
      await start.run('docs/chaincode-python.md');
      await requireNotes('notes');
    },
    STEP_MS,
  );
});
