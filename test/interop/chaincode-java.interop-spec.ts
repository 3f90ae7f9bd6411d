import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { cpSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { runs } from '../support/chaincode-folders.js';
import { DocumentedStart } from '../support/documented-start.js';

const PROJECT = 'test/fixtures/chaincodes/notes-java';
const PAGE = 'docs/chaincode-java.md';
const STEP_MS = 600_000;
const canBuild = runs('mvn', '--version') && runs('java', '-version');

describe('a chaincode in Java', () => {
  let start: DocumentedStart;
  beforeEach(() => {
    start = new DocumentedStart();
  });
  afterEach(async () => {
    await start.stop();
  });

  (canBuild ? it : it.skip)(
    'is built and started by the commands of its page, and restarted after its end',
    async () => {
      cpSync(PROJECT, join(start.path, 'notes'), { recursive: true });
      await start.run(PAGE);
      expect(await start.call('submit', 'notes', 'Put', 'a', 'ä 1')).toMatchObject({ status: 200 });
      expect(await start.call('evaluate', 'notes', 'Get', 'a')).toMatchObject({ data: { payload: 'ä 1' } });
      const refused = await start.call('evaluate', 'notes', 'Get', 'none');
      expect(refused).toMatchObject({ status: 422, message: 'The chaincode "notes" refused: there is no none' });
      expect(await start.call('submit', 'notes', 'Exit')).toMatchObject({ success: false });
      // A call waits for the start up to its timeout, which is too short on a busy machine.
      let again = await start.call('evaluate', 'notes', 'Get', 'a');
      for (let n = 0; n < 10 && !('data' in again); n++) again = await start.call('evaluate', 'notes', 'Get', 'a');
      expect(again).toMatchObject({ data: { payload: 'ä 1' } });
    },
    STEP_MS,
  );

  it('is the project that the page shows', () => {
    const page = readFileSync(PAGE, 'utf8');
    const [, declaration = ''] = /^```json\n([^]*?)^```$/m.exec(page) ?? [];
    expect(declaration).toBe(readFileSync(join(PROJECT, 'chaincode.json'), 'utf8'));
    const [, dependencies = ''] = /^```xml\n([^]*?)^```$/m.exec(page) ?? [];
    expect(readFileSync(join(PROJECT, 'pom.xml'), 'utf8')).toContain(dependencies);
  });
});
