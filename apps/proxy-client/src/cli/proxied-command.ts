import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { closeSync, readdirSync, readFileSync } from 'node:fs';
import { Server } from 'node:net';
import { constants } from 'node:os';
import { dirname } from 'node:path';
import type { Writable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import type { BridgeOptions, CommandEnd, FromBridge, ToBridge } from './inside/bridge.js';
import { sandboxFailure } from './sandbox/sandbox-problem.js';
import type { ProjectFiles } from './sandbox/project-files.js';
import { FIRST_DATA, namespaceOptions, sandboxCommand, type Sandbox, type SandboxCommand } from './sandbox/sandbox.js';

export type { CommandEnd };

/** The program that runs the command; see inside/bridge.ts. */
const BRIDGE = fileURLToPath(new URL('./command-bridge.js', import.meta.url));
const CONNECT = fileURLToPath(new URL('./command-connect.js', import.meta.url));
/** The directory of the programs that run in a sandbox. */
export const PROGRAMS = dirname(BRIDGE);

/**
 * The signals that are passed on to the command. SIGWINCH: the terminal has another size. At SIGUSR1 this program would otherwise open
 * Node's debugger.
 */
const FORWARDED = ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGQUIT', 'SIGUSR1', 'SIGUSR2', 'SIGWINCH'] as const;

/** As of `env` and shells: this program has failed, or the command cannot be started, or is not found. */
export const EXIT = { failed: 125, notStarted: 126, notFound: 127 } as const;
const SIGNALLED = 128;

/** Reports something to the user; standard output belongs to the command. */
export function notify(text: string): void {
  process.stderr.write(`proxy-client: ${text}\n`);
}

/** A sandbox, and what is protected in its directory. */
export interface Confinement {
  readonly sandbox: Sandbox;
  readonly project: ProjectFiles;
}

/** How to run a command. */
export interface ProxiedCommandOptions {
  /** The file and its arguments. */
  readonly command: readonly string[];
  /** The variables of the command, without those of the proxy. */
  readonly environment: NodeJS.ProcessEnv;
  /** Absent: the command is not confined. */
  readonly confinement: Confinement | undefined;
  /** Whether standard input and output are a terminal. */
  readonly hasTerminal: boolean;
}

/** The namespaces that every sandbox needs. */
const NAMESPACES = ['--unshare-net', '--unshare-pid', '--unshare-ipc', '--unshare-uts'];

/**
 * A command with the proxy variables set. It shares the terminal's input and output, but is in a session of its own: a key such as Ctrl-C
 * signals this program, which passes it on once. If this program is killed, the command is killed, too.
 */
export class ProxiedCommand {
  readonly #child: ChildProcess;
  readonly #sandbox: Sandbox | undefined;
  readonly #listener = Promise.withResolvers<Server | undefined>();
  readonly #closed = Promise.withResolvers<CommandEnd | undefined>();
  #end: CommandEnd | undefined;
  #problem: string | undefined;

  /** Starts what runs the command, but not the command itself. */
  constructor({ command, environment, confinement, hasTerminal }: ProxiedCommandOptions) {
    const sandbox = confinement?.sandbox;
    this.#sandbox = sandbox;
    const { NODE_OPTIONS, ...others } = environment;
    const options: BridgeOptions = {
      hasTerminal,
      // They may name files that are not in the sandbox.
      environment: NODE_OPTIONS === undefined ? {} : { NODE_OPTIONS },
      ...(sandbox && { sandbox: { homes: sandbox.homes, connect: [process.execPath, CONNECT] } }),
    };
    const bridge = [process.execPath, BRIDGE, JSON.stringify(options), ...command];
    const { args, data } = confinement ? sandboxCommand(confinement.sandbox, confinement.project) : NO_SANDBOX;
    const [file = '', ...rest] = confinement ? ['bwrap', ...args, '--', ...bridge] : bridge;
    if (confinement) closeInheritedDescriptors();
    this.#child = spawn(file, rest, {
      stdio: ['inherit', 'inherit', 'inherit', 'ipc', ...data.map(() => 'pipe' as const)],
      env: others,
      detached: true,
    });
    this.#send(data);
    this.#follow();
  }

  /** Returns the server of the sandbox's loopback; undefined if there is no sandbox, because it could not be created. */
  async listener(): Promise<Server | undefined> {
    return this.#listener.promise;
  }

  /**
   * Runs the command.
   *
   * @param proxy - the URL of the proxy, as the command sees it
   * @returns how it ended; undefined if it could not be started, for which {@link failure} has the reason
   */
  async run(proxy: string): Promise<CommandEnd | undefined> {
    const forward = (signal: NodeJS.Signals): void => {
      this.#tell({ signal });
    };
    for (const signal of FORWARDED) process.on(signal, forward);
    this.#tell({ start: proxy });
    const end = await this.#closed.promise;
    for (const signal of FORWARDED) process.off(signal, forward);
    return end;
  }

  /** Returns why the sandbox could not be created. */
  failure(): string {
    if (this.#problem !== undefined) return `The sandbox could not be used: ${this.#problem}.`;
    const user = namespaceOptions(this.#sandbox?.userNamespaces !== false);
    const probe = ['--ro-bind', '/', '/', '--proc', '/proc', '--dev', '/dev', 'true'];
    return sandboxFailure(spawnSync('bwrap', [...NAMESPACES, ...user, ...probe], { encoding: 'utf8' }).stderr);
  }

  /** Ends it without having run the command. */
  abort(): void {
    if (this.#child.connected) this.#child.disconnect();
  }

  #follow(): void {
    const child = this.#child;
    child.on('message', (message: FromBridge | null, server: unknown) => {
      // The command runs as the same user as the bridge, and can send anything in its name.
      if (typeof message !== 'object' || message === null) return;
      if ('listening' in message) this.#listener.resolve(server instanceof Server ? server : undefined);
      else if ('end' in message) this.#end = message.end;
      else if ('problem' in message) this.#problem = message.problem;
    });
    child.on('error', ({ code = 'unknown error' }: NodeJS.ErrnoException) => {
      this.#end ??= { fault: code };
      this.#finish();
    });
    child.on('close', () => {
      this.#finish();
    });
  }

  #finish(): void {
    this.#listener.resolve(undefined);
    this.#closed.resolve(this.#end);
  }

  #send(data: readonly Uint8Array[]): void {
    data.forEach((content, index) => {
      const pipe = this.#child.stdio[FIRST_DATA + index] as Writable | null | undefined;
      // bwrap may have ended.
      pipe?.on('error', () => undefined).end(content);
    });
  }

  #tell(message: ToBridge): void {
    // A bridge that has exited reads no signals.
    if (this.#child.connected) this.#child.send(message, () => undefined);
  }
}

