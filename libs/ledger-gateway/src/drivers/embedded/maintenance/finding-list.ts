import { isLedgerError } from '../../../errors/ledger.errors.js';
import type { Check } from '../../../fabric-blocks/verify/findings.js';
import { storeFailure } from '../store/store-failure.js';

/** Which rule a finding is about: one of the chain's, or of what the store keeps beside its blocks. */
export type LedgerCheck =
  | Check
  /** Not what the caller or the pin beside the store knows. */
  | 'PIN'
  /** The store holds other tables than those of its format, or views or triggers. */
  | 'SCHEMA'
  /** A key or a certificate that signs cannot be used. */
  | 'IDENTITY'
  /** A stored record cannot be read or its digest is wrong. */
  | 'RECORD'
  /** State, index or history are not what follows from the blocks. */
  | 'DERIVED'
  /** The manifest does not fit the chain. */
  | 'MANIFEST';

/** One thing that is wrong with a ledger. */
export interface LedgerFinding {
  /** The block, transaction or record. */
  readonly where: string;
  readonly check: LedgerCheck;
  readonly what: string;
}

/** Most findings that are kept; behind the first few, the rest mostly follows from them. */
const MOST = 50;

/** Gathers what a verification finds. */
export class FindingList {
  readonly findings: LedgerFinding[] = [];

  get isFull(): boolean {
    return this.findings.length >= MOST;
  }

  add(where: string, finding: Omit<LedgerFinding, 'where'>): void {
    if (!this.isFull) this.findings.push({ where, ...finding });
  }

  /**
   * Does one step; damage that it meets is a finding.
   * @returns undefined when there was damage
   */
  attempt<T>(where: string, step: () => T): T | undefined {
    try {
      return step();
    } catch (error) {
      const failure = storeFailure(error, where);
      if (!isLedgerError(failure, 'LEDGER.DAMAGED')) throw failure;
      this.add(where, { check: 'RECORD', what: failure.message });
      return undefined;
    }
  }
}
