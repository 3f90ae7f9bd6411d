import { createHash, randomBytes } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { LedgerApi, type Answer } from '../../support/ledger-api.js';
import { RecordsPackage } from '../../support/records-package.js';

const CANARY = 'canary-of-a-patient';

interface Sealed {
  readonly digest: string;
  readonly transient: Readonly<Record<string, string>>;
}

/** Seals a document in canonical JSON as the API does. */
function seal(text: string): Sealed {
  const bytes = Buffer.concat([randomBytes(32), Buffer.from(text)]);
  const digest = createHash('sha256').update(bytes).digest('hex');
  return { digest, transient: { [digest]: bytes.toString('base64') } };
}

/**
 * The chaincode of records as a process, by the peer's side of the chaincode protocol: what a peer does with it, except that the
 * embedded ledger executes and commits its reads and writes.
 */
describe('the packaged chaincode of records, which a peer starts', () => {
  let chaincode: RecordsPackage;
  let without: RecordsPackage;
  let api: LedgerApi;
  beforeAll(async () => {
    chaincode = new RecordsPackage();
    without = new RecordsPackage([]);
    api = await LedgerApi.start({ LEDGER_CHAINCODES: `peers=${chaincode.path},without=${without.path}` });
  });
  afterAll(async () => {
    await api.stop();
    chaincode.remove();
    without.remove();
  });

  type Kind = 'evaluate' | 'submit';
  const call = (kind: Kind, name: string, args: readonly string[], transient = {}, on = 'peers'): Promise<Answer> =>
    api.api('POST', `/contracts/${on}/${kind}`, { body: { function: name, arguments: args, transient } });
  const submit = (name: string, args: readonly string[], transient = {}): Promise<Answer> =>
    call('submit', name, args, transient);
  const read = async (name: string, ...args: readonly string[]): Promise<unknown> => {
    const { json } = await call('evaluate', name, args);
    return (json as { data: { result: unknown } }).data.result;
  };
  const define = (on = 'peers'): Promise<Answer> =>
    call('submit', 'DefineType', ['patient', '{"payload":"outside","mode":"mutable"}'], {}, on);

  it('creates, updates, lists, returns and purges documents', async () => {
    expect(await define()).toMatchObject({ status: 200 });
    const [first, second] = [seal(`{"name":"${CANARY}"}`), seal(`{"name":"${CANARY} again"}`)];
    expect(await submit('Create', ['patient', 'p1', first.digest], first.transient)).toMatchObject({ status: 200 });
    expect(await submit('Update', ['patient', 'p1', second.digest, ''], second.transient)).toMatchObject({
      status: 200,
    });
    const many = [seal('{"name":"bob"}'), seal('{"name":"cy"}')];
    const batch = JSON.stringify(many.map(({ digest }) => ({ digest })));
    const together = { ...many[0]!.transient, ...many[1]!.transient };
    expect(await submit('CreateMany', ['patient', batch], together)).toMatchObject({ status: 200 });

    const stored = { v: 1, h: second.digest };
    expect(await read('Get', 'patient', 'p1')).toEqual(stored);
    expect(await read('List', 'patient', '1', '')).toMatchObject({ bookmark: expect.any(String) });
    const { records } = (await read('List', 'patient', '10', '')) as { records: { id: string; record: object }[] };
    expect(records).toHaveLength(3);
    expect(records).toContainEqual({ id: 'p1', record: stored });
    const digests = JSON.stringify([first.digest, second.digest, '0'.repeat(64)]);
    expect(await read('Documents', digests)).toMatchObject([
      { state: 'stored', document: { name: CANARY } },
      { state: 'stored', document: { name: `${CANARY} again` } },
      { state: 'absent' },
    ]);
    const history = await read('History', 'patient', 'p1', '10', '');
    expect(history).toMatchObject({ changes: [{ record: stored }, { record: { h: first.digest } }] });

    // The newest version must be among what is erased.
    const incomplete = await submit('Purge', ['patient', 'p1', JSON.stringify([first.digest]), '']);
    expect(incomplete).toMatchObject({ status: 422, json: { message: expect.stringContaining('RECORD_CHANGED') } });
    const all = JSON.stringify([second.digest, first.digest]);
    expect(await submit('Purge', ['patient', 'p1', all, ''])).toMatchObject({ status: 200 });
    expect(await call('evaluate', 'Get', ['patient', 'p1'])).toMatchObject({ status: 422 });
    expect(await read('Documents', all)).toEqual([{ state: 'erased' }, { state: 'erased' }]);
    const files = readdirSync(api.dataDir, { recursive: true, withFileTypes: true });
    const left = files.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
    expect(left.filter((file) => readFileSync(file).includes(CANARY))).toEqual([]);
    for (const output of [api.program.stdout, api.program.stderr]) expect(output).not.toContain(CANARY);
  });

  it.each([
    ['is not canonical', '{ "name": "x" }', 'canonical JSON'],
    ['is no JSON', 'name', 'RECORD_INVALID'],
  ])('refuses a document that %s', async (_, text, reason) => {
    await define();
    const { digest, transient } = seal(text);
    const refused = await submit('Create', ['patient', '', digest], transient);
    expect(refused).toMatchObject({ status: 422, json: { message: expect.stringContaining(reason) } });
  });

  it('refuses a document in the arguments, and one with another digest', async () => {
    await define();
    expect(await submit('Create', ['patient', '', '{"name":"x"}'])).toMatchObject({
      status: 422,
      json: { message: expect.stringContaining('stored outside the blocks') },
    });
    const { transient } = seal('{"name":"x"}');
    const other = { ['1'.repeat(64)]: Object.values(transient)[0] };
    expect(await submit('Create', ['patient', '', '1'.repeat(64)], other)).toMatchObject({
      status: 422,
      json: { message: expect.stringContaining('must be named by their SHA-256 digests') },
    });
  });

  it('refuses documents without the collection with the text of a peer', async () => {
    expect(await define('without')).toMatchObject({ status: 200 });
    const { digest, transient } = seal('{}');
    const text = 'collection mychannel/without/documents could not be found';
    for (const refused of [
      await call('submit', 'Create', ['patient', '', digest], transient, 'without'),
      await call('evaluate', 'Documents', [JSON.stringify([digest])], {}, 'without'),
    ]) {
      expect(refused).toMatchObject({ status: 422, json: { message: expect.stringContaining(text) } });
    }
  });
});
