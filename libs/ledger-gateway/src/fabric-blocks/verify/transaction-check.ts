import { Buffer } from 'node:buffer';
import { decodeActions, type DecodedAction, type DecodedEndorsement } from '../decode/decode-actions.js';
import { decodeEnvelope, type DecodedEnvelope } from '../decode/decode-envelope.js';
import { decodeReadWriteSets, type NamespaceSets } from '../decode/decode-read-write-sets.js';
import { bytesToEndorse } from '../encode/transaction-encoder.js';
import { proposalHashOf } from '../hash/proposal-hash.js';
import { transactionIdOf } from '../hash/transaction-id.js';
import { attempt } from './attempt.js';
import type { Check } from './finding.js';
import { Envelope, Payload, Transaction } from './strict/fabric-messages.js';
import { scanMessage } from './strict/scan-message.js';
import type { ChannelTrust } from './trust/channel-trust.js';
import type { EndorsementPolicies } from './trust/endorsement-policies.js';
import { isSignedBy, type Member } from './trust/member.js';

/** Notes something that is wrong with a transaction. */
export type Note = (check: Check, what: string) => void;

const WRITERS = '/Channel/Writers';

/**
 * Reads an envelope and checks its form: the envelope itself strictly, as Fabric does since CVE-2023-46132, and what the
 * client wrote into it apart from default values, which some client libraries write out.
 * @returns undefined when nothing more can be said of it
 */
export function readEnvelope(bytes: Uint8Array, note: Note): DecodedEnvelope | undefined {
  const fault = scanMessage(bytes, Envelope, { allowDefaults: false });
  if (fault !== undefined) note('TRANSACTION_FORMAT', `the envelope is not in its canonical form: ${fault}`);
  const envelope = attempt(() => decodeEnvelope(bytes));
  if (envelope === undefined) {
    note('TRANSACTION_FORMAT', 'the envelope cannot be decoded');
    return undefined;
  }
  const inner = scanMessage(envelope.payload, Payload, { allowDefaults: true });
  if (inner !== undefined) note('TRANSACTION_FORMAT', `the payload is not in its canonical form: ${inner}`);
  return envelope;
}

/** Checks the id, the channel, and that the creator is a member who may write and signed this. */
export function checkHeader(envelope: DecodedEnvelope, trust: ChannelTrust, note: Note): void {
  checkId(envelope, note);
  if (envelope.channelId !== trust.channelId) {
    note('TRANSACTION_FORMAT', `the transaction is for the channel ${envelope.channelId}, not ${trust.channelId}`);
  }
  const creator = trust.member(envelope.creatorBytes);
  if (typeof creator === 'string') {
    note('CREATOR', creator);
    return;
  }
  if (!isSignedBy(creator, envelope.payload, envelope.signature)) {
    note('CREATOR', 'the signature is not that of the creator');
  }
  if (trust.satisfies(WRITERS, [creator]) !== true) note('CREATOR', 'the creator may not write to the channel');
}

/** Checks that the id is the hash of nonce and creator. */
export function checkId(envelope: DecodedEnvelope, note: Note): void {
  if (transactionIdOf(envelope.nonce, envelope.creatorBytes) !== envelope.transactionId) {
    note('TRANSACTION_ID', 'the id is not the hash of nonce and creator');
  }
}

/** A call of a chaincode and what it read and wrote. */
export interface CheckedCall {
  readonly action: DecodedAction;
  readonly namespaces: readonly NamespaceSets[];
}

/**
 * Checks the call in an endorser transaction: its form, that the endorsers answered this very proposal, and that they
 * are those who must.
 * @returns undefined when it cannot be decoded
 */
export function checkCall(
  envelope: DecodedEnvelope,
  trust: ChannelTrust,
  policies: EndorsementPolicies,
  note: Note,
): CheckedCall | undefined {
  const fault = scanMessage(envelope.data, Transaction, { allowDefaults: true });
  if (fault !== undefined) note('TRANSACTION_FORMAT', `the transaction is not in its canonical form: ${fault}`);
  const call = attempt(() => readCall(envelope));
  if (call === undefined) {
    note('TRANSACTION_FORMAT', 'the transaction is not one call of a chaincode');
    return undefined;
  }
  checkProposal(envelope, call.action, note);
  const endorsers = checkEndorsements(call.action, trust, note);
  const chaincode = call.action.result.getChaincodeId()?.getName() ?? '';
  const isEndorsed = policies.areSatisfied(trust, { chaincode, namespaces: call.namespaces }, endorsers);
  if (isEndorsed === false) note('ENDORSEMENT', 'the endorsements do not satisfy the endorsement policy');
  if (isEndorsed === undefined) note('UNCHECKED', 'the endorsement policy is of a kind that cannot be checked');
  return call;
}

function readCall({ data }: DecodedEnvelope): CheckedCall | undefined {
  const [action, ...more] = decodeActions(data);
  if (action === undefined || more.length > 0) return undefined;
  return { action, namespaces: decodeReadWriteSets(action.result.getResults_asU8()) };
}

/** The action must repeat the envelope's header, and the endorsers must have answered the call that it shows. */
function checkProposal(envelope: DecodedEnvelope, action: DecodedAction, note: Note): void {
  if (!equal(action.signatureHeader, envelope.signatureHeader)) {
    note('TRANSACTION_FORMAT', 'the action has another signature header than the envelope');
  }
  const hash = proposalHashOf({
    channelHeader: envelope.channelHeader,
    signatureHeader: action.signatureHeader,
    chaincodePayload: action.chaincodePayload,
  });
  if (!equal(hash, action.proposalHash)) note('ENDORSEMENT', 'the endorsers answered another proposal');
  const called = action.invocation.getChaincodeSpec()?.getChaincodeId()?.getName();
  if (called !== action.result.getChaincodeId()?.getName()) {
    note('TRANSACTION_FORMAT', 'another chaincode answered than was called');
  }
}

/** The members whose endorsements are good; each counts once. */
function checkEndorsements(action: DecodedAction, trust: ChannelTrust, note: Note): Member[] {
  const endorsers = new Map<string, Member>();
  for (const endorsement of action.endorsements) {
    const endorser = endorserOf(endorsement, action.responsePayload, trust);
    if (typeof endorser === 'string') note('ENDORSEMENT', endorser);
    else endorsers.set(endorser.certificate.fingerprint256, endorser);
  }
  if (endorsers.size < action.endorsements.length) note('ENDORSEMENT', 'not every endorsement counts');
  return [...endorsers.values()];
}

function endorserOf(
  { endorserBytes, signature }: DecodedEndorsement,
  responsePayload: Uint8Array,
  trust: ChannelTrust,
): Member | string {
  const endorser = trust.member(endorserBytes);
  if (typeof endorser === 'string') return endorser;
  const signed = bytesToEndorse(responsePayload, endorserBytes);
  return isSignedBy(endorser, signed, signature) ? endorser : 'an endorsement is not signed by the endorser it names';
}

function equal(a: Uint8Array, b: Uint8Array): boolean {
  return Buffer.compare(a, b) === 0;
}
