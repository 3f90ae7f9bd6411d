import { Buffer } from 'node:buffer';
import { commitHash } from '../encode/hashes.js';
import { attempt } from '../messages/decode-message.js';
import { TxValidationCode } from '../messages/enums.js';
import { validationCodeName } from '../messages/text.js';
import type { BlockContent, ExaminedBlock } from './examine-block.js';
import {
  isPassed,
  type BlockSignatures,
  type Check,
  type ExaminedCall,
  type ExaminedEnvelope,
  type ExaminedTransaction,
  type Fault,
} from './examine-transaction.js';
import { BlockReplay, type ReplayState } from './replay/block-replay.js';
import { ChannelTrust } from './trust/channel-trust.js';
import { EndorsementPolicies } from './trust/endorsement-policies.js';
import type { SignedBy } from './trust/membership.js';
import type { Member } from './trust/organisation.js';

/** An error in a chain. */
export interface Finding extends Fault {
  /** Number of the block, counted from the beginning of the chain. */
  readonly block: number;
  /** Index in the block, when it is about one transaction. */
  readonly transaction?: number;
}

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
  #findings: Finding[] = [];
  /** Number of the block that is verified, counted from the beginning of the chain. */
  #number = 0;
  /** Index of the transaction that is verified. */
  #index: number | undefined;
  #previous: BlockContent | undefined;
  /** Undefined when block 0 could not be read: then no signature can be checked. */
  #trust: ChannelTrust | undefined;
  /** The configuration in the block that is verified, if any. */
  #configured: ChannelTrust | undefined;
  #lastConfig = 0;

  constructor(options: ChainVerifierOptions) {
    this.#options = options;
  }

  get head(): VerifiedHead {
    return { height: this.#number, hash: this.#previous?.hash ?? '' };
  }

  /** Returns who must endorse a chaincode after the blocks so far; see {@link EndorsementPolicies.nameOf}. */
  policyOf(chaincode: string): string {
    return this.#policies.nameOf(chaincode);
  }

  /** Verifies the next block and returns all errors in it. */
  add({ faults, content }: ExaminedBlock): readonly Finding[] {
    this.#findings = [];
    this.#noteAll(faults);
    if (content !== undefined) this.#verify(content);
    this.#previous = content;
    this.#number++;
    return this.#findings;
  }

  #note(check: Check, what: string): void {
    const place = { block: this.#number, ...(this.#index !== undefined && { transaction: this.#index }) };
    this.#findings.push({ ...place, check, what });
  }

  #noteAll(faults: readonly Fault[]): void {
    for (const { check, what } of faults) this.#note(check, what);
  }

  #verify(block: BlockContent): void {
    const { transactions } = block;
    const replay = new BlockReplay(this.#options.state, this.#number);
    this.#checkHeader(block);
    if (this.#number === 0) this.#trust = this.#readTrust(block);
    if (transactions.length === 0) this.#note('METADATA', 'the block is empty');
    for (const [index, transaction] of transactions.entries()) {
      this.#index = index;
      if (transaction.configuration !== undefined && isPassed(transaction.code) && transactions.length > 1) {
        this.#note('CONFIGURATION', 'the configuration shares its block with other transactions');
      }
      this.#verifyTransaction(transaction, index, replay);
    }
    this.#index = undefined;
    if (this.#configured !== undefined) this.#lastConfig = this.#number;
    if (this.#trust !== undefined) this.#checkSignatures(block, this.#trust);
    this.#checkCommitHash(block, replay);
    replay.commit();
    // Peers validate a block by the definitions in earlier blocks.
    const valid = transactions.filter(({ code }) => code === VALID);
    this.#policies.learn(valid.flatMap(({ envelope }) => envelope?.call?.namespaces ?? []));
    this.#trust = this.#configured ?? this.#trust;
    this.#configured = undefined;
  }

  #checkHeader({ number, hash, previousHash }: BlockContent): void {
    const { genesisHash } = this.#options;
    if (number !== this.#number) {
      this.#note('BLOCK_NUMBER', `the block has the number ${number} instead of ${this.#number}`);
    }
    if (this.#number === 0) {
      if (previousHash !== '') this.#note('BLOCK_LINK', 'block 0 names a previous block');
      if (genesisHash !== undefined && hash !== genesisHash.toLowerCase()) {
        this.#note('BLOCK_LINK', `block 0 has the hash ${hash}, not ${genesisHash}`);
      }
    } else if (this.#previous !== undefined && previousHash !== this.#previous.hash) {
      this.#note('BLOCK_LINK', 'the block does not name the hash of the previous block');
    }
  }

  #readTrust({ transactions: [first] }: BlockContent): ChannelTrust | undefined {
    const envelope = first?.configuration;
    const trust = envelope && attempt(() => ChannelTrust.fromEnvelope(envelope));
    if (trust === undefined) {
      this.#note('CONFIGURATION', 'block 0 contains no configuration: no signature of the chain can be checked');
    }
    return trust;
  }

  /** Checks that orderers whom the channel trusts signed the block, and name the newest configuration block. */
  #checkSignatures({ number, signatures: { fault, lastConfig, signers } }: BlockContent, trust: ChannelTrust): void {
    if (fault !== undefined) return;
    if (lastConfig !== this.#lastConfig) {
      const named = lastConfig ?? 'none';
      this.#note('METADATA', `the orderer names block ${named} as the newest configuration, not ${this.#lastConfig}`);
    }
    // Block 0 is not signed; its hash identifies it.
    if (number === 0 && signers.length === 0) return;
    if (trust.satisfies(BLOCK_VALIDATION, this.#validOrderers(signers, trust)) !== true) {
      this.#note('BLOCK_SIGNATURE', `the block does not have the signatures that ${BLOCK_VALIDATION} requires`);
    }
  }

  #validOrderers(signers: BlockSignatures['signers'], trust: ChannelTrust): readonly Member[] {
    const valid = new Map<string, Member>();
    for (const signed of signers) {
      const otherwise = 'a signature is not that of the orderer it names';
      const signer = typeof signed === 'string' ? signed : memberWhoSigned(signed, trust, otherwise);
      if (typeof signer === 'string') this.#note('BLOCK_SIGNATURE', signer);
      else if (valid.has(signer.fingerprint)) this.#note('BLOCK_SIGNATURE', 'an orderer signed the block twice');
      else valid.set(signer.fingerprint, signer);
    }
    return [...valid.values()];
  }

  #checkCommitHash({ validationCodes, commitHash: recorded }: BlockContent, replay: BlockReplay): void {
    if (this.#number === 0 || this.#previous === undefined) return;
    if (!replay.valuesAreKnown) {
      this.#note('UNCHECKED', 'keys got new metadata, so the commit hash cannot be computed from the blocks alone');
      return;
    }
    const { commitHash: previous } = this.#previous;
    if (Buffer.compare(recorded, commitHash({ validationCodes, updates: replay.updates, previous })) !== 0) {
      this.#note('COMMIT_HASH', 'the commit hash is not that of the validation codes and writes');
    }
  }

  #verifyTransaction(transaction: ExaminedTransaction, index: number, replay: BlockReplay): void {
    const { code, transactionId, faults, configuration, envelope } = transaction;
    const isNew = transactionId !== undefined && this.#isNew(transactionId, index);
    if (!isPassed(code)) {
      this.#verifyRefused(code, isNew);
      return;
    }
    if (transactionId !== undefined && !isNew) {
      this.#note('TRANSACTION_ID', 'the chain already contains a transaction with this id');
    }
    this.#noteAll(faults);
    if (configuration !== undefined) this.#verifyConfiguration(configuration, code);
    if (envelope === undefined) return;
    this.#checkEnvelope(envelope, configuration !== undefined);
    if (envelope.call !== undefined) this.#verifyCall(envelope.call, { index, code }, replay);
  }

  /** Configurations that orderers make have no id, so the empty one may appear several times. */
  #isNew(transactionId: string, transactionNumber: number): boolean {
    const place = { blockNumber: this.#number, transactionNumber };
    return transactionId === '' || this.#options.state.addTransaction(transactionId, place);
  }

  /** A refused transaction may be anything; only its validation code can be checked. */
  #verifyRefused(code: number, isNew: boolean): void {
    // No commit hash covers the codes of block 0.
    if (this.#number === 0) this.#note('VALIDATION_CODE', 'block 0 contains the configuration, which is valid');
    if (!RECORDED.has(code)) {
      this.#note('VALIDATION_CODE', `no peer records the validation code ${validationCodeName(code)}`);
    }
    if (isNew && code === DUPLICATE_TXID) {
      this.#note('VALIDATION_CODE', 'the transaction is recorded as a duplicate, but no other has its id');
    }
  }

  /** Checks that a configuration follows the previous one. */
  #verifyConfiguration(envelope: Uint8Array, code: number): void {
    if (code !== VALID) this.#note('VALIDATION_CODE', 'a configuration reads no keys and cannot conflict');
    const next = attempt(() => ChannelTrust.fromEnvelope(envelope));
    if (next === undefined || this.#trust === undefined) {
      this.#note('CONFIGURATION', 'the configuration cannot be read');
      return;
    }
    for (const mspId of next.revokingOrganisations) {
      this.#note('UNCHECKED', `${mspId} has revoked certificates, which cannot be checked`);
    }
    const { sequence } = this.#trust;
    if (this.#number > 0 && next.sequence !== sequence + 1) {
      this.#note('CONFIGURATION', `the configuration has the sequence ${next.sequence} after ${sequence}`);
    }
    this.#configured = next;
  }

  /** Checks the channel and the creator, who must be a member that may write. */
  #checkEnvelope({ isUnsigned, channelId, creator }: ExaminedEnvelope, isConfiguration: boolean): void {
    if (this.#number === 0 && isConfiguration) {
      if (!isUnsigned) this.#note('CREATOR', 'block 0 must not be signed');
      return;
    }
    if (this.#trust === undefined) return;
    if (channelId !== this.#trust.channelId) {
      this.#note('TRANSACTION_FORMAT', `the transaction is for the channel ${channelId}, not ${this.#trust.channelId}`);
    }
    const signer = memberWhoSigned(creator, this.#trust, 'the signature is not that of the creator');
    if (typeof signer === 'string') this.#note('CREATOR', signer);
    else if (this.#trust.satisfies(WRITERS, [signer]) !== true) {
      this.#note('CREATOR', 'the creator may not write to the channel');
    }
  }

  #verifyCall(
    call: ExaminedCall,
    { index, code }: Readonly<{ index: number; code: number }>,
    replay: BlockReplay,
  ): void {
    if (this.#trust !== undefined) this.#checkEndorsements(call, this.#trust);
    const expected = replay.validate(call.namespaces);
    if (expected !== code) {
      const [recorded, replayed] = [code, expected].map(validationCodeName);
      const what = `the transaction is recorded as ${recorded}, but replaying the chain returns ${replayed}`;
      this.#note('VALIDATION_CODE', what);
    }
    if (code === VALID) replay.apply(call.namespaces, index);
  }

  /** Checks that the endorsers satisfy the policy; each member counts once. */
  #checkEndorsements(call: ExaminedCall, trust: ChannelTrust): void {
    const counted = new Map<string, Member>();
    for (const signed of call.endorsers) {
      const endorser = memberWhoSigned(signed, trust, 'an endorsement is not signed by the endorser it names');
      if (typeof endorser === 'string') this.#note('ENDORSEMENT', endorser);
      else counted.set(endorser.fingerprint, endorser);
    }
    if (counted.size < call.endorsers.length) this.#note('ENDORSEMENT', 'not every endorsement counts');
    const isEndorsed = this.#policies.areSatisfied(trust, call, [...counted.values()]);
    if (isEndorsed === false) this.#note('ENDORSEMENT', 'the endorsements do not satisfy the endorsement policy');
    if (isEndorsed === undefined) this.#note('UNCHECKED', 'the endorsement policy is of a kind that cannot be checked');
  }
}

/**
 * Returns the member whose signature it is, or the error.
 * @param otherwise - the error in a signature that the member did not make
 */
function memberWhoSigned({ identity, isSigned }: SignedBy, trust: ChannelTrust, otherwise: string): Member | string {
  const member = trust.member(identity);
  return typeof member === 'string' || isSigned ? member : otherwise;
}
