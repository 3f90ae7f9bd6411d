// A signed export: a receipt of each record, a checkpoint that covers all of them, and the policy that verifies it.
import { mkdir, writeFile } from 'node:fs/promises';
import { openLedger } from 'ledger-api/embedded';

await using log = await openLedger('./audit');
await mkdir('./export');
for await (const { id } of log.list('login')) {
  const { value: change } = await log.history('login', id).next();
  await writeFile(`./export/${change.transactionId}.json`, await log.receipt(change.transactionId));
}
await writeFile('./export/checkpoint', await log.checkpoint());
await writeFile('./export/policy.txt', `log ${await log.verifierKey()}\nquorum none\n`);
