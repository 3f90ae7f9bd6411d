import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { decodeBlock, describeTransaction } from '#fabric-codec';
import { type CaIdentity, caOfProfile, createFabricCa } from '#fabric-ledger';
import { FABRIC_DRIVERS } from '../support/fabric-ledgers.js';
import { FabricNetwork } from '../support/fabric-network.js';
import { fabricRelease } from '../support/fabric-release.js';
import { createUnder, KilledWrites, proveOneOfCopies, proveOneOfTwoBodies } from '../support/keyed-writes.js';
import { FIELDS, LedgerApi } from '../support/ledger-api.js';
import { until } from '../support/until.js';

const release = fabricRelease();
/** On a quiet machine the longest takes six minutes. */
const STEP_MS = 3_600_000;
const COPIES = 200;
const KILLS = 50;
const PEER_KILLS = 3;
const TWO_BODIES = 20;
/** A shell command that serves fabric-samples' asset-transfer-basic as a service. */
const stock = process.env['FABRIC_STOCK_CHAINCODE'];

if ('missing' in release) {
  describe(`keyed writes on a real Fabric network (skipped: ${release.missing})`, () => {
    it.skip('needs the binaries of a Fabric release', () => undefined);
  });
} else {
  keyedWritesOn('our chaincode', release.env, []);
  if (stock !== undefined) keyedWritesOn("fabric-samples' chaincode", release.env, ['--chaincode-command', stock]);
}

