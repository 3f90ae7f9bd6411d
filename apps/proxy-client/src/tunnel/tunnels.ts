import { ProxyFailure } from '../failure/proxy-failure.js';
import { formatAuthority, parseAuthority, type Target } from '../http/authority.js';
import { malformed } from '../http/format-error.js';
import type { RequestHead } from '../http/request-head.js';
import type { Router } from '../routing/router.js';
import { TunnelOpening, type OpeningServices, type TunnelClient } from './tunnel-opening.js';

export interface TunnelsOptions extends OpeningServices {
  readonly router: Router;
}

/** No port stands for none: CONNECT has no default (RFC 9112, section 3.2.3), and port 0 is refused. */
const NO_DEFAULT_PORT = 0;

/**
 * Opens tunnels through the upstream, whatever protocol asks for them, and says so when the upstream said so.
 *
 *     client ── CONNECT ──▶ router ──▶ upstream (SOCKS5) ──▶ target
 *     client ◀── 200, then bytes both ways; or the failure, and the connection ends (RFC 9931)
 */
export class Tunnels {
  readonly #options: TunnelsOptions;

  constructor(options: TunnelsOptions) {
    this.#options = options;
  }

  /**
   * Takes a CONNECT.
   *
   * @returns the tunnel that begins to open; undefined if it has been refused
   */
  connect(head: RequestHead, client: TunnelClient): TunnelOpening | undefined {
    return this.open(() => targetOf(head), client);
  }

  /**
   * Opens a tunnel.
   *
   * @param wanted - reads the target out of what the client asked
   * @param via - the name of the upstream, where the listener says it
   * @returns the tunnel that begins to open; undefined if it has been refused
   */
  open(wanted: () => Target, client: TunnelClient, via?: string): TunnelOpening | undefined {
    let target: Target | undefined;
    try {
      target = wanted();
      client.proxied();
      const query = { target, client, listener: via === undefined ? undefined : { via } };
      return new TunnelOpening(this.#options, query, this.#options.router.route(query), client);
    } catch (error) {
      this.#refuse(client, target, ProxyFailure.from(error));
      return undefined;
    }
  }

  #refuse(client: TunnelClient, target: Target | undefined, failure: ProxyFailure): void {
    const { asks: method, remoteAddress, user } = client;
    const authority = target && formatAuthority(target);
    this.#options.reporter.report(failure, { method, target: authority, client: remoteAddress, user });
    this.#options.requestLog.ended({ client, method, asked: authority }, { failure });
    client.fail(failure);
  }
}

/** The target of a CONNECT, which is in authority-form and has no content (RFC 9110, section 9.3.6). */
function targetOf({ target, contentLength }: RequestHead): Target {
  if (contentLength !== undefined && contentLength !== '0') throw malformed('CONNECT with content');
  return parseAuthority(target, NO_DEFAULT_PORT);
}
