import type { Client } from '@grpc/grpc-js';
import type { RotatingFiles } from '../../fabric-client/rotating-files.js';
import type { Pace } from '../../fabric-client/stage-limits.js';
import type { SigningIdentity } from '../../fabric-client/signing-identity.js';
import { connectPeer, type PeerAddress, type TlsMaterial } from './peer-connection.js';
import { peerSession, type PeerSession } from './peer-session.js';

/** Where the peers are and what is needed to talk to them. */
export interface PeerPoolOptions {
  readonly addresses: readonly PeerAddress[];
  readonly identity: RotatingFiles<SigningIdentity>;
  /** Without it connections are in clear text. */
  readonly tls: RotatingFiles<TlsMaterial> | undefined;
  readonly pace: Pace;
}

/** Longer than any call. */
const RETIRE_AFTER_MS = 300_000;

/**
 * One connection a peer, and who signs on them. The peer that served last is asked first; one that cannot be reached
 * steps back. Certificates that were replaced on disk are used from the next call on; calls under way keep theirs.
 */
export class PeerPool {
  readonly #options: PeerPoolOptions;
  #preferred = 0;
  #clients: readonly Client[] = [];
  #connectedWith: TlsMaterial | undefined;
  #sessions: readonly PeerSession[] = [];
  #signingAs: SigningIdentity | undefined;
  #isClosed = false;

  constructor(options: PeerPoolOptions) {
    this.#options = options;
  }

  /** The peers in the order in which they are to be asked; never empty. */
  async sessions(): Promise<readonly [PeerSession, ...PeerSession[]]> {
    const { identity, tls } = this.#options;
    this.#refresh(await identity.current(), await tls?.current());
    const preferred = this.#preferred % this.#sessions.length;
    return [...this.#sessions.slice(preferred), ...this.#sessions.slice(0, preferred)] as [PeerSession];
  }

  /** The peer could not be reached, or did not answer in time: the one behind it is asked first from now on. */
  stepBack(session: PeerSession): void {
    const index = this.#options.addresses.findIndex(({ endpoint }) => endpoint === session.endpoint);
    if (index === this.#preferred) this.#preferred = (index + 1) % this.#options.addresses.length;
  }

  close(): void {
    this.#isClosed = true;
    for (const client of this.#clients) client.close();
  }

  #refresh(identity: SigningIdentity, tls: TlsMaterial | undefined): void {
    const isConnected = this.#clients.length > 0 && tls === this.#connectedWith;
    if (isConnected && identity === this.#signingAs) return;
    const { addresses, pace } = this.#options;
    if (!isConnected && !this.#isClosed) {
      retire(this.#clients);
      this.#clients = addresses.map((address) => connectPeer(address, tls, pace));
      this.#connectedWith = tls;
    }
    this.#sessions = addresses.flatMap(({ endpoint }, index) => {
      const client = this.#clients[index];
      return client === undefined ? [] : [peerSession(endpoint, client, identity)];
    });
    this.#signingAs = identity;
  }
}

/** Closes connections when no call can be left on them. */
function retire(clients: readonly Client[]): void {
  setTimeout(() => {
    for (const client of clients) client.close();
  }, RETIRE_AFTER_MS).unref();
}
