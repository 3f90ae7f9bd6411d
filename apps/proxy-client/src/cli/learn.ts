import { accessSync, constants, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { Document, isSeq, parseDocument } from 'yaml';
import type { FinishedRequests } from '../activity/proxy-services.js';
import type { LoggedRequest, RequestEnd } from '../activity/request-line.js';
import type { LoadedConfig } from '../config/load-config.js';
import type { NamedUpstream } from '../config/proxy-client-config.js';
import { describeUpstream } from '../config/upstream-setting.js';
import { grantFor } from '../routing/gate/grants.js';
import { parseAuthority, parseTarget, splitHttpUrl, type Target } from '../http/authority.js';
import { Proxy } from '../proxy/proxy.js';
import { urlOnThisMachine } from '../routing/rules/own-places.js';
import { EXIT, exitLike, notify, runProxied } from './proxied-command.js';

/** A command to observe. */
export interface LearnRequest {
  readonly command: readonly string[];
  /** The configuration file to write. */
  readonly out: string;
}

/** A rule as the configuration contains it. */
interface LearnedRule {
  readonly hosts: readonly string[];
  readonly ports: readonly number[];
  readonly to: string;
}

/** The maximum number of targets: a command that reaches more cannot be described by a list. */
const MAX_TARGETS = 10_000;
const HTTP_PORT = 80;

/**
 * The command `learn`: runs a command through a proxy of its own, and writes a configuration that allows what it reached and refuses
 * everything else. What a rule of the present configuration decides stays as it is.
 *
 * @returns the exit code of the command
 */
export async function learn({ config, file }: LoadedConfig, { command, out }: LearnRequest): Promise<number> {
  const problem = problemOf(out);
  if (problem !== undefined) {
    notify(problem);
    return EXIT.failed;
  }
  const reached = new ReachedTargets();
  const logger = { debug: ignore, info: ignore, warn: report, error: report };
  const listeners = [{ mode: 'mixed', host: '127.0.0.1', port: 0, allowedHosts: [] }] as const;
  const proxy = new Proxy({ ...config, listeners, rejectsByDefault: false }, { logger, requestLog: reached });
  await proxy.listen();
  const [place] = proxy.places;
  const end = await runProxied({
    command,
    proxy: place === undefined ? '' : urlOnThisMachine(place.address, place.port),
  });
  proxy.cut();
  await proxy.close();
  if (end === undefined) return EXIT.failed;
  if (!('fault' in end)) write(out, reached, { file, upstreams: config.upstreams });
  return exitLike(end, command, false);
}

/** Returns why a file cannot be created, before the command runs for nothing. */
function problemOf(out: string): string | undefined {
  if (existsSync(out)) return `${out} exists. Remove it, or choose another file: --out.`;
  try {
    accessSync(dirname(out), constants.W_OK);
    return undefined;
  } catch (error) {
    const { code = 'unknown error' } = error as NodeJS.ErrnoException;
    return `${out} cannot be created (${code}). Choose a file in a directory that exists and is writable: --out.`;
  }
}

/** The targets that were reached, and that no rule names. */
class ReachedTargets implements FinishedRequests {
  /** As `HOST:PORT` of a grant. */
  readonly targets = new Set<string>();

  ended(request: LoggedRequest, end: RequestEnd): void {
    const { asked, through, rule, bytes } = request;
    const isReached = end === 'left' ? (bytes?.received ?? 0) > 0 : 'status' in end;
    // Without an upstream the proxy itself has answered.
    if (!isReached || asked === undefined || through === undefined || rule !== undefined) return;
    const target = grantFor(targetOf(asked));
    if (target !== undefined && this.targets.size < MAX_TARGETS) this.targets.add(target);
  }
}

/** @param asked - `host:port` of a tunnel, the URL of a plain request */
function targetOf(asked: string): Target {
  const url = splitHttpUrl(asked);
  return url === undefined ? parseTarget(asked) : parseAuthority(url.authority, HTTP_PORT);
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

/** Writes the configuration file: the present one with further rules, or one with rules only. */
function write(
  out: string,
  { targets }: ReachedTargets,
  { file, upstreams }: { readonly file: string | undefined; readonly upstreams: readonly NamedUpstream[] },
): void {
  const [first] = upstreams;
  const rules = rulesFor(targets, first?.name ?? '');
  const document = file === undefined ? new Document(upstreamKey(first)) : parseDocument(readFileSync(file, 'utf8'));
  document.set('default', 'reject');
  const present = document.get('rules');
  if (isSeq(present)) for (const rule of rules) present.add(document.createNode(rule));
  else if (rules.length > 0) document.set('rules', document.createNode(rules));
  document.commentBefore = ' Written by proxy-client learn: review it. What no rule names is refused.';
  // It may contain what the present file contains: passwords.
  writeFileSync(out, document.toString(), { flag: 'wx', mode: 0o600 });
  notify(
    `wrote ${out} (targets: ${targets.size}, rules: ${rules.length}). Review it, then use it with --config ${out}`,
  );
}

/** Returns the upstream of options and environment as a setting; credentials do not belong in a file. */
function upstreamKey(upstream: NamedUpstream | undefined): Readonly<Record<string, string>> {
  if (upstream === undefined || upstream.kind === 'group') return {};
  if (upstream.kind !== 'embedded' && upstream.credentials !== undefined) {
    notify('The password of the upstream is not written: set PROXY_UPSTREAM again when you use the file.');
    return {};
  }
  return { upstream: describeUpstream(upstream) };
}

function ignore(): void {
  // Only warnings are shown: the terminal belongs to the command.
}

function report(fields: object, message: string): void {
  notify(`${message} ${JSON.stringify(fields)}`);
}