const NO_SANDBOX: SandboxCommand = { args: [], data: [] };
const CLOSE_ON_EXEC = 0o2000000;
const STDERR = 2;

/**
 * Closes the descriptors that this program has inherited, because a socket among them would be a way out of the sandbox. Node sets
 * close-on-exec only for the first ones.
 */
function closeInheritedDescriptors(): void {
  for (const name of readdirSync('/proc/self/fd')) {
    const descriptor = Number(name);
    if (descriptor > STDERR && isInherited(descriptor)) closeSync(descriptor);
  }
}

/** Returns whether child processes get a descriptor: Node opens all of its own with close-on-exec. */
function isInherited(descriptor: number): boolean {
  try {
    const flags = /^flags:\s*([0-7]+)/m.exec(readFileSync(`/proc/self/fdinfo/${descriptor}`, 'latin1'))?.[1] ?? '0';
    return (Number.parseInt(flags, 8) & CLOSE_ON_EXEC) === 0;
  } catch {
    // The descriptor by which the directory was read.
    return false;
  }
}

/**
 * Returns the exit code for the end of a command; reports why it could not be started. If a signal has ended it, this program ends by the
 * same signal.
 */
export function exitLike(end: CommandEnd, [file = '']: readonly string[], isInSandbox: boolean): number {
  if ('code' in end) return end.code;
  if ('signal' in end) {
    process.kill(process.pid, end.signal);
    return SIGNALLED + constants.signals[end.signal];
  }
  const where = isInSandbox ? ' in the sandbox; --mount makes further directories visible' : '';
  const isMissing = end.fault === 'ENOENT';
  notify(`${file} ${isMissing ? 'is not found' : `cannot be run (${end.fault})`}${where}.`);
  return isMissing ? EXIT.notFound : EXIT.notStarted;
}
