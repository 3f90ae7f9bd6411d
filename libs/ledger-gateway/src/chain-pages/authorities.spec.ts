import type configtx from '@hyperledger/fabric-protos/lib/common/configtx_pb.js';
import msp from '@hyperledger/fabric-protos/lib/msp/msp_config_pb.js';
import { createRoot } from '../certificates/certificate-authority.js';
import { readOpensslCertificate } from '../fabric-blocks/receipt/openssl-certificate.js';
import { readRoots } from '../fabric-blocks/receipt/trusted-roots.js';
import { reconfigured } from '../fabric-blocks/testing/reconfigured.js';
import { rootsOf } from '../fabric-blocks/testing/roots-of.js';
import { TestChain } from '../fabric-blocks/testing/test-chain.js';
import { org1, org2, write } from '../fabric-blocks/testing/verify-chain.js';
import { authoritiesOf } from './authorities.js';

const readerOf = (blocks: readonly (Uint8Array | undefined)[]) => ({
  ahead: 1,
  height: () => blocks.length,
  block: (number: number) => {
    const bytes = blocks[number];
    return bytes && { number, hash: '', bytes };
  },
});
const certificatesIn = (pem: string | undefined) =>
  readRoots('', pem ?? '', readOpensslCertificate).map(({ certificate }) => certificate);
const rootOf = (chain: TestChain, mspId: string) =>
  rootsOf(chain.blocks[0]!)
    .find((root) => root.mspId === mspId)!
    .certificate.trim();

/** Gives Org1MSP an intermediate, and removes Org2MSP. */
function changed(intermediate: string) {
  return (config: configtx.ConfigEnvelope): void => {
    const groups = config.getConfig()!.getChannelGroup()!.getGroupsMap();
    for (const section of ['Application', 'Orderer']) {
      const organisations = groups.get(section)!.getGroupsMap();
      organisations.del('Org2MSP');
      const value = organisations.get('Org1MSP')!.getValuesMap().get('MSP')!;
      const definition = msp.MSPConfig.deserializeBinary(value.getValue_asU8());
      const fabric = msp.FabricMSPConfig.deserializeBinary(definition.getConfig_asU8());
      fabric.addIntermediateCerts(Buffer.from(intermediate));
      definition.setConfig(fabric.serializeBinary());
      value.setValue(definition.serializeBinary());
    }
  };
}

describe('the authorities of an organization', () => {
  it('are those of the newest configuration, roots first', async () => {
    const intermediate = (await createRoot('an intermediate')).certificate.trim();
    const chain = new TestChain([org1, org2]);
    const append = (key: string, lastConfig: number) =>
      chain.append({ envelopes: [chain.transaction({ readWriteSet: write(key) })], lastConfig });
    append('a', 0);
    const before = readerOf([...chain.blocks]);
    chain.append({ envelopes: [reconfigured(chain, 1, changed(intermediate))], lastConfig: 2 });
    const at = readerOf([...chain.blocks]);
    append('b', 2);
    const after = readerOf([...chain.blocks]);

    expect(certificatesIn(await authoritiesOf(before, 'Org1MSP'))).toEqual([rootOf(chain, 'Org1MSP')]);
    expect(certificatesIn(await authoritiesOf(before, 'Org2MSP'))).toEqual([rootOf(chain, 'Org2MSP')]);
    for (const reader of [at, after]) {
      expect(certificatesIn(await authoritiesOf(reader, 'Org1MSP'))).toEqual([rootOf(chain, 'Org1MSP'), intermediate]);
      expect(await authoritiesOf(reader, 'Org2MSP')).toBeUndefined();
    }
    expect(await authoritiesOf(after, '__proto__')).toBeUndefined();
  });

  it('are not available from a peer that does not have the configuration block', async () => {
    const chain = new TestChain([org1]);
    chain.append({ envelopes: [chain.transaction({ readWriteSet: write('a') })] });
    const pruned = readerOf([undefined, chain.blocks[1]]);
    await expect(authoritiesOf(pruned, 'Org1MSP')).rejects.toMatchObject({ code: 'LEDGER.NOT_SUPPORTED' });
  });
});
