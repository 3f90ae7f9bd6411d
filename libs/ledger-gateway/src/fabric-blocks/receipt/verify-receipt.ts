import { Buffer } from 'node:buffer';
import { decodeBlock, type DecodedBlock } from '../decode/decode-block.js';
import { decodeEnvelope } from '../decode/decode-envelope.js';
import { recordedCall, type CallEncodings } from '../describe/describe-transaction.js';
import { blockDataHash } from '../encode/hashes.js';
import { attempt, canonicalFault } from '../messages/decode-message.js';
import { Block, METADATA_ENTRIES, TxValidationCode } from '../messages/fabric-messages.js';
import { certificateName, hex, quotedShort } from '../messages/text.js';
import { examineSignatures } from '../verify/examine-block.js';
import {
  examineTransaction,
  isPassed,
  type ExaminedEnvelope,
  type ExaminedTransaction,
} from '../verify/examine-transaction.js';
import { IdentitySignatures, type SignedBy } from '../verify/identity-signatures.js';
import type { Role } from '../verify/trust/organisation.js';
import { readAttestation } from './peer-attestation.js';
import {
  placeFields,
  placeInBlock,
  readReceipt,
  ReceiptFault,
  type Receipt,
  type ReceiptCheck,
  type RecordedPlace,
} from './receipt.js';
import type { TrustedRoots, TrustedSigner } from './trusted-roots.js';

/** The result of one check. */
export interface ReceiptStep {
  readonly check: ReceiptCheck;
  readonly result: 'passed' | 'failed' | 'not checked';
  /** The result in words. */
  readonly what: string;
}

/** The proven facts of a transaction. */
interface ProvenTransaction extends RecordedPlace, Omit<CallEncodings, 'payloadEncoding'> {
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

/** The caller's part of {@link verifyReceipt}. */
export interface ReceiptTerms {
  /** The organizations that the caller trusts, because a receipt proves nothing without signatures. */
  readonly roots: TrustedRoots;
  /** A height of the chain, and the hexadecimal hash of its last block, known from elsewhere. */
  readonly expect?: { readonly height: number; readonly hash: string } | undefined;
}

const CODES: Readonly<Record<string, number>> = TxValidationCode;

/**
 * Verifies a receipt without a ledger: the block's form, hashes and orderers' signatures, the transaction's place, id, creator
 * and endorsements, and a peer's attestation of its validation code. As for a chain, it does not check whether a certificate had
 * expired.
 * @param text - the content of the file
 */
export function verifyReceipt(text: string, terms: ReceiptTerms): ReceiptReport {
  const verifier = new ReceiptVerifier(terms);
  try {
    const receipt = readReceipt(text);
    const transaction = verifier.verify(receipt);
    const verdict = transaction.validationCode === 'VALID' ? 'valid' : 'not-valid';
    return { verdict, steps: verifier.steps, transaction, notProven: notProven(receipt, terms) };
  } catch (error) {
    if (!(error instanceof ReceiptFault)) throw error;
    const failed: ReceiptStep = { check: error.check, result: 'failed', what: error.message };
    return { verdict: 'refused', steps: [...verifier.steps, failed], transaction: undefined, notProven: [] };
  }
}

function notProven({ attestation }: Receipt, { expect }: ReceiptTerms): string[] {
  const place =
    attestation.kind === 'qscc' ? ["in which block the peer has it: a peer's answer contains only the code"] : [];
  return [
    ...(expect === undefined ? ['that the block is part of the chain that you know: give --expect HEIGHT:HASH'] : []),
    ...place,
    'that its endorsers satisfy the endorsement policy: the code states that the peer found so',
    'when it was made: the time is from the clock of its submitter',
    'that no certificate had expired or was revoked: that is not checked',
    'anything against those who hold the keys of an orderer and a peer',
  ];
}

/** Verifies one receipt, step by step. */
class ReceiptVerifier {
  readonly steps: ReceiptStep[] = [];
  readonly #terms: ReceiptTerms;
  readonly #identities = new IdentitySignatures();

  constructor(terms: ReceiptTerms) {
    this.#terms = terms;
  }

