import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { PACE, type Pace } from '../../fabric-client/fabric-transport.js';
import type { Ledger } from '../../ports/ledger.port.js';
import type { FabricStandIn } from './fabric-stand-in.js';
import { STAND_IN_MSP, type StandInSigner } from './stand-in-identities.js';

/** A ledger of one of the Fabric drivers on a stand-in of its own. */
export interface LedgerOnStandIn {
  readonly network: FabricStandIn;
  readonly ledger: Ledger;
  /** Puts an identity where the ledger reads it. */
  readonly useIdentity: (signer: StandInSigner) => void;
  /** Puts a caller's identity into the wallet. */
  readonly addCaller: (name: string, signer: StandInSigner) => void;
  readonly dispose: () => Promise<void>;
}

/** Looks more often than in production, so that tests need not wait. */
export const QUICK_PACE: Pace = { ...PACE, state: 20, files: 20, replace: 100 };

/** For tests whose nodes go: what is not connected soon counts as gone, which it may on a busy machine without being so. */
export const HASTY_PACE: Pace = { ...QUICK_PACE, connect: 200 };

/** Writes an identity into a file-system wallet. */
export function writeWalletIdentity(directory: string, name: string, { certificate, privateKey }: StandInSigner): void {
  const identity = { credentials: { certificate, privateKey }, mspId: STAND_IN_MSP, type: 'X.509', version: 1 };
  writeFileSync(join(directory, `${name}.id`), JSON.stringify(identity));
}
