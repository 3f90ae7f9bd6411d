// Processes of a benchmark: compiled helpers, rivals, their CPU time and memory as the kernel counts them. Linux only.
import { execFileSync, spawn } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, mkdirSync, readFileSync, readdirSync, statSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import { delimiter, join } from 'node:path';
import process from 'node:process';
import { setTimeout as sleep } from 'node:timers/promises';

const NATIVE = join(import.meta.dirname, 'native');
const BUILT = join(process.cwd(), 'node_modules', '.cache', 'bench');
const TICKS_PER_SECOND = Number(execFileSync('getconf', ['CLK_TCK'], { encoding: 'utf8' }));

/** The first of the programs that is on PATH (or in the sbin directories), or undefined. */
export function findProgram(...names) {
  const directories = [...(process.env['PATH'] ?? '').split(delimiter), '/usr/sbin', '/usr/local/sbin'];
  return names
    .flatMap((name) => directories.map((directory) => join(directory, name)))
    .find((path) => existsSync(path));
}

/** What a helper is linked with. */
const LIBRARIES = { 'tls-client': ['-lssl', '-lcrypto'] };

/** Compiles native/NAME.c when it is newer than what was compiled; returns the path of the program. */
export function compile(name) {
  const [source, target] = [join(NATIVE, `${name}.c`), join(BUILT, name)];
  const newest = Math.max(statSync(source).mtimeMs, statSync(join(NATIVE, 'common.h')).mtimeMs);
  if (existsSync(target) && statSync(target).mtimeMs > newest) return target;
  const compiler = findProgram('cc', 'gcc', 'clang');
  if (!compiler) throw new Error('The load helpers are C programs: install a C compiler (cc, gcc or clang).');
  mkdirSync(BUILT, { recursive: true });
  execFileSync(compiler, ['-O2', '-Wall', '-Wextra', '-o', target, source, ...(LIBRARIES[name] ?? [])], {
    stdio: 'inherit',
  });
  return target;
}

/** Starts a helper that prints its port as its first line. */
export async function startHelper(name) {
  const child = spawn(compile(name), [], { stdio: ['pipe', 'pipe', 'inherit'] });
  const [line] = await once(child.stdout.setEncoding('utf8'), 'data');
  return { child, pid: child.pid, port: Number(line) };
}

/** Runs a client helper and returns what it prints; a run that fails rejects with its error text. */
export async function runClient(args, name = 'client') {
  const child = spawn(compile(name), args.map(String), { stdio: ['ignore', 'pipe', 'pipe'] });
  let [output, error] = ['', ''];
  child.stdout.on('data', (text) => (output += text));
  child.stderr.on('data', (text) => (error += text));
  const [code] = await once(child, 'close');
  if (code !== 0) throw new Error(error.trim() || `client ended with ${code}`);
  return JSON.parse(output);
}

/** Opens idle tunnels; they stay open until release() is called. */
export async function holdTunnels(args) {
  const child = spawn(compile('client'), ['idle', ...args.map(String)], { stdio: ['pipe', 'pipe', 'inherit'] });
  const [line] = await once(child.stdout.setEncoding('utf8'), 'data');
  const release = async () => {
    child.stdin.end();
    await once(child, 'close');
  };
  return { ...JSON.parse(line), release };
}

/** Returns the content of a file of /proc; empty if the thread or process has exited. */
function readProc(path) {
  try {
    return readFileSync(`/proc/${path}`, 'utf8');
  } catch {
    return '';
  }
}

function children(pid) {
  const tasks = readdirSync(`/proc/${pid}/task`);
  return tasks.flatMap((task) => readProc(`${pid}/task/${task}/children`).split(' ').filter(Boolean).map(Number));
}

/** A process with all its descendants. */
function family(pid) {
  return [pid, ...children(pid).flatMap(family)];
}

/** Seconds of CPU (user and system) that a process and its descendants have used. */
export function cpuSeconds(pid) {
  const ticks = family(pid).map((member) => {
    const fields = readProc(`${member}/stat`).split(') ')[1]?.split(' ') ?? [];
    return Number(fields[11] ?? 0) + Number(fields[12] ?? 0);
  });
  return ticks.reduce((sum, each) => sum + each, 0) / TICKS_PER_SECOND;
}

/** Resident memory of a process and its descendants in KiB. */
export function residentKiB(pid) {
  const sizes = family(pid).map((member) => Number(/VmRSS:\s+(\d+)/.exec(readProc(`${member}/status`))?.[1] ?? 0));
  return sizes.reduce((sum, each) => sum + each, 0);
}

/** Below the ports that Linux assigns to clients. */
const [FIRST_PORT, LAST_PORT] = [10_000, 32_767];

/**
 * Returns a free port. The system has none after some 28,000 connections, whose ports stay reserved for a minute, so a
 * port is tried that no client gets.
 */
export async function freePort() {
  for (;;) {
    const port = randomInt(FIRST_PORT, LAST_PORT);
    const server = createServer().listen(port, '127.0.0.1');
    try {
      await once(server, 'listening');
    } catch (error) {
      if (error.code !== 'EADDRINUSE') throw error;
      continue;
    }
    server.close();
    await once(server, 'close');
    return port;
  }
}

/** Milliseconds until something accepts on the port. */
export async function untilAccepts(port, child, limitMs = 20_000) {
  const start = performance.now();
  while (performance.now() - start < limitMs) {
    if (child.exitCode !== null) throw new Error(`ended with ${child.exitCode} before it listened`);
    const socket = connect(port, '127.0.0.1');
    const accepted = await Promise.race([
      once(socket, 'connect').then(() => true),
      once(socket, 'close').then(() => false),
    ]).catch(() => false);
    socket.destroy();
    if (accepted) return performance.now() - start;
    await sleep(2);
  }
  throw new Error(`does not listen on ${port} after ${limitMs} ms`);
}

/** Waits until a process that has just started is idle: its start may continue after the first connection. */
export async function untilQuiet(pid, limitMs = 10_000) {
  const start = performance.now();
  let last = -1;
  for (let used = cpuSeconds(pid); used !== last && performance.now() - start < limitMs; used = cpuSeconds(pid)) {
    last = used;
    await sleep(300);
  }
}

/** Ends a process that this benchmark started and waits for it. */
export async function end(child, signal = 'SIGTERM') {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const closed = once(child, 'exit');
  child.kill(signal);
  const timer = setTimeout(() => child.kill('SIGKILL'), 5000);
  await closed;
  clearTimeout(timer);
}
