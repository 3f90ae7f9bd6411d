import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { ChannelAdmin } from '../support/channel-admin.js';
import { EventReader } from '../support/event-reader.js';
import { FabricNetwork } from '../support/fabric-network.js';
import { fabricRelease } from '../support/fabric-release.js';
import { LedgerApi, type Answer } from '../support/ledger-api.js';
import { addCaller } from '../support/ledger-callers.js';
import { until } from '../support/until.js';

const release = fabricRelease();
const STEP_MS = 240_000;
const ROLES = { reader: 'reader', writer: 'writer', auditor: 'reader@payments' };
const DRIVERS = ['fabric-gateway', 'fabric'] as const;

const dataOf = ({ json }: Answer): unknown => (json as { readonly data: unknown }).data;

if ('missing' in release) {
  describe(`channels of a real Fabric network (skipped: ${release.missing})`, () => {
    it.skip('need the binaries of a Fabric release', () => undefined);
  });
} else {
  describe('channels of a real Fabric network', () => {
    let network: FabricNetwork;
    const apis = new Map<string, LedgerApi>();
    const callers = mkdtempSync(join(tmpdir(), 'channel-callers-'));
    const keys: Record<string, string> = {};
    beforeAll(async () => {
      network = await FabricNetwork.up(release.env, '--channel', 'mychannel', '--channel', 'payments');
      expect(network.env['LEDGER_CHANNELS']).toBe('payments');
      for (const [name, role] of Object.entries(ROLES))
        keys[name] = await addCaller(callers, name, '--role', role, '--new');
      for (const driver of DRIVERS) {
        const access = { LEDGER_AUTH: 'on', LEDGER_CALLERS_FILE: join(callers, 'callers.json') };
        const env = { LEDGER_DRIVER: driver, LEDGER_CHANNELS: 'payments,unjoined', ...access };
        const api = await LedgerApi.start({ ...network.env, ...env, LEDGER_CONTRACTS: 'basic:CreateAsset' });
        apis.set(driver, api);
      }
    }, STEP_MS);
    afterAll(async () => {
      for (const api of apis.values()) await api.stop();
      await network.down();
      rmSync(callers, { recursive: true });
    }, STEP_MS);

    const submit = (api: LedgerApi, path: string, id: string, headers = {}): Promise<Answer> =>
      api.api('POST', `${path}/contracts/basic/submit`, {
        body: { function: 'CreateAsset', arguments: [id, 'blue', '5', 'Tom', '100'] },
        headers: { 'x-api-key': keys['writer']!, ...headers },
      });
    const get = (api: LedgerApi, path: string, name = 'reader'): Promise<Answer> =>
      api.api('GET', path, { headers: { 'x-api-key': keys[name]! } });

    it.each(DRIVERS)(
      'are written, read, followed and proven separately with LEDGER_DRIVER=%s',
      async (driver) => {
        const api = apis.get(driver)!;
        await until(async () => (await submit(api, '/channels/payments', `ready-${Date.now()}`)).status === 200);
        const events = await EventReader.open(`${api.origin}/api/v1/channels/payments/events`, {
          headers: { 'x-api-key': keys['reader']! },
        });
        const key = { 'idempotency-key': `once-${driver}` };
        const id = `paid-${driver}`;
        const written = await submit(api, '/channels/payments', id, key);
        expect(written.status).toBe(200);
        const { transactionId, blockNumber } = dataOf(written) as { transactionId: string; blockNumber: number };
        const again = await submit(api, '/channels/payments', id, key);
        expect(again).toMatchObject({ status: 200, json: written.json, headers: { 'idempotency-replayed': 'true' } });
        await until(() => events.messages.some(({ data }) => data['transactionId'] === transactionId));
        await events.close();

        const transaction = await get(api, `/channels/payments/transactions/${transactionId}`);
        expect(dataOf(transaction)).toMatchObject({ channelId: 'payments', blockNumber, validationCode: 'VALID' });
        expect((await get(api, `/transactions/${transactionId}`)).status).toBe(404);
        const receipt = await get(api, `/channels/payments/transactions/${transactionId}/receipt`);
        expect(receipt.json).toMatchObject({ format: expect.any(String) as unknown });
        expect((await get(api, '/channels/payments/identities/Org2MSP/ca')).text).toContain('BEGIN CERTIFICATE');
        expect((await get(api, `/assets/${id}`)).status).toBe(404);
        // The same key on another channel is another write.
        const other = await submit(api, '', id, key);
        expect(other).toMatchObject({ status: 200 });
        expect(other.headers['idempotency-replayed']).toBeUndefined();
        expect((await get(api, `/assets/${id}`)).status).toBe(200);
      },
      STEP_MS,
    );

    it.each(DRIVERS)(
      'send the events of a chaincode by name, and continue exactly where a client stopped, with LEDGER_DRIVER=%s',
      async (driver) => {
        const api = apis.get(driver)!;
        const ids = [1, 2, 3].map((number) => `event-${driver}-${number}`);
        for (const id of ids) expect((await submit(api, '/channels/payments', id)).status).toBe(200);
        const refused = await submit(api, '/channels/payments', ids[0]!);
        expect(refused.headers['x-error-code']).toBe('API.CHAINCODE_REFUSED');
        const follow = (name: string, after?: string): Promise<EventReader> => {
          const url = `${api.origin}/api/v1/channels/payments/contracts/basic/events?event=${name}`;
          const headers = { 'x-api-key': keys['reader']! };
          return EventReader.open(after === undefined ? `${url}&from=0` : url, {
            headers,
            ...(after !== undefined && { after }),
          });
        };
        const createdBy = ({ messages }: EventReader): string[] =>
          messages.map(({ data }) => (JSON.parse(String(data['payload'])) as { ID: string }).ID);
        const all = await follow('CreateAsset');
        await until(() => createdBy(all).includes(ids[2]!));
        await all.close();
        // A refused call is in no block.
        expect(createdBy(all).filter((id) => ids.includes(id))).toEqual(ids);
        const second = all.messages.find(({ data }) => String(data['payload']).includes(ids[1]!))!;
        const rest = await follow('CreateAsset', second.id);
        await until(() => createdBy(rest).includes(ids[2]!));
        await rest.close();
        expect(createdBy(rest)[0]).toBe(ids[2]);
        const other = await follow('TransferAsset');
        expect(other.status).toBe(200);
        await until(() => other.lastId.includes(':end:'));
        expect(other.messages).toEqual([]);
        await other.close();
      },
      STEP_MS,
    );

    it.each(DRIVERS)(
      'are 404 if the peer has not joined them, or if they are not configured, with LEDGER_DRIVER=%s',
      async (driver) => {
        const api = apis.get(driver)!;
        const unknown = { status: 404, headers: { 'x-error-code': 'LEDGER.CHANNEL_UNKNOWN' } };
        const paths = ['blocks', 'blockchain/height', 'transactions', 'events', 'search?text=1'];
        for (const path of [...paths, `transactions/${'a'.repeat(64)}`]) {
          expect([path, await get(api, `/channels/unjoined/${path}`)]).toMatchObject([path, unknown]);
          expect(await get(api, `/channels/nowhere/${path}`)).toMatchObject(unknown);
        }
        expect(await submit(api, '/channels/unjoined', 'a')).toMatchObject(unknown);
        expect((await get(api, '/channels')).json).toMatchObject({
          data: [
            { name: 'mychannel', isDefault: true, status: 'ready' },
            { name: 'payments', isDefault: false, status: 'ready' },
            { name: 'unjoined', isDefault: false, status: 'unavailable' },
          ],
        });
      },
      STEP_MS,
    );

    it(
      'are open to the roles that name them',
      async () => {
        const api = apis.get('fabric-gateway')!;
        expect((await get(api, '/channels/payments/blocks', 'auditor')).status).toBe(200);
        expect((await get(api, '/blocks', 'auditor')).status).toBe(403);
        expect((await submit(api, '/channels/payments', 'a', { 'x-api-key': keys['auditor']! })).status).toBe(403);
        expect(dataOf(await get(api, '/channels', 'auditor'))).toMatchObject([{ name: 'payments' }]);
      },
      STEP_MS,
    );

    it(
      'are down alone: without an orderer one is read-only, while the other is written to',
      async () => {
        await new ChannelAdmin(network.directory, release.env).removeFromOrderer('payments');
        for (const driver of DRIVERS) {
          const api = apis.get(driver)!;
          const refused = await submit(api, '/channels/payments', `lost-${driver}`);
          expect([driver, refused]).toMatchObject([
            driver,
            { status: 503, headers: { 'x-error-code': 'LEDGER.UNAVAILABLE' } },
          ]);
          expect((await submit(api, '', `kept-${driver}`)).status).toBe(200);
          expect((await get(api, '/channels/payments/blocks')).status).toBe(200);
          await until(async () => {
            const ready = await fetch(`${api.origin}/readyz`);
            const { channels } = (await ready.json()) as { readonly channels?: Readonly<Record<string, string>> };
            return ready.status === 200 && channels?.['payments']?.includes('read-only') === true;
          });
        }
      },
      STEP_MS,
    );
  });
}
