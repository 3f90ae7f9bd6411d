import type { LedgerErrorCode } from '#ledger-gateway';

/** The error that a text reports. */
export interface RecordFault {
  readonly pattern: RegExp;
  readonly code: LedgerErrorCode;
  readonly message: string;
}

/**
 * Texts with which peers and older contracts refuse documents of records outside the blocks (core/chaincode/handler.go of Fabric 2.5):
 * the network lacks what they need.
 */
export const RECORD_FAULTS: readonly RecordFault[] = [
  {
    pattern: /collection \S+\/records\/documents could not be found/,
    code: 'LEDGER.NOT_SUPPORTED',
    message:
      'The chaincode of records has no private collection on this channel, so that documents cannot be stored outside the blocks. ' +
      'Add the collection "documents" to its definition: docs/records.md',
  },
  {
    pattern: /tx creator does not have (read|write) access permission on privatedata in chaincodeName:records /,
    code: 'LEDGER.CALLER_REFUSED',
    message: 'The identity that signs is no member of the collection "documents" of the chaincode of records.',
  },
  {
    pattern: /purge private data is not enabled/,
    code: 'LEDGER.NOT_SUPPORTED',
    message: 'Peers of this channel cannot erase private data: it lacks the application capability V2_5',
  },
  {
    pattern: /^FUNCTION_UNKNOWN: "(Documents|Purge)" is not a function of this contract; it has /,
    code: 'LEDGER.NOT_SUPPORTED',
    message:
      'The chaincode of records on this channel is of an older release, which stores no documents outside the blocks. ' +
      'Upgrade the chaincode: docs/records.md',
  },
];
