// npm run bench: the menu of benchmarks. npm run bench -- all runs each with its defaults, one after the other.
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import process from 'node:process';

const WHAT = {
  'bench:fabric': 'ledger-api on a real Fabric network, with either driver, compared with the SDKs used directly',
  'bench:guard': 'the CPU time of a read, a create, a proxied GET and a tunnel, compared with the last version',
  'bench:ledger': 'ledger-api compared with bare Fastify with node:sqlite, every write durable',
  'bench:lists': 'a list of a million names: CPU, memory, the peak of a reload, and a look-up, next to their aims',
  'bench:pages': 'the dashboard of a proxy with 5,000 live connections, in a real browser',
  'bench:private': 'records outside the blocks compared with those inside, and private writes with public ones',
  'bench:proxy':
    'proxy-client compared with a plain Node program, tinyproxy, privoxy, trafficserver, socks-hub, sthp, proxy-chain and eggress',
  'bench:records': 'the library ledger-api/embedded, compared with a hash chain of your own in SQLite',
  'bench:run': 'the start of a command in the sandbox of proxy-client run, compared with bwrap alone',
};

const scripts = JSON.parse(readFileSync('package.json', 'utf8')).scripts;
const names = Object.keys(scripts).filter((name) => name.startsWith('bench:'));

if (process.argv[2] === 'all') {
  for (const name of names) execFileSync('npm', ['run', name], { stdio: 'inherit' });
} else {
  for (const name of names) console.log(`npm run ${name.padEnd(14)} ${WHAT[name] ?? ''}`);
  console.log('\nEach takes --help after `--`; with --save it writes its section of docs/benchmarks.md.');
}
