// Concurrent appends, repeats under one key, and many at once.
import { openLedger } from 'ledger-api/embedded';

await using log = await openLedger('./audit');
await Promise.all(Array.from({ length: 100 }, (_, n) => log.append('event', { n })));
const first = await log.append('order', { total: 5 }, { key: 'order-17' });
const again = await log.append('order', { total: 5 }, { key: 'order-17' });
const { created } = await log.appendMany('event', [{ n: 100 }, { n: 101 }]);
console.log(first.id === again.id && again.replayed, created.length);
