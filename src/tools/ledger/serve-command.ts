import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { constants } from 'node:os';
import { EXIT } from '../command-line.js';

/** Options of {@link serve}. */
interface ServeOptions {
  readonly chaincode?: readonly string[];
  readonly caller?: readonly string[];
  readonly port?: string;
  readonly watch?: true;
}

/** Signals that a terminal or a service sends to this process only. */
const FORWARDED = ['SIGTERM', 'SIGINT', 'SIGHUP', 'SIGQUIT'] as const;

/**
 * Serves ledgers for tests until standard input is closed: `ledger-api --ephemeral`, whose file is next to this one. It is a
 * process of its own, since tools contain no server.
 */
export async function serve({ chaincode = [], caller = [], port, watch }: ServeOptions): Promise<void> {
  const program = fileURLToPath(new URL('./ledger-api.js', import.meta.url));
  const args = [
    ...chaincode.flatMap((each) => ['--chaincode', each]),
    ...caller.flatMap((each) => ['--caller', each]),
    ...(port === undefined ? [] : ['--port', port]),
    ...(watch === true ? ['--watch'] : []),
  ];
  // With a channel, the server stops when this process is killed.
  const stdio = ['inherit', 'inherit', 'inherit', 'ipc'] as const;
  const child = spawn(process.execPath, [program, '--ephemeral', ...args], { stdio: [...stdio] });
  for (const signal of FORWARDED) {
    process.on(signal, () => {
      child.kill(signal);
    });
  }
  process.exitCode = await new Promise<number>((resolve, reject) => {
    child.once('error', reject);
    child.once('exit', (code, signal) => {
      resolve(code ?? (signal === null ? EXIT.failed : 128 + constants.signals[signal]));
    });
  });
}
