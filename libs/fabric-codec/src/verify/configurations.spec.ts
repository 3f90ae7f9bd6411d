import { Buffer } from 'node:buffer';
import type configtx from '@hyperledger/fabric-protos/lib/common/configtx_pb.js';
import msp from '@hyperledger/fabric-protos/lib/msp/msp_config_pb.js';
import { describe, expect, it } from '@jest/globals';
import { TestChain } from '../testing/test-chain.js';
import { reconfigured } from '../testing/reconfigured.js';
import { chainWith, org1, org2, verify, write } from '../testing/verify-chain.js';

describe('configurations', () => {
  it('that follow each other change which certificates the channel trusts', () => {
    const found = chainWith(
      (chain) => {
        const withoutOrg2 = (config: configtx.ConfigEnvelope) => {
          config.getConfig()!.getChannelGroup()!.getGroupsMap().get('Application')!.getGroupsMap().del('Org2MSP');
        };
        chain.append({ envelopes: [reconfigured(chain, 1, withoutOrg2)], lastConfig: 2 });
        const byOne = chain.transaction({ readWriteSet: write('b'), endorsers: [org1.peer] });
        chain.append({ envelopes: [byOne], writes: [[0, 'b', 'v']], lastConfig: 2 });
        const byBoth = chain.transaction({ readWriteSet: write('c') });
        chain.append({ envelopes: [byBoth], writes: [[0, 'c', 'v']], lastConfig: 0 });
      },
      [org1, org2],
    );
    expect(found).toEqual(['4 METADATA the orderer names block 0 as the newest configuration, not 2']);
  });

  it('that orderers made without a transaction id are sound, and name their block in LAST_CONFIG from then on', () => {
    const found = chainWith((chain) => {
      chain.append({ envelopes: [reconfigured(chain, 1)], lastConfig: 2 });
      chain.append({
        envelopes: [chain.transaction({ readWriteSet: write('b') })],
        writes: [[0, 'b', 'v']],
        lastConfig: 2,
      });
      chain.append({ envelopes: [reconfigured(chain, 2)], lastConfig: 4 });
      chain.append({
        envelopes: [chain.transaction({ readWriteSet: write('c') })],
        writes: [[0, 'c', 'v']],
        lastConfig: 4,
      });
    });
    expect(found).toEqual([]);
  });

  it('with an id that is not empty must have the hash of nonce and creator', () => {
    const found = chainWith((chain) => {
      chain.append({ envelopes: [reconfigured(chain, 1, undefined, 'hash')], lastConfig: 2 });
      chain.append({ envelopes: [reconfigured(chain, 2, undefined, 'other')], lastConfig: 3 });
    });
    expect(found).toEqual(['3[0] TRANSACTION_ID the id is not the hash of nonce and creator']);
  });

  it('that do not follow, or share a block, or are called a conflict, are found', () => {
    const found = chainWith((chain) => {
      const call = chain.transaction({ readWriteSet: write('b') });
      chain.append({
        envelopes: [reconfigured(chain, 3), call],
        validationCodes: [11, 0],
        writes: [[1, 'b', 'v']],
        lastConfig: 2,
      });
    });
    expect(found).toEqual([
      '2[0] CONFIGURATION the configuration shares its block with other transactions',
      '2[0] VALIDATION_CODE a configuration reads no keys and cannot conflict',
      '2[0] CONFIGURATION the configuration has the sequence 3 after 0',
    ]);
  });

  it('that revoke certificates are reported as unchecked', () => {
    const found = chainWith((chain) => {
      const revoking = (config: configtx.ConfigEnvelope) => {
        const values = config
          .getConfig()!
          .getChannelGroup()!
          .getGroupsMap()
          .get('Application')!
          .getGroupsMap()
          .get('Org1MSP')!
          .getValuesMap();
        const definition = msp.MSPConfig.deserializeBinary(values.get('MSP')!.getValue_asU8());
        const fabric = msp.FabricMSPConfig.deserializeBinary(definition.getConfig_asU8());
        fabric.addRevocationList(Buffer.from('list'));
        definition.setConfig(fabric.serializeBinary());
        values.get('MSP')!.setValue(definition.serializeBinary());
        config
          .getConfig()!
          .getChannelGroup()!
          .getGroupsMap()
          .get('Orderer')!
          .getGroupsMap()
          .get('Org1MSP')!
          .getValuesMap()
          .get('MSP')!
          .setValue(definition.serializeBinary());
      };
      chain.append({ envelopes: [reconfigured(chain, 1, revoking)], lastConfig: 2 });
    });
    expect(found).toEqual(['2[0] UNCHECKED Org1MSP has revoked certificates, which cannot be checked']);
  });

  it('that cannot be read are found', () => {
    const found = chainWith((chain) => {
      chain.append({
        envelopes: [
          reconfigured(chain, 1, (config) => {
            config.clearConfig();
          }),
        ],
        lastConfig: 0,
      });
    });
    expect(found).toEqual(['2[0] CONFIGURATION the configuration cannot be read']);
  });

  it('are needed in block 0', () => {
    const chain = new TestChain([org1]);
    const block = chain.append({
      envelopes: [chain.transaction({ readWriteSet: write('a') })],
      writes: [[0, 'a', 'v']],
    });
    expect(verify([block])).toContain(
      '0 CONFIGURATION block 0 contains no configuration: no signature of the chain can be checked',
    );
  });
});
