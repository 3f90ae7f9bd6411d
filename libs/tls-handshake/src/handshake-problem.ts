import { duplexPair } from 'node:stream';
import type { TLSSocket, TlsOptions } from 'node:tls';

/** A certificate with its key, and how it is used. */
export interface TestedCertificate {
  /** PEM: the certificate, and the intermediate ones after it. */
  readonly certificate: string;
  /** PEM. */
  readonly key: string;
  readonly role: 'server' | 'client';
  /** Versions and ciphers of the listener, if it restricts them. */
  readonly options?: Pick<TlsOptions, 'ciphers' | 'minVersion' | 'maxVersion' | 'secureOptions'>;
}

/** The error for a client that sends no certificate, because its key cannot sign for any version of TLS. */
const NOT_SENT = 'ERR_SSL_NO_SUITABLE_SIGNATURE_ALGORITHM';

/**
 * Uses a certificate in a handshake of this process with itself, in memory. OpenSSL loads keys that it then cannot sign with, such as
 * those of the curve secp256k1: without a test every connection would fail. Validity, names and issuer are the other side's concern and
 * are not checked.
 *
 * @returns the code of the error; undefined if the handshake succeeds
 */
export async function handshakeProblem(tested: TestedCertificate): Promise<string | undefined> {
  const { certificate: cert, key, role, options } = tested;
  const { connect, createServer } = process.getBuiltinModule('node:tls');
  const { promise, resolve } = Promise.withResolvers<string | undefined>();
  const fail = ({ code = 'unknown error' }: NodeJS.ErrnoException): void => {
    resolve(code);
  };
  const isClient = role === 'client';
  const [near, far] = duplexPair();
  try {
    const server = createServer({ ...options, cert, key, requestCert: isClient, rejectUnauthorized: false });
    server.on('tlsClientError', fail);
    server.on('secureConnection', (socket) => {
      resolve(isClient && !hasSent(socket) ? NOT_SENT : undefined);
    });
    const client = connect({ socket: near, rejectUnauthorized: false, ...(isClient && { cert, key }) });
    // The server's error is more precise than its alert, and is reported in the same turn.
    client.on('error', (error) => setImmediate(fail, error));
    server.emit('connection', far);
    return await promise;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code ?? 'unknown error';
  } finally {
    near.destroy();
    far.destroy();
  }
}

function hasSent(socket: TLSSocket): boolean {
  return socket.getPeerX509Certificate() !== undefined;
}
