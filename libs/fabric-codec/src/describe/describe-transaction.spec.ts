import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import common from '@hyperledger/fabric-protos/lib/common/common_pb.js';
import chaincode from '@hyperledger/fabric-protos/lib/peer/chaincode_pb.js';
import events from '@hyperledger/fabric-protos/lib/peer/chaincode_event_pb.js';
import proposals from '@hyperledger/fabric-protos/lib/peer/proposal_pb.js';
import responses from '@hyperledger/fabric-protos/lib/peer/proposal_response_pb.js';
import transactions from '@hyperledger/fabric-protos/lib/peer/transaction_pb.js';
import timestamps from 'google-protobuf/google/protobuf/timestamp_pb.js';
import { Buffer } from 'node:buffer';

import { serializeIdentity, encodeEnvelope, encodePayload, TransactionEncoder } from '../encode/transaction-encoder.js';
import { decodeBlock, findTransaction } from '../decode/decode-block.js';
import { decodeActions, decodeEnvelope, decodeReadWriteSets } from '../decode/decode-envelope.js';
import { dataOf, describeIt, envelopeOf } from '../testing/envelope-of.js';
import { recordedChains } from '../testing/recorded-blocks.js';
import { calledFunction, describeTransaction } from './describe-transaction.js';

/** A transaction with a call of the chaincode `called`, and nothing else. */
function callOf(input?: chaincode.ChaincodeInput): Uint8Array {
  const id = new chaincode.ChaincodeID();
  id.setName('called');
  const spec = new chaincode.ChaincodeSpec();
  spec.setChaincodeId(id);
  spec.setInput(input);
  const invocation = new chaincode.ChaincodeInvocationSpec();
  invocation.setChaincodeSpec(spec);
  const proposal = new proposals.ChaincodeProposalPayload();
  proposal.setInput(invocation.serializeBinary());
  const payload = new transactions.ChaincodeActionPayload();
  payload.setChaincodeProposalPayload(proposal.serializeBinary());
  const transaction = new transactions.Transaction();
  transaction.addActions().setPayload(payload.serializeBinary());
  return transaction.serializeBinary();
}

/** The response payload with an event of the chaincode. */
function withEvent(
  payload: Uint8Array,
  transactionId: string,
  { name, payload: content }: { name: string; payload: Uint8Array },
): Uint8Array {
  const response = responses.ProposalResponsePayload.deserializeBinary(payload);
  const action = proposals.ChaincodeAction.deserializeBinary(response.getExtension_asU8());
  const event = new events.ChaincodeEvent();
  event.setChaincodeId('basic');
  event.setTxId(transactionId);
  event.setEventName(name);
  event.setPayload(content);
  action.setEvents(event.serializeBinary());
  response.setExtension$(action.serializeBinary());
  return response.serializeBinary();
}

describe('the signers of a block, which a receipt needs roots of', () => {
  it.each(recordedChains())("are the orderers' organization on Fabric $version", ({ blocks }) => {
    const { bytes } = blocks.at(-1)!;
    const { transactionId } = decodeEnvelope(decodeBlock(bytes).envelopes[0]!);
    const found = describeTransaction(findTransaction(bytes, transactionId)!);
    expect(found.rawTransaction.blockSignerMspIds).toEqual(['OrdererMSP']);
    expect(found.creatorMspId).not.toBe('OrdererMSP');
  });

  it('are none if the metadata cannot be decoded', () => {
    const { bytes } = recordedChains()[0]!.blocks.at(-1)!;
    const { transactionId } = decodeEnvelope(decodeBlock(bytes).envelopes[0]!);
    const found = findTransaction(bytes, transactionId)!;
    const damaged = describeTransaction({ ...found, blockSignatures: Buffer.from([0xff]) });
    expect(damaged.rawTransaction.blockSignerMspIds).toEqual([]);
  });

  it('are none in a block without metadata, whose transactions are not validated', () => {
    const { bytes } = recordedChains()[0]!.blocks.at(-1)!;
    const { transactionId } = decodeEnvelope(decodeBlock(bytes).envelopes[0]!);
    const block = common.Block.deserializeBinary(bytes);
    block.clearMetadata();
    const described = describeTransaction(findTransaction(block.serializeBinary(), transactionId)!);
    expect(described.rawTransaction.blockSignerMspIds).toEqual([]);
    expect(described.validationCode).toBe('NOT_VALIDATED');
  });
});

