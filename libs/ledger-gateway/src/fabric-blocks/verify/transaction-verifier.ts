import type { NamespaceSets } from '../decode/decode-read-write-sets.js';
import { attempt } from '../messages/decode-message.js';
import { HeaderType, TxValidationCode } from '../messages/fabric-messages.js';
import { validationCodeName } from '../messages/text.js';
import { isPassed, type ExaminedCall, type ExaminedEnvelope, type ExaminedTransaction } from './examine-transaction.js';
import type { Note } from './findings.js';
import type { SignedBy } from './identity-signatures.js';
import type { BlockReplay, ReplayState } from './replay/block-replay.js';
import { ChannelTrust } from './trust/channel-trust.js';
import type { EndorsementPolicies } from './trust/endorsement-policies.js';
import type { Member } from './trust/organisation.js';

/** What the transactions of a block are checked against. */
export interface TransactionVerifierOptions {
  /** Number of the block. */
  readonly block: number;
  /** Whether the block contains one transaction only. */
  readonly isAlone: boolean;
  /** Undefined when block 0 could not be read: then no signature can be checked. */
  readonly trust: ChannelTrust | undefined;
  readonly policies: EndorsementPolicies;
  readonly state: ReplayState;
  readonly replay: BlockReplay;
}

const { VALID, NOT_VALIDATED, DUPLICATE_TXID } = TxValidationCode;
/** Every code that a peer records in a block. */
const RECORDED = new Set<number>(Object.values(TxValidationCode).filter((code) => code !== NOT_VALIDATED));
const WRITERS = '/Channel/Writers';

/** Verifies and replays the transactions of one block. */
export class TransactionVerifier {
  /** The reads and writes of the valid transactions. */
  readonly applied: NamespaceSets[] = [];
  readonly #options: TransactionVerifierOptions;
  #configured: ChannelTrust | undefined;

  constructor(options: TransactionVerifierOptions) {
    this.#options = options;
  }

  /** The configuration that the block contains, if any. */
  get configured(): ChannelTrust | undefined {
    return this.#configured;
  }

  /** Verifies the next transaction. */
  verify(transaction: ExaminedTransaction, index: number, note: Note): void {
    if (isPassed(transaction.code)) this.#verifyPassed(transaction, index, note);
    else this.#verifyRefused(transaction, index, note);
  }

  #verifyPassed(transaction: ExaminedTransaction, index: number, note: Note): void {
    const { code, faults, transactionId, envelope, configuration } = transaction;
    if (transactionId !== undefined && !this.#isNew(transactionId, index)) {
      note('TRANSACTION_ID', 'the chain already contains a transaction with this id');
    }
    if (envelope !== undefined) this.#checkEnvelope(envelope, note);
    for (const { check, what } of faults) note(check, what);
    if (configuration !== undefined) {
      if (!this.#options.isAlone) note('CONFIGURATION', 'the configuration shares its block with other transactions');
      if (code !== VALID) note('VALIDATION_CODE', 'a configuration reads no keys and cannot conflict');
      this.#verifyConfiguration(configuration, note);
    } else if (envelope?.call !== undefined) this.#verifyCall(envelope.call, { index, code }, note);
  }

  /** Configurations that orderers make have no id, so the empty one may appear several times. */
  #isNew(transactionId: string, transactionNumber: number): boolean {
    const { state, block: blockNumber } = this.#options;
    return transactionId === '' || state.addTransaction(transactionId, { blockNumber, transactionNumber });
  }

  /** Checks the id, the channel and the creator, who must be a member that may write and signed the transaction. */
  #checkEnvelope({ type, isIdRight, isUnsigned, channelId, creator }: ExaminedEnvelope, note: Note): void {
    const { trust, block } = this.#options;
    if (type !== HeaderType.CONFIG && type !== HeaderType.ENDORSER_TRANSACTION) {
      note('TRANSACTION_FORMAT', `a channel contains no transactions of the type ${type}`);
      return;
    }
    if (!isIdRight) note('TRANSACTION_ID', 'the id is not the hash of nonce and creator');
    if (block === 0 && type === HeaderType.CONFIG) {
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
    const signer = trust.member(creator.identity);
    if (typeof signer === 'string') {
      note('CREATOR', signer);
      return;
    }
    if (!creator.isSigned) note('CREATOR', 'the signature is not that of the creator');
    if (trust.satisfies(WRITERS, [signer]) !== true) note('CREATOR', 'the creator may not write to the channel');
  }

  #verifyCall(call: ExaminedCall, { index, code }: Readonly<{ index: number; code: number }>, note: Note): void {
    const { trust, replay } = this.#options;
    if (trust !== undefined) this.#checkEndorsements(call, trust, note);
    const { namespaces } = call;
    const expected = replay.validate(namespaces);
    if (expected !== code) {
      const [recorded, replayed] = [code, expected].map(validationCodeName);
      note('VALIDATION_CODE', `the transaction is recorded as ${recorded}, but replaying the chain gives ${replayed}`);
    }
    if (code !== VALID) return;
    replay.apply(namespaces, index);
    this.applied.push(...namespaces);
  }

  /** Checks that the endorsers satisfy the policy; each member counts once. */
  #checkEndorsements(call: ExaminedCall, trust: ChannelTrust, note: Note): void {
    const counted = new Map<string, Member>();
    for (const { identity, isSigned } of call.endorsers) {
      const endorser = trust.member(identity);
      if (typeof endorser === 'string') note('ENDORSEMENT', endorser);
      else if (!isSigned) note('ENDORSEMENT', 'an endorsement is not signed by the endorser it names');
      else counted.set(endorser.fingerprint, endorser);
    }
    if (counted.size < call.endorsers.length) note('ENDORSEMENT', 'not every endorsement counts');
    const isEndorsed = this.#options.policies.areSatisfied(trust, call, [...counted.values()]);
    if (isEndorsed === false) note('ENDORSEMENT', 'the endorsements do not satisfy the endorsement policy');
    if (isEndorsed === undefined) note('UNCHECKED', 'the endorsement policy is of a kind that cannot be checked');
  }

  /** Checks that a configuration follows the previous one. */
  #verifyConfiguration(envelope: Uint8Array, note: Note): void {
    const { trust, block } = this.#options;
    const next = attempt(() => ChannelTrust.fromEnvelope(envelope));
    if (next === undefined || trust === undefined) {
      note('CONFIGURATION', 'the configuration cannot be read');
      return;
    }
    for (const mspId of next.revokingOrganisations) {
      note('UNCHECKED', `${mspId} has revoked certificates, which cannot be checked`);
    }
    if (block > 0 && next.sequence !== trust.sequence + 1) {
      note('CONFIGURATION', `the configuration has the sequence ${next.sequence} after ${trust.sequence}`);
    }
    this.#configured = next;
  }

  /** A refused transaction may be anything; only its validation code can be checked. */
  #verifyRefused({ code, transactionId }: ExaminedTransaction, index: number, note: Note): void {
    // No commit hash covers the codes of block 0.
    if (this.#options.block === 0) note('VALIDATION_CODE', 'block 0 contains the configuration, which is valid');
    if (!RECORDED.has(code)) note('VALIDATION_CODE', `no peer records the validation code ${validationCodeName(code)}`);
    if (transactionId === undefined) return;
    if (this.#isNew(transactionId, index) && code === DUPLICATE_TXID) {
      note('VALIDATION_CODE', 'the transaction is recorded as a duplicate, but no other has its id');
    }
  }
}
