import common from '@hyperledger/fabric-protos/lib/common/common_pb.js';
import { Buffer } from 'node:buffer';
import { createPrivateKey, generateKeyPairSync, sign, X509Certificate } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { decodeBlock, decodeEnvelope } from '#fabric-codec';
import { createRoot, issueLeaf, makeCertificate, signLowS } from '#fabric-codec/certificates';
import { encodeEnvelope, type Proposal, serializeIdentity } from '#fabric-codec/encode';
import {
  onUnknownCurve,
  org1,
  org2,
  reconfigured,
  recordedChains,
  stranger,
  type TestBlock,
  TestChain,
  type TestTransaction,
  write,
} from '#fabric-codec/testing';
import { rootsOf } from './testing/roots-of.js';
import { answeredBy, placeAt, receiptsOf, statedBy, type TestAnswer } from './testing/test-receipt.js';
import { ReceiptFault, receiptText, sealedBlock, type Attestation } from './receipt.js';

import { readWebCertificate } from './browser/web-certificate.js';
import { readOpensslCertificate } from './openssl-certificate.js';
import {
  readRoots,
  TrustedRoots,
  type ReadCertificate,
  type TrustedRoot,
  type TrustedSigner,
} from './trusted-roots.js';
import { needsOf } from './receipt-signers.js';
import { verifyReceipt } from './verify-receipt.js';

const organisationsIn = (text: string) => needsOf(text).mspIds;

const rootOf = ({ mspId, rootCertificate: certificate }: typeof org1) => ({ mspId, certificate });

/** A chain whose block 1 holds three transactions, of which the second lost a race. */
function chainOf(block: Partial<TestBlock> = {}, transaction: Partial<TestTransaction> = {}): TestChain {
  const chain = new TestChain([org1]);
  const envelopes = ['a', 'b', 'c'].map((key) => chain.transaction({ readWriteSet: write(key), ...transaction }));
  chain.append({ envelopes, validationCodes: [0, 11, 0], ...block });
  return chain;
}

const blockOf = (block?: Partial<TestBlock>, transaction?: Partial<TestTransaction>) =>
  chainOf(block, transaction).blocks[1]!;
const hashOf = (block: Uint8Array) => Buffer.from(decodeBlock(block).hash).toString('hex');
/** Why a receipt was refused. */
async function refusal(report: ReturnType<typeof verifyReceipt>): Promise<string> {
  const { verdict, steps } = await report;
  const { check: failed, what } = steps.at(-1)!;
  return verdict === 'refused' ? `${failed}: ${what}` : verdict;
}

/** A good receipt with other members. */
const withMembers = (members: object, block = blockOf()): string => {
  const [[, text]] = receiptsOf(block) as [[string, string]];
  return JSON.stringify({ ...(JSON.parse(text) as object), ...members });
};

/** A good receipt whose block was changed. */
function withBlock(edit: (block: common.Block) => void, bytes = blockOf()): string {
  const receipt = JSON.parse(withMembers({}, bytes)) as { block: string };
  const block = common.Block.deserializeBinary(Buffer.from(receipt.block, 'base64'));
  edit(block);
  return JSON.stringify({ ...receipt, block: Buffer.from(block.serializeBinary()).toString('base64') });
}

/** Sets the metadata of a block; later entries are empty. */
function setMetadata(block: common.Block, entries: readonly Uint8Array[]): void {
  const list = Array.from({ length: 5 }, (_, index) => Buffer.from(entries[index] ?? []));
  block.getMetadata()!.setMetadataList(list);
}

/** The same under another id. */
function renamed(proposal: Proposal): Proposal {
  const header = common.ChannelHeader.deserializeBinary(proposal.channelHeader);
  header.setTxId('ab'.repeat(32));
  return { ...proposal, channelHeader: header.serializeBinary() };
}

/** The same as an update of the configuration. */
function typed(proposal: Proposal): Proposal {
  const header = common.ChannelHeader.deserializeBinary(proposal.channelHeader);
  header.setType(common.HeaderType.CONFIG_UPDATE);
  return { ...proposal, channelHeader: header.serializeBinary() };
}

/** A configuration with a field that there is not. */
function odd(envelope: Uint8Array): Uint8Array {
  const payload = common.Payload.deserializeBinary(decodeEnvelope(envelope).payload);
  payload.setData(Buffer.concat([payload.getData_asU8(), Buffer.from([0x22, 0])]));
  const bytes = payload.serializeBinary();
  return encodeEnvelope(bytes, org1.orderer.sign(bytes));
}

