import type { Ledger } from '../../ports/ledger.port.js';
import type { FabricStandIn } from './fabric-stand-in.js';
import type { StandInSigner } from './stand-in-identities.js';

/** A ledger of one of the Fabric drivers on a stand-in of its own. */
export interface LedgerOnStandIn {
  readonly network: FabricStandIn;
  readonly ledger: Ledger;
  /** Puts an identity where the ledger reads it. */
  readonly useIdentity: (signer: StandInSigner) => void;
  readonly dispose: () => Promise<void>;
}
