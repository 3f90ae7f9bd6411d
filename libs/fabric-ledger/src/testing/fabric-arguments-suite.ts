import { describe, expect, it } from '@jest/globals';
import { decodeActions, decodeBlock, decodeEnvelope } from '#fabric-codec';
import type { LedgerCall } from '#ledger-gateway';
import { failure, openInEachTest, type OpenLedger } from './fabric-suite.js';
import type { StandInChaincode } from './stand-in-chaincode.js';
import { STAND_IN_MSP } from './stand-in-identities.js';

const BYTES = Uint8Array.of(0xff, 0, 0x80, 0xc3, 0xa9);

/** Refuses with a status of its own, or writes one key. */
const chaincode: StandInChaincode = (name, [status = ''], state) => {
  if (name === 'Refuse') throw Object.assign(new Error('no such car'), { status: Number(status) });
  state.write({ key: 'k', value: Buffer.from('v') });
  return Buffer.from(name);
};

/** The tests of both Fabric drivers for arguments that are bytes, and for the status of a refusal. */
export function fabricArgumentsSuite(name: string, open: OpenLedger): void {
  describe(`${name}, with arguments`, () => {
    const openLedger = openInEachTest(open);
    const call = (functionName: string, ...args: LedgerCall['arguments']): LedgerCall => {
      return { chaincode: 'basic', function: functionName, arguments: args };
    };

    it('passes bytes as they are, with and without a key and to named organizations', async () => {
      const { channel } = await openLedger({ network: { chaincode } });
      const put = call('Put', BYTES, 'é', Buffer.from('text'));
      const submits = [
        await channel.submit(put),
        await channel.submit(put, { idempotencyKey: 'key' }),
        await channel.submit({ ...put, endorsingOrganizations: [STAND_IN_MSP] }),
      ];
      for (const { transactionId } of submits) {
        const { envelope } = (await channel.transactionById(transactionId))!;
        const [action] = decodeActions(decodeEnvelope(envelope).data);
        const expected = ['Put', BYTES, 'é', 'text'].map((each) => Buffer.from(each as string));
        expect(action?.arguments.map((each) => Buffer.from(each))).toEqual(expected);
      }
    });

    it('finds a block by the bytes of its hash', async () => {
      const { channel } = await openLedger({ network: { chaincode } });
      const { blockNumber } = await channel.submit(call('Put'));
      const { bytes, hash } = (await channel.blockByNumber(blockNumber))!;
      for (const endorsingOrganizations of [undefined, [STAND_IN_MSP]]) {
        const found = await channel.evaluate({
          chaincode: 'qscc',
          function: 'GetBlockByHash',
          // A plain array of bytes, which is no Buffer.
          arguments: [channel.channel, Uint8Array.from(Buffer.from(hash, 'hex'))],
          endorsingOrganizations,
        });
        expect(decodeBlock(found).header.number).toBe(blockNumber);
        expect(Buffer.from(found)).toEqual(Buffer.from(bytes));
      }
    });

    it('compares the bytes of a repeated write', async () => {
      const { channel } = await openLedger({ network: { chaincode } });
      const repeat = { idempotencyKey: 'key' };
      const { transactionId } = await channel.submit(call('Put', 'é', BYTES), repeat);
      const again = await channel.submit(call('Put', Buffer.from('é'), Buffer.from(BYTES)), repeat);
      expect(again).toMatchObject({ transactionId, isReplay: true });
      const other = call('Put', 'é', Buffer.from(BYTES).toString());
      expect((await failure(channel.submit(other, repeat))).code).toBe('LEDGER.KEY_REUSED');
    });

    it('reports the status with which the chaincode refused', async () => {
      const { channel } = await openLedger({ network: { chaincode } });
      for (const failing of [channel.evaluate(call('Refuse', '404')), channel.submit(call('Refuse', '404'))]) {
        expect(await failure(failing)).toMatchObject({ code: 'LEDGER.REFUSED', chaincodeStatus: 404 });
      }
    });
  });
}
