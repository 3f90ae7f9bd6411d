/** Which rule a finding is about. */
export type Check =
  /** The bytes are not a block, or not in its one canonical form. */
  | 'BLOCK_FORMAT'
  /** Not the number that comes next. */
  | 'BLOCK_NUMBER'
  /** It does not name the hash of the block before it, or block 0 is not the one expected. */
  | 'BLOCK_LINK'
  /** The envelopes are not those that the header names. */
  | 'DATA_HASH'
  /** Metadata that no signature or hash covers are not as Fabric writes them. */
  | 'METADATA'
  /** No orderer that the channel trusts signed it. */
  | 'BLOCK_SIGNATURE'
  /** The configuration cannot be read, or does not follow from the one before. */
  | 'CONFIGURATION'
  /** The envelope is not in its one canonical form, or its parts contradict each other. */
  | 'TRANSACTION_FORMAT'
  /** The id is not the hash of nonce and creator, or stands in the chain already. */
  | 'TRANSACTION_ID'
  /** The creator is no member of the channel, may not write, or did not sign this. */
  | 'CREATOR'
  /** The endorsements do not satisfy the policy, or do not sign this. */
  | 'ENDORSEMENT'
  /** The recorded validation code is not what replaying the chain gives. */
  | 'VALIDATION_CODE'
  /** The commit hash is not what replaying the chain gives. */
  | 'COMMIT_HASH'
  /** Something that this version cannot judge. */
  | 'UNCHECKED';

/** One thing that is wrong with a chain. */
export interface Finding {
  /** Number of the block, counted from where the chain began. */
  readonly block: number;
  /** Index in the block, when it is about one transaction. */
  readonly transaction?: number;
  readonly check: Check;
  /** What is wrong, in words. */
  readonly what: string;
}

/** Something that is wrong in one place, which whoever collects it knows. */
export type Fault = Pick<Finding, 'check' | 'what'>;

/** Notes something that is wrong with a transaction. */
export type Note = (check: Check, what: string) => void;

/** Collects what is found about one block. */
export class BlockReport {
  readonly findings: Finding[] = [];
  readonly block: number;

  constructor(block: number) {
    this.block = block;
  }

  add(check: Check, what: string): void {
    this.findings.push({ block: this.block, check, what });
  }

  /** What notes the faults of one transaction. */
  noteFor(transaction: number): Note {
    return (check, what) => {
      this.findings.push({ block: this.block, transaction, check, what });
    };
  }
}
