import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import { Agent } from 'node:http';
import { assetDigest } from '#asset-contract';
import { isLedgerError, type Ledger } from '#ledger-gateway';
import { FABRIC_DRIVERS } from '../support/fabric-ledgers.js';
import { FabricNetwork } from '../support/fabric-network.js';
import { fabricRelease } from '../support/fabric-release.js';
import { LedgerApi } from '../support/ledger-api.js';

/** On a quiet machine the longest takes three minutes. */
const STEP_MS = 3_600_000;
const WRITERS = 64;
const UPDATES = 10_000;
const FIELDS = { appraisedValue: '1', color: 'blue', owner: 'Tom' };

describe('read, change, write by 64 programs on one asset of the embedded ledger', () => {
  let api: LedgerApi;
  beforeAll(async () => {
    api = await LedgerApi.start();
  }, STEP_MS);
  afterAll(async () => {
    await api.stop();
  }, STEP_MS);

  it(
    `loses none of ${UPDATES} updates`,
    async () => {
      await api.create('count', { ...FIELDS, size: '0' });
      const agent = new Agent({ keepAlive: true, maxSockets: WRITERS });
      let begun = 0;
      let refused = 0;
      const addOne = async (): Promise<void> => {
        for (;;) {
          const { json, headers } = await api.api('GET', '/assets/count', { agent });
          const { size } = (json as { data: { size: string } }).data;
          const body = { ...FIELDS, size: String(Number(size) + 1) };
          const options = { agent, body, headers: { 'if-match': String(headers.etag) } };
          const { status } = await api.api('PUT', '/assets/count', options);
          if (status === 200) return;
          expect(status).toBe(412);
          refused += 1;
        }
      };
      const write = async (): Promise<void> => {
        while (begun < UPDATES) {
          begun += 1;
          if (begun % 1000 === 0) console.log(`${begun} updates begun, ${refused} refused with 412`);
          await addOne();
        }
      };
      await Promise.all(Array.from({ length: WRITERS }, () => write()));
      agent.destroy();
      expect((await api.api('GET', '/assets/count')).json).toMatchObject({ data: { size: String(UPDATES) } });
      console.log(`${UPDATES} updates made, ${refused} refused with 412`);
    },
    STEP_MS,
  );
});

const release = fabricRelease();
if ('missing' in release) {
  describe(`the same on a real Fabric network (skipped: ${release.missing})`, () => {
    it.skip('needs the binaries of a Fabric release', () => undefined);
  });
} else {
  const stock = process.env['FABRIC_STOCK_CHAINCODE'];
  onNetwork('our chaincode', release.env, [], FABRIC_DRIVERS);
  // The older SDK cannot stop between endorsement and order, and reports it.
  const able = FABRIC_DRIVERS.filter(({ name }) => name === 'fabric-gateway');
  if (stock !== undefined) onNetwork("fabric-samples' chaincode", release.env, ['--chaincode-command', stock], able);
}

function onNetwork(
  chaincode: string,
  env: Readonly<Record<string, string>>,
  args: readonly string[],
  drivers: typeof FABRIC_DRIVERS,
): void {
  describe(`the same on a real Fabric network with ${chaincode}, one peer of which is frozen and lags`, () => {
    let network: FabricNetwork;
    beforeAll(async () => {
      network = await FabricNetwork.up(env, '--batch-timeout', '100ms', ...args);
    }, STEP_MS);
    afterAll(async () => {
      await network.down();
    }, STEP_MS);

    it.each(drivers)(
      '$name loses no update',
      async ({ open }) => {
        const ledger = await open(network);
        const frozen = setInterval(() => {
          network.freeze('peer-org2');
          setTimeout(() => {
            network.thaw('peer-org2');
          }, 500).unref();
        }, 2000);
        try {
          const id = randomUUID();
          const until = Date.now() + 60_000;
          const made = await increments(ledger, id, until);
          expect(await sizeOf(ledger, id)).toEqual({ size: made });
          expect(made).toBeGreaterThan(20);
          console.log(`${made} updates made by ${WRITERS} writers in a minute`);
        } finally {
          clearInterval(frozen);
          network.thaw('peer-org2');
          await ledger.close();
        }
      },
      STEP_MS,
    );
  });
}

/** The number of updates, by the ledger's answer to each. */
async function increments(ledger: Ledger, id: string, until: number): Promise<number> {
  const channel = ledger;
  await channel.submit({ function: 'CreateAsset', arguments: [id, 'blue', '0', 'Tom', '1'] });
  let made = 0;
  const write = async (): Promise<void> => {
    while (Date.now() < until) {
      try {
        const asset = await channel.evaluate({ function: 'ReadAsset', arguments: [id] });
        const { size } = JSON.parse(Buffer.from(asset).toString()) as { size: string };
        const changed = [id, 'blue', String(Number(size) + 1), 'Tom', '1', assetDigest(asset)];
        await channel.submit({ function: 'UpdateAssetIfMatch', arguments: changed });
        made += 1;
      } catch (error) {
        if (!isLedgerError(error)) throw error;
        expect(['LEDGER.ASSET_CHANGED', 'LEDGER.OUTCOME_UNKNOWN']).toContain(
          error.retryable ? 'LEDGER.ASSET_CHANGED' : error.code,
        );
        if (error.code === 'LEDGER.OUTCOME_UNKNOWN' && (await isValid(ledger, error.transactionId!))) made += 1;
      }
    }
  };
  await Promise.all(Array.from({ length: WRITERS }, () => write()));
  return made;
}

async function isValid(ledger: Ledger, transactionId: string): Promise<boolean> {
  for (let look = 0; look < 100; look++) {
    const found = await ledger.transactionById(transactionId);
    if (found !== undefined) return found.validationCode === 0;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  return false;
}

async function sizeOf(ledger: Ledger, id: string): Promise<{ readonly size: number }> {
  const asset = await ledger.evaluate({ function: 'ReadAsset', arguments: [id] });
  return { size: Number((JSON.parse(Buffer.from(asset).toString()) as { size: string }).size) };
}
