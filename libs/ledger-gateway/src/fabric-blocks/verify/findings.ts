/** The rule that a finding is about. */
export type Check =
  /** The bytes are not a block, or not in its one canonical form. */
  | 'BLOCK_FORMAT'
  /** The number is not the next one. */
  | 'BLOCK_NUMBER'
  /** The block does not name the hash of the previous block, or block 0 is not the expected one. */
  | 'BLOCK_LINK'
  /** The header contains the hash of other envelopes. */
  | 'DATA_HASH'
  /** Metadata that no signature or hash covers are not as Fabric writes them. */
  | 'METADATA'
  /** No orderer that the channel trusts signed it. */
  | 'BLOCK_SIGNATURE'
  /** The configuration cannot be read, or does not follow from the previous one. */
  | 'CONFIGURATION'
  /** The envelope is not in its one canonical form, or its parts contradict each other. */
  | 'TRANSACTION_FORMAT'
  /** The id is not the hash of nonce and creator, or appears in the chain already. */
  | 'TRANSACTION_ID'
  /** The creator is not a member of the channel, may not write, or did not sign this. */
  | 'CREATOR'
  /** The endorsements do not satisfy the policy, or do not sign this. */
  | 'ENDORSEMENT'
  /** The recorded validation code differs from the result of replaying the chain. */
  | 'VALIDATION_CODE'
  /** The commit hash differs from the result of replaying the chain. */
  | 'COMMIT_HASH'
  /** Something that this version cannot check. */
  | 'UNCHECKED';

/** An error without its place. */
export interface Fault {
  readonly check: Check;
  /** The error in words. */
  readonly what: string;
}

/** An error in a chain. */
export interface Finding extends Fault {
  /** Number of the block, counted from the beginning of the chain. */
  readonly block: number;
  /** Index in the block, when it is about one transaction. */
  readonly transaction?: number;
}
