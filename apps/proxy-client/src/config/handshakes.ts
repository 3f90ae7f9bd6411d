import { ConfigError, type ConfigFault } from './config-faults.js';
import type { ProxyClientConfig } from './proxy-client-config.js';
import type { FileMarks } from './references.js';
import { locationOfCertificate, SERVER_OPTIONS } from './secure-contexts.js';

/** A certificate with its key, in its role. */
interface Configured {
  readonly config: { readonly certificate?: string | undefined; readonly key?: string | undefined };
  readonly role: 'server' | 'client';
}

/**
 * Tests each configured certificate by a handshake in memory: OpenSSL loads some that it cannot use, and every connection would fail.
 *
 * @param files - those that may have to be changed
 * @throws {@link ConfigError} with a fault for each certificate that cannot be used
 */
export async function requireHandshakes(config: ProxyClientConfig, files?: FileMarks): Promise<void> {
  const faults = await Promise.all(certificatesOf(config).map(faultOf));
  const found = faults.filter((fault) => fault !== undefined);
  if (found.length > 0) throw new ConfigError(found, files);
}

function certificatesOf({ listeners, upstreams }: ProxyClientConfig): readonly Configured[] {
  const servers = listeners.flatMap(({ tls }) => (tls === undefined ? [] : [tls]));
  const clients = upstreams.flatMap((upstream) => ('tls' in upstream ? [upstream.tls] : []));
  return [
    ...servers.map((each) => ({ config: each, role: 'server' }) as const),
    ...clients.map((each) => ({ config: each, role: 'client' }) as const),
  ];
}

async function faultOf({ config, role }: Configured): Promise<ConfigFault | undefined> {
  const { certificate, key } = config;
  const location = locationOfCertificate(config);
  if (certificate === undefined || key === undefined || location === undefined) return undefined;
  // Loaded on demand, since most proxies have no certificate.
  const { handshakeProblem } = await import('#tls-handshake');
  const code = await handshakeProblem({
    certificate,
    key,
    role,
    ...(role === 'server' && { options: SERVER_OPTIONS }),
  });
  if (code === undefined) return undefined;
  const problem = `cannot be used for TLS with the certificate (${code})`;
  return { source: location.source, key: location.child('key').key, problem };
}
