import { hash } from 'node:crypto';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { decodeBlock } from '#fabric-codec';
import { treeEntry } from '#fabric-codec/encode';
import { org1, reconfigured, TestChain, write } from '#fabric-codec/testing';
import { sealDocument } from '#records-contract/sealed';
import {
  generateKey,
  isSignedBy,
  leafHash,
  parsePolicy,
  pathAmong,
  rootOf,
  SignatureType,
  signCheckpoint,
  tlogProofText,
  verifierKeyText,
  Witness,
} from '#tlog';
import { verifyWebSignature } from './browser/web-signature.js';
import { placeAt, receiptsOf } from './testing/test-receipt.js';
import { readOpensslCertificate } from './openssl-certificate.js';
import { needsOf } from './receipt-signers.js';
import { witnessedReceiptText, type RecordedPlace } from './receipt.js';
import { conclusionOf } from './report-text.js';
import { TrustedRoots } from './trusted-roots.js';
import { verifyReceipt, type ReceiptReport } from './verify-receipt.js';

const LOG = 'ledger.example.org/testchannel/lisbon';
const CONFIRMED = 1_800_000_000;
const logKey = generateKey(LOG, SignatureType.ED25519);
const witnessKeys = ['a', 'b', 'c'].map((name) => generateKey(`${name}.example.org`, SignatureType.COSIGNATURE));
const NO_ROOTS = new TrustedRoots([], readOpensslCertificate);
const ROOTS = new TrustedRoots([{ mspId: 'Org1MSP', certificate: org1.rootCertificate }], readOpensslCertificate);

const policyOf = (group: string, log = logKey) =>
  parsePolicy(
    [
      `log ${verifierKeyText(log)}`,
      ...witnessKeys.map((key, index) => `witness w${index} ${verifierKeyText(key)}`),
      `group all ${group} w0 w1 w2`,
      'quorum all',
    ].join('\n'),
  );
const verify = (text: string, { roots = NO_ROOTS, policy = policyOf('2'), ...terms } = {}) =>
  verifyReceipt(text, { roots, logs: { policy, verify: isSignedBy }, ...terms });
const resultsOf = ({ steps }: ReceiptReport) => Object.fromEntries(steps.map(({ check, result }) => [check, result]));
const failureOf = ({ verdict, steps }: ReceiptReport) => [verdict, steps.at(-1)?.check];

/** A block with a valid transaction, one that lost a race, and one whose endorsement was refused. */
function chainOf(): TestChain {
  const chain = new TestChain([org1]);
  const envelopes = ['a', 'b', 'c'].map((key) => chain.transaction({ readWriteSet: write(key) }));
  chain.append({ envelopes, validationCodes: [0, 11, 10] });
  chain.append({ envelopes: [chain.transaction({ readWriteSet: write('d') })] });
  return chain;
}

/** A signed checkpoint over a chain, with the confirmations of witnesses. */
function checkpointOf({ blocks }: TestChain, witnesses: number, now = CONFIRMED * 1000): string {
  const leaves = blocks.map((block) => leafHash(treeEntry(decodeBlock(block))));
  const text = signCheckpoint(logKey, { size: leaves.length, root: rootOf(leaves) });
  const confirm = (key: (typeof witnessKeys)[0]) =>
    new Witness(key, [logKey], new Map(), () => now).addCheckpoint(`old 0\n\n${text}`).body;
  return text + witnessKeys.slice(0, witnesses).map(confirm).join('');
}

interface Parts {
  readonly number?: number;
  readonly position?: number;
  readonly checkpoint?: string;
  readonly hasBlock?: boolean;
}

function receiptOf(
  chain: TestChain,
  { number = 1, position = 0, checkpoint = checkpointOf(chain, 2), hasBlock = false }: Parts = {},
): string {
  const leaves = chain.blocks.map((block) => leafHash(treeEntry(decodeBlock(block))));
  const proof = tlogProofText(number, pathAmong(leaves, number), checkpoint);
  const block = chain.blocks[number]!;
  return witnessedReceiptText(placeAt(block, position), block, { proof, hasBlock });
}

