import { cpSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { common } from '@hyperledger/fabric-protos';
import fc from 'fast-check';
import { MemoryReplayState, recordedChains } from '#fabric-codec/testing';
import type { ReplayState } from '#fabric-codec/verify';
import { fillLedger, TemporaryDirectory } from '../testing/temporary-ledger.js';
import { ChannelState } from './chain-check.js';
import { exportLedger } from './administer-ledger.js';
import { verifyLedger, type VerificationReport } from './verify-ledger.js';

describe('blocks of a channel in files', () => {
  let work: TemporaryDirectory;
  let path: string;
  beforeEach(() => {
    work = new TemporaryDirectory();
    path = work.file('blocks');
    mkdirSync(path);
  });
  afterEach(() => {
    work.remove();
  });

  const verify = (): Promise<VerificationReport> => verifyLedger({ path, isChannel: true });
  const write = (name: string, bytes: Uint8Array): void => {
    writeFileSync(join(path, name), bytes);
  };
  const [chain] = recordedChains();
  const record = (): void => {
    for (const [number, { bytes }] of (chain?.blocks ?? []).entries()) {
      // As `peer channel fetch` names them.
      write(`mychannel_${number}.block`, bytes);
    }
    write('chain-info.json', Buffer.from('{}'));
  };

  it.each(recordedChains())(
    'of Fabric $version verify by its own policies, which are reported',
    async ({ blocks, chainInfo }) => {
      for (const [number, { bytes }] of blocks.entries()) write(`${String(number).padStart(2, '0')}.block`, bytes);
      expect(await verify()).toEqual({
        height: chainInfo.height,
        hash: chainInfo.currentBlockHash,
        transactions: 12,
        hasCheckpoint: false,
        findings: [],
        checked: {
          configurations: 1,
          calls: 11,
          refused: 0,
          signatures: 40,
          chaincodes: [
            { name: '_lifecycle', calls: 3, policy: '/Channel/Application/LifecycleEndorsement' },
            { name: 'basic', calls: 8, policy: '/Channel/Application/Endorsement' },
          ],
          collections: ['Org1MSP', 'Org2MSP'].map((mspId) => ({
            chaincode: '_lifecycle',
            name: `_implicit_org_${mspId}`,
            reads: 6,
            writes: 6,
          })),
        },
      });
    },
  );

  it('of an embedded ledger verify with and without the export’s description', async () => {
    const data = work.file('data');
    await fillLedger(data, 5);
    rmSync(path, { recursive: true });
    const { height, currentHash: hash } = exportLedger({ dataDir: data, target: path });
    expect(await verify()).toMatchObject({ height, hash, findings: [] });
    rmSync(join(path, 'export.json'));
    const partial = await verify();
    expect(partial).toMatchObject({ height, hash, checked: { chaincodes: [{ name: 'basic' }] } });
    expect(partial.findings).toEqual([
      { where: path, check: 'UNCHECKED', what: expect.stringContaining('export.json is missing') as string },
    ]);
    // A file of another name shows that these are the blocks of a channel.
    renameSync(join(path, '000000000.block'), join(path, 'mychannel_0.block'));
    expect((await verify()).findings).toEqual([]);
    const file = join(path, '000000001.block');
    const bytes = readFileSync(file);
    bytes.writeUInt8(bytes.readUInt8(1000) ^ 1, 1000);
    writeFileSync(file, bytes);
    expect((await verify()).findings[0]).toMatchObject({ where: expect.stringContaining('block 1') as string });
  });

  it('that were fetched from an orderer are refused with one finding, which names the way to the peers’ blocks', async () => {
    for (const [number, { bytes }] of (chain?.blocks ?? []).entries()) {
      const block = common.Block.deserializeBinary(bytes);
      const metadata = block.getMetadata()!.getMetadataList_asU8();
      // TRANSACTIONS_FILTER and COMMIT_HASH are written by peers.
      for (const entry of [2, 4]) metadata[entry] = new Uint8Array();
      block.getMetadata()!.setMetadataList(metadata);
      write(`mychannel_${number}.block`, block.serializeBinary());
    }
    const { findings } = await verify();
    expect(findings).toEqual([
      {
        where: 'block 0',
        check: 'UNCHECKED',
        what: expect.stringContaining('peer channel fetch without --orderer') as string,
      },
    ]);
  });

  it('with any byte changed are found out', async () => {
    record();
    for (const [number, { bytes }] of (chain?.blocks ?? []).entries()) {
      const at = Math.floor(bytes.length / 3) + number;
      write(`mychannel_${number}.block`, bytes.with(at, (bytes[at] ?? 0) ^ 1));
      expect([number, (await verify()).findings.length > 0]).toEqual([number, true]);
      write(`mychannel_${number}.block`, bytes);
    }
  });

  it('in another order, or something else in the place of one, are found out', async () => {
    record();
    renameSync(join(path, 'mychannel_4.block'), join(path, 'x'));
    renameSync(join(path, 'mychannel_5.block'), join(path, 'mychannel_4.block'));
    renameSync(join(path, 'x'), join(path, 'mychannel_5.block'));
    expect((await verify()).findings).toContainEqual({
      where: 'block 4',
      check: 'BLOCK_NUMBER',
      what: 'the block has the number 5 instead of 4',
    });
    write('mychannel_4.block', Buffer.from('no block'));
    expect(await verify()).toMatchObject({ height: 5, hash: '' });
    expect((await verify()).findings.map(({ where, check }) => `${where} ${check}`)).toEqual([
      'block 4 BLOCK_FORMAT',
      'block 4 BLOCK_FORMAT',
      'block 4 RECORD',
    ]);
    rmSync(join(path, 'mychannel_4.block'));
    mkdirSync(join(path, 'mychannel_4.block'));
    expect((await verify()).findings).toEqual([
      { where: 'block 4', check: 'RECORD', what: `${join(path, 'mychannel_4.block')} cannot be read (EISDIR).` },
    ]);
  });

  it.each<readonly [string, () => void, string]>([
    [
      'one is missing',
      () => {
        rmSync(join(path, 'mychannel_4.block'));
      },
      'does not contain block 4, but later blocks: fetch it too.',
    ],
    [
      'the first is missing',
      () => {
        rmSync(join(path, 'mychannel_0.block'));
      },
      'does not contain block 0, whose configuration lists the members of the channel: fetch it too.',
    ],
    [
      'one is there twice',
      () => {
        cpSync(join(path, 'mychannel_4.block'), join(path, '004.block'));
      },
      'have the same number: remove one.',
    ],
    [
      'one has no number',
      () => {
        cpSync(join(path, 'mychannel_4.block'), join(path, 'mychannel_newest.block'));
      },
      'has no number: name each block NUMBER.block or CHANNEL_NUMBER.block.',
    ],
    [
      'there are none',
      () => {
        for (const name of readdirSync(path)) rmSync(join(path, name));
      },
      'contains no block: name a directory of NUMBER.block files.',
    ],
    [
      'there is no such directory',
      () => {
        rmSync(path, { recursive: true });
      },
      'cannot be read (ENOENT): name a directory of blocks.',
    ],
  ])('are refused when %s', async (_, change, message) => {
    record();
    change();
    await expect(verify()).rejects.toThrow(message);
  });
});

describe('the state of a channel in tables', () => {
  const key = fc.constantFrom('', '\u0000a', '\u0000a\u0000b', 'a', 'b', 'ä', '\u{1f680}', '\uffff');
  const namespace = fc.constantFrom('one', 'one\u0000secret', 'two');
  const step = fc.oneof(
    fc.record({ kind: fc.constant('set' as const), namespace, key, version: fc.nat(9) }),
    fc.record({ kind: fc.constant('delete' as const), namespace, key }),
    fc.record({ kind: fc.constant('range' as const), namespace, key, end: key }),
    fc.record({ kind: fc.constant('see' as const), key }),
  );

  it('is the same as in memory', () => {
    const apply = (state: ReplayState, it: typeof step extends fc.Arbitrary<infer T> ? T : never): unknown => {
      switch (it.kind) {
        case 'set':
          state.setVersion(it.namespace, it.key, { blockNumber: it.version, transactionNumber: 1 });
          return state.version(it.namespace, it.key);
        case 'delete':
          state.setVersion(it.namespace, it.key, undefined);
          return state.version(it.namespace, it.key);
        case 'range':
          return [...state.range(it.namespace, it.key, it.end)];
        default:
          return state.addTransaction(it.key, { blockNumber: 0, transactionNumber: 0 });
      }
    };
    fc.assert(
      fc.property(fc.array(step, { maxLength: 40 }), (steps) => {
        const db = new DatabaseSync(':memory:');
        const states = [
          new ChannelState(db, { height: 0, raw: () => ({ bytes: new Uint8Array() }) }),
          new MemoryReplayState(),
        ] as const;
        for (const it of steps) expect(apply(states[0], it)).toEqual(apply(states[1], it));
        db.close();
      }),
    );
  });
});
