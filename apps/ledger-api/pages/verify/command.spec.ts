import { verifyCommand } from './command.ts';

describe('verifyCommand', () => {
  it('names the file and a root for each organization', () => {
    expect(verifyCommand('receipt-ab.json', ['Org1MSP', 'OrdererMSP'])).toBe(
      'npm run ledger -- verify-receipt receipt-ab.json --root Org1MSP=Org1MSP-ca.pem --root OrdererMSP=OrdererMSP-ca.pem',
    );
  });

  it('names a policy for a receipt with a proof of a log', () => {
    expect(verifyCommand('a.json', [], true)).toBe('npm run ledger -- verify-receipt a.json --policy policy.txt');
  });

  it('quotes names that a shell would interpret', () => {
    expect(verifyCommand("a b's $(x).json", [])).toBe(`npm run ledger -- verify-receipt 'a b'\\''s $(x).json'`);
  });
});