  /** @throws {@link ReceiptFault} at the first error */
  verify(receipt: Receipt): ProvenTransaction {
    this.#pass('FORMAT', 'a receipt of version 1');
    const block = this.#checkBlock(receipt);
    this.#checkOrderers(block);
    const envelope = checkPlace(receipt, block);
    const code = Number(CODES[receipt.validationCode]);
    if (isPassed(code)) this.#checkTransaction(receipt, examineTransaction(envelope, code, this.#identities));
    else this.#skip('TRANSACTION', 'the peers refused its content: nothing in it is trusted');
    const signed = readAttestation(receipt.attestation, receipt, envelope, this.#identities);
    const names = this.#differentSigners('VALIDATION_CODE', signed, 'PEER');
    this.#pass('VALIDATION_CODE', `${receipt.validationCode}, signed by ${names}`);
    this.#checkHead(block);
    return provenTransaction(receipt, envelope);
  }

  #checkBlock({ block: bytes, blockNumber, blockHash }: Receipt): DecodedBlock {
    const fault = canonicalFault(bytes, Block, { allowDefaults: false });
    const block = attempt(() => decodeBlock(bytes));
    if (fault !== undefined || block === undefined) {
      throw new ReceiptFault('BLOCK', `the block is not in its canonical form: ${fault ?? 'it cannot be decoded'}`);
    }
    const { header, hash, envelopes, metadata } = block;
    if (metadata.length !== METADATA_ENTRIES || metadata.slice(1).some(({ length }) => length > 0)) {
      throw new ReceiptFault('BLOCK', 'the block has metadata that no signature covers');
    }
    if (header.number !== blockNumber) {
      throw new ReceiptFault('BLOCK', `the block has the number ${header.number}, not ${blockNumber}`);
    }
    if (hex(hash) !== blockHash) {
      throw new ReceiptFault('BLOCK', `the block has the hash ${hex(hash)}, not ${blockHash}`);
    }
    if (Buffer.compare(header.dataHash, blockDataHash(envelopes)) !== 0) {
      throw new ReceiptFault('BLOCK', 'the header contains the hash of other transactions');
    }
    const covered = `which covers its ${envelopes.length} transactions`;
    this.#pass('BLOCK', `block ${header.number} has the hash ${blockHash}, ${covered}`);
    return block;
  }

  #checkOrderers({ header, metadata: [bytes] }: DecodedBlock): void {
    const { fault, signers } = examineSignatures(header, bytes, this.#identities);
    if (fault !== undefined) {
      throw new ReceiptFault('BLOCK_SIGNATURE', `the orderers' metadata are not in their canonical form: ${fault}`);
    }
    if (signers.length === 0) {
      this.#checkUnsigned(header.number);
      return;
    }
    const signed = signers.map((signer) => {
      if (typeof signer === 'string') throw new ReceiptFault('BLOCK_SIGNATURE', signer);
      return signer;
    });
    this.#pass('BLOCK_SIGNATURE', `signed by ${this.#differentSigners('BLOCK_SIGNATURE', signed, 'ORDERER')}`);
  }

  /** Block 0 is not signed; its hash identifies it. */
  #checkUnsigned(number: number): void {
    if (number !== 0) throw new ReceiptFault('BLOCK_SIGNATURE', 'the block is not signed');
    if (this.#terms.expect === undefined) {
      const what = 'block 0 is not signed: give the hash that you know by --expect 1:HASH';
      throw new ReceiptFault('BLOCK_SIGNATURE', what);
    }
    this.#skip('BLOCK_SIGNATURE', 'block 0 is not signed: its hash identifies it');
  }

