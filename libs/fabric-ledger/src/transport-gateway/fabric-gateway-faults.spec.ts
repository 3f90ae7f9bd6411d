import { status } from '@grpc/grpc-js';
import { fabricFaultsSuite } from '../testing/fabric-faults-suite.js';
import { create, failure, openInEachTest } from '../testing/fabric-suite.js';
import { gatewayOnStandIn, LIMITS, QUICK_PACE } from '../testing/ledgers-on-stand-in.js';

fabricFaultsSuite('fabric-gateway', gatewayOnStandIn);

/** The answers of Fabric 2.5 and 3.1. */
const NO_COMBINATION = {
  kind: 'fail',
  with: {
    code: status.FAILED_PRECONDITION,
    message:
      'no combination of peers can be derived which satisfy the endorsement policy: no peer combination can satisfy the endorsement policy',
  },
} as const;
const DIFFERENT = {
  kind: 'fail',
  with: { code: status.ABORTED, message: 'failed to assemble transaction: ProposalResponsePayloads do not match' },
} as const;

describe('a call that peers do not endorse', () => {
  const start = openInEachTest(gatewayOnStandIn);
  /** A script for every retry. */
  const always = <T>(fault: T): T[] => Array<T>(100).fill(fault);
  const call = { chaincode: 'basic', function: 'CreateAsset', arguments: ['b', 'blue', '5', 'Tom', '100'] };

  it('is repeated, because a peer that has just started gives the same answer', async () => {
    const { network, channel } = await start({ pace: { ...QUICK_PACE, endorsers: 60_000 } });
    network.peers[0]!.faults.next('endorse', NO_COMBINATION, NO_COMBINATION, NO_COMBINATION);
    await channel.submit(create('a'));
    expect(network.peers[0]!.faults.calls('endorse')).toBe(4);
  });

  it('names endorsingOrganizations when all organizations respond, and no combination of them suffices', async () => {
    const { network, channel } = await start();
    network.peers[0]!.faults.next('endorse', ...always(NO_COMBINATION));
    for (const options of [{}, { idempotencyKey: 'key' }]) {
      const { code, message, retryable } = await failure(channel.submit(call, options));
      expect([code, message, retryable]).toEqual([
        'LEDGER.POLICY_UNSATISFIABLE',
        expect.stringContaining('endorsingOrganizations'),
        false,
      ]);
    }
  });

  it('may be tried again while the peers of an organization do not respond', async () => {
    const { network, channel } = await start();
    await channel.submit(create('a'));
    network.chaincode = undefined;
    network.peers[0]!.faults.next('endorse', ...always(NO_COMBINATION));
    expect(await failure(channel.submit(call))).toMatchObject({ code: 'LEDGER.UNAVAILABLE', retryable: true });
  });

  it('is not deterministic when its results differ in every retry', async () => {
    const { network, channel } = await start({ limits: { ...LIMITS, submit: 3000 } });
    await channel.submit(create('a'));
    network.peers[0]!.faults.next('endorse', DIFFERENT, DIFFERENT);
    await channel.submit(create('b'));
    network.peers[0]!.faults.next('endorse', ...always(DIFFERENT));
    for (const options of [{}, { idempotencyKey: 'key' }]) {
      const { code, message, retryable } = await failure(channel.submit(call, options));
      expect([code, message, retryable]).toEqual([
        'LEDGER.NOT_DETERMINISTIC',
        'The peers endorsed different results of basic: one of them is behind, or the chaincode is not deterministic.',
        false,
      ]);
    }
  });
});
