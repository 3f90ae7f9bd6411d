// What a list of a million names costs: the CPU time and the memory of a start with it, the peak of reloads, and a look-up.
//
//     npm run bench:lists -- [--names 1000000] [--reloads 3]
//
// The aims are in docs/adr/0305; the figures are printed next to them.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import '../../../libs/threads/src/run-from-source.mjs';

const { values } = parseArgs({
  options: { names: { type: 'string', default: '1000000' }, reloads: { type: 'string', default: '3' } },
});
const COUNT = Number(values.names);
const PROXY = join(process.cwd(), 'dist/apps/proxy-client/bundle/lib/proxy-client.js');
const ROUNDS = 10;
const nameOf = (index) => `host-${index}.ads-${index % 977}.example.net`;

/** Returns the MiB of a line of /proc/PID/status. */
function memoryOf(pid, line) {
  return Number(new RegExp(`${line}:\\s+(\\d+)`).exec(readFileSync(`/proc/${pid}/status`, 'utf8'))[1]) / 1024;
}

/** Returns the CPU time of a process in seconds. */
function cpuOf(pid) {
  const [, fields] = /\) (.*)/.exec(readFileSync(`/proc/${pid}/stat`, 'utf8'));
  const [user, system] = fields.split(' ').slice(11, 13).map(Number);
  return (user + system) / 100;
}

/** Starts the built program, and returns it when it is ready. */
async function start(config) {
  const child = spawn(process.execPath, [PROXY, '--config', config], { stdio: ['ignore', 'pipe', 'inherit', 'ipc'] });
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  await once(child, 'message');
  return { child, lines, cpu: cpuOf(child.pid), memory: memoryOf(child.pid, 'VmRSS') };
}

async function end({ child }) {
  child.kill('SIGKILL');
  await once(child, 'exit');
}

/** Changes the list and reloads by SIGHUP. */
async function reload({ child, lines }, list, text, index) {
  writeFileSync(list, `${text}extra-${index}.example\n`);
  child.kill('SIGHUP');
  for (;;) {
    const { value, done } = await lines.next();
    if (done === true) throw new Error('The program has ended.');
    if (value.includes('configuration reloaded')) return;
  }
}

/** Returns the nanoseconds of CPU for looking up a name, the least of several rounds. */
async function lookUp(asked) {
  const { Kind, NameSet } = await import('../../../apps/proxy-client/src/routing/rules/name-set.ts');
  const set = new NameSet();
  for (let index = 0; index < COUNT; index += 1) set.add(nameOf(index), Kind.both);
  set.indexNow();
  let least = Infinity;
  for (let round = 0; round < ROUNDS; round += 1) {
    const before = process.cpuUsage();
    for (const name of asked) set.find(name);
    const { user, system } = process.cpuUsage(before);
    least = Math.min(least, ((user + system) * 1000) / asked.length);
  }
  return least;
}

const folder = mkdtempSync(join(tmpdir(), 'bench-lists-'));
try {
  const write = (name, text) => {
    writeFileSync(join(folder, name), text);
    return join(folder, name);
  };
  const common = 'listen: { port: 0 }\nadmin: off\nupstream: embedded\n';
  const text = `${Array.from({ length: COUNT }, (_, index) => `0.0.0.0 ${nameOf(index)}`).join('\n')}\n`;
  const list = write('list.txt', text);
  const rules = `rules:\n  - { hosts: { file: ${list}, format: auto }, to: reject }\n`;
  const bare = await start(write('bare.yaml', common));
  await end(bare);
  const full = await start(write('full.yaml', common + rules));
  await sleep(1000);
  const settled = memoryOf(full.child.pid, 'VmRSS');
  for (let index = 0; index < Number(values.reloads); index += 1) await reload(full, list, text, index);
  const peak = memoryOf(full.child.pid, 'VmHWM');
  await end(full);
  const asked = Array.from({ length: 100_000 }, (_, index) => nameOf(index * 7));
  const other = asked.map((name) => `www.not-${name}`);
  const row = (what, value, aim) => console.log(`${what.padEnd(52)} ${value.padStart(10)}   aim ${aim}`);
  console.log(`${COUNT.toLocaleString('en')} names, ${(text.length / 1_048_576).toFixed(0)} MiB of text`);
  row('CPU of the start, without that of one without lists', `${(full.cpu - bare.cpu).toFixed(2)} s`, '0.5 s');
  row('memory, above a start without lists', `${(settled - bare.memory).toFixed(0)} MiB`, '40 MiB');
  row('highest memory of a reload, above such a start', `${(peak - bare.memory).toFixed(0)} MiB`, '60 MiB');
  row('a look-up of a name in the list', `${(await lookUp(asked)).toFixed(0)} ns`, '500 ns');
  row('a look-up of another name of five labels', `${(await lookUp(other)).toFixed(0)} ns`, '500 ns');
} finally {
  rmSync(folder, { recursive: true });
}
