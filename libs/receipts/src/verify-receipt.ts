import { Buffer } from 'node:buffer';
import {
  decodeBlock,
  decodeCall,
  type DecodedBlock,
  decodeEnvelope,
  encodedText,
  hex,
  quotedShort,
  validationCodeName,
} from '#fabric-codec';
import { blockDataHash, type BlockHeader, bytesToEndorse, encodeEnvelope } from '#fabric-codec/encode';
import {
  attempt,
  Block,
  canonicalFault,
  decodeMessage,
  Envelope,
  METADATA_ENTRIES,
  ProcessedTransaction,
  TxValidationCode,
} from '#fabric-codec/messages';
import {
  type ExaminedEnvelope,
  examineSignatures,
  examineTransaction,
  isPassed,
  type Role,
  type SignatureChecker,
} from '#fabric-codec/verify';
import { checkCheckpoint, checkInclusion, type TrustedLogs } from './check-log.js';
import { notProven } from './not-proven.js';
import { checkDocument, outsideRecords, type GivenDocument } from './outside-document.js';
import { provenTransaction, type ProvenTransaction } from './proven-transaction.js';
import {
  ensure,
  blockPosition,
  readReceipt,
  ReceiptFault,
  statementOf,
  type AttestedReceipt,
  type Receipt,
  type ReceiptCheck,
  type RecordedPlace,
  type WitnessedReceipt,
} from './receipt.js';
import type { TrustedRoots, TrustedSigner } from './trusted-roots.js';

/** The result of one check. */
export interface ReceiptStep {
  readonly check: ReceiptCheck;
  readonly result: 'passed' | 'failed' | 'not checked';
  /** The result in words. */
  readonly what: string;
}

/** The result of verifying a receipt. */
export interface ReceiptReport {
  /**
   * `valid`: the chain contains the transaction, which changed the ledger. `not-valid`: the chain contains it, and it changed
   * nothing. `not-witnessed`: too few witnesses have confirmed that yet. `refused`: the receipt proves nothing.
   */
  readonly verdict: 'valid' | 'not-valid' | 'not-witnessed' | 'refused';
  /** In their order, up to the first that failed. */
  readonly steps: readonly ReceiptStep[];
  /** Undefined when the receipt proves nothing. */
  readonly transaction: ProvenTransaction | undefined;
  /** Conclusions that the receipt does not allow, even for those who trust the roots. */
  readonly notProven: readonly string[];
}

/** The caller's part of {@link verifyReceipt}. */
export interface ReceiptTerms {
  /** The organizations that the caller trusts. Without any, only a receipt with a log's proof proves something. */
  readonly roots: TrustedRoots;
  /** Required for a receipt with a log's proof. */
  readonly logs?: TrustedLogs | undefined;
  /** A height of the chain, and the hexadecimal hash of its last block, known from elsewhere. */
  readonly expect?: { readonly height: number; readonly hash: string } | undefined;
  /** A document that the transaction must have written outside the blocks. */
  readonly document?: GivenDocument | undefined;
}

/** A signature in a receipt, which is verified when its signer is known to be trusted. */
interface Claim {
  /** The serialized `msp.SerializedIdentity` of the named signer. */
  readonly identity: Uint8Array;
  readonly content: Uint8Array;
  readonly signature: Uint8Array;
}

const CLAIMS: SignatureChecker<Claim> = {
  check: (identity, content, signature) => ({ identity, content, signature }),
};
const NOTHING = new Uint8Array();
const NO_ROOTS = 'no roots were given: --root MSPID=CA.pem';
const CODES: Readonly<Record<string, number>> = TxValidationCode;
/** The peers' system chaincode for queries. */
const QUERY_CHAINCODE = 'qscc';
const QUERY = 'GetTransactionByID';
const STATUS_OK = 200;

/**
 * Verifies a receipt without a ledger. With a log's proof: the transaction's place and code in the log, the log's signature and
 * the witnesses'. Otherwise the block's form, hashes and orderers' signatures, and a peer's attestation of the code. Of both the
 * transaction's form, id, creator and endorsements. As for a chain, it does not check whether a certificate had expired.
 * @param text - the content of the file
 */
