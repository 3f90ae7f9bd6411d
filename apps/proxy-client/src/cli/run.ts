import { createProgramLog, fileOutput } from '#logging';
import type { Denial } from '../admin/api/gate.responses.js';
import type { LoadedConfig } from '../config/load-config.js';
import { ProxyProgram } from '../proxy/proxy-program.js';
import {
  runThroughProxy,
  sandboxOf,
  type CommandListener,
  type CommandProxy,
  type SandboxChoices,
} from './confined.js';
import { EXIT, exitLike, notify } from './proxied-command.js';
import { macosSettings } from './sandbox/macos-settings.js';
import { sandboxProblem } from './sandbox/sandbox-problem.js';
import { writableOf } from './sandbox/sandbox.js';
import { TERMINAL_LOG } from './terminal-log.js';
import { writeRule } from './write-rule.js';

/** A command to confine. */
export interface RunRequest extends SandboxChoices {
  readonly command: readonly string[];
  /** Whether it runs in a sandbox; otherwise only the proxy variables are set. */
  readonly sandbox: boolean;
  /** Whether no person is there to answer requests that ask. */
  readonly unattended?: boolean;
}

/** The number of refused targets that are reported at the end. */
const MAX_REPORTED = 20;
const STDERR = 2;

/**
 * The command `run`: runs a command whose only way out is a proxy of its own, with the rules of the configuration.
 *
 * @returns the exit code of the command
 */
export async function runConfined(loaded: LoadedConfig, request: RunRequest): Promise<number> {
  const { command } = request;
  if (request.sandbox && process.platform === 'darwin') {
    notify(macosSettings(loaded.config));
    return EXIT.failed;
  }
  const sandbox = request.sandbox ? sandboxOf(loaded, request) : undefined;
  const problem = sandbox && sandboxProblem(sandbox);
  if (problem !== undefined) {
    notify(problem);
    return EXIT.failed;
  }
  if (!loaded.config.rejectsByDefault) {
    notify('The configuration has no default: reject, so the command reaches everything.');
  }
  const outcome = await runThroughProxy({ command, loaded, sandbox }, async (listener) => {
    return openProxy(loaded, listener, {
      unattended: request.unattended,
      writable: sandbox ? writableOf(sandbox) : ['/'],
    });
  });
  if ('end' in outcome) return exitLike(outcome.end, command, request.sandbox);
  notify(outcome.failure);
  return EXIT.failed;
}

/** How requests that ask are answered. */
interface Answering {
  readonly unattended: boolean | undefined;
  /** The directories that the command may change. */
  readonly writable: readonly string[];
}

async function openProxy(
  { config, file }: LoadedConfig,
  { listeners, systemd }: CommandListener,
  { unattended, writable }: Answering,
): Promise<CommandProxy> {
  // Standard output belongs to the command.
  const log = await createProgramLog('proxy-client', 'warn', fileOutput(STDERR));
  const to = config.upstreams[0]?.name ?? '';
  const parts = {
    logger: process.stderr.isTTY ? TERMINAL_LOG : log.logger,
    ...{ log: log.destination, systemd, unattended },
    writeRule: (target: string, rule: number | undefined) => writeRule({ file, to, writable }, target, rule),
  };
  const program = new ProxyProgram({ ...config, listeners }, parts);
  const { proxy: url } = await program.listen();
  const { dashboardLink } = program;
  // The link contains the token, so it is written to a terminal only.
  if (dashboardLink !== undefined && process.stderr.isTTY) notify(`dashboard, with its token: ${dashboardLink}`);
  return {
    url,
    close: async () => {
      reportDenials(program.denials);
      await program.close();
      log.destination.flushSync();
    },
  };
}

function reportDenials(denials: readonly Denial[]): void {
  for (const { target, count, allowing_rule: rule } of denials.slice(0, MAX_REPORTED)) {
    const times = count === 1 ? '' : `, ${count} times`;
    notify(`refused ${target}${times}${rule === null ? '' : `; this rule would allow it: - ${rule}`}`);
  }
  if (denials.length > MAX_REPORTED) notify(`refused ${denials.length - MAX_REPORTED} more targets`);
}