function keyedWritesOn(chaincode: string, env: Readonly<Record<string, string>>, args: readonly string[]): void {
  describe(`keyed writes on a real Fabric network with ${chaincode}`, () => {
    let network: FabricNetwork;
    let identities: readonly CaIdentity[];
    const home = mkdtempSync(join(tmpdir(), 'keyed-writes-'));
    beforeAll(async () => {
      network = await FabricNetwork.up(env, '--batch-timeout', '200ms', ...args);
      identities = await enrolledTwice(network);
    }, STEP_MS);
    afterAll(async () => {
      await network.down();
      rmSync(home, { recursive: true });
    }, STEP_MS);

    const start = async (
      driver: string,
      name: string,
      more: Readonly<Record<string, string>> = {},
    ): Promise<LedgerApi> => {
      const api = await LedgerApi.start({ ...network.env, LEDGER_DRIVER: driver, ...more }, join(home, name));
      await until(async () => (await fetch(`${api.origin}/readyz`)).status === 200);
      return api;
    };
    /** VALID transactions of a function whose first argument is one of those assets. */
    const countOf = async (name: string, isAsset: (id: string) => boolean): Promise<number> => {
      const ledger = await FABRIC_DRIVERS[0]!.open(network);
      try {
        const channel = ledger;
        const { height } = await channel.chainInfo();
        let count = 0;
        for (let blockNumber = 1; blockNumber < height; blockNumber++) {
          const { envelopes, validationCodes } = decodeBlock((await channel.blockByNumber(blockNumber))!.bytes);
          for (const [index, envelope] of envelopes.entries()) {
            const block = { blockNumber, blockHash: '', blockSignatures: new Uint8Array() };
            const at = { envelope, validationCode: validationCodes[index] ?? 0, ...block };
            const {
              function: called,
              arguments: [id = ''],
              validationCode,
            } = describeTransaction(at);
            if (called === name && validationCode === 'VALID' && isAsset(id)) count++;
          }
        }
        return count;
      } finally {
        await ledger.close();
      }
    };

    describe.each(FABRIC_DRIVERS)('through $name', ({ name: driver }) => {
      it(
        `are one transaction of ${COPIES} copies on two replicas, and one of two bodies wins`,
        async () => {
          const apis = [await start(driver, `${driver}-a`), await start(driver, `${driver}-b`)];
          const origins = apis.map(({ origin }) => origin);
          const { json } = await proveOneOfCopies(origins, COPIES, `${driver}-copies`);
          const { asset } = (json as { data: { asset: { ID: string } } }).data;
          expect(await countOf('CreateAsset', (id) => id === asset.ID)).toBe(1);
          await proveOneOfTwoBodies(
            origins,
            Array.from({ length: TWO_BODIES }, (_, round) => `${driver}-two-${round}`),
          );
          for (const { program } of apis) {
            expect(await program.end()).toEqual({ code: 0, signal: null });
            expect(`${program.stdout}${program.stderr}`).not.toMatch(/Creator \[|[0-9a-f]{300}/);
          }
        },
        STEP_MS,
      );

      it(
        `have their first outcome after ${KILLS} times kill -9 between commit and answer`,
        async () => {
          let api = await start(driver, `${driver}-killed`);
          const writes = new KilledWrites(`${driver}-killed`);
          await writes.prepare(api.origin);
          api = await writes.rounds(KILLS, api, () => start(driver, `${driver}-killed`));
          expect(writes.unanswered).toBeGreaterThan(0);
          expect(await countOf('TransferAsset', (id) => writes.isAsset(id))).toBe(writes.written);
          await api.program.end();
        },
        STEP_MS,
      );

      it(
        'have their first outcome when a peer is killed and restarted',
        async () => {
          const { program, origin } = await start(driver, `${driver}-peer`);
          const writes = new KilledWrites(`${driver}-peer`);
          await writes.prepare(origin);
          for (let round = 0; round < PEER_KILLS; round++) {
            let gone: Promise<void> | undefined;
            await writes.round(
              origin,
              () => {
                gone = network.kill('peer-org1');
              },
              async () => {
                await gone;
                await network.startStopped();
                return origin;
              },
            );
          }
          expect(await countOf('TransferAsset', (id) => writes.isAsset(id))).toBe(writes.written);
          await program.end();
        },
        STEP_MS,
      );

      it(
        'are found again after the identity that signs was renewed, and record nothing more',
        async () => {
          const wallet = join(network.directory, 'wallet');
          const [certificate, key] = ['cert.pem', 'key.pem'].map((name) => join(home, name)) as [string, string];
          const use = (identity: CaIdentity): void => {
            const credentials = { certificate: identity.certificate, privateKey: identity.privateKey };
            const stored = { credentials, mspId: identity.mspId, type: 'X.509', version: 1 };
            writeFileSync(join(wallet, 'renewed.id'), JSON.stringify(stored));
            writeFileSync(key, identity.privateKey);
            writeFileSync(certificate, identity.certificate);
          };
          use(identities[0]!);
          const more = { FABRIC_IDENTITY: 'renewed', FABRIC_CERT: certificate, FABRIC_KEY: key };
          const body = { ...FIELDS, id: `${driver}-renewed` };
          let api = await start(driver, `${driver}-renewed`, more);
          const send = (): ReturnType<typeof createUnder> => createUnder(`${driver}-renewed`, api.origin, body);
          const first = await send();
          expect(first.status).toBe(201);
          use(identities[1]!);
          const repeats = [await send()];
          // It looks at its files once a second, when they are asked for.
          await until(async () => {
            repeats.push(await send());
            return api.program.stdout.includes('was replaced on disk');
          });
          await api.program.end();
          api = await start(driver, `${driver}-renewed`, more);
          repeats.push(await send());
          for (const { status, text, headers } of repeats) {
            expect({ status, text }).toEqual({ status: 201, text: first.text });
            expect(headers['idempotency-replayed']).toBe('true');
          }
          await api.program.end();
          expect(await countOf('CreateAsset', (id) => id === body.id)).toBe(1);
        },
        STEP_MS,
      );
    });
  });
}

/** One user with two certificates, as before and after a renewal. */
async function enrolledTwice(network: FabricNetwork): Promise<readonly CaIdentity[]> {
  const address = await caOfProfile(join(network.directory, 'connection-org1.json'));
  const ca = await createFabricCa(address, 'Org1MSP');
  const secret = readFileSync(join(network.directory, 'ca', 'registrar-secret'), 'utf8');
  const registrar = await ca.enroll('admin', secret);
  const own = await ca.register({ id: 'renewed' }, registrar);
  return [await ca.enroll('renewed', own), await ca.enroll('renewed', own)];
}
