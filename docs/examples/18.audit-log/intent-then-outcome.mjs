// Before the business write: the intent. Afterwards: the outcome, which names it. An intent without an outcome is looked into.
import { openLedger } from 'ledger-api/embedded';

const businessWrite = async () => ({ rows: 1 }); // your database
await using log = await openLedger('./audit');
const intent = await log.append('intent', { action: 'delete-user', user: 42 });
const outcome = await businessWrite().catch((error) => ({ error: error.message }));
await log.append('outcome', { intent: intent.id, ...outcome }, { id: intent.id });
