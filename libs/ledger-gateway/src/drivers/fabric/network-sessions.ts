import { Gateway, Wallets, type IdentityProvider, type Network, type X509Identity } from 'fabric-network';
import { LedgerError } from '../../errors/ledger.errors.js';
import type { Pace, StageLimits } from '../../fabric-client/fabric-transport.js';
import type { Signers } from '../../fabric-client/signers.js';
import type { SigningIdentity } from '../../fabric-client/signing-identity.js';
import type { ConnectionProfile } from './connection-profile.js';
import type { IdentityContext } from './endorsed-answer.js';

/** What every session is opened with, and who signs in them. */
export interface NetworkSessionsOptions extends Omit<NetworkSessionOptions, 'identity'> {
  readonly signers: Signers;
}

/** Most callers whose connections are kept beside the service's; each has connections of its own to peers and orderers. */
const MOST_CALLERS = 32;
/**
 * The time after which a session is replaced doubles with each replacement, so that a long outage is not spent in making
 * connections.
 */
const MOST_DOUBLINGS = 4;

/** A session, and who uses it. */
export interface SessionInUse {
  readonly caller: string | undefined;
  readonly session: NetworkSession;
  readonly since: number;
  /** How many sessions before it were given up. */
  readonly givenUp: number;
  users: number;
  isRetired: boolean;
}

/**
 * Keeps one session for the service and one for each caller of late, and replaces one when its identity was renewed or
 * the SDK got stuck. What is replaced is closed when no call is left in it.
 */
export class NetworkSessions {
  readonly #options: NetworkSessionsOptions;
  /** The one that was used last is the last. */
  readonly #current = new Map<string | undefined, SessionInUse>();
  readonly #retired = new Set<SessionInUse>();
  #isClosed = false;

  constructor(options: NetworkSessionsOptions) {
    this.#options = options;
  }

