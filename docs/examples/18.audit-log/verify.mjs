// The first invalid record is named.
import { verifyLedger } from 'ledger-api/embedded';

const { ok, blocks, findings } = await verifyLedger('./audit');
console.log(ok ? `${blocks} blocks are sound` : `${findings[0].where}: ${findings[0].what}`);
