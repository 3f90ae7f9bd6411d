import { writeFile } from 'node:fs/promises';
import { openLedger } from 'ledger-api/embedded';

await using log = await openLedger('./audit');
const { id, transactionId } = await log.append('login', { user: 'ana', ok: true });
console.log(await log.get('login', id));
await writeFile('receipt.json', await log.receipt(transactionId));
