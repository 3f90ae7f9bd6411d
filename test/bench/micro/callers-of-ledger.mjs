// What it costs that callers sign for themselves: creates by 64 clients of the embedded ledger, for the service and for 20 callers in
// turn, and the bytes that a transaction takes. `npm run build`, then `node test/bench/micro/callers-of-ledger.mjs [rounds, default 3]`.
// Rates hang on what else runs on the machine; CPU time hardly does, and bytes do not.
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';
import { DatabaseSync } from 'node:sqlite';
import { createEmbeddedLedger } from '../../../dist/test/ledgers.js';

const CREATES = 6000;
const WARM_UP = 1500;
const CLIENTS = 64;
const CALLERS = 20;
// Next to the modules and not in the system's temporary directory, which may be in memory.
const root = join(process.cwd(), 'node_modules', '.cache', 'bench');
mkdirSync(root, { recursive: true });

async function run(callers) {
  const dataDir = mkdtempSync(join(root, 'callers-'));
  const ledger = await createEmbeddedLedger({ dataDir, channel: 'mychannel', chaincode: 'basic', mspId: 'Org1MSP' });
  const channel = ledger;
  let made = 0;
  const create = (n) => {
    const call = { function: 'CreateAsset', arguments: [`asset-${n}`, 'blue', '5', 'Tomoko', '300'] };
    return channel.submit(call, callers === 0 ? {} : { caller: `caller-${n % callers}` });
  };
  const createUntil = (end) =>
    Promise.all(
      Array.from({ length: CLIENTS }, async () => {
        while (made < end) await create(made++);
      }),
    );
  await createUntil(WARM_UP);
  const [cpu, since] = [process.cpuUsage(), performance.now()];
  await createUntil(CREATES);
  const seconds = (performance.now() - since) / 1000;
  const { user, system } = process.cpuUsage(cpu);
  await ledger.close();
  const db = new DatabaseSync(join(dataDir, 'channels', 'mychannel', 'ledger.db'), { readOnly: true });
  const { packed } = db.prepare('SELECT sum(length(packed)) AS packed FROM blocks WHERE number > 0').get();
  const { content } = db.prepare('SELECT sum(length(content)) AS content FROM dictionaries').get();
  db.close();
  rmSync(dataDir, { recursive: true });
  const counted = CREATES - WARM_UP;
  return {
    'creates a second': counted / seconds,
    'CPU µs each': (user + system) / counted,
    'bytes each': (packed + content) / CREATES,
  };
}

const samples = { 0: [], [CALLERS]: [] };
for (let round = 0; round < Number(process.argv[2] ?? 3); round++) {
  for (const callers of round % 2 === 0 ? [0, CALLERS] : [CALLERS, 0]) samples[callers].push(await run(callers));
}
const median = (values) => values.sort((a, b) => a - b)[Math.floor(values.length / 2)];
for (const figure of Object.keys(samples[0][0])) {
  const [service, own] = [0, CALLERS].map((callers) => median(samples[callers].map((sample) => sample[figure])));
  console.log(
    `${figure}: service ${service.toFixed(0)}, ${CALLERS} callers ${own.toFixed(0)}, ratio ${(own / service).toFixed(2)}`,
  );
}
