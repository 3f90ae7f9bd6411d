// npm run bench:private -- [--seconds S] [--rounds N] [--save]: what private values cost. Records outside the blocks are compared with
// records inside, by the library ledger-api/embedded; private writes of a chaincode with public ones, over HTTP. The two of a pair take
// turns on the same ledger, so that other programs on the machine slow down both; the median of the rounds counts. CPU per write
// includes all threads, and over HTTP the chaincode.
import { mkdtempSync, rmSync } from 'node:fs';
import { Agent, request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { parseArgs } from 'node:util';
import { openLedger } from '../../../dist/apps/ledger-api/library/index.js';
import { ChaincodeFolder } from '../../support/chaincode-folders.ts';
import { endCandidate, OURS, startCandidate } from './ledger-candidates.mjs';
import { cpuSeconds } from './processes.mjs';
import { writeSection } from './write-section.mjs';

const { values } = parseArgs({
  options: {
    seconds: { type: 'string', default: '1' },
    rounds: { type: 'string', default: '5' },
    save: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
});
if (values.help) {
  console.log('npm run bench:private -- [--seconds S] [--rounds N] [--save]');
  process.exit();
}
/** Rounds that are not counted: a server that has just started compiles its code for seconds. */
const WARM_UP = 3;
const TOGETHER = 64;
const BATCH = 500;
const CLIENTS = 32;
const PREFIX = '/api/v1/contracts/notes';

/** Of 200 bytes with 7 fields. */
const document = (n) => {
  const at = new Date(1_700_000_000_000 + n).toISOString();
  return { at, user: `user-${n % 1000}`, action: 'login', ok: true, ip: '192.0.2.17', n, agent: 'x'.repeat(80) };
};
const TEXT = 'x'.repeat(300);

/** Runs workers for the time of one turn. @param write - writes from a number on, and returns how many */
async function turn({ workers, write, cpu }) {
  const began = performance.now();
  const end = began + Number(values.seconds) * 1000;
  const before = cpu();
  let count = 0;
  const worker = async () => {
    while (performance.now() < end) {
      const written = await write();
      count += written;
    }
  };
  await Promise.all(Array.from({ length: workers }, worker));
  return { rate: (count * 1000) / (performance.now() - began), cpu: ((cpu() - before) * 1e6) / count };
}

const median = (numbers) => numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)];

/** Lets the two of a pair take turns. @returns the medians, and those of the ratios of each round */
async function compare(name, [first, second], { workers, cpu }) {
  const rounds = [];
  for (let round = 0; round < WARM_UP + Number(values.rounds); round++) {
    const measured = new Map();
    for (const each of round % 2 === 0 ? [first, second] : [second, first]) {
      measured.set(each, await turn({ workers, write: each.write, cpu }));
    }
    if (round >= WARM_UP) rounds.push([measured.get(first), measured.get(second)]);
  }
  const of = (pick) => median(rounds.map(pick));
  const result = {
    name,
    [first.name]: { rate: of(([a]) => a.rate), cpu: of(([a]) => a.cpu) },
    [second.name]: { rate: of(([, b]) => b.rate), cpu: of(([, b]) => b.cpu) },
    rate: of(([a, b]) => b.rate / a.rate),
    cpu: of(([a, b]) => b.cpu / a.cpu),
  };
  const shown = ({ rate, cpu: each }) => `${Math.round(rate)} a second, ${each.toFixed(0)} µs of CPU each`;
  console.log(`${name}: ${first.name} ${shown(result[first.name])}; ${second.name} ${shown(result[second.name])}`);
  console.log(`  ${second.name} / ${first.name}: rate ${result.rate.toFixed(2)}, CPU ${result.cpu.toFixed(2)}`);
  return result;
}

async function compareRecords(directory) {
  const log = await openLedger(directory);
  for (const payload of ['inside', 'outside']) await log.define(payload, { payload });
  let n = 0;
  const cpu = () => {
    const { user, system } = process.cpuUsage();
    return (user + system) / 1e6;
  };
  const one = (type) => async () => {
    await log.append(type, document(n++));
    return 1;
  };
  const many = (type) => async () => {
    const documents = Array.from({ length: BATCH }, () => document(n++));
    await log.appendMany(type, documents);
    return BATCH;
  };
  const pair = (write) => ['inside', 'outside'].map((name) => ({ name, write: write(name) }));
  try {
    return [
      await compare('records, one at a time', pair(one), { workers: 1, cpu }),
      await compare(`records, ${TOGETHER} in flight`, pair(one), { workers: TOGETHER, cpu }),
      await compare(`records, ${BATCH} a transaction, 3 in flight`, pair(many), { workers: 3, cpu }),
    ];
  } finally {
    await log.close();
  }
}

async function compareChaincode(directory) {
  const folder = ChaincodeFolder.node('private-notes');
  const server = await startCandidate(OURS, directory, { LEDGER_CHAINCODES: `notes=${folder.path}` });
  const agent = new Agent({ keepAlive: true, maxSockets: CLIENTS });
  let n = 0;
  const bodies = {
    public: () => ({ function: 'PutPublicly', arguments: [`key-${n++}`, TEXT] }),
    private: () => {
      const transient = { text: Buffer.from(TEXT).toString('base64') };
      return { function: 'Put', arguments: ['notes', `key-${n++}`], transient };
    },
  };
  const pair = Object.entries(bodies).map(([name, body]) => {
    const write = async () => {
      await post(agent, server.port, JSON.stringify(body()));
      return 1;
    };
    return { name, write };
  });
  const cpu = () => cpuSeconds(server.pid);
  try {
    return [await compare(`chaincode over HTTP, ${CLIENTS} clients`, pair, { workers: CLIENTS, cpu })];
  } finally {
    agent.destroy();
    await endCandidate(server);
    folder.remove();
  }
}

function post(agent, port, body) {
  const headers = { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) };
  return new Promise((resolve, reject) => {
    const call = request({ port, method: 'POST', path: `${PREFIX}/submit`, agent, headers }, (answer) => {
      answer.resume();
      answer.on('end', () => {
        if (answer.statusCode === 200) resolve();
        else reject(new Error(`status ${answer.statusCode}`));
      });
    });
    call.on('error', reject);
    call.end(body);
  });
}

const root = mkdtempSync(join(tmpdir(), 'bench-private-'));
let results;
try {
  results = [...(await compareRecords(join(root, 'records'))), ...(await compareChaincode(join(root, 'chaincode')))];
} finally {
  rmSync(root, { recursive: true });
}

if (values.save) {
  const rows = results.flatMap(({ name, rate, cpu, ...both }) =>
    Object.entries(both).map(([kind, each], index) => {
      const [rateShare, cpuShare] = index === 0 ? ['', ''] : [rate.toFixed(2), cpu.toFixed(2)];
      return `| ${name} | ${kind} | ${Math.round(each.rate)} | ${rateShare} | ${each.cpu.toFixed(0)} | ${cpuShare} |`;
    }),
  );
  writeSection({
    name: 'private',
    title: 'Private values',
    command: 'npm run bench:private -- --save',
    results: { results },
    text:
      'Documents of records have 200 bytes and 7 fields, values of the chaincode 300 bytes. The two of a pair took turns; a share is the median ' +
      'of the rounds.' +
      `\n\n| writes | values | a second | share | CPU µs each | times |\n|---|---|---|---|---|---|\n${rows.join('\n')}`,
  });
}