describe('the organizations in a receipt', () => {
  it.each(['statement', 'qscc'])('are those of every signer, with an attestation of the kind %s', (kind) => {
    const of = (block: Uint8Array) => receiptsOf(block).find(([one]) => one === kind)![1];
    const signers = { orderer: stranger.orderer };
    expect(organisationsIn(of(blockOf(signers, { endorsers: [org2.peer], creator: org2.client })))).toEqual([
      'StrangerMSP',
      'Org2MSP',
      'Org1MSP',
    ]);
    // The content of what the peers refused is not trusted, and the first configuration is not signed.
    expect(organisationsIn(of(blockOf({ validationCodes: [10, 0, 0] }, { endorsers: [org2.peer] })))).toEqual([
      'Org1MSP',
    ]);
    const chain = new TestChain([org1]);
    expect(organisationsIn(of(chain.blocks[0]!))).toEqual(['Org1MSP']);
    const configuration = { envelopes: [reconfigured(chain, 1, undefined, 'hash')], lastConfig: 1 };
    expect(organisationsIn(of(chain.append(configuration)))).toEqual(['Org1MSP']);
  });

  it('are none where nothing can be read', () => {
    const odd = { kind: 'qscc', payload: '/w==' };
    expect(organisationsIn(withMembers({ block: '////' }))).toEqual([]);
    expect(organisationsIn(withMembers({ position: 9, attestation: odd }))).toEqual(['Org1MSP']);
    expect(
      organisationsIn(
        withMembers({
          attestation: {
            ...odd,
            kind: 'statement',
            endorser: '/w==',
            signature: '',
            payload: undefined,
            statement: '',
          },
        }),
      ),
    ).toEqual(['Org1MSP']);
    expect(() => organisationsIn('{}')).toThrow(ReceiptFault);
  });
});

/** Every bit of a signature changed, and its numbers in other forms: with high S, in BER, with more bytes. */
function otherForms(signature: Buffer): Buffer[] {
  const order = 0xffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551n;
  const [r, s] = readNumbers(signature);
  const high = Buffer.from((order - BigInt(`0x${s.toString('hex')}`)).toString(16).padStart(64, '0'), 'hex');
  const integer = (digits: Buffer) => Buffer.concat([Buffer.from([2, digits.length]), digits]);
  const sequence = (content: Buffer, head = [0x30, content.length]) => Buffer.concat([Buffer.from(head), content]);
  const content = signature.subarray(2);
  const zero = Buffer.from([0]);
  return [
    ...Array.from({ length: signature.length * 8 }, (_, bit) => {
      const changed = Buffer.from(signature);
      changed[bit >> 3] = (changed[bit >> 3] ?? 0) ^ (1 << (bit & 7));
      return changed;
    }),
    sequence(Buffer.concat([integer(r), integer(Buffer.concat([zero, high]))])),
    sequence(Buffer.concat([integer(Buffer.concat([zero, zero, r])), integer(s)])),
    sequence(content, [0x30, 0x81, content.length]),
    sequence(Buffer.concat([content, zero, zero]), [0x30, 0x80]),
    sequence(Buffer.concat([content, zero])),
    Buffer.concat([signature, zero]),
    signature.subarray(0, -1),
    Buffer.concat([sequence(Buffer.concat([integer(zero), integer(s)]))]),
    sequence(Buffer.concat([integer(r), integer(zero)])),
    sequence(integer(r)),
    Buffer.alloc(0),
    Buffer.from([0x30]),
  ];
}

/** The digits of r and s in DER. */
function readNumbers(signature: Buffer): [Buffer, Buffer] {
  const end = 4 + signature.readUInt8(3);
  return [signature.subarray(4, end), signature.subarray(end + 2)];
}

/** Reads each certificate once: parsing ASN.1 in JavaScript takes longer than all checks of a receipt. */
function cached(read: ReadCertificate): ReadCertificate {
  const certificates = new Map<string, ReturnType<ReadCertificate>>();
  return (bytes) => {
    const key = Buffer.from(bytes).toString('latin1');
    if (!certificates.has(key)) certificates.set(key, read(bytes));
    return certificates.get(key);
  };
}

