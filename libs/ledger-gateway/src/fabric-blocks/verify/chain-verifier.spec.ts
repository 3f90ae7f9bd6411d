import { beforeAll, describe, expect, it } from '@jest/globals';
import common from '@hyperledger/fabric-protos/lib/common/common_pb.js';
import configtx from '@hyperledger/fabric-protos/lib/common/configtx_pb.js';
import kv from '@hyperledger/fabric-protos/lib/ledger/rwset/kvrwset/kv_rwset_pb.js';
import rwset from '@hyperledger/fabric-protos/lib/ledger/rwset/rwset_pb.js';
import msp from '@hyperledger/fabric-protos/lib/msp/msp_config_pb.js';
import proposal from '@hyperledger/fabric-protos/lib/peer/proposal_pb.js';
import proposalResponse from '@hyperledger/fabric-protos/lib/peer/proposal_response_pb.js';
import { Buffer } from 'node:buffer';
import { randomBytes } from 'node:crypto';
import { decodeBlock } from '../decode/decode-block.js';
import { decodeEnvelope } from '../decode/decode-envelope.js';
import { encodeEnvelope } from '../encode/transaction-encoder.js';
import { transactionIdOf } from '../hash/transaction-id.js';
import { recordedChains } from '../testing/recorded-blocks.js';
import { createTestOrganisation, TestChain, type TestBlock, type TestOrganisation } from '../testing/test-chain.js';
import { ChainVerifier } from './chain-verifier.js';

let org1: TestOrganisation;
let org2: TestOrganisation;
let stranger: TestOrganisation;

beforeAll(async () => {
  [org1, org2, stranger] = (await Promise.all(['Org1MSP', 'Org2MSP', 'StrangerMSP'].map(createTestOrganisation))) as [
    TestOrganisation,
    TestOrganisation,
    TestOrganisation,
  ];
});

const write = (key: string, value = 'v') => ({ reads: [], writes: [{ key, value: Buffer.from(value) }] });
const read = (key: string, version?: readonly [number, number]) => ({
  reads: [{ key, version: version && { blockNumber: version[0], transactionNumber: version[1] } }],
  writes: [],
});

/** What is found in a chain, as `block[transaction] CHECK what`. */
function verify(blocks: readonly Uint8Array[], genesisHash?: string): string[] {
  const verifier = new ChainVerifier(genesisHash === undefined ? {} : { genesisHash });
  return blocks
    .flatMap((block) => verifier.add(block))
    .map(
      ({ block, transaction, check, what }) =>
        `${block}${transaction === undefined ? '' : `[${transaction}]`} ${check} ${what}`,
    );
}

/** A chain with a good block that writes `a`, then what the test adds. */
function chainWith(add: (chain: TestChain) => void, organisations = [org1]): string[] {
  const chain = new TestChain(organisations);
  chain.append({ envelopes: [chain.transaction({ readWriteSet: write('a') })], writes: [[0, 'a', 'v']] });
  add(chain);
  return verify(chain.blocks);
}

/** The same with one block more of one transaction. */
function blockWith(block: Partial<TestBlock>): string[] {
  return chainWith((chain) => {
    chain.append({
      envelopes: [chain.transaction({ readWriteSet: write('b') })],
      writes: [[0, 'b', 'v']],
      ...block,
    });
  });
}

describe('a good chain', () => {
  it('of one organisation and of two verifies clean', () => {
    for (const organisations of [[org1], [org1, org2]]) {
      const found = chainWith((chain) => {
        const both = {
          reads: [{ key: 'a', version: { blockNumber: 1, transactionNumber: 0 } }],
          writes: write('b').writes,
        };
        const envelopes = [both, write('c'), { reads: [], writes: [{ key: 'd', value: undefined }] }].map(
          (readWriteSet) => chain.transaction({ readWriteSet }),
        );
        chain.append({
          envelopes,
          writes: [
            [0, 'b', 'v'],
            [1, 'c', 'v'],
            [2, 'd', undefined],
          ],
        });
      }, organisations);
      expect(found).toEqual([]);
    }
  });

  it('is judged by the hash that the caller knows block 0 by', () => {
    const { blocks } = new TestChain([org1]);
    const hash = Buffer.from(decodeBlock(blocks[0]!).hash).toString('hex');
    expect(verify(blocks, hash.toUpperCase())).toEqual([]);
    expect(verify(blocks, 'ab'.repeat(32))).toEqual([
      `0 BLOCK_LINK block 0 has the hash ${hash}, not ${'ab'.repeat(32)}`,
    ]);
  });

  it('starts without a head', () => {
    expect(new ChainVerifier().head).toEqual({ height: 0, hash: '' });
  });
});

