import type { NamespaceSets } from '../decode/decode-read-write-sets.js';
import { attempt } from '../messages/decode-message.js';
import { TxValidationCode } from '../messages/fabric-messages.js';
import { validationCodeName } from '../messages/text.js';
import type { BlockContent } from './examine-block.js';
import {
  isPassed,
  type CallContent,
  type ExaminedCall,
  type ExaminedConfiguration,
  type ExaminedEnvelope,
  type ExaminedTransaction,
} from './examine-transaction.js';
import type { BlockReport, Note } from './findings.js';
import type { SignedBy } from './identity-signatures.js';
import type { BlockReplay, ReplayState } from './replay/block-replay.js';
import { ChannelTrust } from './trust/channel-trust.js';
import type { EndorsementPolicies } from './trust/endorsement-policies.js';
import type { Member } from './trust/organisation.js';

/** What the transactions of a block are checked against. */
export interface TransactionVerifierOptions {
  /** Undefined when block 0 could not be read: then no signature can be checked. */
  readonly trust: ChannelTrust | undefined;
  /** The member of each identity of the block, or why it is not a member. */
  readonly signers: readonly (Member | string)[];
  readonly policies: EndorsementPolicies;
  readonly state: ReplayState;
  readonly report: BlockReport;
}

const { VALID, NOT_VALIDATED, DUPLICATE_TXID } = TxValidationCode;
/** Every code that a peer records in a block. */
const RECORDED = new Set<number>(Object.values(TxValidationCode).filter((code) => code !== NOT_VALIDATED));
const WRITERS = '/Channel/Writers';

/** Verifies the transactions of one block. */
export class TransactionVerifier {
  /** The reads and writes of the valid transactions. */
  readonly applied: NamespaceSets[] = [];
  readonly #options: TransactionVerifierOptions;
  #configured: ChannelTrust | undefined;

  constructor(options: TransactionVerifierOptions) {
    this.#options = options;
  }

  /** Checks each transaction and replays it. Returns the configuration that the block contains, if any. */
  verify({ transactions }: BlockContent, replay: BlockReplay): ChannelTrust | undefined {
    const { report } = this.#options;
    if (transactions.length === 0) report.add('METADATA', 'the block is empty');
    for (const [index, transaction] of transactions.entries()) {
      const note = report.noteFor(index);
      if (isPassed(transaction.code)) {
        this.#verifyPassed(transaction, { index, isAlone: transactions.length === 1 }, replay, note);
      } else {
        this.#verifyRefused(transaction, index, note);
      }
    }
    return this.#configured;
  }

