import { constants } from 'node:crypto';
import type { SecureContext } from 'node:tls';
import type { ConfigLocation } from './config-faults.js';

/** PEM texts for TLS. */
interface TlsPem {
  readonly ca?: string | undefined;
  readonly certificate?: string | undefined;
  readonly key?: string | undefined;
}

const contexts = new WeakMap<TlsPem, SecureContext>();

/** Returns the context for TLS as a client of an upstream. Each configuration creates it once, when it is loaded. */
export function clientContext(config: TlsPem): SecureContext {
  const { ca, certificate: cert, key } = config;
  const context = contexts.get(config) ?? tls().createSecureContext({ ca, cert, key });
  contexts.set(config, context);
  return context;
}

/** A handshake costs the server more than the client, and Node limits renegotiations only on sockets of a `tls.Server`. */
export const SERVER_OPTIONS = { secureOptions: constants.SSL_OP_NO_RENEGOTIATION };

/** Creates the context for TLS as the server of a listener. */
export function serverContext({ certificate: cert, key }: Omit<TlsPem, 'ca'>): SecureContext {
  return tls().createSecureContext({ cert, key, ...SERVER_OPTIONS });
}

/**
 * Reports a certificate that OpenSSL refuses, for instance because its key is too short: otherwise the first connection would fail.
 *
 * @returns whether there is no fault
 */
export function reportContext(create: () => SecureContext, location: ConfigLocation): boolean {
  try {
    create();
    return true;
  } catch (error) {
    const { code = 'unknown error' } = error as NodeJS.ErrnoException;
    location.child('key').report(`cannot be used for TLS with the certificate (${code})`);
    return false;
  }
}

const locations = new WeakMap<object, ConfigLocation>();

/** Registers where a certificate is configured, for the handshake by which it is tested after the configuration was read. */
export function registerCertificate(config: object, location: ConfigLocation): void {
  locations.set(config, location);
}

/** Returns where a certificate is configured; undefined for one that is not registered. */
export function locationOfCertificate(config: object): ConfigLocation | undefined {
  return locations.get(config);
}

/** Loads the module on demand, since most proxies do not need it. */
function tls() {
  return process.getBuiltinModule('node:tls');
}
