import { inspect } from 'node:util';
import { describe, expect, it } from '@jest/globals';
import type { Ledger, LedgerCall } from '#ledger-gateway';
import { failure, openInEachTest, type OpenLedger } from './fabric-suite.js';
import type { StandInChaincode } from './stand-in-chaincode.js';
import { STAND_IN_MSP } from './stand-in-identities.js';

const SECRET = '{"price":"110 \\"gold\\"","salt":"f3a9c1"}';

/** Uses the length of a secret, or repeats it in its refusals. */
const chaincode: StandInChaincode = (name, [form], state, { transient }) => {
  const secret = Buffer.from(transient.get('secret') ?? []).toString();
  const forms: Readonly<Record<string, string | undefined>> = {
    quoted: JSON.stringify(secret),
    base64: Buffer.from(secret).toString('base64'),
    plain: secret,
  };
  if (name === 'Refuse') throw new Error(`cannot use ${forms[form ?? ''] ?? 'it'}`);
  state.write({ key: 'k', value: Buffer.from(`${secret.length}`) });
  return Buffer.from(`${secret.length}`);
};

/** The tests of both Fabric drivers for private data. */
export function fabricPrivateSuite(name: string, open: OpenLedger): void {
  describe(`${name}, with transient data`, () => {
    const openLedger = openInEachTest(open);
    const start = async (): Promise<Ledger> => (await openLedger({ network: { chaincode } })).channel;
    const transient = new Map([
      ['secret', Buffer.from(SECRET)],
      ['other', Buffer.from([0, 255])],
    ]);
    const call = (functionName: string, ...args: string[]): LedgerCall => {
      return { chaincode: 'basic', function: functionName, arguments: args, transient };
    };
    const text = (bytes: Uint8Array): string => Buffer.from(bytes).toString();

    it('passes it to the chaincode, and leaves it out of the chain', async () => {
      const channel = await start();
      const length = String(SECRET.length);
      expect(text(await channel.evaluate(call('Length')))).toBe(length);
      const submits = await Promise.all([
        channel.submit(call('Length')),
        channel.submit(call('Length'), { idempotencyKey: 'key' }),
      ]);
      expect(submits.map(({ result }) => text(result))).toEqual([length, length]);
      const { height } = await channel.chainInfo();
      for (let number = 0; number < height; number++) {
        const { bytes } = (await channel.blockByNumber(number))!;
        expect(Buffer.from(bytes).includes('salt')).toBe(false);
      }
    });

    it('repeats a write with a key whatever its transient data are', async () => {
      const channel = await start();
      const first = await channel.submit(call('Length'), { idempotencyKey: 'key' });
      const other = { ...call('Length'), transient: new Map([['secret', Buffer.from('another')]]) };
      const again = await channel.submit(other, { idempotencyKey: 'key' });
      expect(again).toMatchObject({ transactionId: first.transactionId, isReplay: true });
      expect(text(again.result)).toBe(String(SECRET.length));
    });

    it.each(['plain', 'quoted', 'base64'])('hides it when the chaincode repeats it (%s)', async (form) => {
      const channel = await start();
      for (const failing of [
        channel.evaluate(call('Refuse', form)),
        channel.submit(call('Refuse', form)),
        channel.submit(call('Refuse', form), { idempotencyKey: form }),
      ]) {
        const error = await failure(failing);
        expect(error).toMatchObject({
          code: 'LEDGER.REFUSED',
          message: expect.stringContaining('repeats transient data') as unknown,
        });
        const shown = inspect(error, { depth: Infinity, showHidden: true }).replaceAll('\\', '');
        expect(shown).not.toContain('f3a9c1');
        expect(shown).not.toContain(Buffer.from(SECRET).toString('base64'));
      }
      await expect(channel.evaluate(call('Refuse', 'not at all'))).rejects.toThrow('cannot use it');
    });
  });

  describe(`${name}, with endorsing organizations`, () => {
    const openLedger = openInEachTest(open);

    it('calls peers of these organizations, and no others', async () => {
      const { channel } = await openLedger({ network: { chaincode } });
      const call = (mspId: string): LedgerCall => {
        return { chaincode: 'basic', function: 'Length', arguments: [], endorsingOrganizations: [mspId] };
      };
      const calls = [
        (mspId: string) => channel.evaluate(call(mspId)),
        (mspId: string) => channel.submit(call(mspId)).then(({ result }) => result),
      ];
      for (const make of calls) {
        expect(Buffer.from(await make(STAND_IN_MSP)).toString()).toBe('0');
        expect(await failure(make('Org9MSP'))).toMatchObject({
          code: 'LEDGER.ORGANIZATION_UNKNOWN',
          message: 'endorsingOrganizations: channel mychannel has no organization "Org9MSP"',
        });
      }
      const keyed = await channel.submit(call(STAND_IN_MSP), { idempotencyKey: 'key' });
      expect(Buffer.from(keyed.result).toString()).toBe('0');
    });
  });
}
