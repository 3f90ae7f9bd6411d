import common from '@hyperledger/fabric-protos/lib/common/common_pb.js';
import proposals from '@hyperledger/fabric-protos/lib/peer/proposal_pb.js';
import responses from '@hyperledger/fabric-protos/lib/peer/proposal_response_pb.js';
import transactions from '@hyperledger/fabric-protos/lib/peer/transaction_pb.js';
import { Buffer } from 'node:buffer';
import { randomBytes } from 'node:crypto';
import { decodeBlock, decodeEnvelope } from '#fabric-codec';
import { bytesToEndorse, encodePayload, TransactionEncoder } from '#fabric-codec/encode';
import { bytesField, join } from '#fabric-codec/messages';
import { org1, type Signer } from '#fabric-codec/testing';
import { blockPosition, receiptText, statementOf, type Attestation, type RecordedPlace } from '../receipt.js';

/** A peer's answer to be; what is left out is as it should be. */
export interface TestAnswer {
  readonly peers?: readonly Signer[];
  readonly chaincode?: string;
  /** The function and its arguments. */
  readonly asked?: readonly string[];
  readonly status?: number;
  readonly payload?: Uint8Array;
  readonly code?: number;
  readonly envelope?: Uint8Array | undefined;
  /** Changes what the peer did before it is endorsed. */
  readonly edit?: (action: proposals.ChaincodeAction) => void;
  /** Changes what the peer was asked. */
  readonly askedAs?: (chaincodePayload: Uint8Array) => Uint8Array;
}

const CODES: Readonly<Record<string, number>> = { ...transactions.TxValidationCode };

/** The statement of a peer. */
export function statedBy(peer: Signer, place: RecordedPlace): Attestation {
  const statement = statementOf(place);
  const signature = peer.sign(bytesToEndorse(Buffer.from(statement), peer.identity));
  return { kind: 'statement', statement, endorser: peer.identity, signature };
}

/** The endorsed answer of peers to GetTransactionByID. */
export function answeredBy(block: Uint8Array, place: RecordedPlace, answer: TestAnswer = {}): Attestation {
  const { channel, transactionId, position, validationCode } = place;
  const {
    peers = [org1.peer],
    chaincode = 'qscc',
    asked = ['GetTransactionByID', channel, transactionId],
    status = 200,
    code = CODES[validationCode]!,
  } = answer;
  const encoder = new TransactionEncoder({
    channel,
    chaincode: { name: chaincode, version: '' },
    creator: org1.client.identity,
  });
  const [name = '', ...args] = asked;
  const made = encoder.propose({ nonce: randomBytes(24), timestamp: Date.now(), function: name, arguments: args });
  const proposal = { ...made, chaincodePayload: answer.askedAs?.(made.chaincodePayload) ?? made.chaincodePayload };
  const envelope = 'envelope' in answer ? answer.envelope : decodeBlock(block).envelopes[position];
  const payload = answer.payload ?? processed(envelope, code);
  const answered = encoder.respond(proposal, {
    readWriteSets: new Map(),
    response: { status, payload },
  });
  const response = answer.edit === undefined ? answered : edited(answered, answer.edit);
  const endorsements = peers.map((peer) => ({
    endorser: peer.identity,
    signature: peer.sign(bytesToEndorse(response, peer.identity)),
  }));
  return { kind: 'qscc', payload: encodePayload(proposal, response, endorsements) };
}

function edited(responsePayload: Uint8Array, edit: (action: proposals.ChaincodeAction) => void): Uint8Array {
  const message = responses.ProposalResponsePayload.deserializeBinary(responsePayload);
  const action = proposals.ChaincodeAction.deserializeBinary(message.getExtension_asU8());
  edit(action);
  return join([bytesField(1, message.getProposalHash_asU8()), bytesField(2, action.serializeBinary())]);
}

function processed(envelope: Uint8Array | undefined, code: number): Uint8Array {
  const message = new transactions.ProcessedTransaction();
  if (envelope !== undefined) message.setTransactionenvelope(common.Envelope.deserializeBinary(envelope));
  message.setValidationcode(code);
  return message.serializeBinary();
}

/** The place of the transaction at an index of a block. */
export function placeAt(block: Uint8Array, index = 0): RecordedPlace {
  const { transactionId } = decodeEnvelope(decodeBlock(block).envelopes[index]!);
  return blockPosition(block, transactionId)!;
}

/** A good receipt of the transaction at an index of a block, by both kinds of a peer's word. */
export function receiptsOf(block: Uint8Array, index = 0): readonly (readonly [kind: string, text: string])[] {
  const place = placeAt(block, index);
  return [statedBy(org1.peer, place), answeredBy(block, place)].map((it) => [it.kind, receiptText(place, block, it)]);
}
