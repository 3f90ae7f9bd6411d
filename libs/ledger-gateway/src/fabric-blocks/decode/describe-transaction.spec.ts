import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import common from '@hyperledger/fabric-protos/lib/common/common_pb.js';
import configtx from '@hyperledger/fabric-protos/lib/common/configtx_pb.js';
import policies from '@hyperledger/fabric-protos/lib/common/policies_pb.js';
import principals from '@hyperledger/fabric-protos/lib/msp/msp_principal_pb.js';
import msp from '@hyperledger/fabric-protos/lib/msp/msp_config_pb.js';
import orderer from '@hyperledger/fabric-protos/lib/orderer/configuration_pb.js';
import bft from '@hyperledger/fabric-protos/lib/orderer/smartbft/configuration_pb.js';
import chaincode from '@hyperledger/fabric-protos/lib/peer/chaincode_pb.js';
import proposals from '@hyperledger/fabric-protos/lib/peer/proposal_pb.js';
import transactions from '@hyperledger/fabric-protos/lib/peer/transaction_pb.js';
import timestamps from 'google-protobuf/google/protobuf/timestamp_pb.js';
import { Buffer } from 'node:buffer';
import { DamagedError } from '../../errors/ledger.errors.js';
import { serializeIdentity } from '../encode/identity.js';
import { encodeEnvelope, TransactionEncoder } from '../encode/transaction-encoder.js';
import { decodeBlock } from './decode-block.js';
import { decodeActions } from './decode-actions.js';
import { decodeReadWriteSets } from './decode-read-write-sets.js';
import { describeTransaction } from './describe-transaction.js';
import type { TransactionDescription } from './transaction-description.js';

function describeIt(envelope: Uint8Array, validationCode = 0): TransactionDescription {
  return describeTransaction({ envelope, validationCode, blockNumber: 7, blockHash: 'ab'.repeat(32) });
}

/** An envelope of a type with these data, from nobody. */
function envelopeOf(type: number, data: Uint8Array, edit: (header: common.ChannelHeader) => void = () => undefined) {
  const channelHeader = new common.ChannelHeader();
  channelHeader.setType(type);
  channelHeader.setChannelId('ch');
  channelHeader.setTxId('id');
  edit(channelHeader);
  const header = new common.Header();
  header.setChannelHeader(channelHeader.serializeBinary());
  const payload = new common.Payload();
  payload.setHeader(header);
  payload.setData(data);
  return encodeEnvelope(payload.serializeBinary(), new Uint8Array());
}

