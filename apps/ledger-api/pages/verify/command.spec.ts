import { verifyCommand } from './command.ts';

describe('verifyCommand', () => {
  it('names the file and a root for each organization', () => {
    expect(verifyCommand('receipt-ab.json', ['Org1MSP', 'OrdererMSP'])).toBe(
      'npm run ledger -- verify-receipt receipt-ab.json --root Org1MSP=Org1MSP-ca.pem --root OrdererMSP=OrdererMSP-ca.pem',
    );
  });

  it('quotes names that a shell would interpret', () => {
    expect(verifyCommand("a b's $(x).json", [])).toBe(`npm run ledger -- verify-receipt 'a b'\\''s $(x).json'`);
  });
});
