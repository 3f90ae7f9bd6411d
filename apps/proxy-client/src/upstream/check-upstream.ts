import { certificateWarning } from '../config/certificate-setting.js';
import { ProxyStats } from '../stats/proxy-stats.js';
import { Method } from '#socks5-protocol';
import { SECTION_MEMORY, SectionMemory } from '../http/section-memory.js';
import type { CheckStep } from '../admin/api/routes.responses.js';
import type { LoadedConfig } from '../config/load-config.js';
import type {
  GroupConfig,
  HttpUpstreamConfig,
  NamedUpstream,
  ProxyClientConfig,
  ServerConfig,
} from '../config/proxy-client-config.js';
import { describeUpstream } from '../config/upstream-setting.js';
import { SILENT } from '../failure/failure-reporter.js';
import type { ProxyFailure } from '../failure/proxy-failure.js';
import { formatAuthority, type Target } from '../http/authority.js';
import { BufferPool } from '../relay/buffer-pool.js';
import { OwnAddresses } from '../routing/rules/own-addresses.js';
import type { RouteClient } from '../routing/rules/rule.js';
import { CheckError, type CheckStepName } from './health-checks.js';
import { Upstreams, type UpstreamsOptions } from './upstreams.js';

/** The exit code for each step that can fail. */
const EXIT = { pac: 3, hop: 3, tcp: 3, tls: 3, ticket: 4, authentication: 4, connect: 5 } as const;
type UpstreamStep = keyof typeof EXIT;

/** Receives the steps in their order. */
export type ReportStep = (step: CheckStep) => void;

/** An upstream that is not a group: the members of a group are checked individually. */
export type CheckedUpstream = Exclude<NamedUpstream, GroupConfig>;

export interface CheckContext {
  readonly config: ProxyClientConfig;
  readonly timeouts: ProxyClientConfig['timeouts'];
  /** Absent: the check ends after the authentication. */
  readonly target?: Target | undefined;
  /** The client whose request is simulated. */
  readonly client: RouteClient;
  /** Where this program listens. */
  readonly own: OwnAddresses;
  readonly signal?: AbortSignal;
}

/**
 * The command --check: checks each upstream, and prints a line per step.
 *
 * @returns the exit code: 0, or that of the first step that failed
 */
export async function checkUpstreams(
  { config, file }: Pick<LoadedConfig, 'config' | 'file'>,
  target: Target | undefined,
  print: (line: string) => void,
): Promise<number> {
  print(line('configuration', 'ok', file ?? 'defaults and environment'));
  for (const { tls, setBy = '' } of config.listeners) {
    if (tls === undefined) continue;
    const warning = certificateWarning(tls);
    const detail = `${setBy}: SPKI ${tls.spki}, valid until ${tls.validUntil}`;
    print(line('certificate', 'ok', warning === undefined ? detail : `${detail}; it ${warning}`));
  }
  const own = new OwnAddresses([], [], () => []);
  const context = { config, timeouts: config.timeouts, target, client: { remoteAddress: '127.0.0.1' }, own };
  for (const upstream of config.upstreams) {
    if (upstream.kind === 'group') continue;
    const failed = await checkUpstream(upstream, context, ({ step, result, detail }) => {
      // The line of a hop names it.
      const isNamed = result !== 'failed' || step === 'hop';
      print(line(step, result, isNamed ? detail : `${upstream.name} (${describeUpstream(upstream)}): ${detail}`));
    });
    if (failed !== undefined) return EXIT[failed];
  }
  return 0;
}

/** Formats a line of the command. */
export function line(step: string, result: CheckStep['result'], detail: string): string {
  return `${step.padEnd(15)} ${result.padEnd(8)} ${detail}`;
}

/**
 * Checks an upstream step by step, as the health checks do: the TCP connection, the authentication, and a connection to the
 * target if there is one. The learned state and the health of a running upstream are neither used nor changed.
 *
 * @returns the step that failed; undefined if none did
 */
export async function checkUpstream(
  upstream: CheckedUpstream,
  context: CheckContext,
  report: ReportStep,
): Promise<UpstreamStep | undefined> {
  let since = performance.now();
  const reportStep = (step: UpstreamStep, result: CheckStep['result'], detail: string): void => {
    const now = performance.now();
    report({ step, upstream: upstream.name, result, detail, ms: Math.round(now - since) });
    since = now;
  };
  const failed = await (isServer(upstream) ? checkServer : checkOther)(upstream as ServerUpstream, context, reportStep);
  if (failed !== undefined) return failed;
  const { target } = context;
  if (target !== undefined) reportStep('connect', 'ok', formatAuthority(target));
  else reportStep('connect', 'skipped', 'specify a target to test it: --check HOST:PORT');
  return undefined;
}

type ServerUpstream = ServerConfig & { readonly name: string };

function isServer(upstream: CheckedUpstream): upstream is ServerUpstream {
  return upstream.kind === 'socks5' || upstream.kind === 'http';
}

/** Creates the upstreams for a check, without warm connections. */
function upstreamsFor({ config, timeouts, own }: CheckContext): Upstreams {
  const upstreams = config.upstreams.map((each) => (each.kind === 'socks5' ? { ...each, warm: 0 } : each));
  const options = { ...parts(), logger: SILENT, own: () => own, reportDefect: ignore };
  return new Upstreams({ ...config, upstreams, timeouts }, options);
}