export async function verifyReceipt(text: string, terms: ReceiptTerms): Promise<ReceiptReport> {
  const verifier = new ReceiptVerifier(terms);
  try {
    const receipt = readReceipt(text);
    const transaction = await verifier.verify(receipt);
    const { lacksDocument } = verifier;
    const given = { hasRoots: !terms.roots.isEmpty, hasHead: terms.expect !== undefined, lacksDocument };
    const outcome = transaction.validationCode === 'VALID' ? 'valid' : 'not-valid';
    const verdict = verifier.isWitnessed ? outcome : 'not-witnessed';
    return { verdict, steps: verifier.steps, transaction, notProven: notProven(receipt, given) };
  } catch (error) {
    if (!(error instanceof ReceiptFault)) throw error;
    const failed: ReceiptStep = { check: error.check, result: 'failed', what: error.message };
    return { verdict: 'refused', steps: [...verifier.steps, failed], transaction: undefined, notProven: [] };
  }
}

/** Verifies one receipt, step by step. */
class ReceiptVerifier {
  readonly steps: ReceiptStep[] = [];
  /** False when a receipt with a log's proof has too few confirmations. */
  isWitnessed = true;
  /** Whether the transaction wrote documents outside the blocks, and the caller gave none. */
  lacksDocument = false;
  readonly #terms: ReceiptTerms;

  constructor(terms: ReceiptTerms) {
    this.#terms = terms;
  }

  /** @throws {@link ReceiptFault} at the first error */
  async verify(receipt: Receipt): Promise<ProvenTransaction> {
    this.#pass('FORMAT', `a receipt of version ${receipt.version}`);
    return receipt.version === 2 ? this.#verifyWitnessed(receipt) : this.#verifyAttested(receipt);
  }

  async #verifyWitnessed(receipt: WitnessedReceipt): Promise<ProvenTransaction> {
    const code = Number(CODES[receipt.validationCode]);
    const { entry, checkpoint } = checkInclusion(receipt, code);
    this.#pass('INCLUSION', `${receipt.validationCode}, in block ${entry.header.number} of the log`);
    const { logs } = this.#terms;
    ensure('CHECKPOINT', logs !== undefined, 'no trust policy was given: --policy FILE');
    const { isWitnessed, what } = await checkCheckpoint(checkpoint, logs);
    this.isWitnessed = isWitnessed;
    this.#pass('CHECKPOINT', `${checkpoint.size} blocks, signed by ${quotedShort(checkpoint.origin)}`);
    if (isWitnessed) this.#pass('WITNESSES', what);
    else this.#skip('WITNESSES', `not witnessed yet: ${what}`);
    if (receipt.block !== undefined) await this.#checkLoggedBlock(receipt, receipt.block, entry.transactions);
    if (isPassed(code)) await this.#checkTransaction(receipt, receipt.envelope, code);
    else this.#skip('TRANSACTION', 'the peers refused its content: nothing in it is trusted');
    this.#checkHead(entry.header, Buffer.from(receipt.blockHash, 'hex'));
    this.#checkDocument(receipt, receipt.envelope);
    return provenTransaction(receipt, receipt.envelope, this.#terms.roots);
  }

  async #checkLoggedBlock(receipt: WitnessedReceipt, bytes: Uint8Array, count: number): Promise<void> {
    const block = this.#checkBlock({ ...receipt, block: bytes });
    const { envelopes } = block;
    ensure('BLOCK', envelopes.length === count, `the block has ${envelopes.length} transactions, not ${count}`);
    const isThere = envelopes.some((each, position) => position === receipt.position && isSame(each, receipt.envelope));
    ensure('BLOCK', isThere, 'the block has another transaction at that position');
    if (this.#terms.roots.isEmpty) this.#skip('BLOCK_SIGNATURE', NO_ROOTS);
    else await this.#checkOrderers(block);
  }

