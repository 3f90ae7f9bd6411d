import { Buffer } from 'node:buffer';
import { randomBytes } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { org1, TestChain } from '#fabric-codec/testing';
import { sealDocument } from '#records-contract/sealed';
import { readOpensslCertificate } from './openssl-certificate.js';
import type { GivenDocument } from './outside-document.js';
import { needsOf } from './receipt-signers.js';
import { receiptsOf } from './testing/test-receipt.js';
import { TrustedRoots } from './trusted-roots.js';
import { verifyReceipt } from './verify-receipt.js';

const ROOTS = new TrustedRoots([{ mspId: 'Org1MSP', certificate: org1.rootCertificate }], readOpensslCertificate);
const SALT = randomBytes(32);
const DOCUMENT = { text: ' {"name": "ana", "9": 1, "10": 2.0}', salt: SALT.toString('hex').toUpperCase() };
const { digest } = sealDocument({ 9: 1, 10: 2, name: 'ana' }, SALT);

/** Returns a receipt of a transaction with writes to a namespace, and a validation code. */
function receiptOf(values: Readonly<Record<string, string>>, { namespace = 'records', code = 0 } = {}): string {
  const chain = new TestChain([org1]);
  const writes = Object.entries(values).map(([key, value]) => ({ key, value: Buffer.from(value) }));
  const envelope = chain.transaction({ readWriteSet: { reads: [], writes }, chaincode: namespace });
  return receiptsOf(chain.append({ envelopes: [envelope], validationCodes: [code] }))[0]![1];
}

/** Returns the result of the check, and what the report states about a document that was not given. */
async function check(receipt: string, document?: GivenDocument): Promise<string> {
  const { verdict, steps, notProven } = await verifyReceipt(receipt, { roots: ROOTS, document });
  const step = steps.find((each) => each.check === 'DOCUMENT');
  const lacks = notProven.filter((what) => what.includes('--document'));
  return [verdict, step && `${step.result}: ${step.what}`, ...lacks].join(' | ');
}

describe('a document outside the blocks', () => {
  const stored = JSON.stringify({ h: digest, v: 1 });
  const records = receiptOf({ 'r/patient/p0': '{"h":"ab","v":1}', 'r/patient/p "1': stored, 'p/x': stored });

  it('is the one that a transaction wrote, whatever its form', async () => {
    expect(await check(records, DOCUMENT)).toBe(
      `valid | passed: the document of the record "p \\"1" of "patient": salt and document have the digest ${digest}`,
    );
  });

  it('is one that a user may have', () => {
    const signed = { mspIds: ['Org1MSP'], hasLog: false };
    expect(needsOf(records)).toEqual({ ...signed, hasDocuments: true });
    expect(needsOf(receiptOf({ 'r/login/l1': '{"d":{},"v":1}' }))).toEqual({ ...signed, hasDocuments: false });
  });

  it('is missing in what is proven unless it is given', async () => {
    const missing = 'the documents outside the blocks, of which it contains digests: give --document FILE --salt HEX';
    expect(await check(records)).toBe(`valid |  | ${missing}`);
    expect(await check(receiptOf({ 'r/login/l1': '{"d":{},"v":1}' }))).toBe('valid | ');
    expect(await check(receiptOf({ 'r/patient/p1': stored }, { namespace: 'basic' }))).toBe('valid | ');
    expect(await check(receiptsOf(new TestChain([org1]).blocks[0]!)[0]![1])).not.toContain('--document');
  });

  it('is not compared with a transaction that wrote nothing', async () => {
    const refused = receiptOf({ 'r/patient/p1': stored }, { code: 11 });
    expect(await check(refused, DOCUMENT)).toBe('not-valid | not checked: the transaction wrote nothing');
    expect(await check(refused)).toBe('not-valid | ');
  });

  it.each<[string, Partial<GivenDocument>]>([
    ['salt and document have the digest', { text: '{"name":"bob"}' }],
    ['salt and document have the digest', { salt: 'ab'.repeat(32) }],
    ['the salt must be 64 hexadecimal digits', { salt: 'ab' }],
    ['the salt must be 64 hexadecimal digits', { salt: 'xy'.repeat(32) }],
    ['the document is refused: it must be JSON', { text: '{' }],
    ['the document is refused: it has "a" twice', { text: '{"a":1,"a":2}' }],
  ])('refuses the receipt of another one: %s %j', async (reason, given) => {
    expect(await check(records, { ...DOCUMENT, ...given })).toContain(`refused | failed: ${reason}`);
  });

  it('refuses the receipt of a transaction without such documents', async () => {
    const reason = 'the transaction wrote no record whose document is outside the blocks';
    const others = [{ 'r/login/l1': '{"d":{},"v":1}' }, { 'p/x': stored }, { 'r/patient/p1': 'no json' }];
    for (const values of others) {
      expect(await check(receiptOf(values), DOCUMENT)).toBe(`refused | failed: ${reason}`);
    }
  });
});
