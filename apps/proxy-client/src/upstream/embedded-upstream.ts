import { randomBytes } from 'node:crypto';
import { type Dialler, EmbeddedSocks5Server } from '#socks5-protocol';
import type { Target } from '../http/authority.js';
import type { RouteClient, RouteQuery } from '../rules/rule.js';
import { type AddressGuard, isFromHere } from './address-guard.js';
import { Socks5Upstream, type Socks5UpstreamOptions } from './socks5-upstream.js';
import type { CancelToken, ConnectOutcome, Upstream } from './upstream.js';

export interface EmbeddedUpstreamOptions extends Omit<Socks5UpstreamOptions, 'config'> {
  readonly guard: AddressGuard;
  readonly dialler: Dialler;
}

/**
 * The SOCKS5 server inside the process, on a free port of the loopback: connections leave from this machine. It has a password
 * of its own for each run, so that no other program uses it, and a user name for each clientele, so that it knows for whom it
 * connects.
 */
export class EmbeddedUpstream implements Upstream {
  readonly name: string;
  readonly key = 'embedded';
  readonly #options: EmbeddedUpstreamOptions;
  readonly #password = randomBytes(24).toString('base64url');
  readonly #server: EmbeddedSocks5Server;
  /** Resolves when it can be used. */
  readonly listening: Promise<void>;
  /** All that ever were, by their user name. */
  readonly #clienteles = new Map<string, Clientele>();
  /** Those of the present guard, by who they are. */
  readonly #present = new Map<string, Clientele>();
  #guard: AddressGuard;

  constructor(options: EmbeddedUpstreamOptions) {
    this.name = options.health.name;
    this.#options = options;
    this.#guard = options.guard;
    this.#server = new EmbeddedSocks5Server({
      authenticate: ({ username, password }) => this.#clienteles.has(username) && password === this.#password,
      admit: (address, { target, username = '' }) => this.#clienteles.get(username)?.admits(address, target) === true,
      dialler: options.dialler,
    });
    this.listening = this.#server.listen().then(() => {
      options.health.letIn();
    });
    // Whoever connects gets the error; one that nobody waits for yet must not end the process.
    this.listening.catch(() => undefined);
  }

  /** Has another guard judge from now on; what was let through by the one before is not used for new requests. */
  guardBy(guard: AddressGuard): void {
    this.#guard = guard;
    this.#present.clear();
  }

  forRequest({ client: { remoteAddress, user } }: RouteQuery): Upstream {
    const fromHere = isFromHere(remoteAddress);
    const who = JSON.stringify([fromHere, user ?? null]);
    let clientele = this.#present.get(who);
    if (clientele === undefined) {
      const client = { user, remoteAddress: fromHere ? '127.0.0.1' : undefined };
      const username = String(this.#clienteles.size);
      clientele = new Clientele(this.name, username, client, this.#guard, this.#connect(username));
      this.#present.set(who, clientele);
      this.#clienteles.set(username, clientele);
    }
    return clientele;
  }

  begin(target: Target, outcome: ConnectOutcome, cancel?: CancelToken): void {
    this.forRequest({ target, client: {} }).begin(target, outcome, cancel);
  }

  async close(): Promise<void> {
    await this.listening;
    await Promise.all([...this.#clienteles.values()].map((clientele) => clientele.close()));
    await this.#server.close();
  }

  async #connect(username: string): Promise<Socks5Upstream> {
    await this.listening;
    const credentials = { username, password: this.#password };
    const config = { kind: 'socks5', ...this.#server.address, credentials, handshake: 'oneflight', warm: 0 } as const;
    return new Socks5Upstream({ ...this.#options, config });
  }
}

/** Clients between whom the guard makes no difference: they share connections. */
class Clientele implements Upstream {
  readonly name: string;
  readonly key: string;
  readonly #client: RouteClient;
  readonly #guard: AddressGuard;
  readonly #upstream: Promise<Socks5Upstream>;

  constructor(
    name: string,
    username: string,
    client: RouteClient,
    guard: AddressGuard,
    upstream: Promise<Socks5Upstream>,
  ) {
    this.name = name;
    this.key = JSON.stringify(['embedded', username]);
    this.#client = client;
    this.#guard = guard;
    this.#upstream = upstream;
    upstream.catch(() => undefined);
  }

  admits(address: string, target: Target): boolean {
    return this.#guard.admits(address, { target, client: this.#client });
  }

  begin(target: Target, outcome: ConnectOutcome, cancel?: CancelToken): void {
    const ours: ConnectOutcome = {
      connected: (connection) => {
        outcome.connected(connection, this);
      },
      failed: outcome.failed.bind(outcome),
      letIn: () => outcome.letIn?.(),
    };
    this.#upstream.then(
      (upstream) => {
        upstream.begin(target, ours, cancel);
      },
      (error: unknown) => {
        outcome.failed(error as Error);
      },
    );
  }

  async close(): Promise<void> {
    await (await this.#upstream).close();
  }
}