  async #verifyAttested(receipt: AttestedReceipt): Promise<ProvenTransaction> {
    const block = this.#checkBlock(receipt);
    await this.#checkOrderers(block);
    const envelope = checkPlace(receipt, block);
    const code = Number(CODES[receipt.validationCode]);
    if (isPassed(code)) await this.#checkTransaction(receipt, envelope, code);
    else this.#skip('TRANSACTION', 'the peers refused its content: nothing in it is trusted');
    const names = await this.#differentSigners('VALIDATION_CODE', this.#readAttestation(receipt, envelope), 'PEER');
    this.#pass('VALIDATION_CODE', `${receipt.validationCode}, signed by ${names}`);
    this.#checkHead(block.header, block.hash);
    this.#checkDocument(receipt, envelope);
    return provenTransaction(receipt, envelope, this.#terms.roots);
  }

  #checkBlock({ block: bytes, blockNumber, blockHash }: RecordedPlace & { readonly block: Uint8Array }): DecodedBlock {
    const fault = canonicalFault(bytes, Block, { allowDefaults: false });
    const block = attempt(() => decodeBlock(bytes));
    const isCanonical = fault === undefined && block !== undefined;
    ensure('BLOCK', isCanonical, `the block is not in its canonical form: ${fault ?? 'it cannot be decoded'}`);
    const { header, hash, envelopes, metadata } = block;
    const isSealed = metadata.length === METADATA_ENTRIES && metadata.slice(1).every(({ length }) => length === 0);
    ensure('BLOCK', isSealed, 'the block has metadata that no signature covers');
    const { number, dataHash } = header;
    ensure('BLOCK', number === blockNumber, `the block has the number ${number}, not ${blockNumber}`);
    ensure('BLOCK', hex(hash) === blockHash, `the block has the hash ${hex(hash)}, not ${blockHash}`);
    ensure('BLOCK', isSame(dataHash, blockDataHash(envelopes)), 'the header contains the hash of other transactions');
    const covered = `which covers its ${envelopes.length} transactions`;
    this.#pass('BLOCK', `block ${number} has the hash ${blockHash}, ${covered}`);
    return block;
  }

  async #checkOrderers({ header, metadata: [bytes] }: DecodedBlock): Promise<void> {
    const check = 'BLOCK_SIGNATURE';
    const { fault, signers } = examineSignatures(header, bytes, CLAIMS);
    ensure(check, fault === undefined, `the orderers' metadata are not in their canonical form: ${fault}`);
    if (signers.length > 0) {
      const signed = signers.map((signer) => {
        if (typeof signer === 'string') throw new ReceiptFault(check, signer);
        return signer;
      });
      this.#pass(check, `signed by ${await this.#differentSigners(check, signed, 'ORDERER')}`);
      return;
    }
    ensure(check, header.number === 0, 'the block is not signed');
    const isKnown = this.#terms.expect !== undefined;
    ensure(check, isKnown, 'block 0 is not signed: give the hash that you know by --expect 1:HASH');
    this.#skip(check, 'block 0 is not signed: its hash identifies it');
  }

  async #checkTransaction(receipt: Receipt, bytes: Uint8Array, code: number): Promise<void> {
    const { faults, envelope, configuration } = examineTransaction(bytes, code, CLAIMS);
    const isFaultless = faults.length === 0 && envelope !== undefined;
    ensure('TRANSACTION', isFaultless, faults.map(({ what }) => what)[0] ?? '');
    if (receipt.version === 2 && this.#terms.roots.isEmpty) this.#passUnsigned(receipt, envelope);
    else if (configuration === undefined) await this.#checkCall(receipt, envelope);
    else await this.#checkConfiguration(receipt, envelope);
  }

  /** Without roots, the id and the form of a transaction are known to fit together, and its signers are not known. */
  #passUnsigned({ position }: Receipt, { call }: ExaminedEnvelope<Claim>): void {
    const what = call === undefined ? 'a configuration' : `a call of ${quotedShort(call.chaincode)}`;
    this.#pass('TRANSACTION', `${what} at position ${position}`);
    this.#skip('CREATOR', NO_ROOTS);
    this.#skip('ENDORSEMENT', NO_ROOTS);
  }

  async #checkConfiguration(
    { position, blockNumber }: Receipt,
    { creator, isUnsigned }: ExaminedEnvelope<Claim>,
  ): Promise<void> {
    this.#pass('TRANSACTION', `a configuration at position ${position}`);
    if (blockNumber === 0 && isUnsigned) this.#skip('CREATOR', 'the first configuration is not signed');
    else this.#pass('CREATOR', `signed by ${(await this.#signer('CREATOR', creator, 'ORDERER')).name}`);
    this.#skip('ENDORSEMENT', 'a configuration is not endorsed');
  }

  async #checkCall({ position }: Receipt, { call, creator }: ExaminedEnvelope<Claim>): Promise<void> {
    ensure('TRANSACTION', call !== undefined, 'it is not a call of a chaincode');
    this.#pass('TRANSACTION', `a call of ${quotedShort(call.chaincode)} at position ${position}`);
    this.#pass('CREATOR', `signed by ${(await this.#signer('CREATOR', creator, 'MEMBER')).name}`);
    // The creator's signature covers the endorsements, and a peer counts an endorser once.
    const names: string[] = [];
    for (const endorser of call.endorsers) names.push((await this.#signer('ENDORSEMENT', endorser, 'MEMBER')).name);
    ensure('ENDORSEMENT', names.length > 0, 'the transaction is not endorsed');
    this.#pass('ENDORSEMENT', `signed by ${[...new Set(names)].join(', ')}`);
  }

  /** Returns the signers of the peers' attestation, at least one. */
  #readAttestation({ attestation, ...place }: AttestedReceipt, envelope: Uint8Array): readonly Claim[] {
    if (attestation.kind === 'qscc') return this.#readAnswer(attestation.payload, place, envelope);
    const { statement, endorser, signature } = attestation;
    const isSame = statement === statementOf(place);
    ensure('VALIDATION_CODE', isSame, "the peer's statement is not about this place and code");
    return [CLAIMS.check(endorser, bytesToEndorse(Buffer.from(statement), endorser), signature)];
  }

  /** Reads an endorsed answer: it has the form of a transaction that its creator did not sign, and is examined as one. */
  #readAnswer(payload: Uint8Array, place: RecordedPlace, envelope: Uint8Array): readonly Claim[] {
    const check = 'VALIDATION_CODE';
    const answer = encodeEnvelope(payload, new Uint8Array());
    const examined = examineTransaction(answer, TxValidationCode.VALID, CLAIMS);
    const [fault] = examined.faults;
    ensure(check, fault === undefined, `the peer's answer is not valid: ${fault?.what}`);
    const endorsers = examined.envelope?.call?.endorsers ?? [];
    ensure(check, endorsers.length > 0, "the peer's answer is not signed");
    const decoded = decodeEnvelope(answer);
    const { answeredBy, arguments: args, response } = decodeCall(decoded);
    const asked = [decoded.channelId, answeredBy, ...(args.length === 0 ? [''] : args.map(textIn))];
    const expected = [place.channel, QUERY_CHAINCODE, QUERY, place.channel, place.transactionId];
    const isAsked = asked.length === expected.length && asked.every((text, index) => text === expected[index]);
    const shown = asked.slice(0, expected.length).map(quotedShort).join(', ');
    ensure(check, isAsked, `the peer was asked something else: ${shown}`);
    const processed = attempt(() => decodeMessage(ProcessedTransaction, response?.payload ?? NOTHING));
    const isAnswered = processed !== undefined && response?.status === STATUS_OK;
    ensure(check, isAnswered, 'the peer returned no transaction');
    const isReturned = isSameEnvelope(processed.transactionEnvelope, envelope);
    ensure(check, isReturned, 'the peer returned another transaction than the one in the block');
    const code = validationCodeName(processed.validationCode);
    const { validationCode } = place;
    ensure(check, code === validationCode, `the peer has the transaction as ${code}, not ${validationCode}`);
    return endorsers;
  }

  #checkHead({ number, previousHash }: BlockHeader, hash: Uint8Array): void {
    const check = 'EXPECTED_HEAD';
    const { expect } = this.#terms;
    if (expect === undefined) {
      this.#skip(check, 'no hash from elsewhere was given');
      return;
    }
    const { height } = expect;
    const known = new Map([
      [number + 1, hex(hash)],
      [number, hex(previousHash)],
    ]);
    const found = known.get(height) ?? '';
    const comparable = `compared with the hash of that block, --expect ${number + 1}:HASH, or of the previous one`;
    ensure(check, found !== '', `a receipt of block ${number} can be ${comparable}, not with height ${height}`);
    const isExpected = found === expect.hash.toLowerCase();
    ensure(check, isExpected, `block ${height - 1} has the hash ${found} here, not ${expect.hash}`);
    this.#pass(check, `block ${height - 1} has the hash that you know`);
  }

  #checkDocument({ validationCode }: Receipt, envelope: Uint8Array): void {
    const check = 'DOCUMENT';
    const { document } = this.#terms;
    const isValid = validationCode === 'VALID';
    const records = isValid ? outsideRecords(envelope) : [];
    if (document === undefined) this.lacksDocument = records.length > 0;
    else if (isValid) this.#pass(check, checkDocument(document, records));
    else this.#skip(check, 'the transaction wrote nothing');
  }

  /** Returns the names of signers, none of whom may appear twice: no signature covers the list. */
  async #differentSigners(check: ReceiptCheck, claims: readonly Claim[], role: Role): Promise<string> {
    const names = new Map<string, string>();
    for (const claim of claims) {
      const { fingerprint, name } = await this.#signer(check, claim, role);
      names.set(fingerprint, name);
    }
    ensure(check, names.size === claims.length, 'a signer appears twice');
    return [...names.values()].join(', ');
  }

  async #signer(check: ReceiptCheck, { identity, content, signature }: Claim, role: Role): Promise<TrustedSigner> {
    const signer = await this.#terms.roots.signer(identity, role);
    if (typeof signer === 'string') throw new ReceiptFault(check, signer);
    ensure(check, await signer.hasSigned(content, signature), `the signature is not that of ${signer.name}`);
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
  { block: bytes, position, transactionId, channel }: AttestedReceipt,
  { envelopes }: DecodedBlock,
): Uint8Array {
  const check = 'TRANSACTION';
  const envelope = envelopes[position];
  ensure(
    check,
    envelope !== undefined,
    `there is no position ${position} in a block of ${envelopes.length} transactions`,
  );
  const found = blockPosition(bytes, transactionId);
  ensure(check, found !== undefined, 'the block contains no transaction with that id');
  const isFirst = found.position === position;
  ensure(check, isFirst, `the transaction appears first at position ${found.position}, not ${position}`);
  const [recorded, named] = [found.channel, channel].map(quotedShort);
  ensure(check, found.channel === channel, `the transaction is for the channel ${recorded}, not ${named}`);
  return envelope;
}

/** An envelope that a peer returned may have been altered, so that it cannot be decoded. */
function isSameEnvelope(returned: Uint8Array, expected: Uint8Array): boolean {
  const { payload, signature } = decodeMessage(Envelope, expected);
  const decoded = attempt(() => decodeMessage(Envelope, returned));
  return decoded !== undefined && isSame(decoded.payload, payload) && isSame(decoded.signature, signature);
}

function isSame(bytes: Uint8Array, expected: Uint8Array): boolean {
  return Buffer.compare(bytes, expected) === 0;
}

/** Bytes that are not UTF-8 are equal to no text. */
function textIn(bytes: Uint8Array): string {
  const { text, encoding } = encodedText(bytes);
  return encoding === 'utf8' ? text : `base64(${text})`;
}
