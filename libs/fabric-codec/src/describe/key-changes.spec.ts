import { decodeBlock } from '../decode/decode-block.js';
import type { ReadWriteSet } from '../encode/read-write-set.js';
import { envelopeOf } from '../testing/envelope-of.js';
import { recordedChains } from '../testing/recorded-blocks.js';
import { createTestOrganisation, TestChain, type TestBlock, type TestOrganisation } from '../testing/test-chain.js';
import { keyChanges, type TransactionChanges } from './key-changes.js';

const VERSION = { blockNumber: 1, transactionNumber: 0 };
const value = (text: string) => Buffer.from(text);

let organisation: TestOrganisation;
let chain: TestChain;
beforeAll(async () => {
  organisation = await createTestOrganisation('Org1MSP');
});
beforeEach(() => {
  chain = new TestChain([organisation]);
});

const changesIn = (bytes: Uint8Array, chaincode = 'basic') => [...keyChanges(decodeBlock(bytes), chaincode)];
const appended = (block: TestBlock) => changesIn(chain.append(block));
const call = (readWriteSet: ReadWriteSet, name = 'Test') => chain.transaction({ readWriteSet, function: name });

/** Key, text and whether it was there, of each change. */
function shown(transaction: TransactionChanges | undefined) {
  return transaction?.changes.map(({ position, key, value: bytes, existed }) => [
    position,
    key,
    bytes && Buffer.from(bytes).toString(),
    existed,
  ]);
}

describe('keyChanges', () => {
  it('reports for each key that was read before it was written whether it existed', () => {
    const [transaction] = appended({
      envelopes: [
        call(
          {
            reads: [
              { key: 'new', version: undefined },
              { key: 'old', version: VERSION },
              { key: 'gone', version: VERSION },
              { key: 'only read', version: VERSION },
            ],
            writes: [
              { key: 'new', value: value('1') },
              { key: 'old', value: value('2') },
              { key: 'gone', value: undefined },
            ],
          },
          'Three',
        ),
      ],
    });
    expect(transaction).toMatchObject({
      position: 0,
      transactionId: expect.stringMatching(/^[0-9a-f]{64}$/) as unknown,
      timestamp: '2026-01-02T00:00:00.000Z',
      creator: { mspId: 'Org1MSP' },
      function: 'Three',
    });
    // In the order of Fabric's write sets, which is that of the keys' bytes.
    expect(shown(transaction)).toEqual([
      [0, 'gone', undefined, true],
      [1, 'new', '1', false],
      [2, 'old', '2', true],
    ]);
  });

  it('has no previous state of a key that was written without a read, unless the block wrote it before', () => {
    const blind = (text: string | undefined) =>
      call({ reads: [], writes: [{ key: 'k', value: text === undefined ? undefined : value(text) }] });
    const found = appended({ envelopes: [blind('1'), blind('2'), blind(undefined), blind('3')] });
    expect(found.map(shown)).toEqual([
      [[0, 'k', '1', undefined]],
      [[0, 'k', '2', true]],
      [[0, 'k', undefined, true]],
      [[0, 'k', '3', false]],
    ]);
  });

  it('omits what is not VALID, and ignores what that would have written', () => {
    const write = call({ reads: [], writes: [{ key: 'k', value: value('1') }] });
    const found = appended({ envelopes: [write, write], validationCodes: [11, 0] });
    expect(found.map(shown)).toEqual([undefined, [[0, 'k', '1', undefined]]]);
    // It is not validated yet.
    expect(appended({ envelopes: [write], validationCodes: [] })).toEqual([undefined]);
  });

  it('leaves out transactions that write nothing, that call nothing, and indexes', () => {
    const reading = call({ reads: [{ key: 'k', version: VERSION }], writes: [] });
    const nothing = call({ reads: [], writes: [] });
    const index = call({
      reads: [],
      writes: [
        { key: '\u0000owner\u0000Tom\u0000a\u0000', value: value('x') },
        { key: 'a', value: value('1') },
      ],
    });
    const empty = envelopeOf(3, new Uint8Array());
    expect(appended({ envelopes: [reading, nothing, index, empty] }).map(shown)).toEqual([
      undefined,
      undefined,
      [[1, 'a', '1', undefined]],
      undefined,
    ]);
  });

  it('includes what another chaincode made this one write, without that chaincode’s function', () => {
    const readWriteSet = { reads: [], writes: [{ key: 'k', value: value('1') }] };
    const bytes = chain.append({
      envelopes: [chain.transaction({ readWriteSet, function: 'TransferAsset', answeredBy: 'other' })],
    });
    expect(changesIn(bytes)).toEqual([undefined]);
    const [transaction] = changesIn(bytes, 'other');
    expect(transaction?.function).toBe('');
    expect(shown(transaction)).toEqual([[0, 'k', '1', undefined]]);
  });

  it('reports the event of a VALID transaction, whether it changed anything or not', () => {
    const event = { name: 'Paid', payload: value('{"to":"Ann"}') };
    const transaction = (writes: ReadWriteSet['writes']) =>
      chain.transaction({ readWriteSet: { reads: [], writes }, event });
    const writing = transaction([{ key: 'k', value: value('1') }]);
    const found = appended({ envelopes: [writing, transaction([]), writing], validationCodes: [0, 0, 11] });
    expect(found.map(shown)).toEqual([[[0, 'k', '1', undefined]], [], undefined]);
    expect(found[0]?.event).toEqual({ chaincode: 'basic', name: 'Paid', payload: expect.anything() as unknown });
    expect(Buffer.from(found[1]!.event!.payload)).toEqual(event.payload);
  });

  it('fails for a VALID transaction whose event is garbage', () => {
    const event = { name: 'Paid', payload: value('x'.repeat(100)) };
    const whole = chain.transaction({ readWriteSet: { reads: [], writes: [] }, event });
    const at = Buffer.from(whole).indexOf('Paid') - 1;
    const broken = Buffer.from(whole).fill(0xff, at, at + 1);
    expect(() => appended({ envelopes: [broken] })).toThrow(
      expect.objectContaining({ code: 'LEDGER.DAMAGED' }) as Error,
    );
  });

  it.each(recordedChains())('finds in the blocks of Fabric $version the creation of each asset once', ({ blocks }) => {
    const all = blocks.flatMap(({ bytes }) => changesIn(bytes)).filter((it) => it !== undefined);
    const created = all.flatMap(({ changes }) => changes).filter(({ existed }) => existed === false);
    expect(created.length).toBeGreaterThan(0);
    expect(new Set(created.map(({ key }) => key)).size).toBe(created.length);
    // Configurations and the chaincode's own life are in them too.
    expect(blocks.flatMap(({ bytes }) => changesIn(bytes)).length).toBeGreaterThan(all.length);
  });
});
