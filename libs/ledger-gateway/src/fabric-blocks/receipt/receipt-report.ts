import type { RecordedPlace } from './receipt.js';

/** What is checked of a receipt, in this order. */
export type ReceiptCheck =
  /** It is a receipt of a known version, in its one form. */
  | 'FORMAT'
  /** The block is in its canonical form, and has the number, the hash and the transactions that its header names. */
  | 'BLOCK'
  /** Orderers under the given roots signed it. */
  | 'BLOCK_SIGNATURE'
  /** The transaction stands where the receipt says, and its id is the hash of nonce and creator. */
  | 'TRANSACTION'
  /** Its creator is a member under the given roots and signed it. */
  | 'CREATOR'
  /** The endorsers are members under the given roots and signed what the transaction would do. */
  | 'ENDORSEMENT'
  /** A peer under the given roots signed that the transaction has this validation code. */
  | 'VALIDATION_CODE'
  /** The block is the one that the caller knows from elsewhere. */
  | 'EXPECTED_HEAD';

/** One thing that was checked. */
export interface ReceiptStep {
  readonly check: ReceiptCheck;
  readonly result: 'passed' | 'failed' | 'not checked';
  /** What was found, in words. */
  readonly what: string;
}

/** Why a receipt proves nothing. */
export class ReceiptFault extends Error {
  readonly check: ReceiptCheck;

  constructor(check: ReceiptCheck, what: string) {
    super(what);
    this.name = new.target.name;
    this.check = check;
  }
}

/** What a receipt proves about its transaction. */
export interface ProvenTransaction extends RecordedPlace {
  /** Common name of the submitter; empty when nobody signed, or the peers refused it for what it is. */
  readonly creator: string;
  /** As the submitter's clock had it, ISO 8601. */
  readonly timestamp: string;
  /** Empty for what is no call of a chaincode. */
  readonly chaincode: string;
  readonly function: string;
  readonly arguments: readonly string[];
}

/** What came of checking a receipt. */
export interface ReceiptReport {
  /**
   * `valid`: the transaction stands in the chain and changed the ledger. `not-valid`: it stands there, and changed nothing.
   * `refused`: the receipt proves nothing.
   */
  readonly verdict: 'valid' | 'not-valid' | 'refused';
  /** In their order, up to the first that failed. */
  readonly steps: readonly ReceiptStep[];
  /** Undefined when the receipt proves nothing. */
  readonly transaction: ProvenTransaction | undefined;
  /** What nobody who trusts the roots may conclude from it, in words. */
  readonly notProven: readonly string[];
}
