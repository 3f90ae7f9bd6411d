import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describeTransaction } from '#fabric-codec';
import { type CaIdentity, caOfProfile, createFabricCa, type FabricCa } from '#fabric-ledger';
import type { Ledger } from '#ledger-gateway';
import { ChannelAdmin, ORG1 } from '../support/channel-admin.js';
import { enroll } from '../support/enroll.js';
import { readNetwork } from '../support/fabric-client.js';
import { FABRIC_DRIVERS } from '../support/fabric-ledgers.js';
import { FabricNetwork } from '../support/fabric-network.js';
import { fabricRelease } from '../support/fabric-release.js';
import { revocationList } from '../support/revocation-list.js';
import { until } from '../support/until.js';

const release = fabricRelease();
const STEP_MS = 120_000;
const CALLERS = ['alice', 'bob', 'carol'];
/** Tries at having two transactions ordered into one block. */
const ROUNDS = 20;

if ('missing' in release) {
  describe(`callers on a real Fabric network (skipped: ${release.missing})`, () => {
    it.skip('needs a Fabric CA', () => undefined);
  });
}

('missing' in release ? describe.skip : describe)('callers on a real Fabric network', () => {
  let network: FabricNetwork;
  let ca: FabricCa;
  let registrar: CaIdentity;

  beforeAll(async () => {
    if ('missing' in release) return;
    network = await FabricNetwork.up(release.env, '--batch-timeout', '500ms');
    const profile = join(network.directory, 'connection-org1.json');
    const address = await caOfProfile(profile);
    ca = await createFabricCa(address, 'Org1MSP');
    registrar = await ca.enroll('admin', readFileSync(join(network.directory, 'ca', 'registrar-secret'), 'utf8'));
    put('admin', registrar);
    for (const name of ['alice', 'bob']) put(name, await ca.enroll(name, await ca.register({ id: name }, registrar)));
    const p384 = await enroll({
      port: readNetwork(network.directory).plan.ports.ca,
      caName: address.caName!,
      roots: address.tlsRoots![0]!,
      id: 'carol',
      secret: await ca.register({ id: 'carol' }, registrar),
      curve: 'P-384',
    });
    put('carol', { mspId: 'Org1MSP', ...p384 });
  }, STEP_MS);
  afterAll(async () => {
    await network.down();
  }, STEP_MS);

  function put(name: string, { mspId, certificate, privateKey }: CaIdentity): void {
    const identity = { credentials: { certificate, privateKey }, mspId, type: 'X.509', version: 1 };
    writeFileSync(join(network.directory, 'wallet', `${name}.id`), JSON.stringify(identity));
  }

  it.each(FABRIC_DRIVERS)(
    'of one block are its creators, each with its own identity, through $name',
    async ({ name: driver, open }) => {
      const ledger = await open(network, CALLERS);
      try {
        const channel = ledger;
        const create = (id: string) => ({
          function: 'CreateAsset',
          arguments: [`${driver}-${id}`, 'a', '1', 'b', '1'],
        });
        const { transactionId } = await channel.submit(create('own'));
        expect(await creatorOf(ledger, transactionId)).toBe('User1@org1.example.com');
        let isTogether = false;
        for (let round = 0; !isTogether; round++) {
          expect(round).toBeLessThan(ROUNDS);
          const written = await Promise.all(
            CALLERS.map((caller) => channel.submit(create(`${caller}-${round}`), { caller })),
          );
          const creators = await Promise.all(written.map((it) => creatorOf(ledger, it.transactionId)));
          expect(creators).toEqual(CALLERS);
          isTogether = new Set(written.map(({ blockNumber }) => blockNumber)).size === 1;
        }
        const read = { function: 'AssetExists', arguments: [`${driver}-alice-0`] };
        for (const caller of CALLERS) {
          expect(Buffer.from(await channel.evaluate(read, { caller })).toString()).toBe('true');
        }
      } finally {
        await ledger.close();
      }
    },
    STEP_MS,
  );

  it(
    'on the revocation list of the channel are refused with a specific code, through both drivers',
    async () => {
      const names = ['revoked-by-channel'];
      const [name = ''] = names;
      put(name, await ca.enroll(name, await ca.register({ id: name }, registrar)));
      const ledgers = await Promise.all(FABRIC_DRIVERS.map(({ open }) => open(network, names)));
      try {
        const read = { function: 'AssetExists', arguments: ['a'] };
        for (const ledger of ledgers) {
          await ledger.authorize(name);
          await ledger.evaluate(read, { caller: name });
        }
        const { credentials } = JSON.parse(
          readFileSync(join(network.directory, 'wallet', `${name}.id`), 'utf8'),
        ) as WalletEntry;
        const list = await revocationList(network.directory, credentials.certificate);
        if ('missing' in release) return;
        await new ChannelAdmin(network.directory, release.env).updateConfig(({ groups }) => {
          const { value } = groups['Application']!.groups['Org1MSP']!.values['MSP'] as MspValue;
          value.config.revocation_list = [Buffer.from(list).toString('base64')];
        }, ORG1);
        const refused = { code: 'LEDGER.CALLER_REFUSED', retryable: false };
        for (const ledger of ledgers) {
          await until(async () => {
            const calls = [ledger.authorize(name), ledger.evaluate(read, { caller: name })];
            return (await Promise.allSettled(calls)).every(({ status }) => status === 'rejected');
          });
          await expect(ledger.authorize(name)).rejects.toMatchObject(refused);
          await expect(ledger.evaluate(read, { caller: name })).rejects.toMatchObject(refused);
          await expect(ledger.submit(read, { caller: name })).rejects.toMatchObject(refused);
          await ledger.evaluate(read);
        }
      } finally {
        await Promise.all(ledgers.map((ledger) => ledger.close()));
      }
    },
    STEP_MS,
  );

  it.each(FABRIC_DRIVERS)(
    'without an identity, and those who are none, are refused through $name',
    async ({ open }) => {
      const ledger = await open(network, [...CALLERS, 'admin', 'nobody']);
      try {
        for (const caller of ['nobody', 'admin', 'User1', '../wallet/alice']) {
          const call = { function: 'AssetExists', arguments: ['a'] };
          const unknown = { code: 'LEDGER.UNKNOWN_CALLER' };
          await expect(ledger.submit(call, { caller })).rejects.toMatchObject(unknown);
          await expect(ledger.evaluate(call, { caller })).rejects.toMatchObject(unknown);
        }
      } finally {
        await ledger.close();
      }
    },
    STEP_MS,
  );
});

interface WalletEntry {
  readonly credentials: { readonly certificate: string };
}

interface MspValue {
  readonly value: { readonly config: { revocation_list?: string[] } };
}

async function creatorOf(ledger: Ledger, transactionId: string): Promise<string> {
  const transaction = await ledger.transactionById(transactionId);
  return describeTransaction(transaction!).creatorId;
}
