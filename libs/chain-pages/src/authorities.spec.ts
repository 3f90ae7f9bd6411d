import { createRoot } from '#fabric-codec/certificates';
import { org1, org2, reconfigured, recordedChains, reorganised, TestChain, write } from '#fabric-codec/testing';
import { readOpensslCertificate, readRoots } from '#receipts';
import { rootsOf } from '#receipts/testing';
import { authoritiesOf, newestConfiguration } from './authorities.js';

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

describe('the authorities of an organization', () => {
  it('are those of the newest configuration, roots first', async () => {
    const intermediate = (await createRoot('an intermediate')).certificate.trim();
    const chain = new TestChain([org1, org2]);
    const append = (key: string, lastConfig: number) =>
      chain.append({ envelopes: [chain.transaction({ readWriteSet: write(key) })], lastConfig });
    append('a', 0);
    const before = readerOf([...chain.blocks]);
    chain.append({ envelopes: [reconfigured(chain, 1, reorganised(intermediate))], lastConfig: 2 });
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
    const organizations = async (reader: typeof at) => (await newestConfiguration(reader)).applicationOrganisations;
    expect(await organizations(before)).toEqual(['Org1MSP', 'Org2MSP']);
    expect(await organizations(after)).toEqual(['Org1MSP']);
  });

  it.each(recordedChains())('are read from a chain of Fabric $version', async ({ blocks }) => {
    const reader = readerOf(blocks.map(({ bytes }) => bytes));
    const roots = Map.groupBy(rootsOf(blocks[0]!.bytes), ({ mspId }) => mspId);
    expect(roots.size).toBeGreaterThan(0);
    for (const [mspId, expected] of roots) {
      const wanted = new Set(expected.map(({ certificate }) => certificate.trim()));
      expect(new Set(certificatesIn(await authoritiesOf(reader, mspId)))).toEqual(wanted);
    }
  });

  it('are not available from a peer that does not have the configuration block', async () => {
    const chain = new TestChain([org1]);
    chain.append({ envelopes: [chain.transaction({ readWriteSet: write('a') })] });
    const pruned = readerOf([undefined, chain.blocks[1]]);
    await expect(authoritiesOf(pruned, 'Org1MSP')).rejects.toMatchObject({ code: 'LEDGER.NOT_SUPPORTED' });
  });
});
