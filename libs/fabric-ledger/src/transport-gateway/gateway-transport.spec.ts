import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { jest } from '@jest/globals';

import type { Ledger } from '#ledger-gateway';
import { until } from '../../../../test/support/until.js';
import { failure, ready } from '../testing/fabric-suite.js';
import { gatewayOnStandIn, type LedgerOnStandIn } from '../testing/ledgers-on-stand-in.js';
import type { Fault, StandInFaults } from '../testing/stand-in-faults.js';
import { createOrganisation } from '../testing/stand-in-identities.js';
import { createFabricGatewayLedger } from '../index.js';

/** gRPC's UNAVAILABLE, as when the connection breaks: whether the other side executed the call is unknown. */
const BROKEN = { code: 14, message: 'Connection dropped' };
/** The error of a peer on a BFT channel; it names only the orderers that failed. */
const TOO_FEW = (text: string) => ({
  code: 14,
  message: 'insufficient number of orderers could successfully process transaction to satisfy quorum requirement',
  details: ['localhost:7103', 'localhost:7104'].map((address) => ({ address, message: text })),
});
const GONE =
  'rpc error: code = Unavailable desc = connection error: desc = "transport: Error while dialing: connection refused"';
const REFUSED =
  'received unsuccessful response from orderer: status=BAD_REQUEST, info=message is of type that cannot be processed directly';
const TOO_MANY = { code: 2, message: 'too many requests for /gateway.Gateway, exceeding concurrency limit (500)' };
const CREATE = { function: 'CreateAsset', arguments: ['a', 'blue', '5', 'Tom', '100'] };
/** Limits that end no call, however slow the machine is. */
const LONG = { evaluate: 60_000, endorse: 60_000, submit: 60_000, commit: 60_000 };
const READ = { function: 'ReadAsset', arguments: ['a'] };

