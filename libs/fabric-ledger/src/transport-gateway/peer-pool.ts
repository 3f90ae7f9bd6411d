import { Client, credentials, type ChannelCredentials, type ChannelOptions } from '@grpc/grpc-js';
import { connect, hash, type Gateway } from '@hyperledger/fabric-gateway';
import { reconnectOptions } from '../driver/fabric-transport.js';
import type { RotatingFiles } from '../driver/rotating-files.js';
import type { Signers } from '../driver/signers.js';
import type { SigningIdentity } from '../driver/signing-identity.js';

/** A peer's address, and the name in its TLS certificate if that is another one. */
export interface PeerAddress {
  /** `host:port`. */
  readonly endpoint: string;
  readonly hostAlias?: string | undefined;
}

/** Options of {@link PeerPool}. */
export interface PeerPoolOptions {
  readonly addresses: readonly PeerAddress[];
  readonly signers: Pick<Signers, 'identityOf'>;
  /** Without it connections are not encrypted. */
  readonly tls: RotatingFiles<ChannelCredentials> | undefined;
}

/** A peer as one identity uses it; all identities share its connection. */
export interface PeerSession {
  readonly endpoint: string;
  readonly identity: SigningIdentity;
  /** The connection. */
  readonly client: Client;
  readonly gateway: Gateway;
}

/** Longer than any call. */
const RETIRE_AFTER_MS = 300_000;

const CHANNEL_OPTIONS: ChannelOptions = {
  // Peers send up to 100 MiB; the default of gRPC, 4 MiB, is less than some blocks and lists.
  'grpc.max_receive_message_length': 100 * 1024 * 1024,
  // Peers accept at most one ping a minute. Pings detect connections that a firewall dropped.
  'grpc.keepalive_time_ms': 120_000,
  'grpc.keepalive_timeout_ms': 20_000,
};

/**
 * A connection to each peer, and the sessions of all identities on them. The peer that responded last is used first.
 * Certificates that were replaced on disk are used from the next call on; running calls keep theirs.
 */
export class PeerPool {
  readonly #options: PeerPoolOptions;
  #preferred = 0;
  #connections: readonly Pick<PeerSession, 'endpoint' | 'client'>[] = [];
  #connectedWith: ChannelCredentials | undefined;
  /** Sessions of each identity on the present connections. */
  #sessions = new WeakMap<SigningIdentity, readonly PeerSession[]>();
  #isClosed = false;

  constructor(options: PeerPoolOptions) {
    this.#options = options;
  }

  /**
   * Returns a caller's sessions in the order in which the peers should be tried; never empty.
   * @throws `LEDGER.UNKNOWN_CALLER`
   */
  async sessions(caller: string | undefined): Promise<readonly [PeerSession, ...PeerSession[]]> {
    const { signers, tls } = this.#options;
    const identity = await signers.identityOf(caller);
    this.#connect(await tls?.current());
    const sessions = this.#sessions.get(identity) ?? this.#connections.map((peer) => sessionOf(peer, identity));
    this.#sessions.set(identity, sessions);
    const preferred = this.#preferred % sessions.length;
    return [...sessions.slice(preferred), ...sessions.slice(0, preferred)] as [PeerSession];
  }

  /** Tries the next peer first from now on, because this one was unreachable or did not respond in time. */
  demote(session: PeerSession): void {
    const index = this.#options.addresses.findIndex(({ endpoint }) => endpoint === session.endpoint);
    if (index === this.#preferred) this.#preferred = (index + 1) % this.#options.addresses.length;
  }

  close(): void {
    this.#isClosed = true;
    for (const { client } of this.#connections) client.close();
  }

  #connect(tls: ChannelCredentials | undefined): void {
    const isConnected = this.#connections.length > 0 && tls === this.#connectedWith;
    if (isConnected || this.#isClosed) return;
    const { addresses } = this.#options;
    const retired = this.#connections;
    // Closed after every call on them must have finished.
    setTimeout(() => {
      for (const { client } of retired) client.close();
    }, RETIRE_AFTER_MS).unref();
    this.#connections = addresses.map((address) => {
      return { endpoint: address.endpoint, client: connectPeer(address, tls) };
    });
    this.#connectedWith = tls;
    this.#sessions = new WeakMap();
  }
}

/** Creates a session of an identity. Sessions of one peer share its connection. */
function sessionOf(peer: Pick<PeerSession, 'endpoint' | 'client'>, identity: SigningIdentity): PeerSession {
  const gateway = connect({
    client: peer.client,
    identity: { mspId: identity.mspId, credentials: Buffer.from(identity.certificate) },
    // The library signs digests; with hash.none the signer receives the message.
    hash: hash.none,
    signer: (message) => Promise.resolve(identity.sign(message)),
  });
  return { ...peer, identity, gateway };
}

/** Creates a connection to a peer, which is made at the first call and again whenever it is lost. */
function connectPeer({ endpoint, hostAlias }: PeerAddress, tls: ChannelCredentials | undefined): Client {
  const override = tls !== undefined && hostAlias !== undefined ? { 'grpc.ssl_target_name_override': hostAlias } : {};
  const options = { ...CHANNEL_OPTIONS, ...reconnectOptions(), ...override };
  return new Client(endpoint, tls ?? credentials.createInsecure(), options);
}