/** The decoded data of an envelope. */
function dataOf(type: number, data: Uint8Array): unknown {
  return (describeIt(envelopeOf(type, data)).rawTransaction as { payload: { data: unknown } }).payload.data;
}

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
    const response = encoder.respond(proposal, {
      readWriteSet: {
        reads: [{ key: 'k', version: undefined }],
        writes: [{ key: 'k', value: Buffer.from('{"a":1}') }],
      },
      response: { status: 200, message, payload: call.payload ?? new Uint8Array() },
      ...(event && { event }),
    });
    const endorser = serializeIdentity('Org2MSP', Buffer.from([0xff]));
    const payload = encoder.payload(proposal, response, [{ endorser, signature: Buffer.from([1, 2]) }]);
    return { proposal, envelope: encodeEnvelope(payload, Buffer.from([3])) };
  };

  it('gives back what was encoded, whatever the function and its arguments', () => {
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

  it('shows binary arguments and payloads as base64, and text with line breaks as text', () => {
    const { envelope } = encode({
      function: 'F',
      arguments: ['a\u0000b', 'tab\tline\r\n', '\u007f', ''],
      payload: Buffer.from([0xff, 0xfe]),
    });
    expect(describeIt(envelope)).toMatchObject({
      arguments: [Buffer.from('a\u0000b').toString('base64'), 'tab\tline\r\n', 'fw==', ''],
      response: { payload: '//4=' },
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

  it('keeps types that it does not know, their data as base64', () => {
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

  it('shows garbage that a peer recorded as it came', () => {
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
    const invocation = new chaincode.ChaincodeInvocationSpec();
    const spec = new chaincode.ChaincodeSpec();
    const id = new chaincode.ChaincodeID();
    id.setName('called');
    spec.setChaincodeId(id);
    invocation.setChaincodeSpec(spec);
    const proposal = new proposals.ChaincodeProposalPayload();
    proposal.setInput(invocation.serializeBinary());
    const payload = new transactions.ChaincodeActionPayload();
    payload.setChaincodeProposalPayload(proposal.serializeBinary());
    transaction.getActionsList()[0]!.setPayload(payload.serializeBinary());
    expect(describeIt(envelopeOf(3, transaction.serializeBinary()))).toMatchObject({
      chaincodeId: 'called',
      function: '',
    });
    expect(describeIt(envelopeOf(3, new Uint8Array()))).toMatchObject({ chaincodeId: '', function: '' });
  });
});

describe('configurations', () => {
  const config = (edit: (group: configtx.ConfigGroup) => void): unknown => {
    const envelope = new configtx.ConfigEnvelope();
    envelope.setConfig(new configtx.Config());
    envelope.getConfig()!.setChannelGroup(new configtx.ConfigGroup());
    edit(envelope.getConfig()!.getChannelGroup()!);
    return (dataOf(1, envelope.serializeBinary()) as { config: { channel_group: unknown } }).config.channel_group;
  };
  const value = (key: string, bytes: Uint8Array): unknown =>
    config((group) => {
      const item = new configtx.ConfigValue();
      item.setValue(bytes);
      group.getValuesMap().set(key, item);
    });
  const policy = (type: number, bytes: Uint8Array): unknown =>
    config((group) => {
      const item = new configtx.ConfigPolicy();
      item.setPolicy(new policies.Policy());
      item.getPolicy()!.setType(type);
      item.getPolicy()!.setValue(bytes);
      group.getPoliciesMap().set('P', item);
    });

  it('show values that they do not know as base64', () => {
    expect(value('Other', Buffer.from([1]))).toMatchObject({ values: { Other: { value: 'AQ==' } } });
    const idemix = new msp.MSPConfig();
    idemix.setType(1);
    idemix.setConfig(Buffer.from([1]));
    expect(value('MSP', idemix.serializeBinary())).toMatchObject({
      values: { MSP: { value: { type: 1, config: 'AQ==' } } },
    });
  });

  it('show the options of BFT orderers, and metadata of a kind that they do not know as base64', () => {
    const options = new bft.Options();
    options.setLeaderHeartbeatTimeout('1m');
    const consensus = new orderer.ConsensusType();
    consensus.setType('BFT');
    consensus.setMetadata(options.serializeBinary());
    expect(value('ConsensusType', consensus.serializeBinary())).toMatchObject({
      values: { ConsensusType: { value: { metadata: { leader_heartbeat_timeout: '1m' }, state: 'STATE_NORMAL' } } },
    });
    consensus.setType('other');
    consensus.setMetadata(Buffer.from([1]));
    expect(value('ConsensusType', consensus.serializeBinary())).toMatchObject({
      values: { ConsensusType: { value: { type: 'other', metadata: 'AQ==' } } },
    });
  });

  it('show access lists, consortium and BFT orderers', () => {
    for (const key of ['ACLs', 'Consortium', 'Orderers']) {
      expect(value(key, new Uint8Array())).toMatchObject({ values: { [key]: { value: expect.any(Object) } } });
    }
  });

  it('show policies of every kind', () => {
    expect(policy(9, Buffer.from([1]))).toMatchObject({ policies: { P: { policy: { type: 9, value: 'AQ==' } } } });
    expect(policy(1, new Uint8Array())).toMatchObject({ policies: { P: { policy: { value: { rule: null } } } } });
    const envelope = new policies.SignaturePolicyEnvelope();
    const unit = new principals.OrganizationUnit();
    unit.setMspIdentifier('Org1MSP');
    unit.setOrganizationalUnitIdentifier('sales');
    for (const [classification, bytes] of [
      [principals.MSPPrincipal.Classification.ORGANIZATION_UNIT, unit.serializeBinary()],
      [principals.MSPPrincipal.Classification.IDENTITY, Buffer.from([1])],
    ] as const) {
      const principal = new principals.MSPPrincipal();
      principal.setPrincipalClassification(classification);
      principal.setPrincipal(bytes);
      envelope.addIdentities(principal);
    }
    expect(policy(1, envelope.serializeBinary())).toMatchObject({
      policies: {
        P: {
          policy: {
            value: {
              identities: [
                {
                  principal_classification: 'ORGANIZATION_UNIT',
                  principal: { msp_identifier: 'Org1MSP', organizational_unit_identifier: 'sales' },
                },
                { principal_classification: 'IDENTITY', principal: 'AQ==' },
              ],
            },
          },
        },
      },
    });
  });

  it('show groups and policies that are missing as null', () => {
    expect(dataOf(1, new Uint8Array())).toEqual({ config: null, last_update: null });
    const envelope = new configtx.ConfigEnvelope();
    envelope.setConfig(new configtx.Config());
    expect(dataOf(1, envelope.serializeBinary())).toEqual({
      config: { sequence: 0, channel_group: null },
      last_update: null,
    });
    const bare = config((group) => group.getPoliciesMap().set('P', new configtx.ConfigPolicy()));
    expect(bare).toMatchObject({ policies: { P: { policy: null } } });
  });

  it('show the update that led to them', () => {
    const update = new configtx.ConfigUpdate();
    update.setChannelId('ch');
    update.setWriteSet(new configtx.ConfigGroup());
    const signature = new configtx.ConfigSignature();
    const header = new common.SignatureHeader();
    header.setCreator(serializeIdentity('Org1MSP', Buffer.from('pem')));
    signature.setSignatureHeader(header.serializeBinary());
    signature.setSignature(Buffer.from([9]));
    const signed = new configtx.ConfigUpdateEnvelope();
    signed.setConfigUpdate(update.serializeBinary());
    signed.addSignatures(signature);
    const envelope = new configtx.ConfigEnvelope();
    envelope.setLastUpdate(common.Envelope.deserializeBinary(envelopeOf(2, signed.serializeBinary())));
    expect(dataOf(1, envelope.serializeBinary())).toMatchObject({
      last_update: {
        payload: {
          data: {
            config_update: { channel_id: 'ch', read_set: null, write_set: { version: 0 } },
            signatures: [{ signature_header: { creator: { mspid: 'Org1MSP', id_bytes: 'pem' } }, signature: 'CQ==' }],
          },
        },
      },
    });
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
            expect(error).toBeInstanceOf(DamagedError);
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