  #checkTransaction(receipt: Receipt, { faults, envelope, configuration }: ExaminedTransaction): void {
    const [fault] = faults;
    if (fault !== undefined) throw new ReceiptFault('TRANSACTION', fault.what);
    if (envelope?.isIdRight !== true) {
      throw new ReceiptFault('TRANSACTION', 'the id is not the hash of nonce and creator');
    }
    if (configuration === undefined) this.#checkCall(receipt, envelope);
    else this.#checkConfiguration(receipt, envelope);
  }

  #checkConfiguration({ position, blockNumber }: Receipt, { creator, isUnsigned }: ExaminedEnvelope): void {
    this.#pass('TRANSACTION', `a configuration at position ${position}`);
    if (blockNumber === 0 && isUnsigned) this.#skip('CREATOR', 'the first configuration is not signed');
    else this.#pass('CREATOR', `signed by ${this.#signer('CREATOR', creator, 'ORDERER').name}`);
    this.#skip('ENDORSEMENT', 'a configuration is not endorsed');
  }

  #checkCall({ position }: Receipt, { call, creator }: ExaminedEnvelope): void {
    if (call === undefined) throw new ReceiptFault('TRANSACTION', 'it is not a call of a chaincode');
    const { chaincode, endorsers } = call;
    this.#pass('TRANSACTION', `a call of ${quotedShort(chaincode)} at position ${position}`);
    this.#pass('CREATOR', `signed by ${this.#signer('CREATOR', creator, 'MEMBER').name}`);
    // The creator's signature covers the endorsements, and a peer counts an endorser once.
    const names = endorsers.map((endorser) => this.#signer('ENDORSEMENT', endorser, 'MEMBER').name);
    if (names.length === 0) throw new ReceiptFault('ENDORSEMENT', 'the transaction is not endorsed');
    this.#pass('ENDORSEMENT', `signed by ${[...new Set(names)].join(', ')}`);
  }

  #checkHead({ header: { number, previousHash }, hash }: DecodedBlock): void {
    const { expect } = this.#terms;
    if (expect === undefined) {
      this.#skip('EXPECTED_HEAD', 'no hash from elsewhere was given');
      return;
    }
    const known = new Map([
      [number + 1, hex(hash)],
      [number, hex(previousHash)],
    ]);
    const found = known.get(expect.height);
    if (found === undefined || found === '') {
      throw new ReceiptFault(
        'EXPECTED_HEAD',
        `a receipt of block ${number} can be compared with the hash of that block, --expect ${number + 1}:HASH, ` +
          `or of the previous one, not with height ${expect.height}`,
      );
    }
    if (found !== expect.hash.toLowerCase()) {
      throw new ReceiptFault(
        'EXPECTED_HEAD',
        `block ${expect.height - 1} has the hash ${found} here, not ${expect.hash}`,
      );
    }
    this.#pass('EXPECTED_HEAD', `block ${expect.height - 1} has the hash that you know`);
  }

  /** Returns the names of signers, none of whom may appear twice: no signature covers the list. */
  #differentSigners(check: ReceiptCheck, signed: readonly SignedBy[], role: Role): string {
    const signers = signed.map((one) => this.#signer(check, one, role));
    const names = new Map(signers.map(({ fingerprint, name }) => [fingerprint, name]));
    if (names.size < signers.length) throw new ReceiptFault(check, 'a signer appears twice');
    return [...names.values()].join(', ');
  }

  #signer(check: ReceiptCheck, { identity, isSigned }: SignedBy, role: Role): TrustedSigner {
    const signer = this.#terms.roots.signer(identity, role);
    if (typeof signer === 'string') throw new ReceiptFault(check, signer);
    if (!isSigned) throw new ReceiptFault(check, `the signature is not that of ${signer.name}`);
    return signer;
  }

  #pass(check: ReceiptCheck, what: string): void {
    this.steps.push({ check, result: 'passed', what });
  }

  #skip(check: ReceiptCheck, what: string): void {
    this.steps.push({ check, result: 'not checked', what });
  }
}

/** Returns the transaction's envelope, which must be where the receipt states. */
function checkPlace(
  { block: bytes, position, transactionId, channel }: Receipt,
  { envelopes }: DecodedBlock,
): Uint8Array {
  const envelope = envelopes[position];
  if (envelope === undefined) {
    const what = `there is no position ${position} in a block of ${envelopes.length} transactions`;
    throw new ReceiptFault('TRANSACTION', what);
  }
  const found = placeInBlock(bytes, transactionId);
  if (found === undefined) throw new ReceiptFault('TRANSACTION', 'the block contains no transaction with that id');
  if (found.position !== position) {
    const what = `the transaction appears first at position ${found.position}, not ${position}`;
    throw new ReceiptFault('TRANSACTION', what);
  }
  if (found.channel !== channel) {
    const [recorded, named] = [found.channel, channel].map(quotedShort);
    throw new ReceiptFault('TRANSACTION', `the transaction is for the channel ${recorded}, not ${named}`);
  }
  return envelope;
}

function provenTransaction(receipt: Receipt, bytes: Uint8Array): ProvenTransaction {
  const envelope = decodeEnvelope(bytes);
  const { chaincodeId, function: name, arguments: args } = recordedCall(envelope);
  const { idBytes } = envelope.creator;
  return {
    ...placeFields(receipt),
    creator: idBytes.length === 0 ? '' : certificateName(idBytes),
    timestamp: envelope.timestamp,
    chaincode: chaincodeId,
    function: name.text,
    functionEncoding: name.encoding,
    arguments: args.map(({ text }) => text),
    argumentEncodings: args.map(({ encoding }) => encoding),
  };
}
