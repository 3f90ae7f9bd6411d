import type { CallerOptions } from '../../fabric-client/signers.js';
import { quietSdk } from './quiet-sdk.js';
import type { FabricLedgerOptions } from '../../fabric-client/fabric-ledger.js';
import type { StageLimits } from '../../fabric-client/fabric-transport.js';
import type { Ledger } from '../../ports/ledger.port.js';

/** What createFabricLedger needs. */
export interface FabricOptions extends FabricLedgerOptions, CallerOptions {
  /** File with the connection profile, JSON or YAML. */
  readonly connectionProfile: string;
  /** Directory of a file-system wallet as fabric-network keeps it; the identity in it is read again when it changes. */
  readonly walletDir: string;
  /** Name of the identity in the wallet. */
  readonly identity: string;
  /** Without it an identity of any organisation is taken. */
  readonly requiredMspId?: string | undefined;
  /** Whether peers found by discovery are reached at localhost: for networks in containers on this machine. */
  readonly discoveryAsLocalhost: boolean;
  /** PEM files that are shown to servers that ask for a certificate (mutual TLS). */
  readonly tlsClient?: { readonly certificate: string; readonly privateKey: string } | undefined;
  /** The SDK knows whole seconds: each limit is rounded up. */
  readonly limits: StageLimits;
}

/**
 * Opens a ledger on a Fabric network by a connection profile, a wallet and discovery. No connection is made before the
 * first call.
 * @throws {@link MisconfiguredError} when the profile or the identity cannot be read
 */
export async function createFabricLedger(options: FabricOptions): Promise<Ledger> {
  quietSdk();
  // The driver's packages load only when it is chosen.
  const { openFabricLedger } = await import('./open-fabric-ledger.js');
  return openFabricLedger(options);
}
