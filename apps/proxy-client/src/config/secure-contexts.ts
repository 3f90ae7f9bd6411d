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

/** Creates the context for TLS as the server of a listener. */
export function serverContext({ certificate: cert, key }: Omit<TlsPem, 'ca'>): SecureContext {
  // A handshake costs the server more than the client, and Node limits renegotiations only on sockets of a `tls.Server`.
  return tls().createSecureContext({ cert, key, secureOptions: constants.SSL_OP_NO_RENEGOTIATION });
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

/** Loads the module on demand, since most proxies do not need it. */
function tls() {
  return process.getBuiltinModule('node:tls');
}
