import type { Client } from '@grpc/grpc-js';
import { connect, hash, type Gateway } from '@hyperledger/fabric-gateway';
import type { Pace } from '../../fabric-client/fabric-transport.js';
import type { RotatingFiles } from '../../fabric-client/rotating-files.js';
import type { Signers } from '../../fabric-client/signers.js';
import type { SigningIdentity } from '../../fabric-client/signing-identity.js';
import { connectPeer, type PeerAddress, type TlsMaterial } from './peer-connection.js';

/** Where the peers are and what is needed to talk to them. */
export interface PeerPoolOptions {
  readonly addresses: readonly PeerAddress[];
  readonly signers: Signers;
  /** Without it connections are in clear text. */
  readonly tls: RotatingFiles<TlsMaterial> | undefined;
  readonly pace: Pace;
}

/** Longer than any call. */
const RETIRE_AFTER_MS = 300_000;

/**
 * One connection a peer, and those who sign on them. The peer that served last is asked first; one that cannot be reached
 * steps back. Certificates that were replaced on disk are used from the next call on; calls under way keep theirs.
 */
export class PeerPool {
  readonly #options: PeerPoolOptions;
  #preferred = 0;
  #clients: readonly Client[] = [];
  #connectedWith: TlsMaterial | undefined;
  /** Sessions of each identity on the connections of now. */
  #sessions = new WeakMap<SigningIdentity, readonly PeerSession[]>();
  #isClosed = false;

  constructor(options: PeerPoolOptions) {
    this.#options = options;
  }

  /**
   * The peers as the caller uses them, in the order in which they are to be asked; never empty.
   * @throws `LEDGER.UNKNOWN_CALLER` when nobody signs for the caller
   */
  async sessions(caller: string | undefined): Promise<readonly [PeerSession, ...PeerSession[]]> {
    const { signers, tls } = this.#options;
    const identity = await (await signers.signerOf(caller)).current();
    this.#connect(await tls?.current());
    const sessions = this.#sessionsOf(identity);
    const preferred = this.#preferred % sessions.length;
    return [...sessions.slice(preferred), ...sessions.slice(0, preferred)] as [PeerSession];
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

  #connect(tls: TlsMaterial | undefined): void {
    const isConnected = this.#clients.length > 0 && tls === this.#connectedWith;
    if (isConnected || this.#isClosed) return;
    const { addresses, pace } = this.#options;
    retire(this.#clients);
    this.#clients = addresses.map((address) => connectPeer(address, tls, pace));
    this.#connectedWith = tls;
    this.#sessions = new WeakMap();
  }

  /** A session costs no connection: each identity has its own on those that all share. */
  #sessionsOf(identity: SigningIdentity): readonly PeerSession[] {
    const known = this.#sessions.get(identity);
    if (known !== undefined) return known;
    const made = this.#options.addresses.flatMap(({ endpoint }, index) => {
      const client = this.#clients[index];
      return client === undefined ? [] : [peerSession(endpoint, client, identity)];
    });
    this.#sessions.set(identity, made);
    return made;
  }
}

/** Closes connections when no call can be left on them. */
function retire(clients: readonly Client[]): void {
  setTimeout(() => {
    for (const client of clients) client.close();
  }, RETIRE_AFTER_MS).unref();
}

/** One peer as one identity uses it; many share a connection. */
export interface PeerSession {
  readonly endpoint: string;
  readonly identity: SigningIdentity;
  /** The connection. */
  readonly client: Client;
  readonly gateway: Gateway;
}

/** Signs for an identity on a connection. The gateway holds no connection of its own. */
export function peerSession(endpoint: string, client: Client, identity: SigningIdentity): PeerSession {
  const gateway = connect({
    client,
    identity: { mspId: identity.mspId, credentials: Buffer.from(identity.certificate) },
    // The library signs digests; without a hash it hands over the message.
    hash: hash.none,
    signer: (message) => Promise.resolve(identity.sign(message)),
  });
  return { endpoint, identity, client, gateway };
}
