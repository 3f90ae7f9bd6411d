import type { FinishedRequests } from '../activity/proxy-services.js';
import type { LoggedRequest, RequestEnd } from '../activity/request-line.js';
import type { LoadedConfig } from '../config/load-config.js';
import type { ProxyClientConfig } from '../config/proxy-client-config.js';
import { parseAuthority, parseTarget, splitHttpUrl, type Target } from '../http/authority.js';
import { Proxy } from '../proxy/proxy.js';
import { grantFor } from '../routing/gate/grants.js';
import { ASK } from '../routing/rules/rule.js';
import {
  runThroughProxy,
  sandboxOf,
  type CommandListener,
  type CommandProxy,
  type SandboxChoices,
} from './confined.js';
import { LearnedConfig, rulesText, type LearnedRule } from './learned-config.js';
import { EXIT, exitLike, notify } from './proxied-command.js';
import { sandboxProblem } from './sandbox/sandbox-problem.js';
import type { Sandbox } from './sandbox/sandbox.js';
import { TERMINAL_LOG } from './terminal-log.js';

/** A command to observe. */
export interface LearnRequest extends SandboxChoices {
  readonly command: readonly string[];
  /** Whether it runs in the sandbox of the command `run`, if that is possible here. */
  readonly sandbox: boolean;
  /** The configuration file to write. */
  readonly out: string;
}

/** The maximum number of targets: a command that reaches more cannot be described by a list. */
const MAX_TARGETS = 10_000;
const HTTP_PORT = 80;

/**
 * The command `learn`: runs a command through a proxy of its own, and writes a configuration that allows what it reached and refuses
 * everything else. What a rule of the present configuration decides stays as it is. The command runs in the sandbox of the command `run`,
 * in which it cannot pass by the proxy, and finds the same files as it will there.
 *
 * @returns the exit code of the command
 */
export async function learn(loaded: LoadedConfig, request: LearnRequest): Promise<number> {
  const { command, out } = request;
  const { config } = loaded;
  const learned = new LearnedConfig(out, loaded);
  const problem = learned.problem();
  if (problem !== undefined) {
    notify(problem);
    return EXIT.failed;
  }
  const reached = new ReachedTargets();
  const sandbox = request.sandbox ? possibleSandbox(loaded, request) : undefined;
  const outcome = await runThroughProxy({ command, loaded, sandbox }, async (listener) => {
    return openProxy(config, listener, reached);
  });
  if (!('end' in outcome)) {
    notify(`${outcome.failure} Use --no-sandbox to learn without it.`);
    return EXIT.failed;
  }
  if (!('fault' in outcome.end)) report(out, learned, reached, config.upstreams[0]?.name ?? '');
  return exitLike(outcome.end, command, sandbox !== undefined);
}

/** Returns the sandbox, or undefined with a message if there can be none: to learn, a command need not be confined. */
function possibleSandbox(loaded: LoadedConfig, choices: SandboxChoices): Sandbox | undefined {
  const sandbox = sandboxOf(loaded, choices);
  const problem = sandboxProblem(sandbox);
  if (problem === undefined) return sandbox;
  notify(`the command runs without a sandbox, and may reach targets that are not learned. ${problem}`);
  return undefined;
}

async function openProxy(
  config: ProxyClientConfig,
  { listeners, systemd }: CommandListener,
  requestLog: FinishedRequests,
): Promise<CommandProxy> {
  const open = {
    ...{ ...config, listeners, rejectsByDefault: false, asksByDefault: false },
    // What a person would be asked about is learned, like what no rule names.
    rules: config.rules.filter(({ to }) => to !== ASK),
  };
  const proxy = new Proxy(open, { logger: TERMINAL_LOG, requestLog, systemd });
  await proxy.listen();
  return {
    url: proxy.url,
    close: async () => {
      proxy.abort();
      await proxy.close();
    },
  };
}

/** The targets that were reached. */
class ReachedTargets implements FinishedRequests {
  /** Those that match no rule, as `HOST:PORT` of a grant. */
  readonly targets = new Set<string>();
  /** Whether a target that a rule names was reached. */
  hasNamed = false;

  ended(request: LoggedRequest, end: RequestEnd): void {
    const { requestedTarget, upstream, rule, bytes } = request;
    const isReached = end === 'client_closed' ? (bytes?.received ?? 0) > 0 : 'status' in end;
    // Without an upstream the proxy itself has answered.
    if (!isReached || requestedTarget === undefined || upstream === undefined) return;
    if (rule !== undefined) {
      this.hasNamed = true;
      return;
    }
    const target = grantFor(targetOf(requestedTarget));
    if (target !== undefined && this.targets.size < MAX_TARGETS) this.targets.add(target);
  }
}

/** @param requestedTarget - `host:port` of a tunnel, the URL of a plain request */
function targetOf(requestedTarget: string): Target {
  const url = splitHttpUrl(requestedTarget);
  return url === undefined ? parseTarget(requestedTarget) : parseAuthority(url.authority, HTTP_PORT);
}

/** Returns rules, one for all hosts with the same ports. */
function rulesFor(targets: Iterable<string>, to: string): readonly LearnedRule[] {
  const portsOf = Map.groupBy([...targets].sort(), (target) => target.slice(0, target.lastIndexOf(':')));
  const hosts = Array.from(portsOf, ([host, all]) => ({
    host,
    ports: all.map((target) => Number(target.slice(target.lastIndexOf(':') + 1))).sort((a, b) => a - b),
  }));
  return Array.from(Map.groupBy(hosts, ({ ports }) => ports.join()).values(), (group): LearnedRule => ({
    hosts: group.map(({ host }) => host),
    ports: group[0]?.ports ?? [],
    to,
  }));
}

/** Writes the result, or prints it if that fails: the command may have run for hours. */
function report(out: string, learned: LearnedConfig, reached: ReachedTargets, to: string): void {
  if (reached.targets.size === 0 && !reached.hasNamed) {
    notify(`the command reached no target through the proxy, so ${out} is not written.`);
    return;
  }
  const rules = rulesFor(reached.targets, to);
  const problem = learned.write(rules);
  if (problem === undefined) {
    notify(
      `wrote ${out} (targets: ${reached.targets.size}, rules: ${rules.length}). Review it, then use it with --config ${out}`,
    );
    return;
  }
  notify(`${out} could not be written (${problem}). These are the rules for what the command reached:`);
  process.stderr.write(rulesText(rules));
}
