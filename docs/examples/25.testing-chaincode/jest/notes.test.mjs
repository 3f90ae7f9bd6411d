// npx jest, with NODE_OPTIONS=--experimental-vm-modules for ES modules.
import { startLedger } from 'ledger-api/testing';

let ledger;
beforeEach(async () => {
  ledger = await startLedger({ chaincodes: { notes: '../chaincode' }, callers: { ana: { role: 'auditor' } } });
}, 30_000);
afterEach(() => ledger.close());

test('a note is stored', async () => {
  const { transactionId, blockNumber } = await ledger.submit('notes', 'Put', 'a', { text: 'hello', price: 1.5 });
  expect(transactionId).toMatch(/^[0-9a-f]{64}$/);
  expect(blockNumber).toBe(1);
  const { result } = await ledger.evaluate('notes', 'Get', 'a');
  expect(result).toEqual({ text: 'hello', price: 1.5 });
});

test('each test begins with an empty ledger', async () => {
  await expect(ledger.evaluate('notes', 'Get', 'a')).rejects.toMatchObject({
    code: 'API.CHAINCODE_REFUSED',
    message: 'The chaincode "notes" refused: there is no note a',
  });
});

test('only auditors delete notes', async () => {
  await ledger.submit('notes', 'Put', 'a', 'hello');
  await expect(ledger.submit('notes', 'Delete', 'a')).rejects.toThrow('only auditors delete notes');
  await ledger.as('ana').submit('notes', 'Delete', 'a');
});
