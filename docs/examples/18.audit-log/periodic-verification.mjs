// A chain, its periodic verification, and its head in a second trust domain.
import { readFile, writeFile } from 'node:fs/promises';
import { openLedger } from 'ledger-api/embedded';

await using log = await openLedger('./audit');
await log.append('event', { what: 'started' });
const elsewhere = process.env.ELSEWHERE ?? './elsewhere/checkpoint'; // another machine, bucket or person
const checkpoint = await readFile(elsewhere, 'utf8').catch(() => undefined);
const { ok, findings } = await log.verify({ checkpoint });
if (ok) await writeFile(elsewhere, await log.checkpoint());
else console.error(`tampered: ${findings[0].where}: ${findings[0].what}`);
