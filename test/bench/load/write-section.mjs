// Keeps the figures of one benchmark: the raw ones in test/bench/results/NAME.json, the readable ones as its section of
// docs/benchmarks.md, with the machine, the date and the command, so that no figure is typed by hand.
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { cpus, loadavg, release, totalmem, type } from 'node:os';
import process from 'node:process';

const FILE = 'docs/benchmarks.md';
const INTRODUCTION = '# Benchmarks\n\nEvery figure here was written by the command that measured it.\n';

/** The machine as a reader would compare it with his own, and its load: above the number of cores, other programs ran too. */
export function machine() {
  const [first] = cpus();
  const memory = `${Math.round(totalmem() / 1024 ** 3)} GiB`;
  const load = `load average ${loadavg()[0].toFixed(1)}`;
  return `${cpus().length} cores (${first?.model.trim() ?? 'unknown'}), ${memory}, ${load}, ${type()} ${release()}, Node ${process.version}`;
}

/** The commit that is checked out. */
export function commit() {
  try {
    return execFileSync('git', ['rev-parse', '--short', 'HEAD'], { encoding: 'utf8' }).trim();
  } catch {
    return 'unknown';
  }
}

/** Writes both files; other sections of docs/benchmarks.md stay as they are. */
export function writeSection({ name, title, command, results, text }) {
  const measured = { date: new Date().toISOString().slice(0, 10), machine: machine(), commit: commit(), command };
  mkdirSync('test/bench/results', { recursive: true });
  writeFileSync(`test/bench/results/${name}.json`, `${JSON.stringify({ ...measured, ...results }, null, 1)}\n`);
  const [begin, end] = [`<!-- ${name}: written by \`${command}\` -->`, `<!-- end of ${name} -->`];
  const head = `## ${title}\n\n\`${command}\`, ${measured.date}, commit ${measured.commit}, ${measured.machine}.\n`;
  const section = `${begin}\n${head}\n${text.trim()}\n\n${end}`;
  const current = existsSync(FILE) ? readFileSync(FILE, 'utf8') : INTRODUCTION;
  const [before, rest] = current.split(begin);
  const updated =
    rest === undefined ? `${current.trimEnd()}\n\n${section}\n` : `${before}${section}${rest.split(end)[1] ?? '\n'}`;
  writeFileSync(FILE, updated);
  console.log(`${FILE} and test/bench/results/${name}.json written.`);
}
