import { renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { decodeActions, decodeEnvelope, decodeReadWriteSets } from '#fabric-codec';
import type { MetadataEntry } from '#fabric-codec/encode';
import type { Ledger, LedgerCall, SubmitResult } from '#ledger-gateway';
import { common, msp } from '@hyperledger/fabric-protos';
import { exportLedger, importLedger, rebuildLedger, verifyLedger } from '../index.js';
import { TestChaincodes, type TestFunction } from '../testing/test-chaincodes.js';
import { openLedger, TemporaryDirectory } from '../testing/temporary-ledger.js';

const POLICY = 'VALIDATION_PARAMETER';

/** A serialized policy that names the organizations. */
function policyOf(...mspIds: readonly string[]): string {
  const envelope = new common.SignaturePolicyEnvelope();
  for (const id of mspIds) {
    const role = new msp.MSPRole();
    role.setMspIdentifier(id);
    const principal = new msp.MSPPrincipal();
    principal.setPrincipal(role.serializeBinary());
    envelope.addIdentities(principal);
  }
  return Buffer.from(envelope.serializeBinary()).toString('hex');
}

const entriesOf = (json: string): MetadataEntry[] =>
  Object.entries(JSON.parse(json) as Record<string, string>).map(([name, value]) => {
    return { name, value: Buffer.from(value, 'hex') };
  });

const FUNCTIONS: Readonly<Record<string, TestFunction>> = {
  Put: (stub, key = '', value = '') => {
    stub.put(key, value);
    return '';
  },
  Delete: (stub, key = '') => {
    stub.delete(key);
    return '';
  },
  Mark: (stub, key = '', json = '{}') => {
    stub.putMetadata(key, entriesOf(json));
    return '';
  },
  PutMarked: (stub, key = '', value = '', json = '{}') => {
    stub.putMetadata(key, entriesOf(json));
    if (value === '') stub.delete(key);
    else stub.put(key, value);
    return '';
  },
  Copy: (stub, from = '', to = '') => {
    stub.put(to, stub.get(from));
    return '';
  },
  Get: (stub, key = '') => stub.get(key),
  Metadata: (stub, key = '') =>
    stub
      .metadata(key)
      .map(({ name, value }) => `${name}=${Buffer.from(value).toString('hex')}`)
      .join(),
  Keys: (stub) => stub.range().join(),
  History: (stub, key = '') => stub.history(key).join(),
};

describe('metadata of keys', () => {
  let directory: TemporaryDirectory;
  let ledger: Ledger;
  const warnings: string[] = [];
  const logger = {
    info: () => undefined,
    warn: (_: object, message: string) => warnings.push(message),
    error: () => undefined,
  };
  const call = (name: string, ...args: readonly string[]): LedgerCall => {
    return { chaincode: 'sbe', function: name, arguments: args };
  };
  const submit = (name: string, ...args: readonly string[]): Promise<SubmitResult> =>
    ledger.submit(call(name, ...args));
  const read = async (name: string, ...args: readonly string[]): Promise<string> =>
    Buffer.from(await ledger.evaluate(call(name, ...args))).toString();
  const setsOf = async ({ transactionId }: SubmitResult) => {
    const { envelope } = (await ledger.transactionById(transactionId))!;
    return decodeReadWriteSets(decodeActions(decodeEnvelope(envelope).data)[0]!.results);
  };

  beforeAll(async () => {
    directory = new TemporaryDirectory();
    const chaincodes = new TestChaincodes({ sbe: FUNCTIONS, other: FUNCTIONS });
    ledger = await openLedger(directory.file('ledger'), { chaincodes, logger });
  });
  afterAll(() => {
    directory.remove();
  });

  it('are none at first, and recorded sorted by their names', async () => {
    await submit('Put', 'a', 'one');
    expect(await read('Metadata', 'a')).toBe('');
    const marked = await submit('Mark', 'a', '{"zebra":"02","apple":"01","ähre":"03"}');
    expect(await setsOf(marked)).toEqual([
      {
        namespace: 'sbe',
        reads: [],
        rangeQueriesInfo: [],
        writes: [],
        collections: [],
        metadataWrites: [
          {
            key: 'a',
            entries: [
              { name: 'apple', value: Uint8Array.of(1) },
              { name: 'zebra', value: Uint8Array.of(2) },
              { name: 'ähre', value: Uint8Array.of(3) },
            ],
          },
        ],
      },
    ]);
    expect(await read('Metadata', 'a')).toBe('apple=01,zebra=02,ähre=03');
  });

  it('raise the version of the key, keep its value and are no entry of its history', async () => {
    const { blockNumber } = await submit('Mark', 'a', '{"apple":"04"}');
    const [{ reads } = {}] = await setsOf(await submit('Copy', 'a', 'b'));
    expect(reads).toEqual([{ key: 'a', version: { blockNumber, transactionNumber: 0 } }]);
    expect([await read('Get', 'a'), await read('Get', 'b')]).toEqual(['one', 'one']);
    expect([await read('Metadata', 'a'), await read('Metadata', 'b')]).toEqual(['apple=04', '']);
    expect([await read('History', 'a'), await read('Keys')]).toEqual(['one', 'a,b']);
  });

  it('stay with a key that is written, and end with a key that is deleted', async () => {
    await submit('Put', 'a', 'two');
    expect(await read('Metadata', 'a')).toBe('apple=04');
    await submit('Delete', 'a');
    expect(await read('Metadata', 'a')).toBe('');
    await submit('Put', 'a', 'three');
    expect(await read('Metadata', 'a')).toBe('');
    expect(await read('History', 'a')).toBe('three,deleted,two,one');
  });

  it('are given together with a value, not to a key without one, and removed by an empty list', async () => {
    await submit('PutMarked', 'c', 'value', '{"x":"07"}');
    await submit('PutMarked', 'd', '', '{"x":"07"}');
    await submit('Mark', 'never', '{"x":"07"}');
    expect([await read('Metadata', 'c'), await read('Metadata', 'd'), await read('Metadata', 'never')]).toEqual([
      ...['x=07', '', ''],
    ]);
    await submit('Mark', 'c', '{}');
    expect([await read('Metadata', 'c'), await read('Get', 'c')]).toEqual(['', 'value']);
  });

  it('make a call stale that has read the key, also in the block that is being assembled', async () => {
    const pairs = Array.from({ length: 20 }, (_, n) => [
      submit('Mark', 'c', `{"x":"${String(n).padStart(2, '0')}"}`),
      submit('Copy', 'c', `copy-${n}`),
    ]);
    await Promise.all(pairs.flat());
    const pages = await ledger.lists.transactions({ limit: 100 });
    expect(new Set(pages.items.map(({ validationCode }) => validationCode))).toEqual(new Set(['VALID']));
    expect(await read('Keys')).toContain('copy-19');
  });

  it('with a policy of other organizations only cause one warning for each chaincode', async () => {
    await submit('Mark', 'c', JSON.stringify({ [POLICY]: policyOf('Org1MSP', 'Org2MSP') }));
    await submit('Mark', 'c', JSON.stringify({ [POLICY]: '', other: policyOf('Org2MSP') }));
    await submit('Mark', 'c', JSON.stringify({ [POLICY]: 'ffff' }));
    expect(warnings).toEqual([]);
    for (const mspId of ['Org2MSP', 'Org3MSP']) {
      await submit('Mark', 'c', JSON.stringify({ [POLICY]: policyOf(mspId) }));
    }
    expect(warnings).toEqual([
      'The chaincode "sbe" gave a key an endorsement policy without Org1MSP: Org2MSP. It is recorded and not evaluated. On a network only these organizations could change the key.',
    ]);
  });

  it('have no influence on other chaincodes of the ledger', async () => {
    await ledger.submit({ chaincode: 'other', function: 'Put', arguments: ['c', 'other'] });
    const other = { chaincode: 'other', function: 'Metadata', arguments: ['c'] };
    expect(await ledger.evaluate(other)).toHaveLength(0);
  });

  it('pass verification, and survive a rebuild, an export and an import', async () => {
    const before = await read('Metadata', 'c');
    expect(before).toContain(POLICY);
    await ledger.close();
    const dataDir = directory.file('ledger');
    expect((await verifyLedger({ path: dataDir })).findings).toEqual([]);
    await rebuildLedger({ dataDir });
    expect((await verifyLedger({ path: dataDir })).findings).toEqual([]);
    ledger = await openLedger(dataDir, { chaincodes: new TestChaincodes({ sbe: FUNCTIONS }) });
    expect(await read('Metadata', 'c')).toBe(before);
    await ledger.close();
    await exportLedger({ dataDir, target: directory.file('export') });
    await importLedger({ dataDir: directory.file('imported'), source: directory.file('export') });
    expect((await verifyLedger({ path: directory.file('imported') })).findings).toEqual([]);
  });

  it('defect: could not be verified in the blocks of a channel, which have no value where a key gets metadata only', async () => {
    const [dataDir, path] = [directory.file('ledger'), directory.file('channel')];
    ledger = await openLedger(dataDir, { chaincodes: new TestChaincodes({ sbe: FUNCTIONS }) });
    // In one block or two, and again after metadata only.
    await Promise.all([submit('Put', 'v', 'one'), submit('Mark', 'v', '{"apple":"01"}')]);
    for (const value of ['02', '03']) await submit('Mark', 'v', `{"apple":"${value}"}`);
    await Promise.all([submit('Put', 'v', 'two'), submit('Mark', 'v', '{"apple":"04"}')]);
    await submit('Mark', 'v', '{}');
    await submit('Delete', 'v');
    await submit('Put', 'v', 'three');
    await submit('Mark', 'v', '{"apple":"05"}');
    await ledger.close();
    await exportLedger({ dataDir, target: path });
    // Without the manifest these are the blocks of any channel.
    rmSync(join(path, 'export.json'));
    renameSync(join(path, '000000000.block'), join(path, 'mychannel_0.block'));
    expect((await verifyLedger({ path, isChannel: true })).findings).toEqual([]);
  });
});
