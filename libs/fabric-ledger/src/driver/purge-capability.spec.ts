import { org1, recordedChains, TestChain } from '#fabric-codec/testing';
import type { ChainQueries } from './chain.js';
import { PurgeCapability } from './purge-capability.js';

/** Checks a channel that has one block. */
function check(block: Uint8Array | undefined): PurgeCapability {
  const reader = () => ({
    ahead: 1,
    height: () => 1,
    block: () => block && { number: 0, hash: '', bytes: block },
  });
  return new PurgeCapability('mychannel', { reader } as unknown as ChainQueries);
}

/** Returns the configuration of a channel whose application has another capability. */
function withCapability(name: string): Uint8Array {
  const text = Buffer.from(new TestChain([org1]).blocks[0]!).toString('latin1');
  return Buffer.from(text.replaceAll('V2_5', name), 'latin1');
}

describe('a purge', () => {
  it.each(['V2_5', 'V2_6', 'V3_0'])('is possible on a channel with the application capability %s', async (name) => {
    await expect(check(withCapability(name)).require()).resolves.toBeUndefined();
  });

  it.each(['V2_0', 'V1_4', 'V1_9', 'none'])('is refused with %s', async (name) => {
    await expect(check(withCapability(name)).require()).rejects.toMatchObject({
      code: 'LEDGER.NOT_SUPPORTED',
      message: expect.stringContaining('the application capability V2_5') as unknown,
    });
  });

  it('is left to the peers when the configuration is unavailable', async () => {
    await expect(check(undefined).require()).resolves.toBeUndefined();
  });

  it.each(recordedChains())('is possible on a channel of Fabric $version with V2_5 only', async ({ blocks }) => {
    const [{ bytes } = { bytes: undefined }] = blocks;
    const isNew = Buffer.from(bytes ?? []).includes('V2_5');
    const refused = await check(bytes)
      .require()
      .then(
        () => false,
        () => true,
      );
    expect(refused).toBe(!isNew);
  });
});
