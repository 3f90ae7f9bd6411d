// How quickly a ledger is verified: `npm run build`, then
// `node test/bench/micro/verify-ledger.mjs [transactions, default 50000] [directory to keep the ledger in]`.
// For comparison, on the same cores in the same run, the time of the signatures alone: two a transaction, the creator's and the
// endorser's. Shares by wall time hang on what else runs on the machine; those by CPU time hardly do.
import { spawnSync } from 'node:child_process';
import { generateKeyPairSync, sign, verify } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { Worker, isMainThread, parentPort } from 'node:worker_threads';

const self = fileURLToPath(import.meta.url);
const SIGNATURE_MS = 2000;
const SIGNATURES_EACH = 2;

/** Checks signatures for a while as a verifier does; returns how many. */
function checkSignatures() {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const content = Buffer.alloc(3600, 1);
  const signature = sign('sha256', content, privateKey);
  let count = 0;
  for (const end = performance.now() + SIGNATURE_MS; performance.now() < end; count++) {
    if (!verify('sha256', content, publicKey, signature)) throw new Error('a good signature does not verify');
  }
  return count;
}

/** Signatures a second on all cores, and CPU µs of each. */
async function signaturesAlone() {
  const cpu = process.cpuUsage();
  const counts = await Promise.all(
    Array.from({ length: availableParallelism() }, async () => {
      const { promise, resolve, reject } = Promise.withResolvers();
      new Worker(self).once('message', resolve).once('error', reject);
      return promise;
    }),
  );
  const { user, system } = process.cpuUsage(cpu);
  const count = counts.reduce((a, b) => a + b);
  return { perSecond: count / (SIGNATURE_MS / 1000), cpuMicroseconds: (user + system) / count };
}

/** In its own process, whose memory and CPU time are the verification's. */
async function verifyHere(path) {
  const { verifyLedger } = await import('../../../dist/test/ledgers.js');
  const start = performance.now();
  const { transactions, findings } = await verifyLedger({ path });
  if (findings.length > 0) throw new Error(JSON.stringify(findings));
  const { userCPUTime, systemCPUTime, maxRSS } = process.resourceUsage();
  const cpuMicroseconds = (userCPUTime + systemCPUTime) / transactions;
  const perSecond = transactions / ((performance.now() - start) / 1000);
  console.log(JSON.stringify({ transactions, perSecond, cpuMicroseconds, mebibytes: maxRSS / 1024 }));
}

function run(...args) {
  const { status, stdout } = spawnSync(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  if (status !== 0) throw new Error(`${args.join(' ')} ended with ${status}`);
  return stdout.toString();
}

async function main(transactions, kept) {
  const path = kept ?? mkdtempSync(join(tmpdir(), 'verify-bench-'));
  try {
    run(fileURLToPath(new URL('../load/ledger-fill.mjs', import.meta.url)), path, String(transactions));
    const before = await signaturesAlone();
    const found = JSON.parse(run(self, '--verify', path));
    const after = await signaturesAlone();
    const limit = (before.perSecond + after.perSecond) / 2 / SIGNATURES_EACH;
    const cpu = ((before.cpuMicroseconds + after.cpuMicroseconds) / 2) * SIGNATURES_EACH;
    const rows = {
      transactions: found.transactions,
      'verified a second': Math.round(found.perSecond),
      'signatures alone would allow': Math.round(limit),
      'share of that': (found.perSecond / limit).toFixed(2),
      'CPU µs a transaction': found.cpuMicroseconds.toFixed(0),
      'of which signatures': `${cpu.toFixed(0)} (${(cpu / found.cpuMicroseconds).toFixed(2)})`,
      'most memory': `${Math.round(found.mebibytes)} MiB`,
    };
    for (const [name, value] of Object.entries(rows)) console.log(name.padEnd(32), value);
  } finally {
    if (kept === undefined) rmSync(path, { recursive: true, force: true });
  }
}

if (!isMainThread) parentPort.postMessage(checkSignatures());
else if (process.argv[2] === '--verify') await verifyHere(process.argv[3]);
else await main(Number(process.argv[2] ?? 50_000), process.argv[3]);
