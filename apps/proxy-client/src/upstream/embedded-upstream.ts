import { randomBytes } from 'node:crypto';
import { EmbeddedSocks5Server } from '#socks5-protocol';
import type { Target } from '../http/authority.js';
import type { CancelToken, ConnectOutcome, Upstream } from './upstream.js';
import { Socks5Upstream, type Socks5UpstreamOptions } from './socks5-upstream.js';

export interface EmbeddedUpstreamOptions extends Omit<Socks5UpstreamOptions, 'config'> {
  /** Where this proxy listens itself: no connection may lead there, by whatever name. */
  readonly ownListeners: () => readonly { readonly host: string; readonly port: number }[];
}

/**
 * The SOCKS5 server inside the process, on a free port of the loopback: connections leave from this machine. It has a
 * password of its own for each run, so that no other program uses it.
 */
export class EmbeddedUpstream implements Upstream {
  readonly key = 'embedded';
  readonly #server: EmbeddedSocks5Server;
  readonly #upstream: Promise<Socks5Upstream>;

  constructor({ ownListeners, ...options }: EmbeddedUpstreamOptions) {
    const credentials = { username: 'embedded', password: randomBytes(24).toString('base64url') };
    this.#server = new EmbeddedSocks5Server({ credentials, refused: ownListeners });
    this.#upstream = this.#server.listen().then(() => {
      const { host, port } = this.#server.address;
      return new Socks5Upstream({
        ...options,
        config: { kind: 'socks5', host, port, credentials, handshake: 'oneflight', warm: 0 },
      });
    });
    // Whoever connects gets the error; one that nobody waits for yet must not end the process.
    this.#upstream.catch(() => undefined);
  }

  begin(target: Target, outcome: ConnectOutcome, cancel?: CancelToken): void {
    this.#upstream.then(
      (upstream) => {
        upstream.begin(target, outcome, cancel);
      },
      (error: unknown) => {
        outcome.failed(error as Error);
      },
    );
  }

  async close(): Promise<void> {
    const upstream = await this.#upstream;
    await upstream.close();
    await this.#server.close();
  }
}