// The last: one of this number of bytes is changed, since WebCrypto takes longer; the interop tests change each.
describe.each([
  ['OpenSSL', cached(readOpensslCertificate), 20],
  ['WebCrypto', cached(readWebCertificate), 100],
] as const)('with %s', (_implementation, read, stride) => {
  const trusting = (trusted: readonly TrustedRoot[]) => new TrustedRoots(trusted, read);
  const roots = trusting([rootOf(org1)]);
  const check = async (text: string, terms: Partial<Parameters<typeof verifyReceipt>[1]> = {}) =>
    verifyReceipt(text, { roots, ...terms });

  describe.each(['statement', 'qscc'])('a receipt with a peer’s word of the kind %s', (kind) => {
    const of = (block: Uint8Array, index?: number) => receiptsOf(block, index).find(([one]) => one === kind)![1];

    it('proves a transaction step by step', async () => {
      const block = blockOf();
      const report = await check(of(block, 2));
      expect(report.steps.map((step) => `${step.result} ${step.check}: ${step.what}`)).toEqual([
        'passed FORMAT: a receipt of version 1',
        `passed BLOCK: block 1 has the hash ${hashOf(block)}, which covers its 3 transactions`,
        'passed BLOCK_SIGNATURE: signed by orderer.org1msp.example.com (Org1MSP)',
        'passed TRANSACTION: a call of "basic" at position 2',
        'passed CREATOR: signed by client.org1msp.example.com (Org1MSP)',
        'passed ENDORSEMENT: signed by peer.org1msp.example.com (Org1MSP)',
        'passed VALIDATION_CODE: VALID, signed by peer.org1msp.example.com (Org1MSP)',
        'not checked EXPECTED_HEAD: no hash from elsewhere was given',
      ]);
      expect(report).toMatchObject({
        verdict: 'valid',
        transaction: {
          ...placeAt(block, 2),
          creator: 'client.org1msp.example.com',
          chaincode: 'basic',
          function: 'Test',
          functionEncoding: 'utf8',
          arguments: [],
          argumentEncodings: [],
          timestamp: '2026-01-02T00:00:00.000Z',
        },
      });
      expect(report.notProven).toHaveLength(kind === 'qscc' ? 6 : 5);
    });

    it('is refused with any byte of it changed', async () => {
      const chain = new TestChain([org1]);
      const text = Buffer.from(of(chain.append({ envelopes: [chain.transaction({ readWriteSet: write('a') })] })));
      const passed: string[] = [];
      for (let offset = 0; offset < text.length; offset += stride) {
        const changed = Buffer.from(text);
        changed[offset] = (changed[offset] ?? 0) ^ (1 << (offset % 7));
        const { verdict } = await check(changed.toString());
        if (verdict !== 'refused') passed.push(`byte ${offset} as ${String(changed[offset])} of ${changed.toString()}`);
      }
      expect(passed).toEqual([]);
    });

    it('is refused when it is cut off', async () => {
      const text = of(blockOf());
      for (const length of [0, 1, 100, text.length - 1]) {
        expect(await refusal(check(text.slice(0, length)))).toBe('FORMAT: it is not JSON, or truncated');
      }
    });

    it('is refused when it names a member twice, of which another reader may take the first', async () => {
      const text = of(blockOf());
      for (const twice of [
        `{"transactionId":"${'0'.repeat(64)}",${text.slice(1)}`,
        text.replace('{"kind":', '{"kind":"","kind":'),
      ]) {
        expect(await refusal(check(twice))).toBe('FORMAT: a member appears twice, so that it can be read in two ways');
      }
    });

    it('states that a transaction which lost a race changed nothing', async () => {
      const report = await check(of(blockOf(), 1));
      expect(report).toMatchObject({ verdict: 'not-valid', transaction: { validationCode: 'MVCC_READ_CONFLICT' } });
    });

    it('proves nothing about a transaction that the peers refused for its form', async () => {
      const report = await check(of(blockOf({ validationCodes: [10, 0, 0] }, { endorsers: [stranger.peer] })));
      expect(report).toMatchObject({
        verdict: 'not-valid',
        transaction: { validationCode: 'ENDORSEMENT_POLICY_FAILURE' },
      });
      expect(report.steps).toContainEqual({
        check: 'TRANSACTION',
        result: 'not checked',
        what: 'the peers refused its content: nothing in it is trusted',
      });
    });

    it('proves a configuration, by the orderer that signed it', async () => {
      const chain = new TestChain([org1]);
      const report = await check(
        of(chain.append({ envelopes: [reconfigured(chain, 1, undefined, 'hash')], lastConfig: 1 })),
      );
      expect(report).toMatchObject({ verdict: 'valid', transaction: { chaincode: '', function: '' } });
      expect(report.steps).toContainEqual({
        check: 'CREATOR',
        result: 'passed',
        what: 'signed by orderer.org1msp.example.com (Org1MSP)',
      });
    });

    it('proves the unsigned block 0 by its hash', async () => {
      const [block] = new TestChain([org1]).blocks as [Uint8Array];
      expect(await refusal(check(of(block)))).toBe(
        'BLOCK_SIGNATURE: block 0 is not signed: give the hash that you know by --expect 1:HASH',
      );
      expect((await check(of(block), { expect: { height: 1, hash: hashOf(block).toUpperCase() } })).verdict).toBe(
        'valid',
      );
      expect(await refusal(check(of(block), { expect: { height: 1, hash: 'ab'.repeat(32) } }))).toMatch(
        /^EXPECTED_HEAD: block 0 /,
      );
    });

    it('is refused with another code than the peer’s, whatever else it contains', async () => {
      const changed = { ...(JSON.parse(of(blockOf(), 1)) as object), validationCode: 'VALID' };
      expect(await refusal(check(JSON.stringify(changed)))).toMatch(/^VALIDATION_CODE: /);
    });

    it('is compared with what is known from elsewhere', async () => {
      const chain = chainOf();
      const [first, block] = chain.blocks as [Uint8Array, Uint8Array];
      const text = of(block);
      const pinned = (height: number, hash: string) => refusal(check(text, { expect: { height, hash } }));
      expect(await pinned(2, hashOf(block))).toBe('valid');
      expect(await pinned(1, hashOf(first))).toBe('valid');
      expect(await pinned(2, hashOf(first))).toBe(
        `EXPECTED_HEAD: block 1 has the hash ${hashOf(block)} here, not ${hashOf(first)}`,
      );
      expect(await pinned(3, hashOf(block))).toMatch(
        /^EXPECTED_HEAD: a receipt of block 1 can be compared .* not with height 3$/,
      );
    });
  });

  describe('what is no receipt is refused', () => {
    it.each([
      ['nothing', '', 'it is not JSON, or truncated'],
      ['a list', '[]', 'it is not a receipt: a receipt has the "format" "ledger-receipt"'],
      ['an answer of the API', '{"success":true}', 'it is not a receipt: a receipt has the "format" "ledger-receipt"'],
      [
        'one without a version',
        '{"format":"ledger-receipt"}',
        'its version is missing, and this program supports 1 and 2: use a newer one',
      ],
      [
        'one of tomorrow',
        withMembers({ version: 3 }),
        'its version is 3, and this program supports 1 and 2: use a newer one',
      ],
      ['one with more', withMembers({ note: 'x' }), 'it has an unknown member: "note"'],
      ['one with less', withMembers({ block: undefined }), '"block" is missing'],
      ['one with odd base64', withMembers({ block: 'CkY' }), '"block" is not valid'],
      ['a hash in capitals', withMembers({ blockHash: 'AB'.repeat(32) }), '"blockHash" is not valid'],
      ['half a position', withMembers({ position: 0.5 }), '"position" is not valid'],
      ['an unknown code', withMembers({ validationCode: 'toString' }), '"validationCode" is not valid'],
      ['no word of a peer', withMembers({ attestation: null }), '"attestation" is not valid'],
      ['a word of another kind', withMembers({ attestation: {} }), 'the attestation is of the unknown kind missing'],
      ['half a word', withMembers({ attestation: { kind: 'qscc' } }), '"attestation.payload" is missing'],
    ])('%s', async (_, text, why) => {
      expect(await refusal(check(text))).toBe(`FORMAT: ${why}`);
    });
  });

  describe('a block is refused', () => {
    it.each([
      ['of another number', withMembers({ blockNumber: 2 }), 'BLOCK: the block has the number 1, not 2'],
      ['of another hash', withMembers({ blockHash: 'ab'.repeat(32) }), /^BLOCK: the block has the hash \w+, not abab/],
      ['of garbage', withMembers({ block: '////' }), /^BLOCK: the block is not in its canonical form: /],
      ['of nothing', withMembers({ block: '' }), 'BLOCK: the block is not in its canonical form: it cannot be decoded'],
      [
        'with fewer transactions than its header names',
        withBlock((block) => {
          block.getData()!.setDataList(block.getData()!.getDataList().slice(1));
        }),
        'BLOCK: the header contains the hash of other transactions',
      ],
      [
        'with a peer’s unsigned codes',
        withBlock((block) => {
          setMetadata(block, [block.getMetadata()!.getMetadataList_asU8()[0]!, Buffer.from([0])]);
        }),
        'BLOCK: the block has metadata that no signature covers',
      ],
      [
        'with more metadata',
        withBlock((block) => block.getMetadata()!.addMetadata(Buffer.alloc(0))),
        'BLOCK: the block has metadata that no signature covers',
      ],
      [
        'without a signature',
        withBlock((block) => {
          setMetadata(block, []);
        }),
        'BLOCK_SIGNATURE: the block is not signed',
      ],
      [
        'with signatures of another form',
        withBlock((block) => {
          setMetadata(block, [Buffer.from([0xff])]);
        }),
        /^BLOCK_SIGNATURE: the orderers' metadata are not in their canonical form: /,
      ],
      [
        'with a signed value of another form',
        withBlock((block) => {
          const metadata = common.Metadata.deserializeBinary(block.getMetadata()!.getMetadataList_asU8()[0]!);
          metadata.setValue(Buffer.from([0xff]));
          setMetadata(block, [metadata.serializeBinary()]);
        }),
        /^BLOCK_SIGNATURE: the orderers' metadata are not in their canonical form: /,
      ],
      [
        'of orderers whose signatures cannot be checked',
        withBlock((block) => {
          const metadata = common.Metadata.deserializeBinary(block.getMetadata()!.getMetadataList_asU8()[0]!);
          metadata.getSignaturesList()[0]!.setIdentifierHeader(Buffer.from('x'));
          metadata.getSignaturesList()[0]!.setSignatureHeader('');
          setMetadata(block, [metadata.serializeBinary()]);
        }),
        /^BLOCK_SIGNATURE: /,
      ],
      [
        'with the signature of an orderer twice',
        withBlock((block) => {
          const metadata = common.Metadata.deserializeBinary(block.getMetadata()!.getMetadataList_asU8()[0]!);
          metadata.addSignatures(metadata.getSignaturesList()[0]!.clone());
          setMetadata(block, [metadata.serializeBinary()]);
        }),
        'BLOCK_SIGNATURE: a signer appears twice',
      ],
      [
        'signed by a client of the same root',
        withMembers({}, blockOf({ orderer: org1.client })),
        'BLOCK_SIGNATURE: client.org1msp.example.com (Org1MSP) does not have the role orderer: its certificate does not contain OU=orderer',
      ],
      [
        'signed by a stranger',
        withMembers({}, blockOf({ orderer: stranger.orderer })),
        'BLOCK_SIGNATURE: no root of "StrangerMSP" was given: --root MSPID=CA.pem',
      ],
      [
        'signed by another than it names',
        withMembers({}, blockOf({ orderer: { identity: org1.orderer.identity, sign: (it) => org1.peer.sign(it) } })),
        'BLOCK_SIGNATURE: the signature is not that of orderer.org1msp.example.com (Org1MSP)',
      ],
    ])('%s', async (_, text, why) => {
      const found = await refusal(check(text));
      if (typeof why === 'string') expect(found).toBe(why);
      else expect(found).toMatch(why);
    });
  });

  describe('a transaction is refused', () => {
    const chain = new TestChain([org1]);
    const envelope = chain.transaction({ readWriteSet: write('a') });
    const copies = chain.append({ envelopes: [envelope, envelope], validationCodes: [0, 9] });
    const good = blockOf();
    const { payload } = decodeEnvelope(decodeBlock(good).envelopes[0]!);
    const unsigned = common.Payload.deserializeBinary(payload);
    unsigned.setData(Buffer.from([0xff]));

    it.each([
      [
        'out of range',
        withMembers({ position: 3 }),
        'TRANSACTION: there is no position 3 in a block of 3 transactions',
      ],
      [
        'at another position',
        withMembers({ position: 1 }),
        'TRANSACTION: the transaction appears first at position 0, not 1',
      ],
      [
        'that is a copy of an earlier one',
        withMembers({ position: 1 }, copies),
        'TRANSACTION: the transaction appears first at position 0, not 1',
      ],
      [
        'that is not there',
        withMembers({ transactionId: 'ab'.repeat(32) }),
        'TRANSACTION: the block contains no transaction with that id',
      ],
      [
        'of another channel',
        withMembers({ channel: 'other' }),
        'TRANSACTION: the transaction is for the channel "testchannel", not "other"',
      ],
      [
        'of another channel, whose name is shortened and escaped',
        withMembers({ channel: `a\u202eb${'x'.repeat(100_000)}` }),
        `TRANSACTION: the transaction is for the channel "testchannel", not "a\\u202eb${'x'.repeat(61)}…"`,
      ],
      [
        'whose id is not the hash of nonce and creator',
        withMembers({}, blockOf({}, { sentAs: renamed, endorsedAs: renamed })),
        'TRANSACTION: the id is not the hash of nonce and creator',
      ],
      [
        'whose creator did not sign it',
        withMembers({}, blockOf({}, { signer: org1.peer })),
        'CREATOR: the signature is not that of client.org1msp.example.com (Org1MSP)',
      ],
      [
        'of a stranger',
        withMembers({}, blockOf({}, { creator: stranger.client })),
        'CREATOR: no root of "StrangerMSP" was given: --root MSPID=CA.pem',
      ],
      [
        'without an endorsement',
        withMembers({}, blockOf({}, { endorsers: [] })),
        'ENDORSEMENT: the transaction is not endorsed',
      ],
      [
        'whose endorser did not sign it',
        withMembers({}, blockOf({}, { endorserSigns: (_, content) => org1.client.sign(content) })),
        'ENDORSEMENT: the signature is not that of peer.org1msp.example.com (Org1MSP)',
      ],
      [
        'endorsed by an organisation without a root',
        withMembers({}, blockOf({}, { endorsers: [org1.peer, org2.peer] })),
        'ENDORSEMENT: no root of "Org2MSP" was given: --root MSPID=CA.pem',
      ],
      [
        'whose endorsers answered another call',
        withMembers(
          {},
          blockOf({}, { endorsedAs: (proposal) => ({ ...proposal, chaincodePayload: Buffer.from('x') }) }),
        ),
        'TRANSACTION: the endorsers answered another proposal',
      ],
      [
        'of a type that has no place in a channel',
        withMembers({}, blockOf({}, { sentAs: typed, endorsedAs: typed })),
        'TRANSACTION: a channel contains no transactions of the type 2',
      ],
      [
        'with a configuration of another form',
        withMembers(
          {},
          chainOf({ envelopes: [odd(reconfigured(new TestChain([org1]), 1, undefined, 'hash'))], validationCodes: [0] })
            .blocks[1],
        ),
        /^TRANSACTION: the configuration .*: unknown field 4/,
      ],
      [
        'that is no call of one chaincode',
        withMembers(
          {},
          blockOf({ envelopes: [encodeEnvelope(unsigned.serializeBinary(), Buffer.from('x'))], validationCodes: [0] }),
        ),
        /^TRANSACTION: the transaction is not in its canonical form/,
      ],
    ])('%s', async (_, text, why) => {
      const found = await refusal(check(text));
      if (typeof why === 'string') expect(found).toBe(why);
      else expect(found).toMatch(why);
    });
  });

  describe('a peer’s word is refused', () => {
    const block = blockOf();
    const place = placeAt(block);
    const refusalFor = (attestation: Attestation) => refusal(check(receiptText(place, block, attestation)));
    const answered = (answer: TestAnswer) => refusalFor(answeredBy(block, place, answer));

    it.each([
      [
        'of a client',
        statedBy(org1.client, place),
        /^VALIDATION_CODE: client.* does not have the role peer: its certificate does not contain OU=peer$/,
      ],
      ['of a stranger', statedBy(stranger.peer, place), /^VALIDATION_CODE: no root of "StrangerMSP" was given/],
      [
        'about another place',
        statedBy(org1.peer, { ...place, blockNumber: 2 }),
        /^VALIDATION_CODE: the peer's statement is not about this place and code$/,
      ],
      [
        'without any signer',
        { ...statedBy(org1.peer, place), endorser: Buffer.from([0xff]) } as Attestation,
        /^VALIDATION_CODE: the identity cannot be decoded$/,
      ],
    ])('%s', async (_, attestation, why) => {
      expect(await refusalFor(attestation)).toMatch(why);
    });

    it.each<readonly [string, TestAnswer, RegExp]>([
      ['without peers', { peers: [] }, /^VALIDATION_CODE: the peer's answer is not signed$/],
      ['by a peer that appears twice', { peers: [org1.peer, org1.peer] }, /^VALIDATION_CODE: a signer appears twice$/],
      ['by a client', { peers: [org1.client] }, /does not have the role peer/],
      ['by a peer and a client', { peers: [org1.peer, org1.client] }, /does not have the role peer/],
      [
        'of another chaincode',
        { chaincode: 'basic' },
        /^VALIDATION_CODE: the peer was asked something else: "testchannel", "basic", /,
      ],
      ['to another question', { asked: ['GetBlockByTxID', place.channel, place.transactionId] }, /something else/],
      [
        'about another transaction',
        { asked: ['GetTransactionByID', place.channel, 'ab'.repeat(32)] },
        /something else/,
      ],
      ['about another channel', { asked: ['GetTransactionByID', 'other', place.transactionId] }, /something else/],
      [
        'to a question of other bytes',
        {
          askedAs: (payload) => {
            const changed = Buffer.from(payload);
            changed[changed.indexOf('GetTransactionByID')] = 0xff;
            return changed;
          },
        },
        /something else: "testchannel", "qscc", "base64\(\/2V0/,
      ],
      [
        'to a question that cannot be read',
        {
          askedAs: () => Buffer.alloc(0),
          edit: (action) => {
            action.clearChaincodeId();
          },
        },
        /^VALIDATION_CODE: the peer was asked something else: "testchannel", "", ""$/,
      ],
      [
        'without a response',
        {
          edit: (action) => {
            action.clearResponse();
          },
        },
        /returned no transaction$/,
      ],
      ['that refuses', { status: 500 }, /^VALIDATION_CODE: the peer returned no transaction$/],
      ['of garbage', { payload: Buffer.from([0xff]) }, /^VALIDATION_CODE: the peer returned no transaction$/],
      ['of no transaction', { envelope: undefined }, /returned another transaction than the one in the block$/],
      ['of another transaction', { envelope: decodeBlock(block).envelopes[1] }, /returned another transaction/],
      [
        'of another code',
        { code: 11 },
        /^VALIDATION_CODE: the peer has the transaction as MVCC_READ_CONFLICT, not VALID$/,
      ],
    ])('%s, as an answer', async (_, answer, why) => {
      expect(await answered(answer)).toMatch(why);
    });

    it('of what is no call, as an answer', async () => {
      const { payload } = decodeEnvelope(reconfigured(new TestChain([org1]), 1));
      expect(await refusalFor({ kind: 'qscc', payload })).toBe("VALIDATION_CODE: the peer's answer is not signed");
    });

    it('of garbage, as an answer', async () => {
      expect(await refusalFor({ kind: 'qscc', payload: Buffer.from([0xff]) })).toMatch(
        /^VALIDATION_CODE: the peer's answer is not valid: /,
      );
    });
  });

  describe('roots', () => {
    it('with certificates of a kind that cannot be checked prove nothing', async () => {
      const root = await createRoot('org1.example.com');
      const { certificate } = await issueLeaf(root, { commonName: 'orderer', role: 'orderer' });
      const odd = onUnknownCurve(new X509Certificate(certificate), root.privateKey);
      const identity = serializeIdentity('Org1MSP', Buffer.from(odd));
      const text = withMembers({}, blockOf({ orderer: { ...org1.orderer, identity } }));
      const trusted = trusting([{ mspId: 'Org1MSP', certificate: root.certificate }]);
      expect(await refusal(check(text, { roots: trusted }))).toBe(
        'BLOCK_SIGNATURE: orderer (Org1MSP): the certificate is of a kind that cannot be checked',
      );
    });

    it('are the certificates of authorities in a PEM file, each for itself', async () => {
      const both = readRoots('Org1MSP', `text\n${stranger.rootCertificate}\n${org1.rootCertificate}`, read);
      expect((await check(withMembers({}), { roots: trusting(both) })).verdict).toBe('valid');
      expect(() => readRoots('Org1MSP', 'text', read)).toThrow('it contains no certificate in PEM form');
      const broken = '-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----';
      expect(() => readRoots('Org1MSP', broken, read)).toThrow('a certificate in it cannot be read');
      const leaf = Buffer.from(org1.peer.identity).toString();
      expect(() => readRoots('Org1MSP', leaf, read)).toThrow(
        'a certificate in it is not that of a certificate authority',
      );
    });

    it('are not asked whether a certificate had expired, as in the verification of a chain', async () => {
      const root = await createRoot('org1.example.com');
      const ended = { validFrom: new Date('2001-01-01'), validUntil: new Date('2002-01-01') };
      const request = { subject: 'OU=orderer, CN=orderer', use: 'signing', ...ended } as const;
      const { certificate, privateKey } = await makeCertificate(request, root);
      const orderer = {
        identity: serializeIdentity('Org1MSP', Buffer.from(certificate)),
        sign: (content: Uint8Array) => signLowS(content, createPrivateKey(privateKey)),
      };
      const both = trusting([rootOf(org1), { mspId: 'Org1MSP', certificate: root.certificate }]);
      const report = await check(withMembers({}, blockOf({ orderer })), { roots: both });
      expect(report.verdict).toBe('valid');
      expect(report.notProven).toContain('that no certificate had expired or was revoked: that is not checked');
    });

    it('do not make a peer of a certificate that has several roles or none', async () => {
      const root = await createRoot('org1.example.com');
      const trusted = trusting([{ mspId: 'Org1MSP', certificate: root.certificate }]);
      const signer = async (subject: string) => {
        const valid = { validFrom: new Date('2001-01-01'), validUntil: new Date('2101-01-01') };
        const { certificate } = await makeCertificate({ subject, use: 'signing', ...valid }, root);
        return trusted.signer(serializeIdentity('Org1MSP', Buffer.from(certificate)), 'PEER');
      };
      expect(await signer('OU=peer, CN=p')).toMatchObject({ name: 'p (Org1MSP)' });
      expect(await signer('OU=client, OU=peer, CN=p')).toBe(
        'p (Org1MSP): the certificate must have exactly one role, and has OU=client and OU=peer',
      );
      expect(await signer('CN=p')).toBe('p (Org1MSP): the certificate must have exactly one role, and has none');
    });

    it('accept a member of an affiliation, whose units fabric-ca writes into one relative name', async () => {
      const root = await createRoot('org1.example.com');
      const trusted = trusting([{ mspId: 'Org1MSP', certificate: root.certificate }]);
      const valid = { validFrom: new Date('2001-01-01'), validUntil: new Date('2101-01-01') };
      const request = { subject: 'OU=client+OU=org1, CN=Ana \\+ Bo\\, Inc.', use: 'signing', ...valid } as const;
      const { certificate } = await makeCertificate(request, root);
      const identity = serializeIdentity('Org1MSP', Buffer.from(certificate));
      expect(await trusted.signer(identity, 'CLIENT')).toMatchObject({ name: 'Ana + Bo, Inc. (Org1MSP)' });
      expect(await trusted.signer(identity, 'PEER')).toMatch(/ does not have the role peer: /);
    });

    it('name members as their certificates do, also by control characters, and what is no certificate by its bytes', async () => {
      const root = await createRoot('org1.example.com');
      const trusted = trusting([{ mspId: 'Org1MSP', certificate: root.certificate }]);
      const valid = { validFrom: new Date('2001-01-01'), validUntil: new Date('2101-01-01') };
      const request = { subject: 'OU=client, CN=Ana\vBo', use: 'signing', ...valid } as const;
      const { certificate } = await makeCertificate(request, root);
      expect(trusted.nameOf(Buffer.from(certificate))).toBe('Ana\vBo');
      expect(trusted.nameOf(Buffer.from('no certificate'))).toBe('no certificate');
    });

    it('may have another curve of the NIST, for which high S is valid', async () => {
      const keys = generateKeyPairSync('ec', { namedCurve: 'P-384' });
      const root = await createRoot('org1.example.com');
      const valid = { validFrom: new Date('2001-01-01'), validUntil: new Date('2101-01-01') };
      const request = { subject: 'OU=peer, CN=p', use: 'signing', keys, ...valid } as const;
      const { certificate } = await makeCertificate(request, root);
      const identity = serializeIdentity('Org1MSP', Buffer.from(certificate));
      const trusted = trusting([{ mspId: 'Org1MSP', certificate: root.certificate }]);
      const signer = (await trusted.signer(identity, 'PEER')) as TrustedSigner;
      const content = Buffer.from('content');
      for (let index = 0; index < 10; index++) {
        const signature = sign('sha256', content, keys.privateKey);
        expect(await signer.hasSigned(content, signature)).toBe(true);
        expect(await signer.hasSigned(Buffer.from('other'), signature)).toBe(false);
      }
    });

    it('accept a signature in strict DER with low S only', async () => {
      const [content, trusted] = [Buffer.from('content'), trusting([rootOf(org1)])];
      const signer = (await trusted.signer(org1.peer.identity, 'PEER')) as TrustedSigner;
      const signature = Buffer.from(org1.peer.sign(content));
      const accepts = async (bytes: Uint8Array) => signer.hasSigned(content, bytes);
      expect(await accepts(signature)).toBe(true);
      for (const bytes of otherForms(signature))
        expect([bytes.toString('hex'), await accepts(bytes)]).toEqual([bytes.toString('hex'), false]);
    });

    it('of a stranger prove nothing', async () => {
      const wrong = trusting([{ mspId: 'Org1MSP', certificate: stranger.rootCertificate }]);
      expect(await refusal(check(withMembers({}), { roots: wrong }))).toBe(
        'BLOCK_SIGNATURE: orderer.org1msp.example.com (Org1MSP): the certificate does not chain to a root of Org1MSP',
      );
    });
  });

  describe.each(recordedChains())('transactions recorded from Fabric $version', ({ blocks }) => {
    it('are proven by the signatures of their orderers, creators and endorsers, and the word of a peer', async () => {
      // Their peers' keys are gone: another peer with that name signs the code.
      const trusted = trusting([...rootsOf(blocks[0]!.bytes), rootOf(org1)]);
      for (const { bytes } of blocks.slice(1)) {
        for (let index = 0; index < decodeBlock(bytes).envelopes.length; index++) {
          const { validationCode } = placeAt(bytes, index);
          for (const [, text] of receiptsOf(bytes, index)) {
            expect(await refusal(check(text, { roots: trusted }))).toBe(
              validationCode === 'VALID' ? 'valid' : 'not-valid',
            );
          }
        }
      }
    });
  });

  it('rethrows unexpected errors', async () => {
    const signer = (): never => {
      throw new TypeError('unforeseen');
    };
    const roots = { signer } as unknown as TrustedRoots;
    await expect(check(withMembers({}), { roots })).rejects.toThrow('unforeseen');
  });

  it('accepts no metadata of a block that has none', () => {
    const bare = new common.Block();
    bare.setHeader(new common.BlockHeader());
    const sealed = common.Block.deserializeBinary(sealedBlock(bare.serializeBinary()));
    expect(
      sealed
        .getMetadata()!
        .getMetadataList_asU8()
        .map(({ length }) => length),
    ).toEqual([0, 0, 0, 0, 0]);
  });

  it('is not upset by what strangers send as a block or as an answer', async () => {
    const base64 = fc.uint8Array({ maxLength: 300 }).map((bytes) => Buffer.from(bytes).toString('base64'));
    const good = withMembers({});
    await fc.assert(
      fc.asyncProperty(base64, fc.boolean(), async (bytes, isBlock) => {
        const members = isBlock ? { block: bytes } : { attestation: { kind: 'qscc', payload: bytes } };
        const text = JSON.stringify({ ...(JSON.parse(good) as object), ...members });
        expect((await check(text)).verdict).toBe('refused');
      }),
    );
  });
});
