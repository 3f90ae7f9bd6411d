import { Buffer } from 'node:buffer';
import type { NamespaceSets } from '../decode/decode-read-write-sets.js';
import { commitHash } from '../encode/hashes.js';
import { attempt } from '../messages/decode-message.js';
import { HeaderType, TxValidationCode } from '../messages/fabric-messages.js';
import { validationCodeName } from '../messages/text.js';
import type { BlockContent, ExaminedBlock } from './examine-block.js';
import { isPassed, type ExaminedCall, type ExaminedEnvelope, type ExaminedTransaction } from './examine-transaction.js';
import type { Check, Finding } from './findings.js';
import type { SignedBy } from './identity-signatures.js';
import { BlockReplay, type ReplayState } from './replay/block-replay.js';
import { ChannelTrust } from './trust/channel-trust.js';
import { EndorsementPolicies } from './trust/endorsement-policies.js';
import type { Member } from './trust/organisation.js';

/** The caller's knowledge of the chain, and the store of the replay. */
export interface ChainVerifierOptions {
  /** Hexadecimal hash that block 0 must have: without it, a chain that was forged as a whole passes. */
  readonly genesisHash?: string | undefined;
  /** The store of the replayed state. */
  readonly state: ReplayState;
}

/** The last verified block of a chain. */
export interface VerifiedHead {
  /** Number of blocks. */
  readonly height: number;
  /** Hexadecimal hash of the last of them; empty before the first, and after a block that cannot be decoded. */
  readonly hash: string;
}

const BLOCK_VALIDATION = '/Channel/Orderer/BlockValidation';
const WRITERS = '/Channel/Writers';
const { VALID, NOT_VALIDATED, DUPLICATE_TXID } = TxValidationCode;
/** Every code that a peer records in a block. */
const RECORDED = new Set<number>(Object.values(TxValidationCode).filter((code) => code !== NOT_VALIDATED));

/**
 * Verifies a chain block by block from block 0 on: the one canonical form, numbers, links, data hashes, transaction ids,
 * signatures of creators, endorsers and orderers by members whom the channel's own configuration trusts, endorsement
 * policies, and by replaying the reads and writes the validation codes and commit hashes. It does not check whether a
 * certificate had expired or was revoked. A `BlockExaminer`, possibly on another thread, checks what needs one block only.
 */
export class ChainVerifier {
  readonly #options: ChainVerifierOptions;
  readonly #policies = new EndorsementPolicies();
  #next = 0;
  #previous: BlockContent | undefined;
  #trust: ChannelTrust | undefined;
  #lastConfig = 0;

  constructor(options: ChainVerifierOptions) {
    this.#options = options;
  }

