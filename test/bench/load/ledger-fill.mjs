// Fills an embedded ledger through its port, for `npm run bench:ledger`: node test/bench/load/ledger-fill.mjs DIRECTORY COUNT
// creates assets until the ledger holds COUNT transactions, and ends.
import process from 'node:process';
import { createEmbeddedLedger } from '../../../dist/test/ledgers.js';

const IN_FLIGHT = 1000;
const [dataDir, count] = [process.argv[2], Number(process.argv[3])];
const ledger = await createEmbeddedLedger({ dataDir, channel: 'mychannel', chaincode: 'basic', mspId: 'Org1MSP' });
const channel = ledger;

/** The number of the first asset that is missing; they are made in the order of their numbers, IN_FLIGHT at once. */
async function firstMissing() {
  const exists = async (n) => {
    const answer = await channel.evaluate({ function: 'AssetExists', arguments: [`fill-${n}`] });
    return Buffer.from(answer).toString() === 'true';
  };
  let [low, high] = [0, count];
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    if (await exists(middle)) low = middle + 1;
    else high = middle;
  }
  return low;
}

let next = await firstMissing();
const started = performance.now();
const first = next;

async function worker() {
  while (next < count) {
    const n = next++;
    const call = { function: 'CreateAsset', arguments: [`fill-${n}`, 'blue', '5', 'Tomoko', '300'] };
    await channel.submit(call).catch((error) => {
      if (error.code !== 'LEDGER.ASSET_EXISTS') throw error;
    });
    if (n % 50_000 === 0 && n > first) {
      const rate = Math.round((n - first) / ((performance.now() - started) / 1000));
      console.log(`${n.toLocaleString('en')} of ${count.toLocaleString('en')} assets, ${rate} a second`);
    }
  }
}

await Promise.all(Array.from({ length: IN_FLIGHT }, worker));
await ledger.close();
