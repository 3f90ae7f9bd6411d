import { Gateway, Wallets, type IdentityProvider, type Network, type X509Identity } from 'fabric-network';
import { LedgerError } from '#ledger-gateway';
import { PACE, reconnectOptions, type StageLimits } from '../driver/fabric-transport.js';
import type { Signers } from '../driver/signers.js';
import type { SigningIdentity } from '../driver/signing-identity.js';
import type { ConnectionProfile } from './connection-profile.js';

/** How sessions connect. */
export interface NetworkSessionsOptions {
  readonly profile: ConnectionProfile;
  readonly signers: Pick<Signers, 'identityOf'>;
  readonly discoveryAsLocalhost: boolean;
  readonly tlsClient: { readonly certificate: string; readonly key: string } | undefined;
  readonly limits: StageLimits;
}

/** Maximum of callers with open sessions; each has its own connections to peers and orderers. */
const MAX_CALLERS = 32;

/**
 * The sessions of the service and of the callers that called last (LRU). A session is replaced when its identity was
 * renewed or the SDK got stuck, and closed when its last call has finished.
 */
export class NetworkSessions {
  readonly #options: NetworkSessionsOptions;
  /** In the order of their last use. */
  readonly #current = new Map<string | undefined, NetworkSession>();
  readonly #retired = new Set<NetworkSession>();
  #isClosed = false;

  constructor(options: NetworkSessionsOptions) {
    this.#options = options;
  }

  /**
   * Returns a caller's session, which stays open until it is released.
   * @throws `LEDGER.UNKNOWN_CALLER`, `LEDGER.UNAVAILABLE` after {@link close}
   */
  async acquire(caller: string | undefined): Promise<NetworkSession> {
    const identity = await this.#identityOf(caller);
    // Checked after the wait: no one would close a session that is opened now.
    if (this.#isClosed) throw new LedgerError('LEDGER.UNAVAILABLE', 'The ledger is closed.');
    const known = this.#current.get(caller);
    if (known !== undefined && known.identity !== identity) this.#retire(known);
    const session = this.#current.get(caller) ?? new NetworkSession(caller, identity, this.#options);
    session.users++;
    this.#current.delete(caller);
    this.#current.set(caller, session);
    this.#evictOldest();
    return session;
  }

  release(session: NetworkSession): void {
    session.users--;
    if (session.users === 0 && this.#retired.delete(session)) void session.close();
  }

  /**
   * Replaces a session in which discovery or the stream of commits may be stuck, from which the SDK does not recover.
   * Its running calls continue. A young session stays: what failed in it would fail in the next one too.
   */
  replace(session: NetworkSession): void {
    const isYoung = Date.now() - session.since < PACE.replace;
    if (!this.#isClosed && !isYoung && this.#current.get(session.caller) === session) this.#retire(session);
  }

  /** Closes all sessions without waiting: an unreachable network would delay it. */
  close(): void {
    this.#isClosed = true;
    for (const session of [...this.#current.values(), ...this.#retired]) void session.close();
    this.#current.clear();
    this.#retired.clear();
  }

  async #identityOf(caller: string | undefined): Promise<SigningIdentity> {
    try {
      return await this.#options.signers.identityOf(caller);
    } catch (error) {
      const known = this.#current.get(caller);
      if (known !== undefined) this.#retire(known);
      throw error;
    }
  }

  /** Evicts the least recently used session of a caller, preferably one without running calls. */
  #evictOldest(): void {
    const callers = [...this.#current.values()].filter(({ caller }) => caller !== undefined);
    if (callers.length <= MAX_CALLERS) return;
    const oldest = callers.find(({ users }) => users === 0) ?? callers[0];
    if (oldest !== undefined) this.#retire(oldest);
  }

  #retire(session: NetworkSession): void {
    this.#current.delete(session.caller);
    if (session.users > 0) this.#retired.add(session);
    else void session.close();
  }
}

/** The SDK's signing context of an identity. */
type IdentityContext = ReturnType<ReturnType<Network['getChannel']>['client']['newIdentityContext']>;

/** The connections of one identity to the network, opened at the first call. */
export class NetworkSession {
  readonly caller: string | undefined;
  readonly identity: SigningIdentity;
  readonly since = Date.now();
  /** How many calls use it. */
  users = 0;
  readonly #options: NetworkSessionsOptions;
  readonly #gateway = new Gateway();
  readonly #networks = new Map<string, Promise<Network>>();
  #connecting: Promise<void> | undefined;

  constructor(caller: string | undefined, identity: SigningIdentity, options: NetworkSessionsOptions) {
    this.caller = caller;
    this.identity = identity;
    this.#options = options;
  }

  /** Returns the channel as found by discovery; a failure is not cached. */
  network(channel: string): Promise<Network> {
    const known = this.#networks.get(channel);
    if (known !== undefined) return known;
    const network = this.#open(channel);
    this.#networks.set(channel, network);
    network.catch(() => {
      this.#networks.delete(channel);
    });
    return network;
  }

  /** Creates a signing context for calls that the SDK's gateway does not offer. */
  async identityContext({ client }: ReturnType<Network['getChannel']>): Promise<IdentityContext> {
    const provider = await nativeIdentityProvider(this.identity);
    return client.newIdentityContext(await provider.getUserContext(x509(this.identity), 'attesting'));
  }

  /** Closes the connections after those being opened are done: the SDK would leak them. */
  async close(): Promise<void> {
    await Promise.allSettled([this.#connecting, ...this.#networks.values()]);
    try {
      this.#gateway.disconnect();
    } catch {
      // The SDK throws because of listeners that it has removed already.
    }
  }

  async #open(channel: string): Promise<Network> {
    this.#connecting ??= this.#connect();
    await this.#connecting;
    return this.#gateway.getNetwork(channel);
  }

  async #connect(): Promise<void> {
    const { profile, discoveryAsLocalhost, tlsClient, limits } = this.#options;
    await this.#gateway.connect(profile, {
      identity: x509(this.identity),
      identityProvider: await nativeIdentityProvider(this.identity),
      discovery: { enabled: true, asLocalhost: discoveryAsLocalhost },
      queryHandlerOptions: { timeout: seconds(limits.evaluate) },
      // CommitWatch waits for the commit; this limits the response of the orderer.
      eventHandlerOptions: { endorseTimeout: seconds(limits.endorse), commitTimeout: seconds(limits.submit) },
      // The SDK's default waits 3 s for a connection.
      'connection-options': { 'grpc-wait-for-ready-timeout': PACE.connect, ...reconnectOptions() },
      ...(tlsClient && { tlsInfo: tlsClient }),
    });
  }
}

function x509({ mspId, certificate, privateKey }: SigningIdentity): X509Identity {
  return { type: 'X.509', mspId, credentials: { certificate, privateKey } };
}

function seconds(milliseconds: number): number {
  return Math.ceil(milliseconds / 1000);
}

/** Creates a provider of X.509 identities that sign by {@link SigningIdentity.sign} instead of the SDK's own signer. */
export async function nativeIdentityProvider({ sign }: Pick<SigningIdentity, 'sign'>): Promise<IdentityProvider> {
  // Each wallet has its own provider, and only a wallet exposes one.
  const wallet = await Wallets.newInMemoryWallet();
  const provider = wallet.getProviderRegistry().getProvider('X.509');
  const getUserContext = provider.getUserContext.bind(provider);
  provider.getUserContext = async (identity, name) => {
    const user = await getUserContext(identity, name);
    // The CA's client passes text.
    user.getSigningIdentity().sign = (message) => Buffer.from(sign(Buffer.from(message)));
    return user;
  };
  return provider;
}
