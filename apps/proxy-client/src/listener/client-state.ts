import type { ActiveConnection } from '../activity/active-connection.js';
import type { Exchange } from '../forward/exchange.js';
import type { RequestHead } from '../http/request-head.js';
import type { TunnelOpening } from '../tunnel/tunnels.js';

/**
 * The state of a client's connection.
 *
 *     reading ──▶ serving ──▶ reading, discarding        an HTTP request and its response
 *        │           └──────▶ handed over                after 101
 *        ├──────▶ opening ──▶ handed over                a tunnel
 *        ├──────▶ handed over                            another protocol, by the first byte
 *        ├──────▶ checking ──▶ back                      while a password is checked
 *        └──────▶ closing                                from every state, after the last response
 */
export type ClientState =
  /** Waits for a request, or for the rest of its head or handshake. */
  | { readonly name: 'reading' }
  /** Checks the credentials of the client; nothing is read. */
  | { readonly name: 'checking'; readonly request?: RequestHead | undefined }
  /** Serves an HTTP request. Received bytes are the rest of its body, or are held for the next request. */
  | { readonly name: 'serving'; readonly request: RequestHead; readonly exchange?: Exchange | 'ended' | undefined }
  /** The response was sent before all of the body was received: the rest is read and dropped. */
  | { readonly name: 'discarding'; readonly request: RequestHead }
  /** Opens a tunnel. Received bytes are held for it. */
  | { readonly name: 'opening'; readonly tunnel?: TunnelOpening | undefined }
  /** The connection belongs to a relay, or to an object for another protocol. */
  | { readonly name: 'handed over'; readonly work: ActiveConnection | undefined }
  /** The last response was written; received bytes are dropped. `bytesRead` is the socket's counter at the beginning. */
  | { readonly name: 'closing'; readonly bytesRead: number };