/** The receipt with other members, and their checksum. */
function changed(text: string, members: object): string {
  const others: Record<string, unknown> = { ...(JSON.parse(text) as object), ...members };
  delete others['checksum'];
  return JSON.stringify({ ...others, checksum: hash('sha256', JSON.stringify(others), 'hex') });
}

let chain: TestChain;
let receipt: string;

beforeAll(() => {
  chain = chainOf();
  receipt = receiptOf(chain);
});

describe('a receipt with the proof of a log', () => {
  it('is proven by the log and a quorum of witnesses', async () => {
    const report = await verify(receipt);
    expect(report).toMatchObject({
      verdict: 'valid',
      transaction: { blockNumber: 1, position: 0, chaincode: 'basic' },
    });
    expect(resultsOf(report)).toEqual({
      FORMAT: 'passed',
      INCLUSION: 'passed',
      CHECKPOINT: 'passed',
      WITNESSES: 'passed',
      TRANSACTION: 'passed',
      CREATOR: 'not checked',
      ENDORSEMENT: 'not checked',
      EXPECTED_HEAD: 'not checked',
    });
    expect(conclusionOf(report)[0]).toContain('if you trust the policy');
    expect(report.steps[3]?.what).toContain('"w0" at 2027-01-15T08:00:00.000Z');
    expect(receipt.length).toBeLessThan(8 * 1024);
  });

  it('is checked with the roots of the organizations too, and with the block', async () => {
    const complete = receiptOf(chain, { hasBlock: true });
    const expect1 = { height: 2, hash: Buffer.from(decodeBlock(chain.blocks[1]!).hash).toString('hex') };
    const report = await verify(complete, { roots: ROOTS, expect: expect1 } as object);
    expect(new Set(report.steps.map(({ result }) => result))).toEqual(new Set(['passed']));
    expect(report.steps.map(({ check }) => check)).toEqual(
      expect.arrayContaining(['BLOCK', 'BLOCK_SIGNATURE', 'CREATOR', 'ENDORSEMENT', 'EXPECTED_HEAD']),
    );
    expect(report.notProven.length).toBeLessThan((await verify(receipt)).notProven.length);
    expect(resultsOf(await verify(complete))).toMatchObject({ BLOCK: 'passed', BLOCK_SIGNATURE: 'not checked' });
  });

  it('is verified with WebCrypto too', async () => {
    const logs = { policy: policyOf('2'), verify: verifyWebSignature };
    expect((await verifyReceipt(receipt, { roots: NO_ROOTS, logs })).verdict).toBe('valid');
    const forged = changed(
      receipt,
      withProof(receipt, (proof) => otherSignature(proof, 'a')),
    );
    expect(failureOf(await verifyReceipt(forged, { roots: NO_ROOTS, logs }))).toEqual(['refused', 'CHECKPOINT']);
  });

  it('proves a document outside the blocks', async () => {
    const salt = 'ab'.repeat(32);
    const { digest } = sealDocument({ name: 'ana' }, Buffer.from(salt, 'hex'));
    const records = new TestChain([org1]);
    const readWriteSet = write('r/patient/p1', JSON.stringify({ h: digest, v: 1 }));
    records.append({ envelopes: [records.transaction({ readWriteSet, chaincode: 'records' })] });
    const text = receiptOf(records);
    expect(needsOf(text).hasDocuments).toBe(true);
    const proven = await verify(text, { document: { text: '{"name":"ana"}', salt } } as object);
    expect([proven.verdict, proven.steps.at(-1)?.check]).toEqual(['valid', 'DOCUMENT']);
    const other = await verify(text, { document: { text: '{"name":"bob"}', salt } } as object);
    expect(failureOf(other)).toEqual(['refused', 'DOCUMENT']);
  });

  it('names what is needed to verify it', () => {
    const needs = { mspIds: ['Org1MSP'], hasLog: true, hasDocuments: false };
    expect(needsOf(receipt)).toEqual(needs);
    expect(needsOf(receiptOf(chain, { hasBlock: true }))).toEqual(needs);
    expect(needsOf(receiptsOf(chain.blocks[1]!)[0]![1]).hasLog).toBe(false);
  });

  it('proves also that a transaction changed nothing', async () => {
    const lost = await verify(receiptOf(chain, { position: 1 }), { roots: ROOTS });
    expect(lost).toMatchObject({ verdict: 'not-valid', transaction: { validationCode: 'MVCC_READ_CONFLICT' } });
    const refused = await verify(receiptOf(chain, { position: 2 }));
    expect(refused).toMatchObject({
      verdict: 'not-valid',
      transaction: { validationCode: 'ENDORSEMENT_POLICY_FAILURE' },
    });
    expect(resultsOf(refused)).toMatchObject({ TRANSACTION: 'not checked' });
  });

  it('is proven for a configuration', async () => {
    const configured = new TestChain([org1]);
    configured.append({ envelopes: [reconfigured(configured, 1, undefined, 'hash')], lastConfig: 1 });
    for (const number of [0, 1]) {
      const report = await verify(receiptOf(configured, { number }));
      expect(report).toMatchObject({ verdict: 'valid', transaction: { chaincode: '' } });
    }
  });

  it('is not witnessed yet when too few witnesses of the policy confirmed it', async () => {
    for (const witnesses of [0, 1]) {
      const report = await verify(receiptOf(chain, { checkpoint: checkpointOf(chain, witnesses) }));
      expect(report.verdict).toBe('not-witnessed');
      expect(resultsOf(report)).toMatchObject({ CHECKPOINT: 'passed', WITNESSES: 'not checked' });
      expect(conclusionOf(report)[0]).toContain('NOT WITNESSED YET');
    }
    expect((await verify(receipt, { policy: policyOf('all') })).verdict).toBe('not-witnessed');
  });

  it('shows a time of a witness that no calendar has', async () => {
    const checkpoint = checkpointOf(chain, 2, 9e15 * 1000);
    expect((await verify(receiptOf(chain, { checkpoint }))).steps[3]?.what).toContain('second 9000000000000000');
  });

  it('is refused without a policy, and by a policy of another log', async () => {
    expect(failureOf(await verifyReceipt(receipt, { roots: ROOTS }))).toEqual(['refused', 'CHECKPOINT']);
    const other = generateKey(LOG, SignatureType.ED25519);
    expect(failureOf(await verify(receipt, { policy: policyOf('2', other) }))).toEqual(['refused', 'CHECKPOINT']);
  });

  it.each<readonly [string, string, (text: string) => object]>([
    ['another place in the block', 'INCLUSION', () => ({ position: 1 })],
    ['a place that the block does not have', 'INCLUSION', () => ({ position: 3 })],
    ['another validation code', 'INCLUSION', () => ({ validationCode: 'MVCC_READ_CONFLICT' })],
    ['another block', 'INCLUSION', () => ({ blockNumber: 2 })],
    ['another hash', 'INCLUSION', () => ({ blockHash: '0'.repeat(64) })],
    ['another channel', 'INCLUSION', () => ({ channel: 'other' })],
    ['another id', 'INCLUSION', () => ({ transactionId: '0'.repeat(64) })],
    ['an entry that is none', 'INCLUSION', () => ({ entry: 'AAAA' })],
    [
      'the entry of another block',
      'INCLUSION',
      () => pick(receiptOf(chain, { number: 2 }), 'entry', 'blockNumber', 'blockHash'),
    ],
    ['a proof that is none', 'INCLUSION', () => ({ proof: '' })],
    ['the proof of another block', 'INCLUSION', () => pick(receiptOf(chain, { number: 2 }), 'proof')],
    [
      'a proof with extra data',
      'INCLUSION',
      (text) => withProof(text, (proof) => proof.replace('\nindex', '\nextra AAAA\nindex')),
    ],
    [
      'a proof without its last hash',
      'INCLUSION',
      (text) => withProof(text, (proof) => proof.replace(/\n[^\n]+\n\n/, '\n\n')),
    ],
    ['a changed signature', 'CHECKPOINT', (text) => withProof(text, (proof) => otherSignature(proof, 'b'))],
    ['the checkpoint of a fork', 'INCLUSION', (text) => withProof(text, (proof) => forkOf(proof))],
    ['a path of something else', 'FORMAT', () => ({ path: ['?'] })],
    ['a path that is no list', 'FORMAT', () => ({ path: 'AAAA' })],
    ['another member', 'FORMAT', () => ({ more: 1 })],
    ['an envelope that cannot be decoded', 'INCLUSION', () => ({ envelope: '' })],
  ])('is refused with %s', async (_, check, members) => {
    expect(failureOf(await verify(changed(receipt, members(receipt))))).toEqual(['refused', check]);
  });

  it('is refused with a block of other transactions', async () => {
    const complete = receiptOf(chain, { hasBlock: true });
    const block = (text: string) => pick(text, 'block');
    const fork = chainOf();
    expect(failureOf(await verify(changed(complete, block(receiptOf(fork, { hasBlock: true })))))).toEqual([
      'refused',
      'BLOCK',
    ]);
    expect(failureOf(await verify(changed(complete, { block: '' })))).toEqual(['refused', 'BLOCK']);
  });

  it('is refused when a bit of it is flipped, also with the checksum of the changed content', async () => {
    const complete = receiptOf(chain, { checkpoint: checkpointOf(chain, 3) });
    const policy = policyOf('all');
    const bytes = Buffer.from(complete);
    const accepted: number[] = [];
    for (const index of bytes.keys()) {
      const flipped = Buffer.from(bytes);
      flipped[index]! ^= 1 << (index % 8);
      const text = flipped.toString();
      if ((await verify(text, { policy })).verdict !== 'refused') accepted.push(index);
      const members = parsed(text);
      if (members === undefined) continue;
      const { verdict } = await verify(changed(text, {}), { policy });
      // A line with another name is by an unknown witness, which only its absence shows.
      if (!['refused', 'not-witnessed'].includes(verdict) && !isOnlyChecksum(members)) accepted.push(index);
    }
    expect(accepted).toEqual([]);

    function isOnlyChecksum(members: object): boolean {
      return (
        JSON.stringify({ ...members, checksum: '' }) ===
        JSON.stringify({ ...(JSON.parse(complete) as object), checksum: '' })
      );
    }
  });
});

function parsed(text: string): object | undefined {
  try {
    return JSON.parse(text) as object;
  } catch {
    return undefined;
  }
}

function pick(text: string, ...names: (keyof RecordedPlace | 'entry' | 'proof' | 'block')[]): object {
  const members = JSON.parse(text) as Record<string, unknown>;
  return Object.fromEntries(names.map((name) => [name, members[name]]));
}

function withProof(text: string, edit: (proof: string) => string): object {
  return { proof: edit((JSON.parse(text) as { proof: string }).proof) };
}

/** The proof with one other character in a witness's signature, which follows 16 of its key's id and time. */
function otherSignature(proof: string, witness: string): string {
  const line = `— ${witness}.example.org `;
  const at = proof.indexOf(line) + line.length + 20;
  return proof.slice(0, at) + (proof[at] === 'A' ? 'B' : 'A') + proof.slice(at + 1);
}

/** The proof with the checkpoint of another chain, signed by the same log. */
function forkOf(proof: string): string {
  return `${proof.split('\n\n')[0]!}\n\n${checkpointOf(chainOf(), 2)}`;
}
