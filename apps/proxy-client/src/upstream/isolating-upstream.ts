import { createHmac, randomBytes } from 'node:crypto';
import type { Target } from '../http/authority.js';
import type { RouteQuery } from '../rules/rule.js';
import type { CheckListener, UpstreamCheck } from './health-checks.js';
import { Socks5Upstream, type Socks5UpstreamOptions } from './socks5-upstream.js';
import type { CancelToken, ConnectOutcome, Upstream } from './upstream.js';
import type { UpstreamHealth } from './upstream-health.js';

/** The name used for clients that are not authenticated. */
const ANONYMOUS = '';

/**
 * A SOCKS5 server that receives different credentials for each user, derived from the user's name and a secret of the process:
 * Tor uses separate circuits for them (its IsolateSOCKSAuth), and learns neither the names nor which user came back after a
 * restart. Connections, pooled and warm ones too, and learned state are not shared between users.
 */
export class IsolatingUpstream implements Upstream {
  readonly name: string;
  readonly #options: Socks5UpstreamOptions;
  readonly #secret = randomBytes(32);
  readonly #users = new Map<string, Socks5Upstream>();

  constructor(options: Socks5UpstreamOptions) {
    this.#options = options;
    this.name = options.health.name;
  }

  get health(): UpstreamHealth {
    return this.#options.health;
  }

  /** See {@link Socks5Upstream.check}: with the credentials of clients that are not authenticated. */
  check(target: Target | undefined, listener: CheckListener): UpstreamCheck {
    return this.#for(ANONYMOUS).check(target, listener);
  }

  keyFor({ client }: RouteQuery): string {
    return this.#for(client.user).keyFor();
  }

  begin(query: RouteQuery, outcome: ConnectOutcome, cancel?: CancelToken): void {
    this.#for(query.client.user).begin(query, outcome, cancel);
  }

  async close(): Promise<void> {
    await Promise.all([...this.#users.values()].map((upstream) => upstream.close()));
  }

  #for(user = ANONYMOUS): Socks5Upstream {
    let upstream = this.#users.get(user);
    if (upstream === undefined) {
      const { config } = this.#options;
      const credentials = { username: this.#digest('username', user), password: this.#digest('password', user) };
      upstream = new Socks5Upstream({
        ...this.#options,
        config: { ...config, credentials },
        requiresCredentials: true,
      });
      this.#users.set(user, upstream);
    }
    return upstream;
  }

  #digest(purpose: string, user: string): string {
    return createHmac('sha256', this.#secret)
      .update(JSON.stringify([purpose, user]))
      .digest('base64url');
  }
}
