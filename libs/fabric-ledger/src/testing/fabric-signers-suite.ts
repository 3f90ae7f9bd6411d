import { generateKeyPairSync, X509Certificate } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { decodeBlock, decodeEnvelope } from '#fabric-codec';
import type { Ledger } from '#ledger-gateway';
import { until } from '../../../../test/support/until.js';
import {
  create,
  exists,
  failure,
  failures,
  isOk,
  json,
  openInEachTest,
  ready,
  type OpenLedger,
} from './fabric-suite.js';
import { QUICK_PACE } from './ledgers-on-stand-in.js';
import { createOrganisation, serialNumberOf } from './stand-in-identities.js';

/** The tests of both Fabric drivers for the identities that sign. */
export function fabricSignersSuite(name: string, open: OpenLedger): void {
  describe(`signers of ${name}`, () => {
    const start = openInEachTest(open);

    it('reports a refused identity, and loads a new one from disk without a restart', async () => {
      const { network, ledger, channel, useIdentity } = await start();
      const stranger = await createOrganisation();
      useIdentity(stranger.client);
      await until(async () => !(await isOk(channel.evaluate(exists('a')))));
      const error = await failure(channel.evaluate(exists('a')));
      expect(error).toMatchObject({ code: 'LEDGER.MISCONFIGURED' });
      expect(error.message).toMatch(/User1@org1\.example\.com of Org1MSP \(valid until \d{4}-/);
      expect(await failure(channel.submit(create('a')))).toMatchObject({ code: 'LEDGER.MISCONFIGURED' });

      useIdentity(await network.organisation.issueClient('User2@org1.example.com'));
      await ready(ledger);
      const { transactionId } = await channel.submit(create('a'));
      expect(await creatorOf(channel, transactionId)).toContain('User2@org1.example.com');
    });

    it("signs with each caller's own identity, also in one block, and without a caller with the service's", async () => {
      const { network, channel, addCaller } = await start();
      const callers = ['alice', 'bob'];
      for (const name of callers) addCaller(name, await network.organisation.issueClient(name));
      await channel.submit(create('own'));
      const creatorsOf = async (number: number): Promise<string[]> =>
        envelopesIn((await channel.blockByNumber(number))!.bytes).map((envelope) => creatorIn(envelope));
      expect(await creatorsOf(1)).toEqual([expect.stringContaining('CN=User1@org1.example.com')]);
      let isTogether = false;
      for (let round = 0; !isTogether; round++) {
        if (round === 100) throw new Error('The two were never ordered into one block.');
        const written = await Promise.all(
          callers.map((caller) => channel.submit(create(`${caller}${round}`), { caller })),
        );
        for (const [index, { transactionId }] of written.entries()) {
          expect(await creatorOf(channel, transactionId)).toContain(`CN=${callers[index]}`);
        }
        isTogether = written[0]!.blockNumber === written[1]!.blockNumber;
      }
      expect(json(await channel.evaluate(exists('alice0'), { caller: 'bob' }))).toBe(true);
    });

    it('refuses a caller without an identity, and accepts it once it has one', async () => {
      const { network, channel, addCaller } = await start();
      const refused = await failures([
        channel.submit(create('a'), { caller: 'alice' }),
        channel.evaluate(exists('a'), { caller: 'alice' }),
        channel.submit(create('a'), { caller: 'User1' }),
        channel.submit(create('a'), { caller: 'admin' }),
      ]);
      for (const error of refused) expect(error).toMatchObject({ code: 'LEDGER.UNKNOWN_CALLER', retryable: false });
      expect((await channel.chainInfo()).height).toBe(1);
      addCaller('alice', await network.organisation.issueClient('alice'));
      const { transactionId } = await channel.submit(create('a'), { caller: 'alice' });
      expect(await creatorOf(channel, transactionId)).toContain('CN=alice');
    });

    it('refuses a caller on the revocation list with its own code, and logs it once', async () => {
      const warnings: object[] = [];
      const ignore = (): void => undefined;
      const warn = (facts: object): void => {
        if ('caller' in facts) warnings.push(facts);
      };
      const { network, channel, addCaller } = await start({ logger: { info: ignore, warn, error: ignore } });
      const alice = await network.organisation.issueClient('alice');
      addCaller('alice', alice);
      await channel.submit(create('a'), { caller: 'alice' });
      network.organisation.revoked.add(serialNumberOf(alice.certificate));
      const refused = await failures([
        channel.submit(create('b'), { caller: 'alice' }),
        channel.evaluate(exists('a'), { caller: 'alice' }),
      ]);
      for (const error of refused) expect(error).toMatchObject({ code: 'LEDGER.CALLER_REFUSED', retryable: false });
      expect(warnings).toEqual([{ caller: 'alice', reason: expect.stringContaining('alice of Org1MSP') }]);
      expect(json(await channel.evaluate(exists('a')))).toBe(true);
    });

    it('authorizes a caller by a query with its identity, and caches the result for a limited time', async () => {
      const { network, channel, addCaller } = await start();
      expect(await failure(channel.authorize('alice'))).toMatchObject({ code: 'LEDGER.UNKNOWN_CALLER' });
      const [old, renewed] = await Promise.all(['alice', 'alice'].map((it) => network.organisation.issueClient(it)));
      addCaller('alice', old!);
      await channel.authorize('alice');
      network.organisation.revoked.add(serialNumberOf(old!.certificate));
      await until(async () => !(await isOk(channel.authorize('alice'))));
      expect(await failure(channel.authorize('alice'))).toMatchObject({ code: 'LEDGER.CALLER_REFUSED' });
      addCaller('alice', renewed!);
      await until(() => isOk(channel.authorize('alice')));
    });

    it('does not cache a failed check', async () => {
      const { network, channel, addCaller } = await start({ pace: { ...QUICK_PACE, access: 3_600_000 } });
      addCaller('alice', await network.organisation.issueClient('alice'));
      network.chainRefusal = () => 'not now';
      expect(await failure(channel.authorize('alice'))).toMatchObject({ code: 'LEDGER.REFUSED' });
      network.chainRefusal = () => undefined;
      await channel.authorize('alice');
      network.chainRefusal = () => 'a cached result is not asked for again';
      await channel.authorize('alice');
    });

    it('signs with a P-384 key as the network verifies it', async () => {
      const { network, ledger, channel, useIdentity } = await start();
      const keys = generateKeyPairSync('ec', { namedCurve: 'P-384' });
      useIdentity(await network.organisation.issueClient('User384@org1.example.com', keys));
      await until(async () => {
        const { transactionId } = await channel.submit({ function: 'InitLedger', arguments: [] });
        return (await creatorOf(channel, transactionId)).includes('User384@org1.example.com');
      });
      await ready(ledger);
    });
  });
}

/** Returns the certificate subject of a transaction's creator. */
async function creatorOf(channel: Ledger, transactionId: string): Promise<string> {
  const transaction = await channel.transactionById(transactionId);
  return creatorIn(transaction!.envelope);
}

function creatorIn(envelope: Uint8Array): string {
  return new X509Certificate(decodeEnvelope(envelope).creator.idBytes).subject;
}

function envelopesIn(block: Uint8Array): readonly Uint8Array[] {
  return decodeBlock(block).envelopes;
}
