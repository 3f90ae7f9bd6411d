import { inspect } from 'node:util';
import { describe, expect, it } from '@jest/globals';
import { decodeBlock } from '#fabric-codec';
import type { CallOptions, Ledger, LedgerCall, LedgerError, SubmitResult } from '#ledger-gateway';
import { create, exists, failure, json, openInEachTest, type OpenLedger } from './fabric-suite.js';
import { LIMITS } from './ledgers-on-stand-in.js';
import type { StandInChain } from './stand-in-chain.js';
import { sampleChaincode } from './stand-in-chaincode.js';
import type { Fault } from './stand-in-faults.js';

const COPIES = 40;
/** gRPC's UNAVAILABLE. */
const UNAVAILABLE: Fault = { kind: 'fail', with: { code: 14, message: 'No connection established' } };

/** The tests of both Fabric drivers for keyed writes with replicas and failures. */
export function fabricKeyedSuite(name: string, open: OpenLedger): void {
  describe(`keyed writes through ${name}`, () => {
    let chain: StandInChain;
    const openLedger = openInEachTest(open);
    const start: typeof openLedger = async (options) => {
      const made = await openLedger(options);
      ({ chain } = made.network);
      return made;
    };
    const codes = (): number[] => chain.blocks.slice(1).flatMap((bytes) => [...decodeBlock(bytes).validationCodes]);
    const valid = (): number => codes().filter((code) => code === 0).length;

    it('are one transaction, however many concurrent copies two replicas receive', async () => {
      const { channel, replicate } = await start();
      const channels = [channel, await replicate()];
      const answers = await Promise.all(
        Array.from({ length: COPIES }, (_, n) => keyed(channels[n % 2]!, 'copies', create('a'))),
      );
      for (const { transactionId, blockNumber, result } of answers) {
        expect({ transactionId, blockNumber, result }).toEqual(withoutReplay(answers[0]!));
      }
      expect(valid()).toBe(1);
    });

    it('execute one of two different writes with a key on two replicas, and refuse the other', async () => {
      const { channel, replicate } = await start();
      const replica = await replicate();
      for (let round = 0; round < 8; round++) {
        const calls = [
          keyed(channel, `k${round}`, create(`${round}-a`)),
          keyed(replica, `k${round}`, create(`${round}-b`)),
        ];
        const ends = await Promise.allSettled(calls);
        const codesOf = ends.map((end) => (end.status === 'rejected' ? (end.reason as LedgerError).code : 'written'));
        expect(codesOf.toSorted((a, b) => a.localeCompare(b))).toEqual(['LEDGER.KEY_REUSED', 'written']);
        const there = await Promise.all(['a', 'b'].map((id) => isThere(channel, `${round}-${id}`)));
        expect(there).toEqual(codesOf.map((code) => code === 'written'));
      }
    });

    it('are retried after a conflict with the id of the next attempt, which each repeat finds', async () => {
      const { channel, reopen } = await start();
      await channel.submit(create('a'));
      const owners = ['Ann', 'Bob', 'Eve', 'Max'];
      const transfer = (owner: string): LedgerCall => ({ function: 'TransferAsset', arguments: ['a', owner] });
      const written = await Promise.all(owners.map((owner) => keyed(channel, owner, transfer(owner))));
      expect(codes().filter((code) => code === 11).length).toBeGreaterThan(0);
      const again = await reopen();
      for (const [index, owner] of owners.entries()) {
        expect(await keyed(again, owner, transfer(owner))).toEqual({ ...written[index]!, isReplay: true });
      }
      expect(valid()).toBe(1 + owners.length);
    });

    it("are found after the orderer's response, the commit status or the process was lost", async () => {
      const { network, channel, reopen } = await start({
        limits: { evaluate: 10_000, endorse: 10_000, submit: 1000, commit: 10_000 },
      });
      const [peer] = network.peers;
      const lost: Fault = { kind: 'fail-after', with: { code: 14, message: 'connection dropped' } };
      peer!.faults.next('submit', lost);
      network.orderer.faults.next('broadcast', lost);
      const first = await keyed(channel, 'lost', create('a'));
      expect(first.isReplay ?? false).toBe(false);
      peer!.faults.next('commitStatus', { kind: 'fail', with: { code: 13, message: 'internal' } });
      await keyed(channel, 'lost status', create('b'));
      const again = await reopen();
      expect(await keyed(again, 'lost', create('a'))).toEqual({ ...first, isReplay: true });
      expect(valid()).toBe(2);
    });

    it('are sent again with the same id while no orderer accepts them', async () => {
      const { network, channel } = await start();
      await channel.submit(create('before'));
      network.orderer.stop();
      const write = keyed(channel, 'patient', create('a'));
      const other = failure(channel.submit(create('b')));
      expect(await other).toMatchObject({ code: 'LEDGER.UNAVAILABLE' });
      await network.orderer.start();
      await write;
      expect(valid()).toBe(2);
    });

    it('fail as other writes do when no orderer accepts them in time', async () => {
      const { network, channel } = await start({ limits: { ...LIMITS, submit: 400 } });
      await channel.submit(create('before'));
      const points = ['endorse', 'processProposal'] as const;
      for (const point of points) network.peers[0]!.faults.next(point, ...Array<Fault>(100).fill(UNAVAILABLE));
      const error = await failure(keyed(channel, 'late', create('a')));
      expect(['LEDGER.UNAVAILABLE', 'LEDGER.TIMEOUT']).toContain(error.code);
      network.peers[0]!.faults.clear();
      await keyed(channel, 'late', create('a'));
      expect(valid()).toBe(2);
    });

    it('answer a repeat after the certificates of service and caller were renewed, before and after a restart', async () => {
      const { network, channel, useIdentity, addCaller, reopen } = await start();
      const renewed = (common: string) => network.organisation.issueClient(common);
      addCaller('alice', await renewed('alice'));
      const callers = [undefined, 'alice'];
      const submit = (from: Ledger, caller: string | undefined, options: CallOptions = {}): Promise<SubmitResult> =>
        keyed(from, 'renewed', create(caller ?? 'service'), { ...options, caller });
      const first: SubmitResult[] = [];
      for (const caller of callers) first.push(await submit(channel, caller));
      const replay = async (from: Ledger): Promise<void> => {
        for (const [index, caller] of callers.entries()) {
          expect(await submit(from, caller)).toEqual({ ...first[index]!, isReplay: true });
        }
      };
      useIdentity(await renewed('User2@org1.example.com'));
      addCaller('alice', await renewed('alice'));
      await replay(channel);
      const again = await reopen();
      await replay(again);
      useIdentity(await renewed('User3@org1.example.com'));
      addCaller('alice', await renewed('alice'));
      await replay(await reopen());
      expect(valid()).toBe(2);
    });

    it('are not looked up under certificates that were replaced longer ago than the configured days', async () => {
      const { network, channel, useIdentity, reopen } = await start();
      await keyed(channel, 'old', create('a'));
      useIdentity(await network.organisation.issueClient('User2@org1.example.com'));
      const again = await reopen({ idempotencyDays: 0 });
      expect(await failure(keyed(again, 'old', create('a')))).toMatchObject({ code: 'LEDGER.ASSET_EXISTS' });
      expect(await keyed(await reopen(), 'old', create('a'))).toMatchObject({ isReplay: true });
    });

    it('are executed once although signAs was changed in between, in both directions', async () => {
      const { network, addCaller, reopen } = await start();
      addCaller('alice', await network.organisation.issueClient('alice'));
      for (const [before, after] of [
        ['caller', 'service'],
        ['service', 'caller'],
      ] as const) {
        const key = `from ${before}`;
        const caller = { caller: 'alice' };
        const first = await keyed(await reopen({ signAs: before }), key, create(key), caller);
        const again = await keyed(await reopen({ signAs: after }), key, create(key), caller);
        expect(again).toEqual({ ...first, isReplay: true });
      }
      expect(valid()).toBe(2);
    });

    it('report a record in blocks that the peer does not have, and write nothing', async () => {
      const { network, channel } = await start();
      await keyed(channel, 'pruned', create('a'));
      const height = network.chain.blocks.length;
      network.chainRefusal = (asked) =>
        asked === 'GetTransactionByID'
          ? 'Failed to get transaction with id x, error details for the TXID [x] not available. Ledger bootstrapped from a snapshot. First available block = [7]'
          : undefined;
      const error = await failure(keyed(channel, 'pruned', create('a')));
      expect(error).toMatchObject({ code: 'LEDGER.OUTCOME_PRUNED', retryable: false });
      expect(network.chain.blocks.length).toBe(height);
    });

    it('were refused while a peer was still executing another copy', async () => {
      const { network, channel } = await start();
      await channel.submit(create('before'));
      let refusals = 0;
      network.simulationRefusal = (id) => {
        const text = `error in simulation: failed to execute transaction ${id}: error sending: txid: ${id}(mychannel) exists`;
        return refusals++ < 8 ? text : undefined;
      };
      await keyed(channel, 'busy', create('a'));
      expect(refusals).toBeGreaterThan(8);
      expect(valid()).toBe(2);
    });

    it('report a running copy at the end of the time limit only, without the creator that peers name', async () => {
      const { network, channel } = await start({ limits: { ...LIMITS, submit: 3000 } });
      await keyed(channel, 'copy', create('a'));
      network.chainRefusal = () => 'Failed to get transaction with id x, error no such transaction ID [x] in index';
      const error = await failure(keyed(channel, 'copy', create('a')));
      expect(error).toMatchObject({ code: 'LEDGER.KEY_IN_USE', retryable: true });
      const { certificate } = network.organisation.client;
      const shown = inspect(error, { depth: 20, maxStringLength: Infinity, showHidden: true });
      expect(shown).not.toContain(Buffer.from(certificate).subarray(40, 60).toString('hex'));
      expect(shown).not.toMatch(/Creator|[0-9a-f]{200}/);
      expect(network.chain.blocks).toHaveLength(2);
    });

    it("return the asset from the write set on fabric-samples' chaincode, in the first answer too", async () => {
      const { channel } = await start({ network: { chaincode: sampleChaincode } });
      const as = (owner: string) => ({ ID: 'a', color: 'blue', size: '5', owner, appraisedValue: '100' });
      expect(json((await keyed(channel, 'c', create('a'))).result)).toEqual(as('Tom'));
      const transfer = (): Promise<SubmitResult> =>
        keyed(channel, 't', { function: 'TransferAsset', arguments: ['a', 'Ann'] });
      expect(json((await transfer()).result)).toEqual(as('Ann'));
      await channel.submit({ function: 'TransferAsset', arguments: ['a', 'Bob'] });
      expect(json((await transfer()).result)).toEqual(as('Ann'));
      expect(json((await keyed(channel, 'c', create('a'))).result)).toEqual(as('Tom'));
      for (let n = 0; n < 2; n++) await keyed(channel, 'i', { function: 'InitLedger', arguments: [] });
    });
  });
}

function keyed(channel: Ledger, key: string, call: LedgerCall, options: CallOptions = {}): Promise<SubmitResult> {
  return channel.submit(call, { ...options, idempotencyKey: key });
}

function withoutReplay({ transactionId, blockNumber, result }: SubmitResult): SubmitResult {
  return { transactionId, blockNumber, result };
}

async function isThere(channel: Ledger, id: string): Promise<boolean> {
  return json(await channel.evaluate(exists(id))) === true;
}
