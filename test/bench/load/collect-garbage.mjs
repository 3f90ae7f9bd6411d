// Loaded into a measured program with `--expose-gc --import`: collects garbage on request, returns free pages to the
// system, and reports what is in use then.
import process from 'node:process';
import { setTimeout as sleep } from 'node:timers/promises';

process.on('message', async (message) => {
  if (message !== 'collect') return;
  // Twice, with time between: what the first one finalises is freed by the second.
  for (let round = 0; round < 2; round++) {
    globalThis.gc({ type: 'major', execution: 'sync', flavor: 'last-resort' });
    await sleep(500);
  }
  const { rss, heapUsed, external } = process.memoryUsage();
  process.send({ rss, inUse: heapUsed + external });
});
process.channel?.unref();
