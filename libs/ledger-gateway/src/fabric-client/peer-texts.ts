import { parseContractError } from '#asset-contract';
import { type LedgerErrorFacts, type RefusalCode, contractRefusal, LedgerError } from '../errors/ledger.errors.js';

/*
 * The one place that reads texts of peers, orderers and chaincode: Fabric has no codes for these.
 * Texts of Fabric 2.5 and 3.1 (internal/pkg/gateway, core/endorser, core/chaincode, core/scc/qscc, discovery) and of the
 * Node SDK 2.2.
 */

/** What a text says went wrong. */
export type PeerFault =
  | 'duplicate'
  | 'too-many-calls'
  | 'identity-expired'
  | 'access-denied'
  | 'pruned'
  | 'channel-unknown'
  | 'chaincode-unknown'
  | 'chaincode-down'
  | 'endorsers-missing'
  | 'answers-differ'
  | 'not-reached';

/** In this order: an unreachable chaincode also tells of a refused connection. */
const FAULTS: readonly (readonly [PeerFault, RegExp])[] = [
  // Before all others: behind it stands the creator, in whose digits anything may be found.
  ['duplicate', /duplicate transaction found/],
  ['too-many-calls', /too many requests for /],
  ['identity-expired', /identity expired/],
  [
    'access-denied',
    /access denied|creator org unknown|policy evaluation failed|failed evaluating policy|not satisf\w+ policy/i,
  ],
  ['pruned', /bootstrapped from a snapshot/],
  ['channel-unknown', /channel '[^']*' not found|Invalid chain ID|failed to get config for channel/],
  [
    'chaincode-down',
    /could not launch chaincode|chaincode stream terminated|timeout expired while (starting|executing)/,
  ],
  [
    'chaincode-unknown',
    /is not running chaincode|has been successfully defined on channel|namespace \S+ is not defined|chaincode is not installed/,
  ],
  [
    'endorsers-missing',
    /no (peer |endorsement )?combination|failed to select a set of endorsers|failed to find any endorsing peers|no peers available to evaluate|failed constructing descriptor/,
  ],
  ['answers-differ', /(Payloads|responses|endorsements) do not match/i],
  [
    'not-reached',
    /connection refused|ECONNREFUSED|ENOTFOUND|error while dialing|no such host|Name resolution failed|No connection established|failed to create new connection/i,
  ],
];

/** @returns undefined for a text that tells nothing known */
export function peerFault(text: string): PeerFault | undefined {
  return FAULTS.find(([, pattern]) => pattern.test(text))?.[0];
}

/**
 * Whether a peer of Fabric 3 says that too few orderers of a BFT channel took a transaction; some may have it. Its
 * details name only those that failed.
 */
export function isQuorumMissing(text: string): boolean {
  return text.includes('insufficient number of orderers');
}

/** Whether the system chaincode for queries says that the chain holds no such block or transaction. */
export function isNotRecorded(text: string): boolean {
  return /no such (transaction ID|block number)/.test(text);
}

const CHAINCODE_RESPONSE = /chaincode response \d+, ([^]*)$/;

/** The chaincode's own text in what a peer's gateway tells, if the chaincode answered. */
export function chaincodeText(text: string): string | undefined {
  return CHAINCODE_RESPONSE.exec(text)?.[1];
}

/** What fabric-samples' asset-transfer-basic says, in its TypeScript, JavaScript, Go and Java editions. */
const SAMPLE_TEXTS: readonly (readonly [RefusalCode, RegExp])[] = [
  ['LEDGER.ASSET_NOT_FOUND', /^(the )?asset [^]* does not exist$/i],
  ['LEDGER.ASSET_EXISTS', /^(the )?asset [^]* already exists$/i],
  [
    'LEDGER.FUNCTION_UNKNOWN',
    /^You've asked to invoke a function that does not exist|^Function \S+ not found in contract|^Undefined contract method/,
  ],
  ['LEDGER.INVALID_ARGUMENT', /^Expected \d+ parameters|^Incorrect number of params/],
];

/** The chaincode's refusal as the port says it: by our contract's code, or by what the samples' texts mean. */
export function chaincodeRefusal(text: string, facts?: LedgerErrorFacts): LedgerError {
  const ours = parseContractError(text);
  if (ours !== undefined) return contractRefusal(ours, facts);
  const code = SAMPLE_TEXTS.find(([, pattern]) => pattern.test(text))?.[0] ?? 'LEDGER.REFUSED';
  return new LedgerError(code, text, facts);
}
