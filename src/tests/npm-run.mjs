import { spawn } from 'node:child_process';
import process from 'node:process';

/** Starts a script of package.json with the npm that runs this program. */
function start(script, args, options) {
  const own = process.env['npm_execpath'];
  const [command, first] = own ? [process.execPath, [own]] : ['npm', []];
  const shell = !own && process.platform === 'win32';
  return spawn(command, [...first, 'run', '--silent', script, '--', ...args], { shell, ...options });
}

/** Returns the exit code of a program; 1 if it could not be started or was killed. */
function exitCode(child) {
  return new Promise((resolve) => child.on('error', () => resolve(1)).on('close', (code) => resolve(code ?? 1)));
}

/** Runs a script of package.json, and returns its exit code. */
export async function npmRun(script, args = [], env = process.env) {
  return exitCode(start(script, args, { env, stdio: ['ignore', 'inherit', 'inherit'] }));
}

/** Runs a script next to others: prints what it has written when it has ended. Returns its exit code. */
export async function npmRunHeld(script, args = [], env = process.env) {
  const child = start(script, args, { env, stdio: ['ignore', 'pipe', 'pipe'] });
  const output = [];
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => output.push(chunk));
  const code = await exitCode(child);
  process.stderr.write(Buffer.concat(output));
  return code;
}

/** Runs a script, and returns what it has written to standard output; undefined if it fails. */
export async function npmRunOutput(script, args = []) {
  const child = start(script, args, { stdio: ['ignore', 'pipe', 'ignore'] });
  const output = [];
  child.stdout.on('data', (chunk) => output.push(chunk));
  return (await exitCode(child)) === 0 ? Buffer.concat(output).toString() : undefined;
}
