import type { TLSSocket } from 'node:tls';

/**
 * Closes the TLS connection of a client when TLS fails after the handshake, as RFC 8446, section 6.2, requires. For a socket
 * that no `tls.Server` has created, Node reports such an error only by this undocumented event.
 */
export function closeOnTlsError(tls: TLSSocket): void {
  tls.on('_tlsError', (error: Error) => tls.destroy(error));
}
