import type { CallEncodings } from '../describe/describe-transaction.js';
import type { RecordedPlace } from './receipt.js';

/** The checks of a receipt, in this order. */
export type ReceiptCheck =
  /** It is a receipt of a known version, in its one form. */
  | 'FORMAT'
  /** The block is in its canonical form, and has the number, the hash and the transactions that its header names. */
  | 'BLOCK'
  /** Orderers under the given roots signed it. */
  | 'BLOCK_SIGNATURE'
  /** The transaction is at the receipt's position, and its id is the hash of nonce and creator. */
  | 'TRANSACTION'
  /** Its creator is a member under the given roots and signed it. */
  | 'CREATOR'
  /** The endorsers are members under the given roots and signed the transaction's effects. */
  | 'ENDORSEMENT'
  /** A peer under the given roots signed that the transaction has this validation code. */
  | 'VALIDATION_CODE'
  /** The block is the one that the caller knows from elsewhere. */
  | 'EXPECTED_HEAD';

/** The result of one check. */
export interface ReceiptStep {
  readonly check: ReceiptCheck;
  readonly result: 'passed' | 'failed' | 'not checked';
  /** The result in words. */
  readonly what: string;
}

/** The reason why a receipt proves nothing. */
export class ReceiptFault extends Error {
  readonly check: ReceiptCheck;

  constructor(check: ReceiptCheck, what: string) {
    super(what);
    this.name = new.target.name;
    this.check = check;
  }
}

/** The proven facts of a transaction. */
export interface ProvenTransaction extends RecordedPlace, Omit<CallEncodings, 'payloadEncoding'> {
  /** Common name of the submitter; empty when the transaction is not signed, or the peers refused its content. */
  readonly creator: string;
  /** By the submitter's clock, ISO 8601. */
  readonly timestamp: string;
  /** Empty for a transaction that is not a call of a chaincode. */
  readonly chaincode: string;
  readonly function: string;
  /** Text where the bytes are UTF-8, otherwise base64; see `argumentEncodings`. */
  readonly arguments: readonly string[];
}

/** The result of verifying a receipt. */
export interface ReceiptReport {
  /**
   * `valid`: the chain contains the transaction, which changed the ledger. `not-valid`: the chain contains it, and it changed
   * nothing. `refused`: the receipt proves nothing.
   */
  readonly verdict: 'valid' | 'not-valid' | 'refused';
  /** In their order, up to the first that failed. */
  readonly steps: readonly ReceiptStep[];
  /** Undefined when the receipt proves nothing. */
  readonly transaction: ProvenTransaction | undefined;
  /** Conclusions that the receipt does not allow, even for those who trust the roots. */
  readonly notProven: readonly string[];
}
