import { isIP } from 'node:net';
import type { Logger } from 'pino';
import type { ProxyClientConfig, UpstreamConfig } from '../config/proxy-client-config.js';
import { formatAuthority } from '../http/authority.js';

/** Where the proxy can be reached. */
export interface ProxyUrls {
  readonly proxy: string;
  /** For other machines, where the listener is bound to every address. */
  readonly network?: string;
  readonly admin?: string;
}

export interface AnnounceOptions {
  readonly config: ProxyClientConfig;
  /** The configuration file, if one was read. */
  readonly file: string | undefined;
  readonly logger: Logger;
}

/**
 * Says that the proxy is ready: one line whatever the log level, and a message to the program that started this one, if
 * it listens for messages.
 */
export function announce(urls: ProxyUrls, { config, file, logger }: AnnounceOptions): void {
  warnOfOpenListeners(config, logger);
  const [upstream] = config.upstreams;
  const through = upstream === undefined ? {} : { upstream: describeUpstream(upstream) };
  const { proxy, network, admin } = urls;
  const others = network === undefined ? '' : ` and, for other machines, ${network}`;
  const places = `proxy-client is ready on ${proxy}${others}${admin === undefined ? '' : `, admin on ${admin}`}`;
  logger
    .child({}, { level: 'info' })
    .info({ ...urls, ...through, ...(file !== undefined && { config: file }) }, places);
  process.send?.({ type: 'ready', name: 'proxy-client', urls });
}

/** The upstream without its credentials. */
function describeUpstream(upstream: UpstreamConfig): string {
  return upstream.kind === 'embedded' ? 'embedded' : `socks5://${formatAuthority(upstream)}`;
}

function warnOfOpenListeners({ listeners, admin }: ProxyClientConfig, logger: Logger): void {
  for (const { host } of listeners) {
    if (!isLoopback(host)) logger.warn({ host }, 'not a loopback address: whoever reaches this listener can use it');
  }
  if (admin !== undefined && !isLoopback(admin.host)) {
    logger.warn({ host: admin.host }, 'the admin listener is not on a loopback address: others may read it');
  }
}

function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || (isIP(host) === 4 && host.startsWith('127.'));
}
