import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { cpSync } from 'node:fs';
import { join } from 'node:path';
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