describe('blocks', () => {
  it('that were re-split are found although every hash is right (CVE-2023-46132)', () => {
    const [chain] = recordedChains();
    const blocks = chain!.blocks.map(({ bytes }) => bytes);
    const block = common.Block.deserializeBinary(blocks[8]!);
    const [first, second, third] = block.getData()!.getDataList_asU8() as [Uint8Array, Uint8Array, Uint8Array];
    for (const split of [
      [Buffer.concat([first, second]), third],
      [Buffer.concat([first, second, third])],
      [first.subarray(0, 100), Buffer.concat([first.subarray(100), second]), third],
    ]) {
      const forged = block.clone();
      forged.getData()!.setDataList(split);
      const bytes = forged.serializeBinary();
      expect(decodeBlock(bytes).hash).toEqual(decodeBlock(blocks[8]!).hash);
      const found = verify(blocks.with(8, bytes));
      expect(found).toContainEqual(expect.stringMatching(/^8\[\d\] TRANSACTION_FORMAT the envelope/));
      expect(found).not.toContainEqual(expect.stringContaining('DATA_HASH'));
    }
  });

  it('that are missing, twice there or out of order are found at every place of the chain (CVE-2022-36111)', () => {
    const [chain] = recordedChains();
    const blocks = chain!.blocks.map(({ bytes }) => bytes);
    for (let place = 1; place < blocks.length - 1; place++) {
      expect(verify(blocks.toSpliced(place, 1))).toContainEqual(expect.stringContaining(`${place} BLOCK_LINK`));
      expect(verify(blocks.toSpliced(place, 0, blocks[place]!))).toContainEqual(
        expect.stringContaining(`${place + 1} BLOCK_LINK`),
      );
      const swapped = blocks.with(place, blocks[place + 1]!).with(place + 1, blocks[place]!);
      expect(verify(swapped)).toContainEqual(expect.stringContaining(`${place} BLOCK_NUMBER`));
    }
  });

  it('from another chain are found', () => {
    const [one, other] = recordedChains();
    const blocks = one!.blocks.map(({ bytes }) => bytes).with(5, other!.blocks[5]!.bytes);
    expect(verify(blocks)).toEqual(
      expect.arrayContaining([
        '5 BLOCK_LINK the block does not name the hash of the block before it',
        expect.stringContaining('5 BLOCK_SIGNATURE'),
        expect.stringContaining('5[0] CREATOR'),
        '6 BLOCK_LINK the block does not name the hash of the block before it',
      ]),
    );
  });

  it('with a wrong number or link are found though they are signed', () => {
    expect(blockWith({ number: 7 })).toContain('2 BLOCK_NUMBER the block has the number 7 where 2 comes next');
    expect(blockWith({ previousHash: randomBytes(32) })).toEqual([
      '2 BLOCK_LINK the block does not name the hash of the block before it',
    ]);
  });

  it('signed by anybody but an orderer of the channel are found', () => {
    const refused = '2 BLOCK_SIGNATURE the block has not the signatures that /Channel/Orderer/BlockValidation asks for';
    expect(blockWith({ orderer: org1.client })).toEqual([refused]);
    expect(blockWith({ orderer: org1.peer })).toEqual([refused]);
    expect(blockWith({ orderer: stranger.orderer })).toEqual([
      '2 BLOCK_SIGNATURE no organisation of the channel has the MSP id "StrangerMSP"',
      refused,
    ]);
    const forged = { identity: org1.orderer.identity, sign: (content: Uint8Array) => org1.peer.sign(content) };
    expect(blockWith({ orderer: forged })).toEqual([
      '2 BLOCK_SIGNATURE a signature is not that of the orderer it names',
      refused,
    ]);
  });

  it('whose signature header says more than it should are found', () => {
    const identity = Buffer.concat([org1.orderer.identity, Buffer.from([0x18, 1])]);
    expect(blockWith({ orderer: { ...org1.orderer, identity } })).toEqual([
      '2 BLOCK_SIGNATURE a signature header is not in its canonical form: SignatureHeader.1 SerializedIdentity.3: unknown field',
      expect.stringContaining('2 BLOCK_SIGNATURE the block has not the signatures'),
    ]);
  });

  it('that name the wrong configuration block are found', () => {
    expect(blockWith({ lastConfig: 1 })).toEqual([
      '2 METADATA the orderer names block 1 as the newest configuration, not 0',
    ]);
  });

  it('that are empty or no blocks are found, and the chain is followed further', () => {
    expect(blockWith({ envelopes: [], writes: [] })).toEqual(['2 METADATA the block is empty']);
    const chain = new TestChain([org1]);
    const found = verify([Buffer.from('no block'), ...chain.blocks.slice(1), Buffer.alloc(0)]);
    expect(found).toEqual([
      expect.stringMatching(/^0 BLOCK_FORMAT the block is not in its canonical form: Block/),
      '0 BLOCK_FORMAT the block cannot be decoded',
      '1 BLOCK_FORMAT the block cannot be decoded',
    ]);
  });

  it('with metadata that no signature covers are found', () => {
    const change = (edit: (block: common.Block) => void): string[] => {
      const chain = new TestChain([org1]);
      chain.append({ envelopes: [chain.transaction({ readWriteSet: write('a') })], writes: [[0, 'a', 'v']] });
      const block = common.Block.deserializeBinary(chain.blocks[1]!);
      edit(block);
      return verify(chain.blocks.with(1, block.serializeBinary()));
    };
    const set = (index: number, entry: Uint8Array) => (block: common.Block) => {
      block.getMetadata()!.setMetadataList(block.getMetadata()!.getMetadataList_asU8().with(index, entry));
    };
    expect(change(set(1, Buffer.from([1])))).toEqual(['1 METADATA metadata entry 1 is not empty']);
    expect(change(set(3, Buffer.from([1])))).toEqual(['1 METADATA metadata entry 3 is not empty']);
    expect(change(set(4, Buffer.alloc(0)))).toEqual([
      '1 METADATA the commit hash is not written as a peer writes it',
      '1 COMMIT_HASH the commit hash is not that of the validation codes and writes',
    ]);
    expect(change(set(0, Buffer.from([9])))).toEqual([
      expect.stringContaining('1 METADATA the signatures are not in their canonical form: Metadata'),
    ]);
    expect(change((block) => block.getMetadata()!.addMetadata(new Uint8Array()))).toEqual([
      '1 METADATA there are 6 metadata entries, not 5',
    ]);
    expect(
      change((block) => {
        block.clearMetadata();
      }),
    ).toEqual(
      expect.arrayContaining([
        '1 METADATA there are 0 metadata entries, not 5',
        expect.stringContaining('1[0] VALIDATION_CODE'),
      ]),
    );
    expect(change(set(2, Buffer.from([0, 0])))).toContain('1 METADATA there are 2 validation codes for 1 transactions');
  });

  it('signed by BFT orderers are said to be unchecked rather than passed', () => {
    const chain = new TestChain([org1]);
    const block = common.Block.deserializeBinary(
      chain.append({ envelopes: [chain.transaction({ readWriteSet: write('a') })], writes: [[0, 'a', 'v']] }),
    );
    const metadata = common.Metadata.deserializeBinary(block.getMetadata()!.getMetadataList_asU8()[0]!);
    metadata.getSignaturesList()[0]!.setIdentifierHeader(Buffer.from([8, 1]));
    block
      .getMetadata()!
      .setMetadataList(block.getMetadata()!.getMetadataList_asU8().with(0, metadata.serializeBinary()));
    expect(verify(chain.blocks.with(1, block.serializeBinary()))).toContain(
      '1 BLOCK_SIGNATURE signatures of BFT orderers cannot be checked',
    );
  });
});

