import { describe, expect, it } from '@jest/globals';
import common from '@hyperledger/fabric-protos/lib/common/common_pb.js';
import configtx from '@hyperledger/fabric-protos/lib/common/configtx_pb.js';
import policies from '@hyperledger/fabric-protos/lib/common/policies_pb.js';
import principals from '@hyperledger/fabric-protos/lib/msp/msp_principal_pb.js';
import msp from '@hyperledger/fabric-protos/lib/msp/msp_config_pb.js';
import orderer from '@hyperledger/fabric-protos/lib/orderer/configuration_pb.js';
import bft from '@hyperledger/fabric-protos/lib/orderer/smartbft/configuration_pb.js';
import { Buffer } from 'node:buffer';
import { serializeIdentity } from '../encode/transaction-encoder.js';
import { dataOf, envelopeOf } from '../testing/envelope-of.js';

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

  it('show unknown values as base64', () => {
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
            signatures: [{ signature_header: { creator: { mspid: 'Org1MSP', id_bytes: 'cGVt' } }, signature: 'CQ==' }],
          },
        },
      },
    });
  });
});
