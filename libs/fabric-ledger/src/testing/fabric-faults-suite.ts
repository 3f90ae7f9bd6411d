import { describe, expect, it } from '@jest/globals';
import { decodeBlock, decodeEnvelope } from '#fabric-codec';
import type { Ledger, LedgerError } from '#ledger-gateway';
import type { ConnectionState } from '#ledger-gateway/driver';
import { until } from '../../../../test/support/until.js';
import {
  assetOf,
  create,
  exists,
  failure,
  failures,
  isOk,
  openInEachTest,
  read,
  ready,
  type OpenLedger,
} from './fabric-suite.js';
import { HASTY_PACE } from './ledgers-on-stand-in.js';

/** The tests of both Fabric drivers for nodes that stop, return, refuse or hang. */
export function fabricFaultsSuite(name: string, open: OpenLedger): void {
  describe(`failures of a network with ${name}`, () => {
    const start = openInEachTest(open);

    it('reports that the peer is unreachable, and works again when it is back', async () => {
      const { network, ledger, channel } = await start({ pace: HASTY_PACE });
      await ready(ledger);
      await channel.submit(create('a'));
      network.peers[0]!.stop();
      expect(await failure(channel.evaluate(read('a')))).toMatchObject({ code: 'LEDGER.UNAVAILABLE' });
      expect(await failure(channel.submit(create('b')))).toMatchObject({ code: 'LEDGER.UNAVAILABLE' });
      await until(async () => (await ledger.connectionState()).status === 'unavailable');
      await network.peers[0]!.start();
      await ready(ledger);
      await until(() => isOk(channel.evaluate(read('a'))));
      await until(() => isOk(channel.submit(create('b'))));
    });

    it('has no totals without an index, which would require the whole chain', async () => {
      const { ledger } = await start({});
      expect(ledger.lists.totals).toBeUndefined();
    });

    it('starts while no peer is running, and works as soon as one is', async () => {
      const { network, ledger, channel } = await start({ network: { isDown: true }, pace: HASTY_PACE });
      expect(await ledger.connectionState()).toMatchObject({ status: 'unavailable' });
      await network.peers[0]!.start();
      await ready(ledger);
      await until(() => isOk(channel.submit(create('a'))));
    });

    it('logs once that the network is unavailable at the start, and once that it is available', async () => {
      const logged: string[] = [];
      const logAs = (level: string) => (_facts: object, text: string) => {
        logged.push(`${level}: ${text}`);
      };
      const logger = { info: logAs('info'), warn: logAs('warn'), error: logAs('error') };
      const { network } = await start({ network: { isDown: true }, pace: HASTY_PACE, logger });
      await until(() => logged.length === 2);
      await network.peers[0]!.start();
      await until(() => logged.length === 3);
      expect(logged).toEqual([
        'info: ledger opened',
        expect.stringMatching(/^warn: the network is unavailable and will be checked again: .*/),
        'info: the network is available',
      ]);
    });

    it('closes at once while a probe of a peer hangs', async () => {
      const { network, ledger, channel } = await start();
      await channel.evaluate(exists('a'));
      const { faults } = network.peers[0]!;
      const asked = (): number => faults.calls('evaluate') + faults.calls('processProposal');
      for (const point of ['evaluate', 'processProposal'] as const) faults.next(point, { kind: 'hang' });
      const before = asked();
      const state = ledger.connectionState();
      await until(() => asked() > before);
      await ledger.close();
      expect(await state).toMatchObject({ status: 'unavailable' });
    });

    it('uses another peer when the first one has stopped, without an error', async () => {
      const { network, ledger, channel } = await start({ network: { peers: 2 } });
      await ready(ledger);
      await channel.submit(create('a'));
      network.peers[0]!.stop();
      expect(await assetOf(channel, 'a')).toMatchObject({ owner: 'Tom' });
    });

    it('reports that nothing was written when no orderer is reachable, and writes when it is back', async () => {
      const { network, ledger, channel } = await start({ pace: HASTY_PACE });
      await ready(ledger);
      await channel.submit(create('a'));
      network.orderer.stop();
      expect(await failure(channel.submit(create('b')))).toMatchObject({ code: 'LEDGER.UNAVAILABLE' });
      await untilHeight(channel, 2);
      await network.orderer.start();
      await ready(ledger);
      await until(() => isOk(channel.submit(create('c'))));
      await untilNotFound(channel, 'b');
    });

    it('is read-only while no orderer is reachable, and ready again afterwards', async () => {
      const { network, ledger, channel } = await start({ pace: HASTY_PACE });
      await until(() => isOk(channel.evaluate(exists('a'))));
      network.orderer.stop();
      let state: ConnectionState | undefined;
      await until(async () => (state = await ledger.connectionState()).status === 'read-only');
      expect((state as { reason?: string } | undefined)?.reason).toContain('No orderer');
      await untilNotFound(channel, 'a');
      await network.orderer.start();
      await ready(ledger);
      await untilHeight(channel, 1);
      network.orderer.stop();
      expect(await failure(channel.submit(create('a')))).toMatchObject({ code: 'LEDGER.UNAVAILABLE' });
      await until(async () => (await ledger.connectionState()).status === 'read-only');
      await network.orderer.start();
      await ready(ledger);
    });

    it('reports that the chaincode is down, and works when it is started', async () => {
      const { network, channel } = await start();
      await channel.submit(create('a'));
      const { chaincode } = network;
      network.chaincode = undefined;
      for (const error of await failures([channel.evaluate(read('a')), channel.submit(create('b'))])) {
        expect(error).toMatchObject({ code: 'LEDGER.UNAVAILABLE' });
        expect(error.message).toContain('Chaincode basic does not respond');
      }
      network.chaincode = chaincode;
      await channel.submit(create('b'));
    });

    it('yields every block once and in order across a restart of the peer', async () => {
      const { network, ledger, channel } = await start();
      const stop = new AbortController();
      const seen: number[] = [];
      const reading = (async () => {
        for await (const block of channel.blockEvents({ startBlock: 0, signal: stop.signal })) {
          seen.push(block.number);
          if (block.number === 3) stop.abort();
        }
      })();
      await channel.submit(create('a'));
      await until(() => seen.length === 2);
      network.peers[0]!.stop();
      await network.peers[0]!.start();
      await ready(ledger);
      for (const id of ['b', 'c']) await until(() => isOk(channel.submit(create(id))));
      await reading;
      expect(seen).toEqual([0, 1, 2, 3]);
    });

    it("reports a peer's malformed response as damaged", async () => {
      const { network, channel } = await start();
      const { transactionId } = await channel.submit(create('a'));
      const damaged: Readonly<Record<string, readonly number[]>> = {
        'a length that leads out of it': [0x12, 0x20, 1],
        'a group': [0x0b],
        'a length of 4 GiB': [0x12, 0xff, 0xff, 0xff, 0xff, 0x0f, 1],
        'no protobuf': [...Buffer.from('<html>')],
      };
      for (const [what, bytes] of Object.entries(damaged)) {
        network.chainAnswer = Uint8Array.from(bytes);
        const calls = [channel.chainInfo(), channel.blockByNumber(1), channel.transactionById(transactionId)];
        for (const { code } of await failures(calls)) expect({ what, code }).toEqual({ what, code: 'LEDGER.DAMAGED' });
      }
      network.chainAnswer = undefined;
      expect((await channel.chainInfo()).height).toBe(2);
    });

    it('reports an unknown channel', async () => {
      const { channel } = await start({ channel: 'other' });
      expect(await failure(channel.evaluate(read('a')))).toMatchObject({ code: 'LEDGER.MISCONFIGURED' });
      expect(await failure(channel.submit(create('a')))).toMatchObject({ code: 'LEDGER.MISCONFIGURED' });
    });

    it('reports an unknown chaincode', async () => {
      const { channel } = await start({ chaincode: 'bassic' });
      for (const error of await failures([channel.evaluate(read('a')), channel.submit(create('a'))])) {
        expect(error).toMatchObject({ code: 'LEDGER.MISCONFIGURED', retryable: false });
        expect(error.message).toMatch(/haincode bassic .*check LEDGER_CHAINCODE/);
      }
    });

    it.each([0, 100, 199, 400])('reports a response of chaincode with the status %i as its refusal', async (status) => {
      const { network, channel } = await start();
      await channel.submit(create('a'));
      network.chaincode = () => {
        // Words of a peer, in the mouth of a chaincode.
        throw Object.assign(new Error('access denied: connection refused'), { status });
      };
      const calls = [channel.evaluate(read('a')), channel.submit(create('b'))];
      const call = { chaincode: 'basic', function: 'Any', arguments: [] };
      for (const error of await failures([...calls, channel.evaluate(call), channel.submit(call)])) {
        expect(error.code).toBe('LEDGER.REFUSED');
        // The older SDK drops the message of this status.
        if (status !== 0) expect(error.message).toBe('access denied: connection refused');
      }
    });

    it('reports a transaction that the endorsement policy refuses with its id', async () => {
      const { network, channel } = await start();
      await channel.submit(create('a'));
      network.chain.verdict = 10;
      const { code, message, transactionId } = await failure(channel.submit(create('b')));
      expect([code, message]).toEqual([
        'LEDGER.INVALID_TRANSACTION',
        expect.stringContaining(`Transaction ${transactionId} was not committed: ENDORSEMENT_POLICY_FAILURE.`),
      ]);
    });

    it('retries a transaction after a conflict with a new id', async () => {
      const { channel } = await start();
      await channel.submit(create('a'));
      const owners = ['Ann', 'Bob', 'Eve'];
      const written = await Promise.all(
        owners.map((owner) => channel.submit({ function: 'TransferAsset', arguments: ['a', owner] })),
      );
      const codes = await validationCodes(channel);
      expect(codes.filter(({ code }) => code === 0)).toHaveLength(1 + owners.length);
      expect(codes.filter(({ code }) => code === 11).length).toBeGreaterThan(0);
      for (const { transactionId } of written) expect(codes).toContainEqual({ transactionId, code: 0 });
    });

    it('queues calls above the limit of a peer, and refuses calls above the limit of the queue', async () => {
      const { channel } = await start({ maxCalls: 2 });
      await channel.evaluate(exists('a'));
      const ends = await Promise.allSettled(Array.from({ length: 40 }, () => channel.evaluate(exists('a'))));
      const refused = ends.flatMap((end) => (end.status === 'rejected' ? [(end.reason as LedgerError).code] : []));
      expect(refused).toEqual(Array(28).fill('LEDGER.OVERLOADED'));
    });
  });
}

/** With a short connection timeout, a connection may fail once or twice on a busy machine. */
async function untilNotFound(channel: Ledger, id: string): Promise<void> {
  await until(async () => (await failure(channel.evaluate(read(id)))).code === 'LEDGER.ASSET_NOT_FOUND');
}

async function untilHeight(channel: Ledger, height: number): Promise<void> {
  let found: number | undefined;
  await until(async () => {
    found = await channel.chainInfo().then(
      (info) => info.height,
      () => undefined,
    );
    return found !== undefined;
  });
  expect(found).toBe(height);
}

/** Returns every transaction after block 0 with its validation code. */
async function validationCodes(channel: Ledger): Promise<{ transactionId: string; code: number | undefined }[]> {
  const { height } = await channel.chainInfo();
  const all: { transactionId: string; code: number | undefined }[] = [];
  for (let number = 1; number < height; number++) {
    const { envelopes, validationCodes: codes } = decodeBlock((await channel.blockByNumber(number))!.bytes);
    envelopes.forEach((envelope, position) => {
      all.push({ transactionId: decodeEnvelope(envelope).transactionId, code: codes[position] });
    });
  }
  return all;
}
