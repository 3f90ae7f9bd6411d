import { describe, expect, it } from '@jest/globals';
import type { Ledger, LedgerCall } from '#ledger-gateway';
import { assetOf, create, failure, json, openInEachTest, type OpenLedger } from './fabric-suite.js';
import { goSampleChaincode, sampleChaincode } from './stand-in-chaincode.js';

/** The tests of both Fabric drivers for the chaincode of fabric-samples, whose semantics differ from our contract. */
export function fabricSamplesSuite(name: string, open: OpenLedger): void {
  describe(`${name}, on fabric-samples' chaincode`, () => {
    const openLedger = openInEachTest(open);
    const start = async (): Promise<Ledger> => (await openLedger({ network: { chaincode: sampleChaincode } })).channel;

    it('answers writes with the asset as our contract does', async () => {
      const channel = await start();
      const created = await channel.submit(create('a'));
      expect(json(created.result)).toEqual({ ID: 'a', color: 'blue', size: '5', owner: 'Tom', appraisedValue: '100' });
      const updated = await channel.submit({ function: 'UpdateAsset', arguments: ['a', 'red', '8.5', 'Ann', '-1'] });
      expect(json(updated.result)).toEqual({ ID: 'a', color: 'red', size: '8.5', owner: 'Ann', appraisedValue: '-1' });
      const moved = await channel.submit({ function: 'TransferAsset', arguments: ['a', 'Bob'] });
      expect(json(moved.result)).toEqual({ ID: 'a', color: 'red', size: '8.5', owner: 'Bob', appraisedValue: '-1' });
    });

    it('refuses numbers that the chaincode would alter, and other texts, naming the field', async () => {
      const channel = await start();
      const refused = ['1e3', '0x10', ' 7 ', '007', '-0', '90071992547409931.5', 'Infinity', '5.0', 'big', ''];
      for (const value of refused) {
        for (const [field, size, appraisedValue] of [
          ['size', value, '1'],
          ['appraisedValue', '1', value],
        ] as const) {
          const call = { function: 'CreateAsset', arguments: ['a', 'blue', size, 'Tom', appraisedValue] };
          const error = await failure(channel.submit(call));
          expect(error).toMatchObject({ code: 'LEDGER.INVALID_ARGUMENT' });
          expect(error.message).toMatch(new RegExp(`^${field} must be a plain number`));
        }
      }
      expect((await channel.chainInfo()).height).toBe(1);
    });

    it('keeps integers above 2^53 of Go chaincode when they are read, edited and written', async () => {
      const { channel } = await openLedger({ network: { chaincode: goSampleChaincode } });
      const large = '9007199254740993';
      const asset = { ID: 'a', appraisedValue: large, color: 'blue', owner: 'Tom', size: '5' };
      const change = (name: string, color: string): LedgerCall => ({
        function: name,
        arguments: ['a', color, '5', 'Tom', large],
      });
      expect(json((await channel.submit(change('CreateAsset', 'blue'))).result)).toEqual(asset);
      expect(await assetOf(channel, 'a')).toEqual(asset);
      const edited = await channel.submit(change('UpdateAsset', 'red'), { idempotencyKey: 'edit' });
      expect(json(edited.result)).toEqual({ ...asset, color: 'red' });
      const { items } = await channel.assets!({ limit: 10 });
      expect(items).toEqual([JSON.stringify({ ...asset, color: 'red' })]);
    });

    it('returns what the chaincode stored where it rounds integers above 2^53', async () => {
      const channel = await start();
      const call = { function: 'CreateAsset', arguments: ['a', 'blue', '5', 'Tom', '9007199254740993'] };
      const { result } = await channel.submit(call);
      expect(json(result)).toMatchObject({ appraisedValue: '9007199254740992' });
    });

    it('returns pages in byte order of the ids', async () => {
      const channel = await start();
      const ids = ['b', 'a', 'ä', '🚀', '\uff1d', 'a1', 'Z'];
      await Promise.all(ids.map((id) => channel.submit(create(id))));
      const seen: string[] = [];
      for (let bookmark: string | undefined = ''; bookmark !== undefined;) {
        const call = { function: 'GetAssetsPage', arguments: ['3', bookmark] };
        const page = json(await channel.evaluate(call)) as { assets: { ID: string }[]; bookmark: string };
        expect(page.assets.length).toBeLessThanOrEqual(3);
        seen.push(...page.assets.map(({ ID }) => ID));
        bookmark = page.bookmark === '' ? undefined : page.bookmark;
      }
      expect(seen).toEqual(ids.toSorted((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b))));
      expect(json(await channel.evaluate({ function: 'GetAllAssets', arguments: [] }))).toHaveLength(ids.length);
    });

    it('creates the initial assets without overwriting any', async () => {
      const channel = await start();
      const init = { function: 'InitLedger', arguments: [] };
      const all = await channel.submit(init);
      expect(json(all.result)).toEqual([1, 2, 3, 4, 5, 6].map((n) => `asset${n}`));
      await channel.submit({ function: 'TransferAsset', arguments: ['asset1', 'Ann'] });
      await channel.submit({ function: 'DeleteAsset', arguments: ['asset2'] });
      await channel.submit({ function: 'DeleteAsset', arguments: ['asset4'] });
      const some = await channel.submit(init);
      expect(json(some.result)).toEqual(['asset2', 'asset4']);
      expect(some.transactionIds).toHaveLength(2);
      expect(await assetOf(channel, 'asset1')).toMatchObject({ owner: 'Ann' });
      const none = await channel.submit(init);
      expect(json(none.result)).toEqual([]);
    });
  });
}
