import type { SigningIdentity } from '../../fabric-client/signing-identity.js';
import type { Pace, StageLimits } from '../../fabric-client/stage-limits.js';
import type { ConnectionProfile } from './connection-profile.js';
import { Gateway, type Network, type X509Identity } from 'fabric-network';
import { nativeIdentityProvider } from './native-identity-provider.js';

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

  close(): void {
    try {
      this.#gateway.disconnect();
    } catch {
      // The SDK throws over listeners that it has dropped already. Nobody can do anything about it, least of all a timer.
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
