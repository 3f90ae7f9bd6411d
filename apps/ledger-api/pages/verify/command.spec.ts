import { verifyCommand } from './command.ts';

describe('verifyCommand', () => {
  it('names the file and a root for each organization', () => {
    expect(verifyCommand('receipt-ab.json', ['Org1MSP', 'OrdererMSP'])).toBe(
      'npm run ledger -- verify-receipt receipt-ab.json --root Org1MSP=Org1MSP-ca.pem --root OrdererMSP=OrdererMSP-ca.pem',
    );
  });

  it('names a policy for a receipt with a proof of a log', () => {
    expect(verifyCommand('a.json', [], { hasLog: true })).toBe(
      'npm run ledger -- verify-receipt a.json --policy policy.txt',
    );
  });

  it('names a document outside the blocks with its salt', () => {
    expect(verifyCommand('a.json', ['Org1MSP'], { document: { file: 'document-p 1.json', salt: 'ab' } })).toBe(
      "npm run ledger -- verify-receipt a.json --root Org1MSP=Org1MSP-ca.pem --document 'document-p 1.json' --salt ab",
    );
  });

  it('quotes names that a shell would interpret', () => {
    expect(verifyCommand("a b's $(x).json", [])).toBe(`npm run ledger -- verify-receipt 'a b'\\''s $(x).json'`);
  });
});