describe('transactions', () => {
  type Input = Parameters<TestChain['transaction']>[0];
  const transactionWith = (input: Partial<Input>, organisations = [org1]): string[] =>
    chainWith((chain) => {
      chain.append({
        envelopes: [chain.transaction({ readWriteSet: write('b'), ...input })],
        writes: [[0, 'b', 'v']],
      });
    }, organisations);

  it('of somebody else are found', () => {
    expect(transactionWith({ creator: stranger.client })).toEqual([
      '2[0] CREATOR no organisation of the channel has the MSP id "StrangerMSP"',
    ]);
    expect(transactionWith({ creator: org1.peer })).toEqual(['2[0] CREATOR the creator may not write to the channel']);
    expect(transactionWith({ signer: org1.peer })).toEqual(['2[0] CREATOR the signature is not that of the creator']);
    const sameName = { ...stranger.client, identity: Buffer.from(stranger.client.identity) };
    sameName.identity = Buffer.from(
      sameName.identity.toString('latin1').replace('StrangerMSP', 'Org1MSPxxxx'),
      'latin1',
    );
    expect(transactionWith({ creator: sameName })).toEqual([
      '2[0] CREATOR no organisation of the channel has the MSP id "Org1MSPxxxx"',
    ]);
  });

  it('whose certificate another root signed, or that have none, are found', () => {
    const disguise = (mspId: string, pem: string) => ({
      ...stranger.client,
      identity: Buffer.concat([Buffer.from([0x0a, mspId.length]), Buffer.from(mspId), lengthDelimited(pem)]),
    });
    const pem = Buffer.from(stranger.client.identity)
      .toString()
      .slice(Buffer.from(stranger.client.identity).indexOf('-----'));
    expect(transactionWith({ creator: disguise('Org1MSP', pem) })).toEqual([
      '2[0] CREATOR the certificate does not chain to a root of Org1MSP',
    ]);
    expect(transactionWith({ creator: disguise('Org1MSP', 'no certificate') })).toEqual([
      '2[0] CREATOR the identity is not a certificate',
    ]);
    expect(transactionWith({ creator: disguise('Org1MSP', org1.rootCertificate) })).toEqual([
      '2[0] CREATOR the certificate is that of an authority, not of a member',
    ]);
  });

  it('with the S of a signature above half of the order are found', () => {
    const high = (content: Uint8Array): Uint8Array => {
      const low = Buffer.from(org1.client.sign(content));
      const s = BigInt(`0x${low.subarray(6 + low[3]!).toString('hex')}`);
      const order = 0xffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551n;
      const negated = Buffer.from((order - s).toString(16).padStart(64, '0'), 'hex');
      const end = Buffer.concat([Buffer.from([2, 33, 0]), negated]);
      const r = low.subarray(2, 4 + low[3]!);
      return Buffer.concat([Buffer.from([0x30, r.length + end.length]), r, end]);
    };
    expect(transactionWith({ signer: { ...org1.client, sign: high } })).toEqual([
      '2[0] CREATOR the signature is not that of the creator',
    ]);
  });

  it('with a made-up id are found', () => {
    const transactionId = 'ab'.repeat(32);
    const found = transactionWith({
      sentAs: (proposal) => ({
        ...proposal,
        channelHeader: withText(proposal.channelHeader, proposal.transactionId, transactionId),
      }),
    });
    expect(found).toEqual([
      '2[0] TRANSACTION_ID the id is not the hash of nonce and creator',
      '2[0] ENDORSEMENT the endorsers answered another proposal',
    ]);
  });

  it('that stand in the chain already are found', () => {
    const found = chainWith((chain) => {
      const nonce = randomBytes(24);
      chain.append({ envelopes: [chain.transaction({ nonce, readWriteSet: write('b') })], writes: [[0, 'b', 'v']] });
      chain.append({ envelopes: [chain.transaction({ nonce, readWriteSet: write('c') })], writes: [[0, 'c', 'v']] });
    });
    expect(found).toEqual(['3[0] TRANSACTION_ID a transaction with this id stands in the chain already']);
  });

  it('of another channel are found', () => {
    expect(transactionWith({ channel: 'otherchannel' })).toEqual([
      '2[0] TRANSACTION_FORMAT the transaction is for the channel otherchannel, not testchannel',
    ]);
  });

  it('that show another call than was endorsed are found', () => {
    expect(transactionWith({ endorsedAs: (proposal) => ({ ...proposal, chaincodePayload: randomBytes(9) }) })).toEqual([
      '2[0] ENDORSEMENT the endorsers answered another proposal',
    ]);
  });

  it('that another chaincode answered than was called are found', () => {
    expect(transactionWith({ answeredBy: 'other' })).toEqual([
      '2[0] TRANSACTION_FORMAT another chaincode answered than was called',
      '2 COMMIT_HASH the commit hash is not that of the validation codes and writes',
    ]);
  });

  it('that give keys new metadata leave the commit hash unchecked, and say so', () => {
    const responseAs = (bytes: Uint8Array): Uint8Array => {
      const response = proposalResponse.ProposalResponsePayload.deserializeBinary(bytes);
      const action = proposal.ChaincodeAction.deserializeBinary(response.getExtension_asU8());
      const results = rwset.TxReadWriteSet.deserializeBinary(action.getResults_asU8());
      const keys = kv.KVRWSet.deserializeBinary(results.getNsRwsetList()[0]!.getRwset_asU8());
      const change = new kv.KVMetadataWrite();
      change.setKey('a');
      keys.addMetadataWrites(change);
      results.getNsRwsetList()[0]!.setRwset(keys.serializeBinary());
      action.setResults(results.serializeBinary());
      response.setExtension$(action.serializeBinary());
      return response.serializeBinary();
    };
    expect(transactionWith({ responseAs })).toEqual([
      '2 UNCHECKED keys got new metadata, so the commit hash cannot be computed from the blocks alone',
    ]);
  });

  it('without the endorsements that the policy asks for are found', () => {
    const unsatisfied = '2[0] ENDORSEMENT the endorsements do not satisfy the endorsement policy';
    const uncounted = '2[0] ENDORSEMENT not every endorsement counts';
    expect(transactionWith({ endorsers: [] })).toEqual([unsatisfied]);
    expect(transactionWith({ endorsers: [org1.client] })).toEqual([unsatisfied]);
    expect(transactionWith({ endorsers: [org1.peer] }, [org1, org2])).toEqual([unsatisfied]);
    expect(transactionWith({ endorsers: [org1.peer, org1.peer] }, [org1, org2])).toEqual([uncounted, unsatisfied]);
    expect(transactionWith({ endorsers: [org1.peer, stranger.peer] }, [org1, org2])).toEqual([
      '2[0] ENDORSEMENT no organisation of the channel has the MSP id "StrangerMSP"',
      uncounted,
      unsatisfied,
    ]);
  });

  it('with a forged endorsement are found', () => {
    expect(transactionWith({ endorserSigns: (_, content) => org1.client.sign(content) })).toEqual(
      expect.arrayContaining(['2[0] ENDORSEMENT an endorsement is not signed by the endorser it names']),
    );
    expect(transactionWith({ endorserSigns: (endorser) => endorser.sign(Buffer.from('something else')) })).toEqual(
      expect.arrayContaining(['2[0] ENDORSEMENT an endorsement is not signed by the endorser it names']),
    );
  });

  it('of a type that has no place in a channel, or not decodable, are found', () => {
    const [envelope] = decodeBlock(new TestChain([org1]).blocks[0]!).envelopes;
    const payload = common.Payload.deserializeBinary(decodeEnvelope(envelope!).payload);
    const header = common.ChannelHeader.deserializeBinary(payload.getHeader()!.getChannelHeader_asU8());
    header.setType(common.HeaderType.MESSAGE);
    payload.getHeader()!.setChannelHeader(header.serializeBinary());
    expect(blockWith({ envelopes: [encodeEnvelope(payload.serializeBinary(), randomBytes(9))], writes: [] })).toEqual([
      '2[0] TRANSACTION_FORMAT a transaction of the type 0 has no place in a channel',
    ]);
    expect(blockWith({ envelopes: [Buffer.from('garbage')], writes: [] })).toEqual([
      expect.stringMatching(/^2\[0\] TRANSACTION_FORMAT the envelope is not in its canonical form: Envelope/),
      '2[0] TRANSACTION_FORMAT the envelope cannot be decoded',
    ]);
    header.setType(common.HeaderType.ENDORSER_TRANSACTION);
    payload.getHeader()!.setChannelHeader(header.serializeBinary());
    expect(blockWith({ envelopes: [encodeEnvelope(payload.serializeBinary(), randomBytes(9))], writes: [] })).toEqual(
      expect.arrayContaining(['2[0] TRANSACTION_FORMAT the transaction is not one call of a chaincode']),
    );
  });
});