  #verifyPassed(
    { code, faults, transactionId, envelope, configuration }: ExaminedTransaction,
    { index, isAlone }: Readonly<{ index: number; isAlone: boolean }>,
    replay: BlockReplay,
    note: Note,
  ): void {
    for (const { check, what } of faults) note(check, what);
    if (envelope === undefined || transactionId === undefined) return;
    if (!this.#isNew(transactionId, index)) {
      note('TRANSACTION_ID', 'the chain already contains a transaction with this id');
    }
    if (configuration !== undefined) {
      if (!isAlone) note('CONFIGURATION', 'the configuration shares its block with other transactions');
      if (code !== VALID) note('VALIDATION_CODE', 'a configuration reads no keys and cannot conflict');
      this.#verifyConfiguration(envelope, configuration, note);
    } else if (envelope.call !== undefined) {
      this.#verifyCall(envelope, { index, code, call: envelope.call }, replay, note);
    } else {
      note('TRANSACTION_FORMAT', `a channel contains no transactions of the type ${envelope.type}`);
    }
  }

  /** Configurations that orderers make have no id, so the empty one may appear several times. */
  #isNew(transactionId: string, index: number): boolean {
    const { state, report } = this.#options;
    if (transactionId === '') return true;
    return state.addTransaction(transactionId, { blockNumber: report.block, transactionNumber: index });
  }

  #verifyCall(
    envelope: ExaminedEnvelope,
    { index, code, call }: Readonly<{ index: number; code: number; call: ExaminedCall }>,
    replay: BlockReplay,
    note: Note,
  ): void {
    const { trust } = this.#options;
    if (trust === undefined) return;
    this.#checkHeader(envelope, trust, note);
    for (const { check, what } of call.faults) note(check, what);
    if (call.content === undefined) return;
    this.#checkEndorsements(call.content, trust, note);
    const { namespaces } = call.content;
    const expected = replay.validate(namespaces);
    if (expected !== code) {
      const [recorded, replayed] = [code, expected].map(validationCodeName);
      note('VALIDATION_CODE', `the transaction is recorded as ${recorded}, but replaying the chain gives ${replayed}`);
    }
    if (code !== VALID) return;
    replay.apply(namespaces, index);
    this.applied.push(...namespaces);
  }

  /** Checks the id, the channel, and that the creator is a member who may write and signed the transaction. */
  #checkHeader({ isIdRight, channelId, creator }: ExaminedEnvelope, trust: ChannelTrust, note: Note): void {
    checkId(isIdRight, note);
    if (channelId !== trust.channelId) {
      note('TRANSACTION_FORMAT', `the transaction is for the channel ${channelId}, not ${trust.channelId}`);
    }
    const signer = this.#signer(creator);
    if (typeof signer === 'string') {
      note('CREATOR', signer);
      return;
    }
    if (!creator.isSigned) note('CREATOR', 'the signature is not that of the creator');
    if (trust.satisfies(WRITERS, [signer]) !== true) note('CREATOR', 'the creator may not write to the channel');
  }

  /** Checks that the endorsers satisfy the policy; each member counts once. */
  #checkEndorsements({ chaincode, endorsers, namespaces }: CallContent, trust: ChannelTrust, note: Note): void {
    const counted = new Map<string, Member>();
    for (const endorsement of endorsers) {
      const endorser = this.#signer(endorsement);
      if (typeof endorser === 'string') note('ENDORSEMENT', endorser);
      else if (!endorsement.isSigned) note('ENDORSEMENT', 'an endorsement is not signed by the endorser it names');
      else counted.set(endorser.fingerprint, endorser);
    }
    if (counted.size < endorsers.length) note('ENDORSEMENT', 'not every endorsement counts');
    const { policies } = this.#options;
    const isEndorsed = policies.areSatisfied(trust, { chaincode, namespaces }, [...counted.values()]);
    if (isEndorsed === false) note('ENDORSEMENT', 'the endorsements do not satisfy the endorsement policy');
    if (isEndorsed === undefined) note('UNCHECKED', 'the endorsement policy is of a kind that cannot be checked');
  }

  #signer(signed: SignedBy): Member | string {
    return signerAmong(this.#options.signers, signed);
  }

  #verifyConfiguration(
    envelope: ExaminedEnvelope,
    { fault, envelope: bytes }: ExaminedConfiguration,
    note: Note,
  ): void {
    const { trust } = this.#options;
    if (fault !== undefined) note('CONFIGURATION', `the configuration is not in its canonical form: ${fault}`);
    const next = attempt(() => ChannelTrust.fromEnvelope(bytes));
    if (next === undefined || trust === undefined) {
      note('CONFIGURATION', 'the configuration cannot be read');
      return;
    }
    for (const mspId of next.revokingOrganisations) {
      note('UNCHECKED', `${mspId} has revoked certificates, which cannot be checked`);
    }
    this.#follow(envelope, trust, next, note);
    this.#configured = next;
  }

  /** Checks that a configuration follows the previous one. Block 0 is not signed; an orderer signs every later one. */
  #follow(envelope: ExaminedEnvelope, trust: ChannelTrust, next: ChannelTrust, note: Note): void {
    if (this.#options.report.block === 0) {
      checkId(envelope.isIdRight, note);
      if (!envelope.isUnsigned) note('CREATOR', 'block 0 must not be signed');
      return;
    }
    this.#checkHeader(envelope, trust, note);
    if (next.sequence !== trust.sequence + 1) {
      note('CONFIGURATION', `the configuration has the sequence ${next.sequence} after ${trust.sequence}`);
    }
  }

  /** A refused transaction may be anything; only its validation code can be checked. */
  #verifyRefused({ code, transactionId }: ExaminedTransaction, index: number, note: Note): void {
    // No commit hash covers the codes of block 0.
    if (this.#options.report.block === 0) note('VALIDATION_CODE', 'block 0 contains the configuration, which is valid');
    if (!RECORDED.has(code)) note('VALIDATION_CODE', `no peer records the validation code ${validationCodeName(code)}`);
    if (transactionId === undefined) return;
    if (this.#isNew(transactionId, index) && code === DUPLICATE_TXID) {
      note('VALIDATION_CODE', 'the transaction is recorded as a duplicate, but no other has its id');
    }
  }
}

function checkId(isIdRight: boolean, note: Note): void {
  if (!isIdRight) note('TRANSACTION_ID', 'the id is not the hash of nonce and creator');
}

/** Returns the member that signed, or why it is not a member. */
export function signerAmong(signers: readonly (Member | string)[], { identity }: SignedBy): Member | string {
  const { [identity]: signer = '' } = signers;
  return signer;
}
