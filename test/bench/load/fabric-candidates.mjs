// What `npm run bench:fabric` compares: ledger-api with either driver, and the SDKs used directly, all on one network.
import { fork } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';
import { parseEnv } from 'node:util';
import { runLoad } from './ledger-candidates.mjs';

/** What the others are compared with. */
export const DIRECT = 'fabric-gateway directly';

const DIRECTLY = { [DIRECT]: 'fabric-gateway', 'fabric-network directly': 'fabric-network' };
export const OURS = { 'ledger-api (fabric-gateway)': 'fabric-gateway', 'ledger-api (fabric)': 'fabric' };
export const CANDIDATES = [...Object.keys(DIRECTLY), ...Object.keys(OURS)];

/** A program that answers with messages; `answer` returns the next one, and fails if the program exits instead. */
function spawn(name, main, args, env, execArgv) {
  const child = fork(main, args, { env, stdio: ['ignore', 'ignore', 'inherit', 'ipc'], execArgv });
  const answer = () =>
    new Promise((resolve, reject) => {
      const onExit = (code) => reject(new Error(`${name} ended with ${code}`));
      child.once('exit', onExit);
      child.once('message', (message) => {
        child.off('exit', onExit);
        resolve(message);
      });
    });
  return { child, answer };
}

async function startDirect(name, env) {
  const { child, answer } = spawn(name, 'test/bench/load/fabric-direct.mjs', [DIRECTLY[name]], env, []);
  await answer();
  const load = (mode, connections, milliseconds, asset, assets) => {
    child.send({ mode, connections, milliseconds, name: asset, assets });
    return answer();
  };
  return { name, child, pid: child.pid, load };
}

async function startApi(name, env, directory) {
  const own = { LEDGER_DRIVER: OURS[name], LEDGER_API_PORT: '0', LEDGER_API_HTTPS_PORT: '0', LOG_LEVEL: 'warn' };
  const preload = ['--expose-gc', '--import', join(import.meta.dirname, 'collect-garbage.mjs')];
  const all = { ...env, ...own, LEDGER_DATA_DIR: directory };
  const { child, answer } = spawn(name, 'dist/apps/ledger-api/bundle/lib/ledger-api.js', [], all, preload);
  const { urls } = await answer();
  const port = Number(new URL(urls.http).port);
  const load = (mode, ...args) => runLoad(mode, port, ...args);
  const collect = () => {
    child.send('collect');
    return answer();
  };
  return { name, child, pid: child.pid, port, load, collect };
}

/** Starts a candidate on the network in that folder; it keeps what it must in `directory`. */
export function startCandidate(name, network, directory) {
  const env = { PATH: process.env['PATH'], ...parseEnv(readFileSync(join(network, '.env'), 'utf8')) };
  return name in OURS ? startApi(name, env, directory) : startDirect(name, env);
}
