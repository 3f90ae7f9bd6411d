import { createHmac, randomBytes } from 'node:crypto';
import type { Target } from '../http/authority.js';
import type { RouteQuery } from '../rules/rule.js';
import { Socks5Upstream, type Socks5UpstreamOptions } from './socks5-upstream.js';
import type { CancelToken, ConnectOutcome, Upstream } from './upstream.js';
import type { UpstreamCheck } from './upstream-check.js';
import type { UpstreamHealth } from './upstream-health.js';

/** Who has not said who it is. */
const NOBODY = '';

/**
 * A SOCKS5 server that each user meets with other credentials, made of the name and a secret of the process: Tor gives each of
 * them circuits of its own (its IsolateSOCKSAuth), and learns neither names nor who came back after a restart. Connections,
 * pooled and warm ones too, and what is learned are each user's own.
 */
export class IsolatingUpstream implements Upstream {
  readonly name: string;
  readonly key: string;
  readonly #options: Socks5UpstreamOptions;
  readonly #secret = randomBytes(32);
  readonly #users = new Map<string, Socks5Upstream>();

  constructor(options: Socks5UpstreamOptions) {
    const { host, port } = options.config;
    this.#options = options;
    this.name = options.health.name;
    this.key = JSON.stringify([host, port, 'isolated']);
  }

  get health(): UpstreamHealth {
    return this.#options.health;
  }

  /** See {@link Socks5Upstream.check}: as one who has not said who it is. */
  check(target: Target | undefined, over: () => void): UpstreamCheck {
    return this.#for(NOBODY).check(target, over);
  }

  forRequest({ client: { user } }: RouteQuery): Socks5Upstream {
    return this.#for(user ?? NOBODY);
  }

  begin(target: Target, outcome: ConnectOutcome, cancel?: CancelToken): void {
    this.#for(NOBODY).begin(target, outcome, cancel);
  }

  async close(): Promise<void> {
    await Promise.all([...this.#users.values()].map((upstream) => upstream.close()));
  }

  #for(user: string): Socks5Upstream {
    let upstream = this.#users.get(user);
    if (upstream === undefined) {
      const { config } = this.#options;
      const credentials = { username: this.#digest('username', user), password: this.#digest('password', user) };
      upstream = new Socks5Upstream({ ...this.#options, config: { ...config, credentials }, insists: true });
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
