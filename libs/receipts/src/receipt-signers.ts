import { decodeBlock, decodeIdentity } from '#fabric-codec';
import { encodeEnvelope } from '#fabric-codec/encode';
import { attempt, TxValidationCode } from '#fabric-codec/messages';
import { examineSignatures, examineTransaction, type SignatureChecker } from '#fabric-codec/verify';
import { outsideRecords } from './outside-document.js';
import { readReceipt, type Attestation, type Receipt } from './receipt.js';

const NOTHING = new Uint8Array();
const CODES: Readonly<Record<string, number>> = TxValidationCode;

/** What a user has to provide so that a receipt can be verified. */
export interface ReceiptNeeds {
  /** The MSP ids of the organizations that signed. */
  readonly mspIds: readonly string[];
  /** Whether a trust policy is needed; the roots of the organizations are optional then. */
  readonly hasLog: boolean;
  /** Whether the transaction wrote documents outside the blocks, which the user may have. */
  readonly hasDocuments: boolean;
}

/**
 * Returns what is needed to verify a receipt.
 * @throws {@link ReceiptFault} when it is not a receipt
 */
export function needsOf(text: string): ReceiptNeeds {
  const receipt = readReceipt(text);
  const found = attempt(() => signersOf(receipt)) ?? [];
  const hasDocuments = attempt(() => outsideRecords(envelopeOf(receipt)).length > 0) === true;
  return { mspIds: [...new Set(found)].filter((mspId) => mspId !== ''), hasLog: receipt.version === 2, hasDocuments };
}

/** Names the organization of each signer instead of checking the signature. */
const MSP_IDS: SignatureChecker<string> = {
  check: (identity) => attempt(() => decodeIdentity(identity).mspId) ?? '',
};

function signersOf(receipt: Receipt): readonly string[] {
  const { block } = receipt;
  const decoded = block === undefined ? undefined : decodeBlock(block);
  return [
    ...(decoded === undefined ? [] : examineSignatures(decoded.header, decoded.metadata[0], MSP_IDS).signers),
    ...signersOfTransaction(envelopeOf(receipt), CODES[receipt.validationCode]),
    ...(receipt.version === 2 ? [] : signersOfAttestation(receipt.attestation)),
  ];
}

function envelopeOf(receipt: Receipt): Uint8Array {
  return receipt.version === 2 ? receipt.envelope : (decodeBlock(receipt.block).envelopes[receipt.position] ?? NOTHING);
}

function signersOfTransaction(bytes: Uint8Array, code: number | undefined): readonly string[] {
  const { envelope } = examineTransaction(bytes, code, MSP_IDS);
  if (envelope === undefined || envelope.isUnsigned) return [];
  return [envelope.creator, ...(envelope.call?.endorsers ?? [])];
}

function signersOfAttestation(attestation: Attestation): readonly string[] {
  if (attestation.kind === 'statement') return [MSP_IDS.check(attestation.endorser, NOTHING, NOTHING)];
  const answer = encodeEnvelope(attestation.payload, NOTHING);
  return examineTransaction(answer, TxValidationCode.VALID, MSP_IDS).envelope?.call?.endorsers ?? [];
}