  get head(): VerifiedHead {
    return { height: this.#next, hash: this.#previous?.hash ?? '' };
  }

  /** Returns who must endorse a chaincode after the blocks so far; see {@link EndorsementPolicies.nameOf}. */
  policyOf(chaincode: string): string {
    return this.#policies.nameOf(chaincode);
  }

  /** Verifies the next block and returns all errors in it. */
  add({ fault, content }: ExaminedBlock): readonly Finding[] {
    const findings: Finding[] = [];
    const note: Note = (check, what) => findings.push({ block: this.#next, check, what });
    if (fault !== undefined) note('BLOCK_FORMAT', `the block is not in its canonical form: ${fault}`);
    if (content === undefined) note('BLOCK_FORMAT', 'the block cannot be decoded');
    else this.#check(content, findings, note);
    this.#previous = content;
    this.#next++;
    return findings;
  }

  #check(block: BlockContent, findings: Finding[], note: Note): void {
    this.#checkHeader(block, note);
    for (const fault of block.metadataFaults) note('METADATA', fault);
    if (this.#next === 0) this.#trust = readTrust(block, note);
    const { state } = this.#options;
    const { transactions } = block;
    const replay = new BlockReplay(state, this.#next);
    const verifier = new TransactionVerifier(
      { state, replay, trust: this.#trust, policies: this.#policies },
      this.#next,
    );
    if (transactions.length === 0) note('METADATA', 'the block is empty');
    this.#verifyTransactions(transactions, verifier, findings);
    if (verifier.configured !== undefined) this.#lastConfig = this.#next;
    if (this.#trust !== undefined) this.#checkSignatures(block, this.#trust, note);
    this.#checkCommitHash(block, replay, note);
    replay.commit();
    this.#policies.learn(verifier.applied);
    this.#trust = verifier.configured ?? this.#trust;
  }

  #verifyTransactions(
    transactions: readonly ExaminedTransaction[],
    verifier: TransactionVerifier,
    findings: Finding[],
  ): void {
    for (const [index, transaction] of transactions.entries()) {
      const noteFor: Note = (check, what) => findings.push({ block: this.#next, transaction: index, check, what });
      if (transaction.configuration !== undefined && isPassed(transaction.code) && transactions.length > 1) {
        noteFor('CONFIGURATION', 'the configuration shares its block with other transactions');
      }
      verifier.verify(transaction, index, noteFor);
    }
  }

  #checkHeader({ number, hash, previousHash, isDataHashRight }: BlockContent, note: Note): void {
    if (number !== this.#next) note('BLOCK_NUMBER', `the block has the number ${number} instead of ${this.#next}`);
    if (!isDataHashRight) note('DATA_HASH', 'the data hash is not that of the transactions');
    const { genesisHash } = this.#options;
    if (this.#next === 0) {
      if (previousHash !== '') note('BLOCK_LINK', 'block 0 names a previous block');
      if (genesisHash !== undefined && hash !== genesisHash.toLowerCase()) {
        note('BLOCK_LINK', `block 0 has the hash ${hash}, not ${genesisHash}`);
      }
    } else if (this.#previous !== undefined && previousHash !== this.#previous.hash) {
      note('BLOCK_LINK', 'the block does not name the hash of the previous block');
    }
  }

  /** Checks that orderers whom the channel trusts signed the block, and name the newest configuration block. */
  #checkSignatures({ number, signatures }: BlockContent, trust: ChannelTrust, note: Note): void {
    const { fault, lastConfig, signers } = signatures;
    if (fault !== undefined) {
      note('METADATA', `the signatures are not in their canonical form: ${fault}`);
      return;
    }
    if (lastConfig !== this.#lastConfig) {
      const named = lastConfig ?? 'none';
      note('METADATA', `the orderer names block ${named} as the newest configuration, not ${this.#lastConfig}`);
    }
    const valid = validSigners(signers, trust, note);
    // Block 0 is not signed; its hash identifies it.
    if (number === 0 && signers.length === 0) return;
    if (trust.satisfies(BLOCK_VALIDATION, valid) !== true) {
      note('BLOCK_SIGNATURE', `the block does not have the signatures that ${BLOCK_VALIDATION} requires`);
    }
  }

  #checkCommitHash({ validationCodes, commitHash: recorded }: BlockContent, replay: BlockReplay, note: Note): void {
    if (this.#next === 0 || this.#previous === undefined) return;
    if (!replay.valuesAreKnown) {
      note('UNCHECKED', 'keys got new metadata, so the commit hash cannot be computed from the blocks alone');
      return;
    }
    const { commitHash: previous } = this.#previous;
    if (Buffer.compare(recorded, commitHash({ validationCodes, updates: replay.updates, previous })) !== 0) {
      note('COMMIT_HASH', 'the commit hash is not that of the validation codes and writes');
    }
  }
}

/** Records an error. */
type Note = (check: Check, what: string) => void;

function readTrust({ transactions: [first] }: BlockContent, note: Note): ChannelTrust | undefined {
  const envelope = first?.configuration;
  const trust = envelope && attempt(() => ChannelTrust.fromEnvelope(envelope));
  if (trust === undefined) {
    note('CONFIGURATION', 'block 0 contains no configuration: no signature of the chain can be checked');
  }
  return trust;
}

/** Returns the orderers whose signatures of a block are valid, each once, and records the errors in the other signatures. */
function validSigners(
  signers: BlockContent['signatures']['signers'],
  trust: ChannelTrust,
  note: Note,
): readonly Member[] {
  const valid = new Map<string, Member>();
  for (const signed of signers) {
    const signer =
      typeof signed === 'string'
        ? signed
        : memberWhoSigned(signed, trust, 'a signature is not that of the orderer it names');
    if (typeof signer === 'string') note('BLOCK_SIGNATURE', signer);
    else if (valid.has(signer.fingerprint)) note('BLOCK_SIGNATURE', 'an orderer signed the block twice');
    else valid.set(signer.fingerprint, signer);
  }
  return [...valid.values()];
}

/**
 * Returns the member whose signature it is, or the error.
 * @param otherwise - the error in a signature that the member did not make
 */
function memberWhoSigned({ identity, isSigned }: SignedBy, trust: ChannelTrust, otherwise: string): Member | string {
  const member = trust.member(identity);
  return typeof member === 'string' || isSigned ? member : otherwise;
}

/** What the transactions of a block are checked against. */
interface TransactionContext {
  /** Undefined when block 0 could not be read: then no signature can be checked. */
  readonly trust: ChannelTrust | undefined;
  readonly policies: EndorsementPolicies;
  readonly state: ReplayState;
  readonly replay: BlockReplay;
}

/** Verifies and replays the transactions of one block. */
class TransactionVerifier {
  /** The reads and writes of the valid transactions. */
  readonly applied: NamespaceSets[] = [];
  /** The configuration in the block, if any. */
  configured: ChannelTrust | undefined;
  readonly #context: TransactionContext;
  readonly #block: number;

  constructor(context: TransactionContext, block: number) {
    this.#context = context;
    this.#block = block;
  }

  verify(transaction: ExaminedTransaction, index: number, note: Note): void {
    const { code, transactionId } = transaction;
    const isNew = transactionId !== undefined && this.#isNew(transactionId, index);
    if (isPassed(code)) {
      if (transactionId !== undefined && !isNew) {
        note('TRANSACTION_ID', 'the chain already contains a transaction with this id');
      }
      this.#verifyPassed(transaction, index, note);
    } else this.#verifyRefused(code, isNew, note);
  }

  #verifyPassed(transaction: ExaminedTransaction, index: number, note: Note): void {
    const { code, faults, envelope, configuration } = transaction;
    if (envelope !== undefined) this.#checkEnvelope(envelope, note);
    for (const { check, what } of faults) note(check, what);
    if (configuration !== undefined) {
      if (code !== VALID) note('VALIDATION_CODE', 'a configuration reads no keys and cannot conflict');
      this.#verifyConfiguration(configuration, note);
    } else if (envelope?.call !== undefined) this.#verifyCall(envelope.call, { index, code }, note);
  }

  /** Configurations that orderers make have no id, so the empty one may appear several times. */
  #isNew(transactionId: string, transactionNumber: number): boolean {
    const place = { blockNumber: this.#block, transactionNumber };
    return transactionId === '' || this.#context.state.addTransaction(transactionId, place);
  }

  /** Checks the id, the channel and the creator, who must be a member that may write. */
  #checkEnvelope({ type, isIdRight, isUnsigned, channelId, creator }: ExaminedEnvelope, note: Note): void {
    const { trust } = this.#context;
    if (type !== HeaderType.CONFIG && type !== HeaderType.ENDORSER_TRANSACTION) {
      note('TRANSACTION_FORMAT', `a channel contains no transactions of the type ${type}`);
      return;
    }
    if (!isIdRight) note('TRANSACTION_ID', 'the id is not the hash of nonce and creator');
    if (this.#block === 0 && type === HeaderType.CONFIG) {
      if (!isUnsigned) note('CREATOR', 'block 0 must not be signed');
      return;
    }
    if (trust === undefined) return;
    if (channelId !== trust.channelId) {
      note('TRANSACTION_FORMAT', `the transaction is for the channel ${channelId}, not ${trust.channelId}`);
    }
    this.#checkCreator(creator, trust, note);
  }

  #checkCreator(creator: SignedBy, trust: ChannelTrust, note: Note): void {
    const signer = memberWhoSigned(creator, trust, 'the signature is not that of the creator');
    if (typeof signer === 'string') note('CREATOR', signer);
    else if (trust.satisfies(WRITERS, [signer]) !== true) note('CREATOR', 'the creator may not write to the channel');
  }

  #verifyCall(call: ExaminedCall, { index, code }: Readonly<{ index: number; code: number }>, note: Note): void {
    const { trust, replay } = this.#context;
    if (trust !== undefined) this.#checkEndorsements(call, trust, note);
    const expected = replay.validate(call.namespaces);
    if (expected !== code) {
      const [recorded, replayed] = [code, expected].map(validationCodeName);
      note('VALIDATION_CODE', `the transaction is recorded as ${recorded}, but replaying the chain gives ${replayed}`);
    }
    if (code !== VALID) return;
    replay.apply(call.namespaces, index);
    this.applied.push(...call.namespaces);
  }

  /** Checks that the endorsers satisfy the policy; each member counts once. */
  #checkEndorsements(call: ExaminedCall, trust: ChannelTrust, note: Note): void {
    const counted = new Map<string, Member>();
    for (const signed of call.endorsers) {
      const endorser = memberWhoSigned(signed, trust, 'an endorsement is not signed by the endorser it names');
      if (typeof endorser === 'string') note('ENDORSEMENT', endorser);
      else counted.set(endorser.fingerprint, endorser);
    }
    if (counted.size < call.endorsers.length) note('ENDORSEMENT', 'not every endorsement counts');
    const isEndorsed = this.#context.policies.areSatisfied(trust, call, [...counted.values()]);
    if (isEndorsed === false) note('ENDORSEMENT', 'the endorsements do not satisfy the endorsement policy');
    if (isEndorsed === undefined) note('UNCHECKED', 'the endorsement policy is of a kind that cannot be checked');
  }

  /** Checks that a configuration follows the previous one. */
  #verifyConfiguration(envelope: Uint8Array, note: Note): void {
    const { trust } = this.#context;
    const next = attempt(() => ChannelTrust.fromEnvelope(envelope));
    if (next === undefined || trust === undefined) {
      note('CONFIGURATION', 'the configuration cannot be read');
      return;
    }
    for (const mspId of next.revokingOrganisations) {
      note('UNCHECKED', `${mspId} has revoked certificates, which cannot be checked`);
    }
    if (this.#block > 0 && next.sequence !== trust.sequence + 1) {
      note('CONFIGURATION', `the configuration has the sequence ${next.sequence} after ${trust.sequence}`);
    }
    this.configured = next;
  }

  /** A refused transaction may be anything; only its validation code can be checked. */
  #verifyRefused(code: number, isNew: boolean, note: Note): void {
    // No commit hash covers the codes of block 0.
    if (this.#block === 0) note('VALIDATION_CODE', 'block 0 contains the configuration, which is valid');
    if (!RECORDED.has(code)) note('VALIDATION_CODE', `no peer records the validation code ${validationCodeName(code)}`);
    if (isNew && code === DUPLICATE_TXID) {
      note('VALIDATION_CODE', 'the transaction is recorded as a duplicate, but no other has its id');
    }
  }
}
