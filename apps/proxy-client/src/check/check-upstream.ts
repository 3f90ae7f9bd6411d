import { connect } from 'node:net';
import {
  defaultOffer,
  EmbeddedSocks5Server,
  Method,
  parseSocks5Target,
  Socks5Error,
  Socks5Session,
  SocketTransport,
} from '#socks5-protocol';
import type { LoadedConfig } from '../config/load-config.js';
import type {
  ProxyClientConfig,
  Socks5UpstreamConfig,
  Timeouts,
  UpstreamConfig,
} from '../config/proxy-client-config.js';
import { formatAuthority } from '../http/authority.js';
import { explain, STAGE_EXIT, stageOf } from './check-stage.js';

/** Where the check asks the upstream to connect to; IPv6 without brackets. */
export interface CheckTarget {
  readonly host: string;
  readonly port: number;
}

/** Reads `HOST:PORT`, `[::1]:443`; undefined when it is none or SOCKS5 cannot carry it. */
export function parseCheckTarget(text: string): CheckTarget | undefined {
  const [, ipv6, name, digits] = /^(?:\[([^[\]]+)\]|([^:[\]]+)):(\d{1,5})$/.exec(text) ?? [];
  const host = ipv6 ?? name;
  if (host === undefined) return undefined;
  const target = { host, port: Number(digits) };
  try {
    parseSocks5Target(target.host, target.port);
    return target;
  } catch (error) {
    if (error instanceof Socks5Error) return undefined;
    throw error;
  }
}

/** Takes one line of the report. */
export type Report = (line: string) => void;

/**
 * Tries the upstream step by step: the TCP connection, the authentication, and with a target a connection to it.
 *
 * @returns the exit code: 0, or that of the first step that failed
 */
export async function checkUpstream(
  { config, file }: Pick<LoadedConfig, 'config' | 'file'>,
  target: CheckTarget | undefined,
  report: Report,
): Promise<number> {
  report(line('configuration', 'ok', file ?? 'defaults and environment'));
  for (const upstream of config.upstreams) {
    const code = await checkOne(upstream, target, { config, report });
    if (code !== 0) return code;
  }
  return 0;
}

interface Context {
  readonly config: ProxyClientConfig;
  readonly report: Report;
}

async function checkOne(upstream: UpstreamConfig, target: CheckTarget | undefined, context: Context): Promise<number> {
  if (upstream.kind === 'socks5') return checkSocks5(upstream, target, context);
  // Its members are tried by themselves.
  if (upstream.kind === 'group') return 0;
  const server = new EmbeddedSocks5Server();
  await server.listen();
  try {
    const embedded = { kind: 'socks5', ...server.address, handshake: 'auto', warm: 0 } as const;
    return await checkSocks5(embedded, target, context);
  } finally {
    await server.close();
  }
}

async function checkSocks5(
  upstream: Socks5UpstreamConfig,
  target: CheckTarget | undefined,
  { config: { timeouts }, report }: Context,
): Promise<number> {
  const error = await attempt({ upstream, target, timeouts, report });
  if (error === undefined) return 0;
  const stage = stageOf(error);
  report(line(stage, 'failed', explain(error, upstream.credentials !== undefined)));
  return STAGE_EXIT[stage];
}

interface Attempt {
  readonly upstream: Socks5UpstreamConfig;
  readonly target: CheckTarget | undefined;
  readonly timeouts: Timeouts;
  readonly report: Report;
}

/** Goes through the steps and reports those that succeed; gives the error of the one that does not. */
async function attempt({ upstream, target, timeouts, report }: Attempt): Promise<Socks5Error | undefined> {
  const { host, port, credentials } = upstream;
  return new Promise((resolve) => {
    const socket = connect({ host, port, allowHalfOpen: true, noDelay: true });
    socket.once('connect', () => {
      report(line('tcp', 'ok', formatAuthority(upstream)));
    });
    const finish = (error?: Socks5Error): void => {
      socket.destroy();
      resolve(error);
    };
    const session = new Socks5Session({
      open: () => new SocketTransport(socket),
      offer: defaultOffer(credentials),
      credentials,
      timeouts,
      listener: {
        ready() {
          const used = session.method === Method.password ? 'by user name and password' : 'none asked for';
          report(line('authentication', 'ok', used));
          if (target !== undefined) session.request(parseSocks5Target(target.host, target.port));
          else {
            report(line('connect', 'skipped', 'name a target to try it: --check HOST:PORT'));
            finish();
          }
        },
        established() {
          report(line('connect', 'ok', target === undefined ? '' : formatAuthority(target)));
          finish();
        },
        failed: finish,
      },
    });
  });
}

function line(step: string, result: 'ok' | 'failed' | 'skipped', detail: string): string {
  return `${step.padEnd(15)} ${result.padEnd(8)} ${detail}`;
}
