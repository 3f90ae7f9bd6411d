import { mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import { createProgramLog, fileOutput } from '#logging';
import type { Denial } from '../admin/api/responses.js';
import type { LoadedConfig } from '../config/load-config.js';
import type { ListenerConfig } from '../config/proxy-client-config.js';
import { ProxyProgram } from '../proxy/proxy-program.js';
import type { CommandEnd } from './bridge.js';
import { BRIDGE, EXIT, exitLike, notify, runProxied } from './proxied-command.js';
import { sandboxProblem, type Sandbox } from './sandbox.js';

/** A command to confine. */
export interface RunRequest {
  readonly command: readonly string[];
  /** Whether it runs in a network namespace of its own; otherwise only the proxy variables are set. */
  readonly sandbox: boolean;
  /** See {@link Sandbox.mounts}. */
  readonly mount: readonly string[];
}

const SOCKET = 'proxy.sock';
const ONLY_OWNER = 0o600;
/** The directory of the socket in the sandbox. */
const INSIDE = '/run/proxy-client';
/** The number of refused targets that are reported at the end. */
const MAX_REPORTED = 20;
const STDERR = 2;

/**
 * The command `run`: runs a command whose only way out is a proxy of its own, with the rules of the configuration.
 *
 * @returns the exit code of the command
 */
export async function runConfined(loaded: LoadedConfig, request: RunRequest): Promise<number> {
  const { config } = loaded;
  const directory = mkdtempSync(join(realpathSync(tmpdir()), 'proxy-client-run-'));
  let end: CommandEnd | undefined;
  try {
    const sandbox = request.sandbox ? sandboxOf(directory, request.mount, loaded) : undefined;
    const problem = sandbox && sandboxProblem(sandbox);
    if (problem !== undefined) {
      notify(problem);
      return EXIT.failed;
    }
    if (!config.rejectsByDefault)
      notify('The configuration has no default: reject, so the command reaches everything.');
    // Instead of the port.
    const socket = sandbox && { socket: { path: join(directory, SOCKET), mode: ONLY_OWNER } };
    end = await runBehind({ ...config, listeners: [{ ...LISTENER, ...socket }] }, request.command, sandbox);
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
  if (end !== undefined) return exitLike(end, request.command, request.sandbox);
  notify('The sandbox could not be created: see the message of bwrap. This system may not allow user namespaces.');
  return EXIT.failed;
}

const LISTENER: ListenerConfig = { mode: 'mixed', host: '127.0.0.1', port: 0, allowedHosts: [] };

function sandboxOf(socket: string, mounts: readonly string[], { config, files }: LoadedConfig): Sandbox {
  return {
    directory: realpathSync('.'),
    home: homedir(),
    socket: { from: socket, to: INSIDE },
    bridge: BRIDGE,
    mounts,
    configuration: [...files.keys()],
    logFile: config.requestLog?.file,
  };
}

async function runBehind(
  config: LoadedConfig['config'],
  command: readonly string[],
  sandbox: Sandbox | undefined,
): Promise<CommandEnd | undefined> {
  // Standard output belongs to the command.
  const log = await createProgramLog('proxy-client', 'warn', fileOutput(STDERR));
  const program = new ProxyProgram(config, { logger: log.logger, log: log.destination });
  const urls = await program.listen();
  const { dashboardLink } = program;
  // The link contains the token, so it is written to a terminal only.
  if (dashboardLink !== undefined && process.stderr.isTTY) notify(`dashboard, with its token: ${dashboardLink}`);
  const proxy = sandbox === undefined ? urls.proxy : `${INSIDE}/${SOCKET}`;
  const end = await runProxied({ command, proxy, sandbox });
  reportDenials(program.denials);
  await program.close();
  log.destination.flushSync();
  return end;
}

function reportDenials(denials: readonly Denial[]): void {
  for (const { target, count, allowing_rule: rule } of denials.slice(0, MAX_REPORTED)) {
    const times = count === 1 ? '' : `, ${count} times`;
    notify(`refused ${target}${times}${rule === null ? '' : `; this rule would allow it: - ${rule}`}`);
  }
  if (denials.length > MAX_REPORTED) notify(`refused ${denials.length - MAX_REPORTED} more targets`);
}