describe('validation codes', () => {
  const CONFLICT = 'MVCC_READ_CONFLICT';
  const lie = (place: string, recorded: string, replayed: string) =>
    `${place} VALIDATION_CODE the transaction is recorded as ${recorded}, but replaying the chain gives ${replayed}`;

  /** One block behind the one that wrote `a`, of calls with these read and write sets and codes. */
  const replaying = (
    calls: readonly (readonly [Parameters<TestChain['transaction']>[0]['readWriteSet'], number])[],
    writes: TestBlock['writes'] = [],
  ): string[] =>
    chainWith((chain) => {
      const envelopes = calls.map(([readWriteSet]) => chain.transaction({ readWriteSet }));
      chain.append({ envelopes, validationCodes: calls.map(([, code]) => code), writes });
    });

  it('are right when reads found what was there, or did not', () => {
    expect(
      replaying([
        [read('a', [1, 0]), 0],
        [read('b'), 0],
        [read('a'), 11],
        [read('a', [0, 0]), 11],
        [read('b', [1, 0]), 11],
      ]),
    ).toEqual([]);
  });

  it('that call a conflict valid, or the other way round, are found', () => {
    expect(
      replaying([
        [read('a'), 0],
        [read('a', [1, 0]), 11],
        [read('b'), 12],
      ]),
    ).toEqual([
      lie('2[0]', 'VALID', CONFLICT),
      lie('2[1]', CONFLICT, 'VALID'),
      lie('2[2]', 'PHANTOM_READ_CONFLICT', 'VALID'),
    ]);
  });

  it('count a read of what the same block wrote as a conflict', () => {
    const calls = [
      [write('b'), 0],
      [read('b'), 11],
      [read('b', [2, 0]), 11],
    ] as const;
    expect(replaying(calls, [[0, 'b', 'v']])).toEqual([]);
    const deletion = { reads: [], writes: [{ key: 'z', value: undefined }] };
    expect(
      replaying(
        [
          [deletion, 0],
          [read('z'), 0],
        ],
        [[0, 'z', undefined]],
      ),
    ).toEqual([lie('2[1]', 'VALID', CONFLICT)]);
  });

  it('judge ranges by what stands in them, with what the same block wrote', () => {
    const range = (
      startKey: string,
      endKey: string,
      exhausted: boolean,
      ...keys: (readonly [string, number, number])[]
    ) => ({
      reads: [],
      writes: [],
      rangeReads: [
        {
          startKey,
          endKey,
          exhausted,
          reads: keys.map(([key, blockNumber, transactionNumber]) => ({
            key,
            version: { blockNumber, transactionNumber },
          })),
        },
      ],
    });
    expect(
      replaying(
        [
          [range('', '', true, ['a', 1, 0]), 0],
          [range('a', 'b', true, ['a', 1, 0]), 0],
          [range('a', 'a', false, ['a', 1, 0]), 0],
          [range('b', 'c', true), 0],
          [range('a', 'b', true), 12],
          [range('a', 'b', true, ['a', 1, 1]), 12],
          [range('b', 'c', true, ['b', 1, 0]), 12],
          [write('b'), 0],
          [range('', '', true, ['a', 1, 0]), 12],
          [range('b', 'c', true), 12],
          [range('c', '', true), 0],
          [{ reads: [], writes: [{ key: 'a', value: undefined }] }, 0],
          [range('a', 'b', true, ['a', 1, 0]), 12],
          [range('a', 'b', true), 0],
        ],
        [
          [7, 'b', 'v'],
          [11, 'a', undefined],
        ],
      ),
    ).toEqual([]);
  });

  it('judge long ranges, which are recorded as hashes', () => {
    const keys = Array.from({ length: 60 }, (_, index) => `k${String(index).padStart(3, '0')}`);
    const range = (changed: number) => ({
      reads: [],
      writes: [],
      rangeReads: [
        {
          startKey: 'k',
          endKey: 'l',
          exhausted: true,
          reads: keys.map((key, index) => ({
            key,
            version: { blockNumber: 2, transactionNumber: index === changed ? 1 : 0 },
          })),
        },
      ],
    });
    const found = chainWith((chain) => {
      const all = { reads: [], writes: keys.map((key) => ({ key, value: Buffer.from('v') })) };
      chain.append({
        envelopes: [chain.transaction({ readWriteSet: all })],
        writes: keys.map((key) => [0, key, 'v'] as const),
      });
      const envelopes = [-1, 30].map((changed) => chain.transaction({ readWriteSet: range(changed) }));
      chain.append({ envelopes, validationCodes: [0, 12] });
      const few = { reads: [], writes: keys.slice(10).map((key) => ({ key, value: undefined })) };
      chain.append({
        envelopes: [chain.transaction({ readWriteSet: few })],
        writes: keys.slice(10).map((key) => [0, key, undefined] as const),
      });
      chain.append({ envelopes: [chain.transaction({ readWriteSet: range(-1) })], validationCodes: [0] });
    });
    expect(found).toEqual([lie('5[0]', 'VALID', 'PHANTOM_READ_CONFLICT')]);
  });

  it('that no peer records are found, and so are duplicates that are none', () => {
    expect(
      replaying([
        [write('b'), 254],
        [write('c'), 77],
        [write('d'), 9],
        [write('e'), 10],
      ]),
    ).toEqual([
      '2[0] VALIDATION_CODE no peer records the validation code NOT_VALIDATED',
      '2[1] VALIDATION_CODE no peer records the validation code UNKNOWN_77',
      '2[2] VALIDATION_CODE the transaction is recorded as a duplicate, but no other has its id',
    ]);
  });

  it('of a real duplicate, and of garbage that a peer refused, are taken', () => {
    const found = chainWith((chain) => {
      const again = chain.transaction({ readWriteSet: write('b') });
      chain.append({
        envelopes: [again, again, Buffer.from('garbage')],
        validationCodes: [0, 9, 2],
        writes: [[0, 'b', 'v']],
      });
    });
    expect(found).toEqual([]);
  });

  it('are tied to the writes by the commit hash', () => {
    expect(blockWith({ writes: [[0, 'b', 'other']] })).toEqual([
      '2 COMMIT_HASH the commit hash is not that of the validation codes and writes',
    ]);
  });
});

