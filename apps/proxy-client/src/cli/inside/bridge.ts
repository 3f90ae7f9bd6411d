// Runs a command: `node command-bridge.js OPTIONS COMMAND…`, where OPTIONS is the JSON of BridgeOptions. It is a program of its own,
// because a sandbox contains no other files of proxy-client. In a sandbox it opens the listener of the proxy on the loopback of the
// sandbox, and passes it on to the parent, which is outside: the command's only way out.
//
//     COMMAND ── TCP, 127.0.0.1 of the sandbox ──▶ proxy, outside of the network namespace
//
// Messages from and to the parent: ToBridge and FromBridge. If the parent exits, the command is killed.
import { spawn } from 'node:child_process';
import { accessSync, constants, mkdirSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { dirname, join } from 'node:path';
import { proxyVariables, settingsFiles } from './tool-settings.js';

/** How a command ended: by its exit code, by a signal, or it could not be started (an error code of Node). */
export type CommandEnd = { readonly code: number } | { readonly signal: NodeJS.Signals } | { readonly fault: string };

/** How a command runs. */
export interface BridgeOptions {
  /** Absent: not in a sandbox. */
  readonly sandbox?: {
    /** Empty home directories, for settings of programs. */
    readonly homes: readonly string[];
    /** The command that ssh uses to connect. */
    readonly connect: readonly string[];
  };
  /** Whether it gets a terminal of its own, in which job control and Ctrl-C work. */
  readonly hasTerminal: boolean;
  /** Variables of the command that this program must not have. */
  readonly environment: NodeJS.ProcessEnv;
}

/** Starts the command, or passes a signal on to it. */
export type ToBridge = { readonly start: string } | { readonly signal: NodeJS.Signals };
/** The listener, whose server comes with the message; why there is none; how the command ended. */
export type FromBridge = { readonly listening: true } | { readonly problem: string } | { readonly end: CommandEnd };

const SCRIPT = '/usr/bin/script';

/** Listens on the loopback of the sandbox and passes the server on. */
function passListener(): void {
  const server = createServer();
  server.on('error', ({ code = 'unknown error' }: NodeJS.ErrnoException) => {
    send({ problem: `it is not possible to listen on its loopback (${code})` });
  });
  server.listen(0, '127.0.0.1', () => {
    const message: FromBridge = { listening: true };
    // From now on the parent accepts.
    process.send?.(message, server, undefined, () => server.close());
  });
}

/** Writes settings of programs to the home directories, unless the person has mounted their own. */
function writeSettings(url: string, { homes, connect }: NonNullable<BridgeOptions['sandbox']>): void {
  for (const home of homes) {
    for (const { path, content } of settingsFiles(url, connect)) {
      const file = join(home, path);
      try {
        mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
        writeFileSync(file, content, { flag: 'wx', mode: 0o600 });
      } catch {
        // A file or directory that was mounted.
      }
    }
  }
}

/** Returns a command that runs another one in a terminal of its own, if that is possible. */
function inTerminal(command: readonly string[]): readonly string[] {
  try {
    accessSync(SCRIPT, constants.X_OK);
  } catch {
    return command;
  }
  const quoted = command.map((word) => `'${word.replaceAll("'", "'\\''")}'`).join(' ');
  return [SCRIPT, '--quiet', '--return', '--flush', '--command', `exec ${quoted}`, '/dev/null'];
}

function run(url: string, options: BridgeOptions, command: readonly string[]): (signal: NodeJS.Signals) => void {
  if (options.sandbox !== undefined) writeSettings(url, options.sandbox);
  // The command inherits the environment of proxy-client.
  // eslint-disable-next-line no-restricted-properties
  const environment = { ...process.env, ...options.environment };
  const [file = '', ...args] = options.hasTerminal ? inTerminal(command) : command;
  // A separate process group, so that signals reach all of its processes, and none is left running.
  const child = spawn(file, args, {
    stdio: 'inherit',
    detached: true,
    env: { ...environment, ...proxyVariables(url, environment) },
  });
  const signal = (name: NodeJS.Signals): void => {
    try {
      if (child.pid !== undefined) process.kill(-child.pid, name);
    } catch {
      // It has exited.
    }
  };
  const finish = (end: CommandEnd): void => {
    signal('SIGKILL');
    send({ end });
  };
  child.on('error', ({ code = 'unknown error' }: NodeJS.ErrnoException) => {
    finish({ fault: code });
  });
  child.on('exit', (code, by) => {
    finish(by === null ? { code: code ?? 0 } : { signal: by });
  });
  return signal;
}

/** Sends the last message, and exits. */
function send(message: FromBridge): void {
  process.send?.(message, undefined, undefined, () => process.exit());
}

// This program has no other command line.
// eslint-disable-next-line no-restricted-properties
const [json = '{}', ...command] = process.argv.slice(2);
const options = JSON.parse(json) as BridgeOptions;
let signal: (name: NodeJS.Signals) => void = () => undefined;
process.on('message', (message: ToBridge) => {
  if ('start' in message) signal = run(message.start, options, command);
  else signal(message.signal);
});
process.on('disconnect', () => {
  signal('SIGKILL');
  process.exit();
});
if (options.sandbox !== undefined) passListener();
