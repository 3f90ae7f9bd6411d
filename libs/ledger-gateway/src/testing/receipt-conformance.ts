import { randomUUID } from 'node:crypto';
import { expect, it } from '@jest/globals';
import { readReceipt } from '../fabric-blocks/receipt/read-receipt.js';
import { sealedBlock } from '../fabric-blocks/receipt/receipt.js';
import { TrustedRoots } from '../fabric-blocks/receipt/trusted-roots.js';
import { verifyReceipt } from '../fabric-blocks/receipt/verify-receipt.js';
import { rootsOf } from '../fabric-blocks/testing/roots-of.js';
import type { LedgerCall, LedgerChannel } from '../ports/ledger.port.js';

const create = (): LedgerCall => ({ function: 'CreateAsset', arguments: [randomUUID(), 'blue', '5', 'Tomoko', '300'] });

/** What every driver keeps of receipts. */
export function receiptConformance(channel: () => LedgerChannel): void {
  it('proves a transaction to whoever trusts the roots', async () => {
    const call = create();
    const { transactionId, blockNumber } = await channel().submit(call);
    const text = (await channel().receipt(transactionId))!;
    const roots = rootsOf((await channel().blockByNumber(0))!.bytes);
    const report = verifyReceipt(text, { roots: new TrustedRoots(roots) });
    expect(report.steps.filter(({ result }) => result === 'failed')).toEqual([]);
    expect(report.transaction).toMatchObject({
      channel: channel().name,
      transactionId,
      blockNumber,
      validationCode: 'VALID',
      function: call.function,
      arguments: call.arguments,
    });
    const block = await channel().blockByNumber(blockNumber);
    const receipt = readReceipt(text);
    expect(receipt.blockHash).toBe(block?.hash);
    expect(Buffer.from(receipt.block).equals(sealedBlock(block!.bytes))).toBe(true);
  });

  it('are there for what is recorded only', async () => {
    expect(await channel().receipt('0'.repeat(64))).toBeUndefined();
    expect(await channel().receipt('nothing')).toBeUndefined();
  });
}
