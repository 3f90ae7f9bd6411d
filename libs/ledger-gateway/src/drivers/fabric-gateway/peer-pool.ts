import { Client, credentials, type ChannelCredentials, type ChannelOptions } from '@grpc/grpc-js';
import { connect, hash, type Gateway } from '@hyperledger/fabric-gateway';
import { reconnectOptions, type Pace } from '../../fabric-client/fabric-transport.js';
import type { RotatingFiles } from '../../fabric-client/rotating-files.js';
import type { Signers } from '../../fabric-client/signers.js';
import type { SigningIdentity } from '../../fabric-client/signing-identity.js';

/** TLS to peers: the roots to trust, and the certificate for a peer that requires one (mutual TLS). */
export interface TlsMaterial {
  /** PEM. */
  readonly rootCertificates: Buffer;
  readonly client?: { readonly certificate: Buffer; readonly privateKey: Buffer };
}

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
  readonly tls: RotatingFiles<TlsMaterial> | undefined;
  readonly pace: Pace;
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

/**
 * A connection to each peer, and the sessions of all identities on them. The peer that responded last is used first.
 * Certificates that were replaced on disk are used from the next call on; running calls keep theirs.
 */
export class PeerPool {
  readonly #options: PeerPoolOptions;
  #preferred = 0;
  #clients: readonly Client[] = [];
  #connectedWith: TlsMaterial | undefined;
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
    const sessions = this.#sessionsOf(identity);
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

  #sessionsOf(identity: SigningIdentity): readonly PeerSession[] {
    const known = this.#sessions.get(identity);
    if (known !== undefined) return known;
    const created = this.#options.addresses.flatMap(({ endpoint }, index) => {
      const client = this.#clients[index];
      return client === undefined ? [] : [peerSession(endpoint, client, identity)];
    });
    this.#sessions.set(identity, created);
    return created;
  }
}

/** Closes connections after every call on them must have finished. */
function retire(clients: readonly Client[]): void {
  setTimeout(() => {
    for (const client of clients) client.close();
  }, RETIRE_AFTER_MS).unref();
}

/** Creates a session of an identity. The gateway has no connection of its own. */
function peerSession(endpoint: string, client: Client, identity: SigningIdentity): PeerSession {
  const gateway = connect({
    client,
    identity: { mspId: identity.mspId, credentials: Buffer.from(identity.certificate) },
    // The library signs digests; with hash.none the signer receives the message.
    hash: hash.none,
    signer: (message) => Promise.resolve(identity.sign(message)),
  });
  return { endpoint, identity, client, gateway };
}

const CHANNEL_OPTIONS: ChannelOptions = {
  // Peers send up to 100 MiB; the default of gRPC, 4 MiB, is less than some blocks and lists.
  'grpc.max_receive_message_length': 100 * 1024 * 1024,
  // Peers accept at most one ping a minute. Pings detect connections that a firewall dropped.
  'grpc.keepalive_time_ms': 120_000,
  'grpc.keepalive_timeout_ms': 20_000,
};

/** Creates a connection to a peer, which is made at the first call and again whenever it is lost. */
function connectPeer({ endpoint, hostAlias }: PeerAddress, tls: TlsMaterial | undefined, pace: Pace): Client {
  const override = tls !== undefined && hostAlias !== undefined ? { 'grpc.ssl_target_name_override': hostAlias } : {};
  return new Client(endpoint, channelCredentials(tls), { ...CHANNEL_OPTIONS, ...reconnectOptions(pace), ...override });
}

function channelCredentials(tls: TlsMaterial | undefined): ChannelCredentials {
  if (tls === undefined) return credentials.createInsecure();
  const { rootCertificates, client } = tls;
  return credentials.createSsl(rootCertificates, client?.privateKey ?? null, client?.certificate ?? null);
}
