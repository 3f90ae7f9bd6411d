import { describe, expect, it } from '@jest/globals';
import { Buffer } from 'node:buffer';
import { recordedChains, type RecordedBlock } from '../testing/recorded-blocks.js';
import { decodeBlock } from './decode-block.js';
import { describeTransaction, type TransactionDescription } from '../describe/describe-transaction.js';
import type { JsonValue } from '../messages/message-json.js';

const PEER1 = 'peer0.org1.example.com';
const PEER2 = 'peer0.org2.example.com';
const USER = 'User1@org1.example.com';

const hex = (bytes: Uint8Array) => Buffer.from(bytes).toString('hex');
const base64 = (text: string) => Buffer.from(text).toString('base64');

function describeAll({ bytes }: RecordedBlock): TransactionDescription[] {
  const block = decodeBlock(bytes);
  return block.envelopes.map((envelope, index) =>
    describeTransaction({
      envelope,
      validationCode: block.validationCodes[index] ?? -1,
      blockNumber: block.header.number,
      blockHash: hex(block.hash),
      blockSignatures: block.metadata[0] ?? new Uint8Array(),
    }),
  );
}

/**
 * What configtxlator shows differently: bytes always as base64, nothing as null, 64-bit numbers as text, an endorser
 * undecoded, private writes undecoded.
 */
function expectSame(ours: JsonValue | undefined, theirs: unknown, path: string): void {
  if (theirs === null || theirs === '') {
    expect([path, ours ?? null]).toEqual([path, isNothing(ours) ? (ours ?? null) : 'nothing']);
  } else if (path.endsWith('.endorser')) {
    const { mspid, id_bytes: pem } = ours as { mspid: string; id_bytes: string };
    const identity = Buffer.from(theirs as string, 'base64').toString('latin1');
    expect([path, identity.includes(mspid), identity.endsWith(pem)]).toEqual([path, true, true]);
  } else if (path.endsWith('.timestamp')) {
    expect([path, (ours as string).replace('.000Z', 'Z')]).toEqual([path, theirs]);
  } else if (path.endsWith('.hashed_rwset')) {
    expect(Object.keys(ours as object)).toEqual(['hashed_reads', 'hashed_writes', 'metadata_writes']);
  } else if (Array.isArray(theirs)) {
    expect([path, (ours as JsonValue[]).length]).toEqual([path, theirs.length]);
    theirs.forEach((item, index) => {
      expectSame((ours as JsonValue[])[index], item, `${path}[${index}]`);
    });
  } else if (typeof theirs === 'object') {
    for (const [key, value] of Object.entries(theirs)) {
      expectSame((ours as Record<string, JsonValue> | undefined)?.[key], value, `${path}.${key}`);
    }
  } else if (typeof ours === 'number') {
    expect([path, ours]).toEqual([path, Number(theirs)]);
  } else if (typeof ours === 'string' && ours !== theirs) {
    expect([path, base64(ours)]).toEqual([path, theirs]);
  } else {
    expect([path, ours]).toEqual([path, theirs]);
  }
}

function isNothing(value: JsonValue | undefined): boolean {
  if (value === undefined || value === null || value === '' || value === 0) return true;
  return typeof value === 'object' && Object.values(value as object).every(isNothing);
}

describe.each(recordedChains())('blocks recorded from Fabric $version', ({ blocks, chainInfo }) => {
  const described = blocks.map(describeAll);
  const at = (block: number, index = 0) => described[block]?.[index];

  it('chain by their header hashes up to the head that the peer reported', () => {
    const decoded = blocks.map(({ bytes }) => decodeBlock(bytes));
    decoded.forEach((block, number) => {
      expect(block.header.number).toBe(number);
      expect(hex(block.header.previousHash)).toBe(number === 0 ? '' : hex(decoded[number - 1]!.hash));
    });
    expect(decoded).toHaveLength(chainInfo.height);
    expect(hex(decoded.at(-1)!.hash)).toBe(chainInfo.currentBlockHash);
    expect(hex(decoded.at(-2)!.hash)).toBe(chainInfo.previousBlockHash);
  });

  it('show everything that configtxlator shows of them', () => {
    blocks.forEach(({ twin }, number) => {
      twin.data.data.forEach((envelope, index) => {
        expectSame(at(number, index)?.rawTransaction, envelope, `block ${number} [${index}]`);
      });
      expect(twin.data.data).toHaveLength(described[number]!.length);
    });
  });

  it('describe the configuration without a creator, endorsers or a call', () => {
    expect(at(0)).toMatchObject({
      transactionId: expect.stringMatching(/^[0-9a-f]{64}$/),
      blockNumber: 0,
      chaincodeId: '',
      channelId: 'mychannel',
      creatorId: '',
      creatorMspId: '',
      endorsers: [],
      function: '',
      arguments: [],
      timestamp: expect.stringMatching(/^2026-11-21T12:3\d:\d\d\.000Z$/),
      validationCode: 'VALID',
      response: { status: 0, message: '', payload: '' },
    });
    expect(JSON.stringify(at(0)?.rawTransaction)).toContain('-----BEGIN CERTIFICATE-----');
  });

  it('describe lifecycle transactions, whose arguments are serialized messages', () => {
    expect(at(1)).toMatchObject({
      chaincodeId: '_lifecycle',
      creatorId: 'Admin@org1.example.com',
      creatorMspId: 'Org1MSP',
      endorsers: [PEER1],
      function: 'ApproveChaincodeDefinitionForMyOrg',
      timestamp: expect.stringMatching(/\.\d{9}Z$/),
    });
    const definition = '\u0008\u0001\u0012\u0005basic\u001a\u00031.0J';
    expect(at(1)?.arguments).toHaveLength(1);
    expect(at(1)?.arguments[0]?.slice(0, definition.length)).toBe(definition);
    expect(at(2)).toMatchObject({ creatorMspId: 'Org2MSP', endorsers: [PEER2] });
    expect(at(3)).toMatchObject({
      function: 'CommitChaincodeDefinition',
      arguments: ['\u0008\u0001\u0012\u0005basic\u001a\u00031.0'],
      endorsers: [PEER1, PEER2],
    });
  });

  it('describe calls of the chaincode in full', () => {
    expect(at(5)).toMatchObject({
      blockHash: hex(decodeBlock(blocks[5]!.bytes).hash),
      blockNumber: 5,
      chaincodeId: 'basic',
      channelId: 'mychannel',
      creatorId: USER,
      creatorMspId: 'Org1MSP',
      endorsers: expect.arrayContaining([PEER1, PEER2]),
      function: 'CreateAsset',
      arguments: ['änder-🚀 1', 'teal', '7', 'Ada Lovelace', '1234'],
      validationCode: 'VALID',
      response: { status: 200, message: '', payload: '' },
    });
    expect(at(4)).toMatchObject({ function: 'InitLedger', arguments: [] });
    expect(at(6)).toMatchObject({ response: { payload: '{"type":"Buffer","data":[]}' } });
    expect(at(7)).toMatchObject({ arguments: ['asset2', 'Grace'], response: { payload: 'Brad' } });
    expect(at(9)).toMatchObject({ function: 'DeleteAsset', arguments: ['asset6'] });
  });

  it('name the codes of transactions that were recorded but did not count', () => {
    expect(described[8]?.map((it) => it.validationCode)).toEqual(['VALID', 'MVCC_READ_CONFLICT', 'MVCC_READ_CONFLICT']);
  });

  it('are plain JSON', () => {
    for (const transaction of described.flat()) {
      expect(JSON.parse(JSON.stringify(transaction))).toEqual(transaction);
    }
  });
});