describe('describeTransaction', () => {
  const encoder = new TransactionEncoder({
    channel: 'mychannel',
    chaincode: { name: 'basic', version: '1.0' },
    creator: serializeIdentity('Org1MSP', Buffer.from('no certificate')),
  });
  const encode = (call: {
    function: string;
    arguments: readonly string[];
    payload?: Uint8Array;
    message?: string;
    event?: { name: string; payload: Uint8Array };
  }) => {
    const proposal = encoder.propose({ ...call, nonce: Buffer.alloc(24, 1), timestamp: 1_795_264_521_225 });
    const { event, message = '' } = call;
    const answer = encoder.respond(proposal, {
      readWriteSets: new Map([
        ['basic', { reads: [{ key: 'k', version: undefined }], writes: [{ key: 'k', value: Buffer.from('{"a":1}') }] }],
      ]),
      response: { status: 200, message, payload: call.payload ?? new Uint8Array() },
    });
    const response = event === undefined ? answer : withEvent(answer, proposal.transactionId, event);
    const endorser = serializeIdentity('Org2MSP', Buffer.from([0xff]));
    const payload = encodePayload(proposal, response, [{ endorser, signature: Buffer.from([1, 2]) }]);
    return { proposal, envelope: encodeEnvelope(payload, Buffer.from([3])) };
  };

  it('returns what was encoded, for any function and arguments', () => {
    const text = fc.string({ unit: 'grapheme' });
    fc.assert(
      fc.property(text, fc.array(text), text, text, (name, args, message, result) => {
        const payload = Buffer.from(result);
        const { proposal, envelope } = encode({ function: name, arguments: args, message, payload });
        expect(describeIt(envelope)).toMatchObject({
          transactionId: proposal.transactionId,
          blockHash: 'ab'.repeat(32),
          blockNumber: 7,
          chaincodeId: 'basic',
          channelId: 'mychannel',
          creatorId: 'no certificate',
          creatorMspId: 'Org1MSP',
          endorsers: ['/w=='],
          function: name,
          arguments: args,
          timestamp: '2026-11-21T12:35:21.225Z',
          validationCode: 'VALID',
          response: { status: 200, message, payload: result },
        });
      }),
    );
  });

  it('summarizes the call, with its first argument if that is short', () => {
    const inShort = (...args: readonly string[]) =>
      calledFunction(decodeEnvelope(encode({ function: 'F', arguments: args }).envelope));
    expect(inShort('a', 'b')).toEqual({ chaincodeId: 'basic', function: 'F', firstArgument: 'a' });
    expect(inShort().firstArgument).toBe('');
    expect(inShort('é'.repeat(128)).firstArgument).toBe('é'.repeat(128));
    expect(inShort('é'.repeat(129)).firstArgument).toBe('');
  });

  it('shows all UTF-8 unchanged, and other bytes as base64', () => {
    const { envelope } = encode({
      function: 'F',
      arguments: ['a\u0000b', '\u001b[31m', 'tab\tline\r\n', '\u007f', ''],
      payload: Buffer.from([0xff, 0xfe]),
    });
    expect(describeIt(envelope)).toMatchObject({
      arguments: ['a\u0000b', '\u001b[31m', 'tab\tline\r\n', '\u007f', ''],
      response: { payload: '//4=' },
      rawTransaction: { functionEncoding: 'utf8', argumentEncodings: Array(5).fill('utf8'), payloadEncoding: 'base64' },
    });
  });

  it('distinguishes text that looks like base64 from the bytes that it encodes', () => {
    const withArguments = (...args: readonly (string | Uint8Array)[]) => {
      const input = new chaincode.ChaincodeInput();
      input.setArgsList(['F', ...args].map((it) => Buffer.from(it)));
      return describeIt(envelopeOf(3, callOf(input)));
    };
    const text = withArguments('/w==', 'G1szMW0=');
    const bytes = withArguments(Buffer.from([0xff]), '\u001b[31m');
    expect(text.arguments[0]).toBe(bytes.arguments[0]);
    expect(text.rawTransaction.argumentEncodings).toEqual(['utf8', 'utf8']);
    expect(bytes.rawTransaction.argumentEncodings).toEqual(['base64', 'utf8']);
    expect(bytes.arguments[1]).toBe('\u001b[31m');
    expect(JSON.stringify(bytes.rawTransaction)).toContain('"args_encoding":["utf8","base64","utf8"]');
    expect(describeIt(envelopeOf(1, new Uint8Array())).rawTransaction).toMatchObject({
      functionEncoding: 'utf8',
      argumentEncodings: [],
      payloadEncoding: 'utf8',
    });
  });

  it('shows a chaincode event', () => {
    const { proposal, envelope } = encode({
      function: 'F',
      arguments: [],
      event: { name: 'Moved', payload: Buffer.from('{"to":"Ada"}') },
    });
    expect(JSON.stringify(describeIt(envelope).rawTransaction)).toContain(
      JSON.stringify({
        chaincode_id: 'basic',
        tx_id: proposal.transactionId,
        event_name: 'Moved',
        payload: '{"to":"Ada"}',
        payload_encoding: 'utf8',
      }),
    );
  });

  it.each([
    [0, 'VALID'],
    [11, 'MVCC_READ_CONFLICT'],
    [254, 'NOT_VALIDATED'],
    [255, 'INVALID_OTHER_REASON'],
    [99, 'UNKNOWN_99'],
    [-1, 'UNKNOWN_-1'],
  ])('names the validation code %i %s', (code, name) => {
    expect(describeIt(envelopeOf(0, new Uint8Array()), code).validationCode).toBe(name);
  });

  it('keeps unknown types, with their data as base64', () => {
    const description = describeIt(envelopeOf(42, Buffer.from([1, 2, 3])));
    expect(description).toMatchObject({
      transactionId: 'id',
      channelId: 'ch',
      function: '',
      endorsers: [],
      creatorId: '',
    });
    expect(description.rawTransaction).toMatchObject({
      payload: { header: { channel_header: { type: 42 } }, data: 'AQID' },
    });
  });

  it('shows malformed data that a peer recorded unchanged', () => {
    for (const type of [1, 2, 3]) {
      expect(describeIt(envelopeOf(type, Buffer.from([0xff])), 2)).toMatchObject({
        validationCode: 'BAD_PAYLOAD',
        function: '',
        response: { status: 0 },
        rawTransaction: { payload: { data: '/w==' } },
      });
    }
  });

  it.each([
    [undefined, ''],
    [[-1, 0], ''],
    [[0, 0], '1970-01-01T00:00:00.000Z'],
    [[1, 2], '1970-01-01T00:00:01.000000002Z'],
    [[253_402_300_799, 999_000_000], '9999-12-31T23:59:59.999Z'],
    [[253_402_300_800, 0], ''],
    [[0, 1_000_000_000], ''],
    [[0, -1], ''],
  ])('writes the timestamp %j as %s', (parts, expected) => {
    const envelope = envelopeOf(0, new Uint8Array(), (header) => {
      if (parts === undefined) return;
      const timestamp = new timestamps.Timestamp();
      timestamp.setSeconds(parts[0]!);
      timestamp.setNanos(parts[1]!);
      header.setTimestamp(timestamp);
    });
    expect(describeIt(envelope).timestamp).toBe(expected);
  });

  it('describes calls of which everything is missing', () => {
    const transaction = new transactions.Transaction();
    transaction.addActions();
    expect(describeIt(envelopeOf(3, transaction.serializeBinary()))).toMatchObject({
      chaincodeId: '',
      function: '',
      arguments: [],
      response: { status: 0, message: '', payload: '' },
    });
    expect(describeIt(envelopeOf(3, callOf()))).toMatchObject({
      chaincodeId: 'called',
      function: '',
    });
    expect(describeIt(envelopeOf(3, new Uint8Array()))).toMatchObject({ chaincodeId: '', function: '' });
    const nothing = { chaincodeId: '', function: '', firstArgument: '' };
    expect(calledFunction(decodeEnvelope(envelopeOf(3, callOf())))).toEqual({ ...nothing, chaincodeId: 'called' });
    expect(calledFunction(decodeEnvelope(envelopeOf(1, new Uint8Array())))).toEqual(nothing);
  });
});

