import { openLedger } from 'ledger-api/embedded';

await using log = await openLedger('./audit');
const { id, transactionId } = await log.append('login', { user: 'ana', ok: true });
console.log(id, await log.get('login', id));
console.log(await log.receipt(transactionId)); // verified by anyone: ledger-tool verify-receipt
