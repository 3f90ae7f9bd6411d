import { ProxyStats } from '#metrics';
import { Dialler, Method, Socks5Error, type Socks5Phase } from '#socks5-protocol';
import type { LoadedConfig } from '../config/load-config.js';
import type { ProxyClientConfig, Socks5UpstreamConfig } from '../config/proxy-client-config.js';
import type { ProxyFailure } from '../failure/proxy-failure.js';
import { formatAuthority, type Target } from '../http/authority.js';
import { BufferPool } from '../relay/buffer-pool.js';
import { OwnPlaces } from '../rules/own-places.js';
import { AddressGuard, DirectUpstream } from '../upstream/direct-upstream.js';
import { failureOfSocksError } from '../upstream/failure-of-socks-error.js';
import { Socks5Upstream } from '../upstream/socks5-upstream.js';
import { UpstreamHealth } from '../upstream/upstream-health.js';

/** The exit code for each step that can fail. */
const EXIT = { tcp: 3, authentication: 4, connect: 5 } as const;
type CheckStep = keyof typeof EXIT;

const STEPS: Readonly<Record<Socks5Phase, CheckStep>> = {
  connect: 'tcp',
  method: 'authentication',
  authentication: 'authentication',
  request: 'connect',
};

/** Receives one line of the report. */
export type Report = (line: string) => void;

/**
 * Checks each upstream step by step, as the health checks do: the TCP connection, the authentication, and a connection to the
 * target if there is one.
 *
 * @returns the exit code: 0, or that of the first step that failed
 */
export async function checkUpstream(
  { config, file }: Pick<LoadedConfig, 'config' | 'file'>,
  target: Target | undefined,
  report: Report,
): Promise<number> {
  report(line('configuration', 'ok', file ?? 'defaults and environment'));
  for (const upstream of config.upstreams) {
    // The members of a group are checked individually.
    if (upstream.kind === 'group') continue;
    const code =
      upstream.kind === 'socks5'
        ? await checkServer(upstream, config, target, report)
        : await checkDirect(config, target, report);
    if (code !== 0) return code;
  }
  return 0;
}

async function checkServer(
  server: Socks5UpstreamConfig,
  { timeouts }: ProxyClientConfig,
  target: Target | undefined,
  report: Report,
): Promise<number> {
  const health = new UpstreamHealth('upstream');
  const upstream = new Socks5Upstream({ config: { ...server, warm: 0 }, timeouts, ...parts(), health });
  const connected = (): void => {
    report(line('tcp', 'ok', formatAuthority(server)));
  };
  const authenticated = (method: number): void => {
    report(line('authentication', 'ok', method === Method.password ? 'by user name and password' : 'none required'));
  };
  try {
    await upstream.check({ target, timeouts, connected, authenticated });
  } catch (error) {
    if (!(error instanceof Socks5Error)) throw error;
    const { phase = 'connect' } = error;
    const step = STEPS[phase];
    report(line(step, 'failed', explain(failureOfSocksError(error, phase === 'request'))));
    return EXIT[step];
  }
  reportConnect(target, report);
  return 0;
}

async function checkDirect(config: ProxyClientConfig, target: Target | undefined, report: Report): Promise<number> {
  if (target === undefined) {
    reportConnect(target, report);
    return 0;
  }
  const guard = new AddressGuard(config.rules, () => new OwnPlaces([], [], () => []));
  const upstream = new DirectUpstream({ name: 'direct', guard, timeout: config.timeouts.connect, ...parts() });
  const query = { target, client: { remoteAddress: '127.0.0.1' } };
  return new Promise((resolve) => {
    upstream.begin(query, {
      connected: ({ socket }) => {
        socket.destroy();
        reportConnect(target, report);
        resolve(0);
      },
      failed: (error) => {
        report(line('connect', 'failed', explain(error)));
        resolve(EXIT.connect);
      },
    });
  });
}

function parts(): { readonly stats: ProxyStats; readonly pool: BufferPool; readonly dialler: Dialler } {
  return { stats: new ProxyStats(), pool: new BufferPool(), dialler: new Dialler() };
}

function reportConnect(target: Target | undefined, report: Report): void {
  report(
    target === undefined
      ? line('connect', 'skipped', 'specify a target to test it: --check HOST:PORT')
      : line('connect', 'ok', formatAuthority(target)),
  );
}

/** Returns the text of the failure table, with the details that only the operator may see. */
function explain({ cause, category, row }: ProxyFailure): string {
  const systemCode = ((cause as Error | undefined)?.cause as NodeJS.ErrnoException | undefined)?.code;
  const isVague = category === 'auth_failed' || category === 'protocol_error';
  const detail = systemCode ?? (isVague && cause instanceof Error ? cause.message : undefined);
  return detail === undefined ? row.text : `${row.text} (${detail})`;
}

function line(step: string, result: 'ok' | 'failed' | 'skipped', detail: string): string {
  return `${step.padEnd(15)} ${result.padEnd(8)} ${detail}`;
}