describe('a transaction on its way through fabric-gateway', () => {
  let made: LedgerOnStandIn;
  let channel: Ledger;
  let faults: StandInFaults;
  const begin = async (options?: Parameters<typeof gatewayOnStandIn>[0]): Promise<void> => {
    made = await gatewayOnStandIn(options);
    channel = made.ledger;
    faults = made.network.peers[0]!.faults;
    await channel.evaluate({ function: 'AssetExists', arguments: ['a'] });
  };
  afterEach(async () => {
    await made.dispose();
  });

  it('is handed over again when it is not known whether an orderer has it, and commits once', async () => {
    await begin();
    faults.next('submit', { kind: 'fail-after', with: BROKEN });
    const { transactionId, blockNumber } = await channel.submit(CREATE);
    expect(await channel.transactionById(transactionId)).toMatchObject({ blockNumber, validationCode: 0 });
    expect(faults.calls('submit')).toBe(2);
    expect(json(await channel.evaluate(READ))).toMatchObject({ owner: 'Tom' });
  });

  it('ended the process when a reader of blocks stopped while its stream was being opened', async () => {
    await begin();
    for (let turns = 0; turns < 40; turns++) {
      const stop = new AbortController();
      const blocks = channel.blockEvents({ startBlock: 0, signal: stop.signal })[Symbol.asyncIterator]();
      const first = blocks.next();
      for (let turn = 0; turn < turns; turn++) await Promise.resolve();
      stop.abort();
      await first;
      await blocks.return?.();
    }
    expect(await channel.chainInfo()).toMatchObject({ height: 1 });
  });

  it('is sent by another peer when the first one has not joined the channel, which may be an unreachable one', async () => {
    await begin({ network: { peers: 2, otherChannels: ['payments'] }, channels: ['payments', 'unjoined'] });
    const payments = channel.channels.get('payments')!;
    const [first, second] = made.network.peers;
    const notJoined: Fault = {
      kind: 'fail',
      with: { code: 9, message: 'failed', details: [{ address: 'p', message: "channel 'payments' not found" }] },
    };
    first!.faults.next('evaluate', notJoined);
    expect((await payments.chainInfo()).channel).toBe('payments');
    expect(second!.faults.calls('evaluate')).toBe(1);
    first!.faults.next('endorse', notJoined);
    expect((await payments.submit(CREATE)).blockNumber).toBe(1);
    expect(await failure(channel.channels.get('unjoined')!.chainInfo())).toMatchObject({
      code: 'LEDGER.CHANNEL_UNKNOWN',
    });
    first!.faults.next('evaluate', notJoined);
    second!.stop();
    expect(await failure(payments.chainInfo())).toMatchObject({ code: 'LEDGER.UNAVAILABLE' });
  });

  it('is found valid although a second copy of it was refused as a duplicate', async () => {
    await begin();
    const { chain } = made.network;
    const recordedAt = chain.recordedAt.bind(chain);
    let isTold = false;
    jest.spyOn(chain, 'recordedAt').mockImplementation((transactionId) => {
      const at = recordedAt(transactionId);
      if (at === undefined || isTold) return at;
      isTold = true;
      return { blockNumber: 2, validationCode: 9 };
    });
    const { transactionId, blockNumber } = await channel.submit(CREATE);
    expect(blockNumber).toBe(1);
    expect(await channel.transactionById(transactionId)).toMatchObject({ blockNumber: 1, validationCode: 0 });
  });

  it('has an unknown outcome when no attempt was answered, and is found by its id', async () => {
    await begin({ limits: { evaluate: 60_000, endorse: 60_000, submit: 2000, commit: 60_000 } });
    faults.next('submit', ...Array<Fault>(50).fill({ kind: 'fail-after', with: BROKEN }));
    const error = await failure(channel.submit(CREATE));
    expect(error).toMatchObject({ code: 'LEDGER.OUTCOME_UNKNOWN' });
    expect(error.message).toContain(error.transactionId);
    expect(await channel.transactionById(error.transactionId!)).toMatchObject({ validationCode: 0 });
  });

  it('has an unknown outcome when too few orderers of a BFT channel took it, which was once called certain', async () => {
    await begin({ limits: { evaluate: 60_000, endorse: 60_000, submit: 2000, commit: 60_000 } });
    faults.next('submit', ...Array<Fault>(50).fill({ kind: 'fail-after', with: TOO_FEW(GONE) }));
    const error = await failure(channel.submit(CREATE));
    expect(error).toMatchObject({ code: 'LEDGER.OUTCOME_UNKNOWN' });
    expect(await channel.transactionById(error.transactionId!)).toMatchObject({ validationCode: 0 });
  });

  it('is expected to work while orderers of a BFT channel answer, and not when none does', async () => {
    await begin({ limits: { evaluate: 60_000, endorse: 60_000, submit: 2000, commit: 60_000 } });
    faults.next('submit', { kind: 'fail', with: TOO_FEW(REFUSED) });
    expect(await made.ledger.connectionState()).toEqual({ status: 'ready' });
    faults.next('submit', ...Array<Fault>(50).fill({ kind: 'fail', with: TOO_FEW(GONE) }));
    expect(await failure(channel.submit(CREATE))).toMatchObject({ code: 'LEDGER.OUTCOME_UNKNOWN' });
    await until(async () => (await made.ledger.connectionState()).status === 'read-only');
    faults.clear();
    await ready(made.ledger);
  });

  it('has an unknown outcome when the orderer hangs', async () => {
    await begin({ limits: { ...LONG, submit: 300 } });
    faults.next('submit', { kind: 'hang' });
    const error = await failure(channel.submit(CREATE));
    expect(error).toMatchObject({ code: 'LEDGER.OUTCOME_UNKNOWN' });
    expect(await channel.transactionById(error.transactionId!)).toBeUndefined();
  });

  it('has an unknown outcome when the commit is not reported in time, and is found by its id', async () => {
    await begin({ limits: { ...LONG, commit: 300 } });
    faults.next('commitStatus', { kind: 'hang' });
    const error = await failure(channel.submit(CREATE));
    expect(error).toMatchObject({ code: 'LEDGER.OUTCOME_UNKNOWN' });
    await until(async () => (await channel.transactionById(error.transactionId!))?.validationCode === 0);
  });

  it('is looked up again when the peer restarts before it answered', async () => {
    await begin();
    faults.next('commitStatus', { kind: 'hang' });
    const call = channel.submit(CREATE);
    await until(() => Promise.resolve(faults.calls('commitStatus') === 1));
    made.network.peers[0]!.stop();
    await made.network.peers[0]!.start();
    expect(await call).toMatchObject({ blockNumber: 1 });
  });

  it('continues through another peer if the first is gone after the endorsement', async () => {
    await begin({ network: { peers: 2 } });
    faults.next('submit', { kind: 'hang' });
    const call = channel.submit(CREATE);
    await until(() => Promise.resolve(faults.calls('submit') === 1));
    made.network.peers[0]!.stop();
    expect(await call).toMatchObject({ blockNumber: 1 });
  });

  it.each(['evaluate', 'endorse', 'submit', 'commitStatus'] as const)(
    'is not harmed by a peer that has too many calls at %s',
    async (point) => {
      await begin();
      faults.next(point, ...Array<Fault>(2).fill({ kind: 'fail', with: TOO_MANY }));
      await channel.submit(CREATE);
      expect(json(await channel.evaluate(READ))).toMatchObject({ owner: 'Tom' });
    },
  );

  it('is refused as too much when the peer stays overloaded', async () => {
    await begin();
    faults.next('endorse', ...Array<Fault>(20).fill({ kind: 'fail', with: TOO_MANY }));
    const error = await failure(channel.submit(CREATE));
    expect(error).toMatchObject({ code: 'LEDGER.OVERLOADED', retryable: true });
  });

  it('ends when a peer hangs while it endorses, certain that nothing was written', async () => {
    await begin({ limits: { ...LONG, endorse: 300 } });
    faults.next('endorse', { kind: 'hang' });
    expect(await failure(channel.submit(CREATE))).toMatchObject({ code: 'LEDGER.TIMEOUT' });
    expect((await channel.chainInfo()).height).toBe(1);
  });

  it('ends when a peer hangs while it evaluates', async () => {
    // Probes may reach the peer first, and nothing else may have to succeed within the short limit.
    made = await gatewayOnStandIn({ limits: { ...LONG, evaluate: 300 } });
    made.network.peers[0]!.faults.next('evaluate', ...Array<Fault>(20).fill({ kind: 'hang' }));
    expect(await failure(made.ledger.evaluate(READ))).toMatchObject({ code: 'LEDGER.TIMEOUT' });
  });

  it('is refused permanently by an orderer', async () => {
    await begin();
    const message =
      'received unsuccessful response from orderer: status=FORBIDDEN, info=implicit policy evaluation failed';
    faults.next('submit', { kind: 'fail', with: { code: 10, message } });
    expect(await failure(channel.submit(CREATE))).toMatchObject({ code: 'LEDGER.MISCONFIGURED' });
    expect(faults.calls('submit')).toBe(1);
  });
});