  /**
   * The caller's session, in use until it is released.
   * @throws `LEDGER.UNKNOWN_CALLER` when nobody signs for the caller, `LEDGER.UNAVAILABLE` after the end
   */
  async take(caller: string | undefined): Promise<SessionInUse> {
    const identity = await this.#identityOf(caller);
    // A session of now would outlive the ledger.
    if (this.#isClosed) throw new LedgerError('LEDGER.UNAVAILABLE', 'The ledger is closed.');
    const known = this.#current.get(caller);
    if (known !== undefined && known.session.identity !== identity) this.#retire(known);
    const used = this.#current.get(caller) ?? this.#open(caller, identity, 0);
    used.users++;
    this.#current.delete(caller);
    this.#current.set(caller, used);
    this.#dropOldest();
    return used;
  }

  release(used: SessionInUse): void {
    used.users--;
    if (used.isRetired && used.users === 0 && this.#retired.delete(used)) void used.session.close();
  }

  /**
   * The session serves no more: discovery or the stream of commits may have got stuck in it, which the SDK does not
   * mend. Calls under way in it go on. A young one stays: what failed in it fails in the next one too.
   */
  giveUp(used: SessionInUse): void {
    const { caller, session, since, givenUp } = used;
    const { replace } = this.#options.pace;
    const age = Date.now() - since;
    if (this.#isClosed || used.isRetired || age < replace * 2 ** Math.min(givenUp, MOST_DOUBLINGS)) return;
    this.#retire(used);
    const wasCalm = age > replace * 2 ** (MOST_DOUBLINGS + 1);
    this.#open(caller, session.identity, wasCalm ? 1 : givenUp + 1);
  }

  /** Waits for nobody: a network that is not there takes its time to say so. */
  close(): void {
    this.#isClosed = true;
    for (const { session } of [...this.#current.values(), ...this.#retired]) void session.close();
    this.#current.clear();
    this.#retired.clear();
  }

  async #identityOf(caller: string | undefined): Promise<SigningIdentity> {
    try {
      return await (await this.#options.signers.signerOf(caller)).current();
    } catch (error) {
      const known = this.#current.get(caller);
      if (known !== undefined) this.#retire(known);
      throw error;
    }
  }

  #open(caller: string | undefined, identity: SigningIdentity, givenUp: number): SessionInUse {
    const session = new NetworkSession({ ...this.#options, identity });
    const opened = { caller, session, since: Date.now(), givenUp, users: 0, isRetired: false };
    this.#current.set(caller, opened);
    return opened;
  }

  /** Of the callers that nobody uses now the one that was used longest ago, else that of all. */
  #dropOldest(): void {
    const callers = [...this.#current.values()].filter(({ caller }) => caller !== undefined);
    if (callers.length <= MOST_CALLERS) return;
    const oldest = callers.find(({ users }) => users === 0) ?? callers[0];
    if (oldest !== undefined) this.#retire(oldest);
  }

  #retire(used: SessionInUse): void {
    used.isRetired = true;
    this.#current.delete(used.caller);
    if (used.users > 0) this.#retired.add(used);
    else void used.session.close();
  }
}

/** What a session is opened with. */
export interface NetworkSessionOptions {
  readonly profile: ConnectionProfile;
  readonly identity: SigningIdentity;
  readonly discoveryAsLocalhost: boolean;
  readonly tlsClient: { readonly certificate: string; readonly key: string } | undefined;
  readonly limits: StageLimits;
  readonly pace: Pace;
}

/** The SDK's defaults wait 3 s for a connection, and up to two minutes before the next try. */
function connectionOptions({ connect }: Pace): Record<string, number> {
  return {
    'grpc-wait-for-ready-timeout': connect,
    'grpc.initial_reconnect_backoff_ms': Math.min(100, connect),
    'grpc.max_reconnect_backoff_ms': Math.min(1000, connect),
  };
}

/** One identity's connections to the network: they are made at the first call, and kept. */
export class NetworkSession {
  readonly identity: SigningIdentity;
  readonly #options: NetworkSessionOptions;
  readonly #gateway = new Gateway();
  readonly #networks = new Map<string, Promise<Network>>();
  #connecting: Promise<void> | undefined;

  constructor(options: NetworkSessionOptions) {
    this.identity = options.identity;
    this.#options = options;
  }

  /** The channel, as discovery tells of it; asked for again after a failure. */
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

  /** Signs what the SDK's gateway has no call for. */
  async identityContext({ client }: ReturnType<Network['getChannel']>): Promise<IdentityContext> {
    const provider = await nativeIdentityProvider(this.identity);
    return client.newIdentityContext(await provider.getUserContext(x509(this.identity), 'attesting'));
  }

  /** Closes the connections, those too that are being made: the SDK would keep what comes after the end. */
  async close(): Promise<void> {
    await Promise.allSettled([this.#connecting, ...this.#networks.values()]);
    try {
      this.#gateway.disconnect();
    } catch {
      // The SDK throws over listeners that it has dropped already. Nobody can do anything about it.
    }
  }

  async #open(channel: string): Promise<Network> {
    this.#connecting ??= this.#connect();
    await this.#connecting;
    return this.#gateway.getNetwork(channel);
  }

  async #connect(): Promise<void> {
    const { profile, identity, discoveryAsLocalhost, tlsClient, limits, pace } = this.#options;
    await this.#gateway.connect(profile, {
      identity: x509(identity),
      identityProvider: await nativeIdentityProvider(identity),
      discovery: { enabled: true, asLocalhost: discoveryAsLocalhost },
      queryHandlerOptions: { timeout: seconds(limits.evaluate) },
      // The commit itself is waited for by CommitWatch; here this limits the orderer's answer.
      eventHandlerOptions: { endorseTimeout: seconds(limits.endorse), commitTimeout: seconds(limits.submit) },
      'connection-options': connectionOptions(pace),
      ...(tlsClient === undefined ? {} : { tlsInfo: tlsClient }),
    });
  }
}

function x509({ mspId, certificate, privateKey }: SigningIdentity): X509Identity {
  return { type: 'X.509', mspId, credentials: { certificate, privateKey } };
}

function seconds(milliseconds: number): number {
  return Math.ceil(milliseconds / 1000);
}

/** The SDK's own provider of X.509 identities, which it gives through a wallet only. */
async function sdkProvider(): Promise<IdentityProvider> {
  const wallet = await Wallets.newInMemoryWallet();
  return wallet.getProviderRegistry().getProvider('X.509');
}

/** The SDK's provider of X.509 identities, whose users sign by {@link SigningIdentity.sign}. */
export async function nativeIdentityProvider({ sign }: Pick<SigningIdentity, 'sign'>): Promise<IdentityProvider> {
  const provider = await sdkProvider();
  return {
    type: provider.type,
    getCryptoSuite: () => provider.getCryptoSuite(),
    fromJson: (data) => provider.fromJson(data),
    toJson: (identity) => provider.toJson(identity),
    getUserContext: async (identity, name) => {
      const user = await provider.getUserContext(identity, name);
      // The CA's client hands over texts.
      user.getSigningIdentity().sign = (message) => Buffer.from(sign(Buffer.from(message)));
      return user;
    },
  };
}
