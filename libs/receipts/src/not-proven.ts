import type { AttestedReceipt, Receipt, WitnessedReceipt } from './receipt.js';

/** Facts that a caller knows in addition to the receipt. */
interface GivenTerms {
  readonly hasRoots: boolean;
  /** Whether the hash of a block is known. */
  readonly hasHead: boolean;
  /** Whether documents are outside the blocks, and none was given. */
  readonly lacksDocument: boolean;
}

/** Conclusions that no receipt allows. */
const NEVER_PROVEN = [
  'that its endorsers satisfy the endorsement policy: the code states that the peer found so',
  'when it was made: the time is from the clock of its submitter',
  'that no certificate had expired or was revoked: that is not checked',
];

/** Returns the conclusions that a receipt does not allow, even for those who trust its signers. */
export function notProven(receipt: Receipt, given: GivenTerms): string[] {
  const documents = given.lacksDocument
    ? ['the documents outside the blocks, of which it contains digests: give --document FILE --salt HEX']
    : [];
  return [...documents, ...(receipt.version === 2 ? notProvenByLog(receipt, given) : notProvenByPeer(receipt, given))];
}

function notProvenByPeer({ attestation }: AttestedReceipt, { hasHead }: GivenTerms): string[] {
  const place =
    attestation.kind === 'qscc' ? ["in which block the peer has it: a peer's answer contains only the code"] : [];
  return [
    ...(hasHead ? [] : ['that the block is part of the chain that you know: give --expect HEIGHT:HASH']),
    ...place,
    ...NEVER_PROVEN,
    'anything against those who hold the keys of an orderer and a peer',
  ];
}

function notProvenByLog({ block }: WitnessedReceipt, { hasRoots }: GivenTerms): string[] {
  return [
    ...(hasRoots ? [] : ['who signed it: give --root MSPID=CA.pem']),
    ...(block === undefined ? ['that orderers signed its block: request the receipt with ?block=true'] : []),
    ...NEVER_PROVEN,
    'that the ledger wrote the truth, or everything: witnesses confirm only that it does not change later',
    "anything against those who hold the log's key and those of a quorum of witnesses",
  ];
}
