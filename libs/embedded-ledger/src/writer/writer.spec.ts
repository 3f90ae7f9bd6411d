import { createHash, randomBytes } from 'node:crypto';
import { readdirSync, readlinkSync, rmSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { decodeBlock } from '#fabric-codec';
import { serializeIdentity } from '#fabric-codec/encode';
import { until } from '../../../../test/support/until.js';

import { IdentityStore } from '../store/identity-store.js';
import { buildStore } from '../store/build-store.js';
import { addBlock } from '../store/derived-tables.js';
import { NAMES, TemporaryDirectory } from '../testing/temporary-ledger.js';
import { blockDictionary, firstBlock } from './block-forge.js';
import { SERVICE_SIGNER } from './signing.js';
import { Writer, type WriterData, type WriterEvent } from './writer.js';

/** What the writer thread does, on this thread: its events as they are. */
describe('the writer', () => {
  let directory: TemporaryDirectory;
  let creator: Uint8Array;
  let data: WriterData;
  let messages: WriterEvent[];

  const post = (message: WriterEvent): void => {
    messages.push(message);
  };
  const ofType = <T extends WriterEvent['type']>(type: T) =>
    messages.filter((message): message is Extract<WriterEvent, { type: T }> => message.type === type);
  const request = (id: string, name = 'CreateAsset') => ({
    chaincode: NAMES.chaincode,
    function: name,
    arguments: name === 'CreateAsset' ? [id, 'blue', '5', 'Tomoko', '300'] : [id],
    signer: SERVICE_SIGNER,
    ...idOf(randomBytes(24)),
  });
  const idOf = (nonce: Buffer) => ({
    nonce: nonce.toString('hex'),
    transactionId: createHash('sha256').update(nonce).update(creator).digest('hex'),
  });
  const codes = () => ofType('refused').map(({ transactionId, error }) => [transactionId, error.code]);

  beforeEach(async () => {
    directory = new TemporaryDirectory();
    messages = [];
    const store = new IdentityStore(directory.file('identities'), NAMES.mspId);
    await store.create();
    const identities = await store.load();
    creator = serializeIdentity(NAMES.mspId, Buffer.from(identities.client.certificate));
    data = {
      ...NAMES,
      identities,
      hasTree: true,
      blocksToLive: {},
      storePath: directory.file('ledger.db'),
      pinPath: directory.file('head.pin'),
      valuesPath: directory.file('private', 'values.db'),
    };
    const bytes = firstBlock(NAMES, identities);
    const block = decodeBlock(bytes);
    await buildStore({
      path: data.storePath,
      pinPath: data.pinPath,
      chaincode: NAMES.chaincode,
      dictionary: blockDictionary(NAMES.mspId, identities),
      blocks: (tables) => {
        addBlock(tables, block);
        return [{ bytes, hash: block.hash }];
      },
    });
  });
  afterEach(() => {
    directory.remove();
  });

  it('answers each write by its transaction id, and continues the chain after a restart', async () => {
    const first = Writer.open(data, post);
    expect(ofType('failed')).toEqual([]);
    const requests = [request('a'), request('a'), request('b')] as const;
    const [a, again, b] = requests.map(({ transactionId }) => transactionId);
    first.submit(requests);
    await until(() => codes().length === 1 && ofType('committed').flatMap(({ writes }) => writes).length === 2);
    expect(codes()).toEqual([[again, 'LEDGER.ASSET_EXISTS']]);
    const [committed] = ofType('committed');
    const writes = [{ transactionId: a }, { transactionId: b }];
    expect(committed).toMatchObject({ writes, head: { height: 2 } });
    expect(Buffer.from(committed!.writes[0]!.result).toString()).toContain('"ID":"a"');
    await first.close();

    messages = [];
    const second = Writer.open(data, post);
    second.submit([request('a', 'DeleteAsset')]);
    await until(() => ofType('committed').length === 1);
    expect(ofType('committed')[0]!.head).toMatchObject({ height: 3, previousHash: committed!.head.currentHash });
    await second.close();
  });

  it('refuses all writes after a failed commit', async () => {
    const service = Writer.open(data, post);
    const other = new DatabaseSync(data.storePath);
    other.exec("CREATE TRIGGER broken BEFORE INSERT ON blocks BEGIN SELECT RAISE(ABORT, 'broken'); END");
    other.close();
    const [first, second] = [request('a'), request('b')];
    service.submit([first]);
    await until(() => ofType('failed').length === 1 && codes().length === 1);
    expect(codes()[0]![0]).toBe(first.transactionId);
    service.submit([second]);
    await until(() => codes().length === 2);
    expect(codes()[1]).toEqual([second.transactionId, 'LEDGER.READ_ONLY']);
    expect(ofType('committed')).toEqual([]);
    await service.close();
  });

  it('fails to open a store without a ledger, and leaves no file open', () => {
    rmSync(data.storePath);
    expect(() => Writer.open(data, post)).toThrow(expect.objectContaining({ code: 'LEDGER.DAMAGED' }) as Error);
    expect(messages).toEqual([]);
    const open = readdirSync('/proc/self/fd').map((fd) => linkOf(`/proc/self/fd/${fd}`));
    expect(open.filter((path) => path.startsWith(directory.path))).toEqual([]);
  });
});

/** Returns the target of a descriptor; the one that listed the directory is already closed. */
function linkOf(descriptor: string): string {
  try {
    return readlinkSync(descriptor);
  } catch {
    return '';
  }
}
