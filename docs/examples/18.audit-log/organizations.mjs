// A chain per organization: a directory each, exported record by record.
import { openLedger } from 'ledger-api/embedded';

for (const organization of ['acme', 'globex']) {
  await using log = await openLedger(`./audit/${organization}`);
  await log.append('event', { organization });
  for await (const record of log.list('event')) console.log(JSON.stringify(record));
}
