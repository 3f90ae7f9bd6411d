import { fabricKeyedSuite } from '../testing/fabric-keyed-suite.js';
import { networkOnStandIn, QUICK_PACE } from '../testing/ledgers-on-stand-in.js';

fabricKeyedSuite('fabric-network', networkOnStandIn);

describe('a session of fabric-network', () => {
  it('is retained when a peer reports that a keyed write is already recorded', async () => {
    const { ledger, network, dispose } = await networkOnStandIn({ pace: { ...QUICK_PACE, replace: 0 } });
    try {
      const submit = () =>
        ledger.submit(
          { function: 'CreateAsset', arguments: ['a', 'blue', '5', 'Tom', '100'] },
          { idempotencyKey: 'k' },
        );
      await submit();
      const { faults } = network.peers[0]!;
      const opened = faults.calls('discover');
      for (let repeat = 0; repeat < 3; repeat++) expect(await submit()).toMatchObject({ isReplay: true });
      expect(faults.calls('discover')).toBe(opened);
    } finally {
      await dispose();
    }
  });
});