describe('configurations', () => {
  /** The configuration of block 0 once more, changed, as an orderer would send it. */
  function reconfigured(
    chain: TestChain,
    sequence: number,
    edit: (config: configtx.ConfigEnvelope) => void = () => undefined,
  ): Uint8Array {
    const envelope = decodeEnvelope(decodeBlock(chain.blocks[0]!).envelopes[0]!);
    const payload = common.Payload.deserializeBinary(envelope.payload);
    const config = configtx.ConfigEnvelope.deserializeBinary(envelope.data);
    config.getConfig()!.setSequence(sequence);
    edit(config);
    payload.setData(config.serializeBinary());
    const nonce = randomBytes(24);
    const header = common.ChannelHeader.deserializeBinary(payload.getHeader()!.getChannelHeader_asU8());
    header.setTxId(transactionIdOf(nonce, org1.orderer.identity));
    const signature = new common.SignatureHeader();
    signature.setCreator(org1.orderer.identity);
    signature.setNonce(nonce);
    payload.getHeader()!.setChannelHeader(header.serializeBinary());
    payload.getHeader()!.setSignatureHeader(signature.serializeBinary());
    const bytes = payload.serializeBinary();
    return encodeEnvelope(bytes, org1.orderer.sign(bytes));
  }

  it('that follow each other change whom the channel trusts', () => {
    const found = chainWith(
      (chain) => {
        const withoutOrg2 = (config: configtx.ConfigEnvelope) => {
          config.getConfig()!.getChannelGroup()!.getGroupsMap().get('Application')!.getGroupsMap().del('Org2MSP');
        };
        chain.append({ envelopes: [reconfigured(chain, 1, withoutOrg2)], lastConfig: 2 });
        const byOne = chain.transaction({ readWriteSet: write('b'), endorsers: [org1.peer] });
        chain.append({ envelopes: [byOne], writes: [[0, 'b', 'v']], lastConfig: 2 });
        const byBoth = chain.transaction({ readWriteSet: write('c') });
        chain.append({ envelopes: [byBoth], writes: [[0, 'c', 'v']], lastConfig: 0 });
      },
      [org1, org2],
    );
    expect(found).toEqual(['4 METADATA the orderer names block 0 as the newest configuration, not 2']);
  });

  it('that do not follow, or share a block, or are called a conflict, are found', () => {
    const found = chainWith((chain) => {
      const call = chain.transaction({ readWriteSet: write('b') });
      chain.append({
        envelopes: [reconfigured(chain, 3), call],
        validationCodes: [11, 0],
        writes: [[1, 'b', 'v']],
        lastConfig: 2,
      });
    });
    expect(found).toEqual([
      '2[0] CONFIGURATION the configuration shares its block with other transactions',
      '2[0] VALIDATION_CODE a configuration reads no keys and cannot conflict',
      '2[0] CONFIGURATION the configuration has the sequence 3 behind 0',
    ]);
  });

  it('that revoke certificates are said to be unchecked', () => {
    const found = chainWith((chain) => {
      const revoking = (config: configtx.ConfigEnvelope) => {
        const values = config
          .getConfig()!
          .getChannelGroup()!
          .getGroupsMap()
          .get('Application')!
          .getGroupsMap()
          .get('Org1MSP')!
          .getValuesMap();
        const definition = msp.MSPConfig.deserializeBinary(values.get('MSP')!.getValue_asU8());
        const fabric = msp.FabricMSPConfig.deserializeBinary(definition.getConfig_asU8());
        fabric.addRevocationList(Buffer.from('list'));
        definition.setConfig(fabric.serializeBinary());
        values.get('MSP')!.setValue(definition.serializeBinary());
        config
          .getConfig()!
          .getChannelGroup()!
          .getGroupsMap()
          .get('Orderer')!
          .getGroupsMap()
          .get('Org1MSP')!
          .getValuesMap()
          .get('MSP')!
          .setValue(definition.serializeBinary());
      };
      chain.append({ envelopes: [reconfigured(chain, 1, revoking)], lastConfig: 2 });
    });
    expect(found).toEqual(['2[0] UNCHECKED Org1MSP has revoked certificates, which cannot be checked']);
  });

  it('that cannot be read are found', () => {
    const found = chainWith((chain) => {
      chain.append({
        envelopes: [
          reconfigured(chain, 1, (config) => {
            config.clearConfig();
          }),
        ],
        lastConfig: 0,
      });
    });
    expect(found).toEqual(['2[0] CONFIGURATION the configuration cannot be read']);
  });

  it('are needed in block 0', () => {
    const chain = new TestChain([org1]);
    const block = chain.append({
      envelopes: [chain.transaction({ readWriteSet: write('a') })],
      writes: [[0, 'a', 'v']],
    });
    expect(verify([block])).toContain(
      '0 CONFIGURATION block 0 holds no configuration: no signature of the chain can be checked',
    );
  });
});

function withText(bytes: Uint8Array, from: string, to: string): Uint8Array {
  return Buffer.from(Buffer.from(bytes).toString('latin1').replace(from, to), 'latin1');
}

function lengthDelimited(text: string): Buffer {
  const bytes = Buffer.from(text);
  const length = bytes.length < 128 ? [bytes.length] : [(bytes.length & 0x7f) | 0x80, bytes.length >> 7];
  return Buffer.concat([Buffer.from([0x12, ...length]), bytes]);
}