type ReportResult = (step: CheckStepName | 'hop' | 'pac', result: CheckStep['result'], detail: string) => void;

async function checkServer(
  server: ServerUpstream,
  context: CheckContext,
  report: ReportResult,
): Promise<UpstreamStep | undefined> {
  const { config, target, timeouts, signal } = context;
  const made = upstreamsFor(context);
  const upstream = made.server(server.name);
  const hops = hopsBefore(server, config);
  const reportHops = (failed?: string): void => {
    for (const hop of hops.splice(0)) {
      const state = made.server(hop.name)?.health.state;
      if (hop.name !== failed && state !== 'unknown') report('hop', 'ok', `${hop.name} (${describeUpstream(hop)})`);
    }
  };
  const reached = (): void => {
    reportHops();
    report('tcp', 'ok', formatAuthority(server));
  };
  const connected = (): void => {
    if (server.tls !== undefined) report('tls', 'ok', 'the certificate is valid');
  };
  const authenticated = (method: number): void => {
    report('authentication', 'ok', method === Method.password ? 'by user name and password' : 'none required');
  };
  try {
    await upstream?.check({ target, timeouts, reached, connected, authenticated, ...(signal && { signal }) });
    if (server.kind === 'http') reportHttpLogin(server, target, report);
  } catch (error) {
    if (!(error instanceof CheckError)) throw error;
    const { failure, upstream, step } = error;
    const isHop = upstream.name !== server.name;
    reportHops(upstream.name);
    const text = failure === undefined ? error.message : explain(failure);
    if (isHop) report('hop', 'failed', `${upstream.name}: ${text}`);
    else report(step, 'failed', text);
    return isHop ? 'hop' : step;
  } finally {
    made.close();
  }
  return undefined;
}

/** An HTTP proxy shows only by its answer to a CONNECT whether it accepts the credentials. */
function reportHttpLogin(server: HttpUpstreamConfig, target: Target | undefined, report: ReportResult): void {
  const { credentials, negotiate } = server;
  if (negotiate !== undefined) report('ticket', 'ok', negotiate.service);
  if (target === undefined) report('authentication', 'skipped', 'an HTTP proxy answers only with a target');
  else
    report(
      'authentication',
      'ok',
      negotiate !== undefined
        ? 'by Kerberos'
        : credentials === undefined
          ? 'none required'
          : 'by user name and password',
    );
}

/** Returns the servers on the way to a server in their order; of a group as a hop all members. */
function hopsBefore({ via }: ServerConfig, config: ProxyClientConfig): ServerUpstream[] {
  const hop = config.upstreams.find(({ name }) => name === via);
  if (hop === undefined) return [];
  if (hop.kind !== 'group') return isServer(hop) ? [...hopsBefore(hop, config), hop] : [];
  const members = config.upstreams.filter(({ name }) => hop.of.includes(name));
  const servers = members.filter((each) => each.kind !== 'group').filter(isServer);
  return servers.flatMap((member) => [...hopsBefore(member, config), member]);
}

export function ignore(): void {
  // A check reports its steps itself.
}

/** Checks direct connections, or what a PAC script chooses for the target. */
async function checkOther(
  { name }: CheckedUpstream,
  context: CheckContext,
  report: ReportResult,
): Promise<UpstreamStep | undefined> {
  const { target, client, signal } = context;
  if (target === undefined) return undefined;
  const upstreams = upstreamsFor(context);
  const upstream = upstreams.find(name);
  const failure = await new Promise<string | undefined>((resolve) => {
    const attempt = upstream.begin(
      { target, client },
      {
        connected: ({ socket }) => {
          socket.destroy();
          resolve(undefined);
        },
        failed: (reason) => {
          resolve(explain(reason));
        },
      },
    );
    signal?.addEventListener('abort', () => {
      attempt.abort();
      resolve(ABORTED);
    });
  });
  const answer = upstreams.script(name)?.last;
  upstreams.close();
  if (answer !== undefined) report('pac', 'ok', answer.text);
  if (failure === undefined) return undefined;
  report('connect', 'failed', failure);
  return 'connect';
}

/** Returns what upstreams share, for a check. */
export function parts(): Pick<UpstreamsOptions, 'stats' | 'pool' | 'sections'> {
  return { stats: new ProxyStats(), pool: new BufferPool(), sections: new SectionMemory(SECTION_MEMORY) };
}

const ABORTED = 'The check was aborted, or took too long.';

/** Returns the text of the failure table, with the details that only the operator may see. */
function explain(failure: ProxyFailure): string {
  const { cause, text } = failure;
  const systemCode = ((cause as Error | undefined)?.cause as NodeJS.ErrnoException | undefined)?.code;
  const detail = systemCode ?? detailOf(failure);
  return detail === '' ? text : `${text} (${detail})`;
}

/** Returns the detail without the hop, which the line names already. */
function detailOf({ cause, category, facts }: ProxyFailure): string {
  if (facts.detail !== undefined) return facts.detail.replace(/^hop [^:]+(?:: )?/, '');
  const isVague = category === 'auth_failed' || category === 'protocol_error';
  return isVague && cause instanceof Error ? cause.message : '';
}
