// The two programs of `npm run bench:ledger`, each on its own directory.
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import process from 'node:process';
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { compile } from './processes.mjs';

export const OURS = 'ledger-api';
export const BARE = 'bare Fastify';
/** Holds answers open; for the scenario of events. */
export const BARE_HTTP = 'bare node:http';

function mainOf(name, directory) {
  if (name === BARE_HTTP) return { main: 'test/bench/load/events-bare.mjs', args: [], env: {} };
  if (name === BARE) return { main: 'test/bench/load/ledger-bare.mjs', args: [directory], env: {} };
  const env = { LEDGER_DATA_DIR: directory, LEDGER_API_PORT: '0', LEDGER_API_HTTPS_PORT: '0', LOG_LEVEL: 'warn' };
  return { main: process.env['LEDGER_API_MAIN'] ?? 'dist/apps/ledger-api/bundle/lib/ledger-api.js', args: [], env };
}

/** Starts a candidate; `milliseconds` is the time until it was ready. */
export async function startCandidate(name, directory, settings = {}, execArgv = []) {
  const { main, args, env } = mainOf(name, directory);
  const began = performance.now();
  const child = fork(main, args, {
    env: { PATH: process.env['PATH'], ...env, ...settings },
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    execArgv,
  });
  const ended = once(child, 'exit').then(([code]) => {
    throw new Error(`${name} ended with ${code} before it was ready`);
  });
  ended.catch(() => undefined);
  const [message] = await Promise.race([once(child, 'message'), ended]);
  const milliseconds = performance.now() - began;
  return { name, child, pid: child.pid, port: Number(new URL(message.urls.http).port), milliseconds };
}

/** Adds callers to a ledger's directory and returns their keys. */
export async function addCallers(directory, count) {
  const keys = [];
  while (keys.length < count) {
    const args = ['callers', 'add', `caller-${keys.length}`, '--role', 'writer', '--new', '--data-dir', directory];
    const { stdout } = await promisify(execFile)(process.execPath, [
      'dist/apps/ledger-api/bundle/lib/ledger-tool.js',
      ...args,
    ]);
    keys.push(stdout.trim());
  }
  return keys;
}

export async function endCandidate({ child }) {
  const ended = once(child, 'exit');
  child.kill('SIGTERM');
  await ended;
}

/** Runs the load helper: mode, port, connections, milliseconds, name of the assets, number of assets, requests a second. */
export async function runLoad(...args) {
  return runLoadAs([], ...args);
}

/** The same with API keys, which the connections share out. */
export async function runLoadAs(keys, ...args) {
  const env = { ...process.env, API_KEYS: keys.join(',') };
  const { stdout, stderr } = await promisify(execFile)(compile('http-load'), args.map(String), { env });
  const result = JSON.parse(stdout);
  const { done, failed } = result;
  if (failed > 0) throw new Error(`${failed} of ${done + failed} requests failed, the first with:\n${stderr}`);
  return result;
}

/** CPU ticks of each thread of a process, summed by the thread's name. */
export function threadTicks(pid) {
  const byName = new Map();
  for (const task of readdirSync(`/proc/${pid}/task`)) {
    const stat = readFileSync(`/proc/${pid}/task/${task}/stat`, 'utf8');
    const name = stat.slice(stat.indexOf('(') + 1, stat.lastIndexOf(')'));
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    byName.set(name, (byName.get(name) ?? 0) + Number(fields[11]) + Number(fields[12]));
  }
  return byName;
}
