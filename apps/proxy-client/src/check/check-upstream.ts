import { ProxyStats } from '#metrics';
import { Dialler, Method, Socks5Error, type Socks5Phase } from '#socks5-protocol';
import type { CheckStep } from '../api/responses.js';
import type { LoadedConfig } from '../config/load-config.js';
import type {
  GroupConfig,
  NamedUpstream,
  ProxyClientConfig,
  Socks5UpstreamConfig,
} from '../config/proxy-client-config.js';
import type { ProxyFailure } from '../failure/proxy-failure.js';
import { formatAuthority, type Target } from '../http/authority.js';
import { BufferPool } from '../relay/buffer-pool.js';
import { OwnPlaces } from '../rules/own-places.js';
import type { RouteClient } from '../rules/rule.js';
import { AddressGuard, DirectUpstream } from '../upstream/direct-upstream.js';
import { failureOfSocksError } from '../upstream/failure-of-socks-error.js';
import { Socks5Upstream } from '../upstream/socks5-upstream.js';
import { UpstreamHealth } from '../upstream/upstream-health.js';

/** The exit code for each step that can fail. */
const EXIT = { tcp: 3, authentication: 4, connect: 5 } as const;
type UpstreamStep = keyof typeof EXIT;

const STEPS: Readonly<Record<Socks5Phase, UpstreamStep>> = {
  connect: 'tcp',
  method: 'authentication',
  authentication: 'authentication',
  request: 'connect',
};

/** Receives the steps in their order. */
export type ReportStep = (step: CheckStep) => void;

/** An upstream that is not a group: the members of a group are checked individually. */
export type CheckedUpstream = Exclude<NamedUpstream, GroupConfig>;

export interface CheckContext extends Pick<ProxyClientConfig, 'rules' | 'timeouts'> {
  /** Absent: the check ends after the authentication. */
  readonly target?: Target | undefined;
  /** The client whose request is simulated. */
  readonly client: RouteClient;
  /** Where this program listens. */
  readonly own: OwnPlaces;
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
  const context = { ...config, target, client: { remoteAddress: '127.0.0.1' }, own: new OwnPlaces([], [], () => []) };
  for (const upstream of config.upstreams) {
    if (upstream.kind === 'group') continue;
    const failed = await checkUpstream(upstream, context, ({ step, result, detail }) => {
      print(line(step, result, detail));
    });
    if (failed !== undefined) return EXIT[failed];
  }
  return 0;
}

function line(step: string, result: CheckStep['result'], detail: string): string {
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
  const failed =
    upstream.kind === 'socks5'
      ? await checkServer(upstream, context, reportStep)
      : await checkDirect(upstream, context, reportStep);
  if (failed !== undefined) return failed;
  const { target } = context;
  if (target !== undefined) reportStep('connect', 'ok', formatAuthority(target));
  else reportStep('connect', 'skipped', 'specify a target to test it: --check HOST:PORT');
  return undefined;
}

type ReportResult = (step: UpstreamStep, result: CheckStep['result'], detail: string) => void;

async function checkServer(
  server: Socks5UpstreamConfig,
  { target, timeouts, signal }: CheckContext,
  report: ReportResult,
): Promise<UpstreamStep | undefined> {
  const health = new UpstreamHealth('upstream');
  const upstream = new Socks5Upstream({ config: { ...server, warm: 0 }, timeouts, ...parts(), health });
  const connected = (): void => {
    report('tcp', 'ok', formatAuthority(server));
  };
  const authenticated = (method: number): void => {
    report('authentication', 'ok', method === Method.password ? 'by user name and password' : 'none required');
  };
  try {
    await upstream.check({ target, timeouts, connected, authenticated, ...(signal && { signal }) });
  } catch (error) {
    if (!(error instanceof Socks5Error)) throw error;
    const { phase = 'connect', code } = error;
    const step = STEPS[phase];
    const isAborted = code === 'SOCKS5.ABORTED';
    report(step, 'failed', isAborted ? ABORTED : explain(failureOfSocksError(error, phase === 'request')));
    return step;
  }
  return undefined;
}

async function checkDirect(
  { name }: CheckedUpstream,
  { target, client, own, rules, timeouts, signal }: CheckContext,
  report: ReportResult,
): Promise<UpstreamStep | undefined> {
  if (target === undefined) return undefined;
  const guard = new AddressGuard(rules, () => own);
  const upstream = new DirectUpstream({ name, guard, timeout: timeouts.connect, ...parts() });
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
      attempt.cancel();
      resolve(ABORTED);
    });
  });
  if (failure === undefined) return undefined;
  report('connect', 'failed', failure);
  return 'connect';
}

function parts(): { readonly stats: ProxyStats; readonly pool: BufferPool; readonly dialler: Dialler } {
  return { stats: new ProxyStats(), pool: new BufferPool(), dialler: new Dialler() };
}

const ABORTED = 'The check was aborted, or took too long.';

/** Returns the text of the failure table, with the details that only the operator may see. */
function explain({ cause, category, row }: ProxyFailure): string {
  const systemCode = ((cause as Error | undefined)?.cause as NodeJS.ErrnoException | undefined)?.code;
  const isVague = category === 'auth_failed' || category === 'protocol_error';
  const detail = systemCode ?? (isVague && cause instanceof Error ? cause.message : undefined);
  return detail === undefined ? row.text : `${row.text} (${detail})`;
}
