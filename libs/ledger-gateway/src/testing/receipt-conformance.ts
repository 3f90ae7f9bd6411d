import { randomUUID } from 'node:crypto';
import { expect, it } from '@jest/globals';
import { readOpensslCertificate, readReceipt, readRoots, sealedBlock, TrustedRoots, verifyReceipt } from '#receipts';
import { rootsOf } from '#receipts/testing';
import type { LedgerCall, Ledger } from '../ports/ledger.port.js';

const create = (): LedgerCall => ({ function: 'CreateAsset', arguments: [randomUUID(), 'blue', '5', 'Tomoko', '300'] });

/** The tests for receipts that every driver must pass. */
export function receiptConformance(ledger: () => Ledger): void {
  it('proves a transaction to a verifier that trusts the roots', async () => {
    const call = create();
    const { transactionId, blockNumber } = await ledger().submit(call);
    const text = (await ledger().receipt!(transactionId))!;
    const roots = rootsOf((await ledger().blockByNumber(0))!.bytes);
    const report = await verifyReceipt(text, { roots: new TrustedRoots(roots, readOpensslCertificate) });
    expect(report.steps.filter(({ result }) => result === 'failed')).toEqual([]);
    expect(report.transaction).toMatchObject({
      channel: ledger().channel,
      transactionId,
      blockNumber,
      validationCode: 'VALID',
      function: call.function,
      arguments: call.arguments,
    });
    const block = await ledger().blockByNumber(blockNumber);
    const receipt = readReceipt(text);
    expect(receipt.blockHash).toBe(block?.hash);
    expect(Buffer.from(receipt.block ?? []).equals(sealedBlock(block!.bytes))).toBe(true);
  });

  it('can be verified with the certificates of the authorities that the ledger lists', async () => {
    const roots = rootsOf((await ledger().blockByNumber(0))!.bytes);
    for (const { mspId, certificate } of roots) {
      const pem = (await ledger().authorities!(mspId))!;
      const listed = readRoots(mspId, pem, readOpensslCertificate);
      expect(listed.map((root) => root.certificate.trim())).toEqual([certificate.trim()]);
    }
    expect(await ledger().authorities!('NoSuchMSP')).toBeUndefined();
  });

  it('exist for recorded transactions only', async () => {
    expect(await ledger().receipt!('0'.repeat(64))).toBeUndefined();
    expect(await ledger().receipt!('nothing')).toBeUndefined();
  });
}
