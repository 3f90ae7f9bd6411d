import { beforeAll, describe, expect, it } from '@jest/globals';
import type { LedgerChannel } from '../ports/ledger.port.js';
import { expectRefusal } from './expect-refusal.js';

/** The tests for lists of records that every index of them must pass, on a ledger with the chaincode `records`. */
export function recordsConformance(ledger: () => LedgerChannel): void {
  describe('records', () => {
    const call = async (name: string, ...args: readonly string[]) =>
      ledger().submit({ chaincode: 'records', function: name, arguments: args });
    const define = (indexes: readonly string[]) =>
      call('DefineType', 'visit', JSON.stringify({ mode: 'mutable', indexes }));
    const create = (id: string, document: object) => call('Create', 'visit', id, JSON.stringify(document));
    const found = async (where: Readonly<Record<string, string>>, limit = 100) => {
      const conditions = Object.entries(where).map(([field, value]) => ({ field, value }));
      const ids: string[] = [];
      for (let after: string | undefined = ''; after !== undefined;) {
        const page: { items: readonly { id: string }[]; next?: string } = await ledger().lists.records!({
          type: 'visit',
          where: conditions,
          limit,
          ...(after !== '' && { after }),
        });
        ids.push(...page.items.map(({ id }) => id));
        after = page.next;
      }
      return ids;
    };

    beforeAll(async () => {
      await define(['user', 'place.city']);
      for (let n = 0; n < 9; n++) {
        await create(`v${n}`, { user: n % 2 ? 'ana' : 'bob', place: { city: `c${n % 3}` }, tags: [n, 'x'] });
      }
    });

    it('are found by their indexed fields, in pages', async () => {
      expect(await found({ user: 'ana' })).toEqual(['v1', 'v3', 'v5', 'v7']);
      expect(await found({ user: 'ana' }, 1)).toEqual(['v1', 'v3', 'v5', 'v7']);
      expect(await found({ 'place.city': 'c1', user: 'ana' }, 1)).toEqual(['v1', 'v7']);
      expect(await found({ user: 'carl' })).toEqual([]);
      const { items } = await ledger().lists.records!({
        type: 'visit',
        where: [{ field: 'user', value: 'ana' }],
        limit: 1,
      });
      expect(items).toEqual([{ id: 'v1', record: expect.stringMatching(/^\{"d":\{"place".*\},"v":1\}$/) }]);
    });

    it('are found by what they are now, and by indexes that were added later', async () => {
      await call('Update', 'visit', 'v1', '{"user":"zoe"}', '');
      await call('Delete', 'visit', 'v3', '');
      expect(await found({ user: 'ana' })).toEqual(['v5', 'v7']);
      expect(await found({ user: 'zoe' })).toEqual(['v1']);
      await define(['user', 'tags']);
      expect(await found({ tags: 'x' })).toEqual(['v0', 'v2', 'v4', 'v5', 'v6', 'v7', 'v8']);
      expect(await found({ 'place.city': 'c2' })).toEqual([]);
      const ids = await call('CreateMany', 'visit', '[{"id":"w1","document":{"user":"zoe"}},{"document":5,"id":"w2"}]');
      expect(Buffer.from(ids.result).toString()).toContain('"created":["w1","w2"]');
      expect(await found({ user: 'zoe' })).toEqual(['v1', 'w1']);
    });

    it('are read as they were after a block', async () => {
      const { blockNumber } = await create('old', { user: 'first' });
      const { blockNumber: next } = await call('Update', 'visit', 'old', '{"user":"second"}', '');
      const name = { type: 'visit', id: 'old' };
      const at = (block: number) => ledger().lists.recordAt!(name, block);
      expect(await at(blockNumber)).toContain('"user":"first"');
      expect(await at(next)).toContain('"user":"second"');
      await expectRefusal(at(blockNumber - 1), 'LEDGER.RECORD_NOT_FOUND');
      await expectRefusal(at(next + 1000), 'LEDGER.INVALID_ARGUMENT');
      await expectRefusal(ledger().lists.recordAt!({ type: 'visit', id: 'none' }, next), 'LEDGER.RECORD_NOT_FOUND');
    });
  });
}