describe('the connections of fabric-gateway', () => {
  it('name the root that they do not trust', async () => {
    const stranger = await createOrganisation();
    const made = await gatewayOnStandIn({ network: { transport: 'tls' } });
    try {
      writeFileSync(join(made.directory, 'tls.pem'), stranger.tls.root.certificate);
      const ledger = await createFabricGatewayLedger({
        channel: 'mychannel',
        chaincode: 'basic',
        mspId: 'Org1MSP',
        peers: [{ endpoint: made.network.peers[0]!.endpoint }],
        identity: { certificate: join(made.directory, 'cert.pem'), privateKey: join(made.directory, 'key.pem') },
        tls: { rootCertificates: join(made.directory, 'tls.pem') },
        limits: { evaluate: 60_000, endorse: 60_000, submit: 60_000, commit: 60_000 },
      });
      const error = await failure(ledger.evaluate(READ));
      expect(error).toMatchObject({ code: 'LEDGER.UNAVAILABLE' });
      expect(error.message).toMatch(/certificate|signature/);
      await ledger.close();
    } finally {
      await made.dispose();
    }
  });

  it('use new TLS certificates from the disk without a restart', async () => {
    const made = await gatewayOnStandIn({ network: { transport: 'mutual-tls' } });
    try {
      const channel = made.ledger;
      await channel.submit(CREATE);
      const stranger = await createOrganisation();
      writeFileSync(join(made.directory, 'tls.pem'), stranger.tls.root.certificate);
      await until(
        async () =>
          (await channel.evaluate(READ).then(
            () => 'ok',
            () => 'failed',
          )) === 'failed',
      );
      writeFileSync(join(made.directory, 'tls.pem'), made.network.organisation.tls.root.certificate);
      await ready(made.ledger);
      expect(json(await channel.evaluate(READ))).toMatchObject({ owner: 'Tom' });
    } finally {
      await made.dispose();
    }
  });
});

function json(bytes: Uint8Array): unknown {
  return JSON.parse(Buffer.from(bytes).toString());
}