describe('bytes that are something else', () => {
  const damaged = (what: string) =>
    expect.objectContaining({
      code: 'LEDGER.DAMAGED',
      message: `The bytes are not a ${what} of Hyperledger Fabric.`,
      cause: expect.any(Error),
    });

  it('are refused by name', () => {
    const garbage = Buffer.from([0xff]);
    expect(() => decodeBlock(garbage)).toThrow(damaged('block'));
    expect(() => decodeBlock(new Uint8Array())).toThrow(damaged('block'));
    expect(() => describeIt(garbage)).toThrow(damaged('transaction envelope'));
    expect(() => describeIt(new Uint8Array())).toThrow(damaged('transaction envelope'));
    expect(() => decodeActions(garbage)).toThrow(damaged('endorser transaction'));
    expect(() => decodeReadWriteSets(garbage)).toThrow(damaged('read and write set'));
  });

  it('do not keep the decoder busy for a minute with a length of 2 GiB, or with a group', () => {
    const endless = Buffer.from('0affffffff07', 'hex');
    expect(() => decodeBlock(Buffer.concat([endless, Buffer.alloc(80, 2)]))).toThrow(damaged('block'));
    expect(dataOf(3, endless)).toBe(endless.toString('base64'));
    expect(() => decodeBlock(Buffer.from('0b0c', 'hex'))).toThrow(damaged('block'));
    expect(() => decodeBlock(Buffer.from('0c', 'hex'))).toThrow(damaged('block'));
  });

  it('never make the decoder throw anything else', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => {
        for (const decode of [decodeBlock, describeIt]) {
          try {
            decode(bytes);
          } catch (error) {
            expect(error).toMatchObject({ code: 'LEDGER.DAMAGED' });
          }
        }
      }),
      { numRuns: 500 },
    );
  });

  it('make a block without data and metadata', () => {
    const block = new common.Block();
    block.setHeader(new common.BlockHeader());
    expect(decodeBlock(block.serializeBinary())).toMatchObject({
      envelopes: [],
      validationCodes: new Uint8Array(),
      commitHash: new Uint8Array(),
      metadata: [],
    });
  });
});
