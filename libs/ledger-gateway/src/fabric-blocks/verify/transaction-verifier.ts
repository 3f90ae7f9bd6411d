import common from '@hyperledger/fabric-protos/lib/common/common_pb.js';
import transactionMessages from '@hyperledger/fabric-protos/lib/peer/transaction_pb.js';
import type { DecodedBlock } from '../decode/decode-block.js';
import { decodeEnvelope, type DecodedEnvelope } from '../decode/decode-envelope.js';
import type { NamespaceSets } from '../decode/decode-read-write-sets.js';
import { validationCodeName } from '../decode/enum-name.js';
import { attempt } from './attempt.js';
import { MVCC_READ_CONFLICT, PHANTOM_READ_CONFLICT, VALID, type BlockReplay } from './replay/block-replay.js';
import type { ReplayState } from './replay/replay-state.js';
import type { BlockReport } from './report.js';
import { ConfigEnvelope } from './strict/fabric-messages.js';
import { scanMessage } from './strict/scan-message.js';
import { checkCall, checkHeader, checkId, readEnvelope, type Note } from './transaction-check.js';
import { ChannelTrust } from './trust/channel-trust.js';
import type { EndorsementPolicies } from './trust/endorsement-policies.js';

/** What the transactions of a block are checked against. */
export interface TransactionVerifierOptions {
  /** Undefined when block 0 could not be read: then no signature can be checked. */
  readonly trust: ChannelTrust | undefined;
  readonly policies: EndorsementPolicies;
  readonly state: ReplayState;
  readonly report: BlockReport;
}

const Code = transactionMessages.TxValidationCode;
/** A peer looks at reads and writes last: these codes say that all the rest was good. */
const PASSED: readonly number[] = [VALID, MVCC_READ_CONFLICT, PHANTOM_READ_CONFLICT];
/** Every code that a peer writes into a block. */
const RECORDED = new Set<number>(Object.values(Code).filter((code) => code !== Code.NOT_VALIDATED));

/** Verifies the transactions of one block. */
export class TransactionVerifier {
  /** What the valid transactions read and wrote. */
  readonly applied: NamespaceSets[] = [];
  readonly #options: TransactionVerifierOptions;
  #configured: ChannelTrust | undefined;

  constructor(options: TransactionVerifierOptions) {
    this.#options = options;
  }

  /** Checks each transaction and replays it; gives the configuration that the block brings, if it does. */
  verify(block: DecodedBlock, replay: BlockReplay): ChannelTrust | undefined {
    const { report } = this.#options;
    if (block.envelopes.length === 0) report.add('METADATA', 'the block is empty');
    for (const [index, bytes] of block.envelopes.entries()) {
      const note: Note = (check, what) => {
        report.addTo(index, check, what);
      };
      const code = block.validationCodes[index] ?? Code.NOT_VALIDATED;
      if (PASSED.includes(code))
        this.#verifyPassed(bytes, { index, code, isAlone: block.envelopes.length === 1 }, replay, note);
      else this.#verifyRefused(bytes, code, note);
    }
    return this.#configured;
  }

  #verifyPassed(
    bytes: Uint8Array,
    place: Readonly<{ index: number; code: number; isAlone: boolean }>,
    replay: BlockReplay,
    note: Note,
  ): void {
    const envelope = readEnvelope(bytes, note);
    if (envelope === undefined) return;
    if (!this.#options.state.addTransaction(envelope.transactionId)) {
      note('TRANSACTION_ID', 'a transaction with this id stands in the chain already');
    }
    if (envelope.type === common.HeaderType.CONFIG) this.#verifyConfig(bytes, envelope, place, note);
    else if (envelope.type === common.HeaderType.ENDORSER_TRANSACTION) this.#verifyCall(envelope, place, replay, note);
    else note('TRANSACTION_FORMAT', `a transaction of the type ${envelope.type} has no place in a channel`);
  }

  #verifyCall(
    envelope: DecodedEnvelope,
    { index, code }: Readonly<{ index: number; code: number }>,
    replay: BlockReplay,
    note: Note,
  ): void {
    const { trust, policies } = this.#options;
    if (trust === undefined) return;
    checkHeader(envelope, trust, note);
    const call = checkCall(envelope, trust, policies, note);
    if (call === undefined) return;
    const expected = replay.validate(call.namespaces);
    if (expected !== code) {
      const [recorded, replayed] = [code, expected].map(validationCodeName);
      note('VALIDATION_CODE', `the transaction is recorded as ${recorded}, but replaying the chain gives ${replayed}`);
    }
    if (code !== VALID) return;
    replay.apply(call.namespaces, index);
    this.applied.push(...call.namespaces);
  }

  #verifyConfig(
    bytes: Uint8Array,
    envelope: DecodedEnvelope,
    { code, isAlone }: Readonly<{ code: number; isAlone: boolean }>,
    note: Note,
  ): void {
    const { trust } = this.#options;
    const fault = scanMessage(envelope.data, ConfigEnvelope, { allowDefaults: true });
    if (fault !== undefined) note('CONFIGURATION', `the configuration is not in its canonical form: ${fault}`);
    if (!isAlone) note('CONFIGURATION', 'the configuration shares its block with other transactions');
    if (code !== VALID) note('VALIDATION_CODE', 'a configuration reads no keys and cannot conflict');
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

  /** Block 0 is signed by nobody; every later configuration is an orderer's, one step behind the one before. */
  #follow(envelope: DecodedEnvelope, trust: ChannelTrust, next: ChannelTrust, note: Note): void {
    if (this.#options.report.block === 0) {
      checkId(envelope, note);
      if (envelope.signature.length > 0) note('CREATOR', 'block 0 is signed by nobody');
      return;
    }
    checkHeader(envelope, trust, note);
    if (next.sequence !== trust.sequence + 1) {
      note('CONFIGURATION', `the configuration has the sequence ${next.sequence} behind ${trust.sequence}`);
    }
  }

  /** What a peer refused may be anything: only that it was refused for a reason that there is can be checked. */
  #verifyRefused(bytes: Uint8Array, code: number, note: Note): void {
    // No commit hash covers the codes of block 0.
    if (this.#options.report.block === 0) note('VALIDATION_CODE', 'block 0 holds the configuration, which is valid');
    if (!RECORDED.has(code)) note('VALIDATION_CODE', `no peer records the validation code ${validationCodeName(code)}`);
    const envelope = attempt(() => decodeEnvelope(bytes));
    if (envelope === undefined) return;
    const isNew = this.#options.state.addTransaction(envelope.transactionId);
    if (isNew && code === Code.DUPLICATE_TXID) {
      note('VALIDATION_CODE', 'the transaction is recorded as a duplicate, but no other has its id');
    }
  }
}
