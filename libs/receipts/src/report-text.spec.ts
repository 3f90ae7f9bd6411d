import { conclusionOf } from './report-text.js';
import type { ProvenTransaction } from './proven-transaction.js';
import type { ReceiptReport } from './verify-receipt.js';

const TRANSACTION: ProvenTransaction = {
  channel: 'mychannel',
  transactionId: 'ab',
  blockNumber: 1,
  blockHash: 'cd',
  position: 0,
  validationCode: 'VALID',
  creator: 'ana',
  timestamp: '2026-01-02T00:00:00.000Z',
  chaincode: 'basic',
  function: 'CreateAsset',
  functionEncoding: 'utf8',
  arguments: ['car-7', '/w=='],
  argumentEncodings: ['utf8', 'base64'],
};

/** The conclusion about a transaction that differs in these members. */
function conclusion(
  members: Partial<ProvenTransaction>,
  verdict: ReceiptReport['verdict'] = 'valid',
): readonly string[] {
  return conclusionOf({ verdict, steps: [], transaction: { ...TRANSACTION, ...members }, notProven: [] });
}

describe('conclusionOf', () => {
  it('names the transaction and its call', () => {
    expect(conclusion({})).toEqual([
      'PROVEN, if you trust the roots: transaction ab of channel mychannel is VALID.',
      'It is CreateAsset("car-7", base64(/w==)) of basic, by ana at 2026-01-02T00:00:00.000Z, in block 1 at position 0.',
    ]);
  });

  it('states that a transaction which peers refused changed nothing', () => {
    const [result] = conclusion({ validationCode: 'MVCC_READ_CONFLICT' }, 'not-valid');
    expect(result).toMatch(/ was refused as MVCC_READ_CONFLICT and changed nothing\.$/);
    expect(conclusionOf({ verdict: 'refused', steps: [], transaction: undefined, notProven: [] })).toEqual([
      'REFUSED: the receipt proves nothing.',
    ]);
  });

  it('quotes names that are not identifiers, and names a configuration', () => {
    expect(conclusion({ function: 'a b', chaincode: 'my "cc"', arguments: ['x'], argumentEncodings: [] })[1]).toMatch(
      /^It is "a b"\("x"\) of "my \\"cc\\"", by /,
    );
    expect(conclusion({ function: '/w==', functionEncoding: 'base64', arguments: [] })[1]).toMatch(
      /^It is base64\(\/w==\)\(\) /,
    );
    expect(conclusion({ chaincode: '', creator: '' })[1]).toMatch(/^It is a configuration, not signed at /);
  });
});
