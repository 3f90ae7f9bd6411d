import { describe, expect, it } from '@jest/globals';
import common from '@hyperledger/fabric-protos/lib/common/common_pb.js';
import kv from '@hyperledger/fabric-protos/lib/ledger/rwset/kvrwset/kv_rwset_pb.js';
import rwset from '@hyperledger/fabric-protos/lib/ledger/rwset/rwset_pb.js';
import proposal from '@hyperledger/fabric-protos/lib/peer/proposal_pb.js';
import proposalResponse from '@hyperledger/fabric-protos/lib/peer/proposal_response_pb.js';
import { Buffer } from 'node:buffer';
import { randomBytes } from 'node:crypto';
import { decodeBlock } from '../decode/decode-block.js';
import { decodeEnvelope } from '../decode/decode-envelope.js';
import { encodeEnvelope } from '../encode/transaction-encoder.js';
import { TestChain } from '../testing/test-chain.js';
import { blockWith, chainWith, org1, org2, stranger, write } from '../testing/verify-chain.js';

describe('transactions', () => {
  type Input = Parameters<TestChain['transaction']>[0];
  const transactionWith = (input: Partial<Input>, organisations = [org1]): string[] =>
    chainWith((chain) => {
      chain.append({
        envelopes: [chain.transaction({ readWriteSet: write('b'), ...input })],
        writes: [[0, 'b', 'v']],
      });
    }, organisations);

  it('of another creator are found', () => {
    expect(transactionWith({ creator: stranger.client })).toEqual([
      '2[0] CREATOR no organization of the channel has the MSP id "StrangerMSP"',
    ]);
    expect(transactionWith({ creator: org1.peer })).toEqual(['2[0] CREATOR the creator may not write to the channel']);
    expect(transactionWith({ signer: org1.peer })).toEqual(['2[0] CREATOR the signature is not that of the creator']);
    const sameName = { ...stranger.client, identity: Buffer.from(stranger.client.identity) };
    sameName.identity = Buffer.from(
      sameName.identity.toString('latin1').replace('StrangerMSP', 'Org1MSPxxxx'),
      'latin1',
    );
    expect(transactionWith({ creator: sameName })).toEqual([
      '2[0] CREATOR no organization of the channel has the MSP id "Org1MSPxxxx"',
    ]);
  });

  it('whose certificate another root signed, or that have none, are found', () => {
    const disguise = (mspId: string, pem: string) => ({
      ...stranger.client,
      identity: Buffer.concat([Buffer.from([0x0a, mspId.length]), Buffer.from(mspId), lengthDelimited(pem)]),
    });
    const pem = Buffer.from(stranger.client.identity)
      .toString()
      .slice(Buffer.from(stranger.client.identity).indexOf('-----'));
    expect(transactionWith({ creator: disguise('Org1MSP', pem) })).toEqual([
      '2[0] CREATOR the certificate does not chain to a root of Org1MSP',
    ]);
    expect(transactionWith({ creator: disguise('Org1MSP', 'no certificate') })).toEqual([
      '2[0] CREATOR the identity is not a certificate',
    ]);
    expect(transactionWith({ creator: disguise('Org1MSP', org1.rootCertificate) })).toEqual([
      '2[0] CREATOR the certificate is that of a certificate authority, not of a member',
    ]);
  });

  it('with the S of a signature above half of the order are found', () => {
    const high = (content: Uint8Array): Uint8Array => {
      const low = Buffer.from(org1.client.sign(content));
      const s = BigInt(`0x${low.subarray(6 + low[3]!).toString('hex')}`);
      const order = 0xffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551n;
      const negated = Buffer.from((order - s).toString(16).padStart(64, '0'), 'hex');
      const end = Buffer.concat([Buffer.from([2, 33, 0]), negated]);
      const r = low.subarray(2, 4 + low[3]!);
      return Buffer.concat([Buffer.from([0x30, r.length + end.length]), r, end]);
    };
    expect(transactionWith({ signer: { ...org1.client, sign: high } })).toEqual([
      '2[0] CREATOR the signature is not that of the creator',
    ]);
  });

  it('with a made-up id are found', () => {
    const transactionId = 'ab'.repeat(32);
    const found = transactionWith({
      sentAs: (proposal) => ({
        ...proposal,
        channelHeader: withText(proposal.channelHeader, proposal.transactionId, transactionId),
      }),
    });
    expect(found).toEqual([
      '2[0] TRANSACTION_ID the id is not the hash of nonce and creator',
      '2[0] ENDORSEMENT the endorsers answered another proposal',
    ]);
  });

  it('that are already in the chain are found', () => {
    const found = chainWith((chain) => {
      const nonce = randomBytes(24);
      chain.append({ envelopes: [chain.transaction({ nonce, readWriteSet: write('b') })], writes: [[0, 'b', 'v']] });
      chain.append({ envelopes: [chain.transaction({ nonce, readWriteSet: write('c') })], writes: [[0, 'c', 'v']] });
    });
    expect(found).toEqual(['3[0] TRANSACTION_ID the chain already contains a transaction with this id']);
  });

  it('of another channel are found', () => {
    expect(transactionWith({ channel: 'otherchannel' })).toEqual([
      '2[0] TRANSACTION_FORMAT the transaction is for the channel otherchannel, not testchannel',
    ]);
  });

  it('that show another call than was endorsed are found', () => {
    expect(transactionWith({ endorsedAs: (proposal) => ({ ...proposal, chaincodePayload: randomBytes(9) }) })).toEqual([
      '2[0] ENDORSEMENT the endorsers answered another proposal',
    ]);
  });

  it('that another chaincode answered than was called are found', () => {
    expect(transactionWith({ answeredBy: 'other' })).toEqual([
      '2[0] TRANSACTION_FORMAT another chaincode answered than was called',
      '2 COMMIT_HASH the commit hash is not that of the validation codes and writes',
    ]);
  });

  const withAction =
    (edit: (action: proposal.ChaincodeAction) => void) =>
    (bytes: Uint8Array): Uint8Array => {
      const response = proposalResponse.ProposalResponsePayload.deserializeBinary(bytes);
      const action = proposal.ChaincodeAction.deserializeBinary(response.getExtension_asU8());
      edit(action);
      response.setExtension$(action.serializeBinary());
      return response.serializeBinary();
    };
  const withMetadata = withAction((action) => {
    const results = rwset.TxReadWriteSet.deserializeBinary(action.getResults_asU8());
    const keys = kv.KVRWSet.deserializeBinary(results.getNsRwsetList()[0]!.getRwset_asU8());
    const change = new kv.KVMetadataWrite();
    change.setKey('a');
    keys.addMetadataWrites(change);
    results.getNsRwsetList()[0]!.setRwset(keys.serializeBinary());
    action.setResults(results.serializeBinary());
  });

  it('that change the metadata of keys leave the commit hash unchecked, and report it', () => {
    expect(transactionWith({ responseAs: withMetadata })).toEqual([
      '2 UNCHECKED keys got new metadata, so the commit hash cannot be computed from the blocks alone',
    ]);
  });

  it('endorsed by too few may satisfy the policy of a key, which is reported', () => {
    const found = chainWith((chain) => {
      for (const input of [{ responseAs: withMetadata }, { endorsers: [] }]) {
        chain.append({
          envelopes: [chain.transaction({ readWriteSet: write('b'), ...input })],
          writes: [[0, 'b', 'v']],
        });
      }
    });
    expect(found).toContain('3[0] UNCHECKED the endorsement policy is of a kind that cannot be checked');
    expect(found.filter((finding) => finding.includes('] ENDORSEMENT'))).toEqual([]);
  });

  it('that no chaincode answered are found', () => {
    const responseAs = withAction((action) => {
      action.clearChaincodeId();
    });
    expect(transactionWith({ responseAs })).toContain(
      '2[0] TRANSACTION_FORMAT another chaincode answered than was called',
    );
  });

  it('whose headers have fields that Fabric does not define are found', () => {
    const sentAs: Input['sentAs'] = (sent) => ({
      ...sent,
      channelHeader: Buffer.concat([sent.channelHeader, Buffer.from([0x78, 1])]),
    });
    expect(transactionWith({ sentAs })).toEqual([
      expect.stringMatching(
        /^2\[0\] TRANSACTION_FORMAT the payload is not in its canonical form: header.channelHeader: unknown field 15$/,
      ),
      '2[0] ENDORSEMENT the endorsers answered another proposal',
    ]);
  });

  it('of no call, or of two, are found', () => {
    const notOne = '2[0] TRANSACTION_FORMAT the transaction is not one call of a chaincode';
    const found = (calls: 0 | 2) =>
      chainWith((chain) => {
        const envelope = decodeEnvelope(chain.transaction({ readWriteSet: write('b') }));
        const payload = common.Payload.deserializeBinary(envelope.payload);
        const data = payload.getData_asU8();
        payload.setData(Buffer.concat(Array.from({ length: calls }, () => data)));
        const bytes = payload.serializeBinary();
        chain.append({ envelopes: [encodeEnvelope(bytes, org1.client.sign(bytes))] });
      });
    expect([found(0), found(2)]).toEqual([[notOne], [notOne]]);
  });

  it('without the endorsements that the policy asks for are found', () => {
    const unsatisfied = '2[0] ENDORSEMENT the endorsements do not satisfy the endorsement policy';
    const uncounted = '2[0] ENDORSEMENT not every endorsement counts';
    expect(transactionWith({ endorsers: [] })).toEqual([unsatisfied]);
    expect(transactionWith({ endorsers: [org1.client] })).toEqual([unsatisfied]);
    expect(transactionWith({ endorsers: [org1.peer] }, [org1, org2])).toEqual([unsatisfied]);
    expect(transactionWith({ endorsers: [org1.peer, org1.peer] }, [org1, org2])).toEqual([uncounted, unsatisfied]);
    expect(transactionWith({ endorsers: [org1.peer, stranger.peer] }, [org1, org2])).toEqual([
      '2[0] ENDORSEMENT no organization of the channel has the MSP id "StrangerMSP"',
      uncounted,
      unsatisfied,
    ]);
  });

  it('with a forged endorsement are found', () => {
    expect(transactionWith({ endorserSigns: (_, content) => org1.client.sign(content) })).toEqual(
      expect.arrayContaining(['2[0] ENDORSEMENT an endorsement is not signed by the endorser it names']),
    );
    expect(transactionWith({ endorserSigns: (endorser) => endorser.sign(Buffer.from('something else')) })).toEqual(
      expect.arrayContaining(['2[0] ENDORSEMENT an endorsement is not signed by the endorser it names']),
    );
  });

  it('of a type that has no place in a channel, or not decodable, are found', () => {
    const [envelope] = decodeBlock(new TestChain([org1]).blocks[0]!).envelopes;
    const payload = common.Payload.deserializeBinary(decodeEnvelope(envelope!).payload);
    const header = common.ChannelHeader.deserializeBinary(payload.getHeader()!.getChannelHeader_asU8());
    header.setType(common.HeaderType.MESSAGE);
    payload.getHeader()!.setChannelHeader(header.serializeBinary());
    expect(blockWith({ envelopes: [encodeEnvelope(payload.serializeBinary(), randomBytes(9))], writes: [] })).toEqual([
      '2[0] TRANSACTION_FORMAT a channel contains no transactions of the type 0',
    ]);
    expect(blockWith({ envelopes: [Buffer.from('garbage')], writes: [] })).toEqual([
      expect.stringMatching(/^2\[0\] TRANSACTION_FORMAT the envelope is not in its canonical form: unknown field/),
      '2[0] TRANSACTION_FORMAT the envelope cannot be decoded',
    ]);
    header.setType(common.HeaderType.ENDORSER_TRANSACTION);
    payload.getHeader()!.setChannelHeader(header.serializeBinary());
    expect(blockWith({ envelopes: [encodeEnvelope(payload.serializeBinary(), randomBytes(9))], writes: [] })).toEqual(
      expect.arrayContaining(['2[0] TRANSACTION_FORMAT the transaction is not one call of a chaincode']),
    );
  });
});

function withText(bytes: Uint8Array, from: string, to: string): Uint8Array {
  return Buffer.from(Buffer.from(bytes).toString('latin1').replace(from, to), 'latin1');
}

function lengthDelimited(text: string): Buffer {
  const bytes = Buffer.from(text);
  const length = bytes.length < 128 ? [bytes.length] : [(bytes.length & 0x7f) | 0x80, bytes.length >> 7];
  return Buffer.concat([Buffer.from([0x12, ...length]), bytes]);
}
