import { cpSync, globSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { parseCheckpoint, type Checkpoint } from '#tlog';
import { ChannelAdmin, ORG2 } from '../support/channel-admin.js';
import { readNetwork } from '../support/fabric-client.js';
import { FabricNetwork } from '../support/fabric-network.js';
import { fabricRelease } from '../support/fabric-release.js';
import { call, LedgerApi } from '../support/ledger-api.js';
import { Program } from '../support/program.js';
import { until } from '../support/until.js';

const release = fabricRelease();
const STEP_MS = 240_000;
const TREE = '/tree/mychannel';

if ('missing' in release) {
  describe(`trees of a real Fabric channel (skipped: ${release.missing})`, () => {
    it.skip('need the binaries of a Fabric release', () => undefined);
  });
} else {
  describe('trees of a real Fabric channel', () => {
    const home = mkdtempSync(join(tmpdir(), 'fabric-tree-'));
    let network: FabricNetwork;
    let admin: ChannelAdmin;
    let lisbon: LedgerApi;
    let porto: LedgerApi;
    beforeAll(async () => {
      network = await FabricNetwork.up(release.env);
      admin = new ChannelAdmin(network.directory, release.env);
      lisbon = await start('lisbon', { LEDGER_DRIVER: 'fabric-gateway' });
      porto = await start('porto', { LEDGER_DRIVER: 'fabric' });
      await until(async () => (await lisbon.create('ready')).status === 201);
    }, STEP_MS);
    afterAll(async () => {
      await Promise.all([lisbon, porto].map(async ({ program }) => program.end()));
      await network.down();
      rmSync(home, { recursive: true });
    }, STEP_MS);

    const settings = (name: string): Record<string, string> => ({
      ...network.env,
      LEDGER_TREE: 'on',
      LEDGER_TREE_ORIGIN: `ledger.example.org/${name}`,
    });
    const start = (name: string, env: Readonly<Record<string, string>>): Promise<LedgerApi> =>
      LedgerApi.start({ ...settings(name), ...env }, join(home, name));

    /** Runs a command on the tree of a replica, and returns its output. */
    async function tool(name: string, ...args: readonly string[]): Promise<string> {
      const main = 'apps/ledger-api/bundle/lib/ledger-tool.js';
      const program = new Program({ main, args, env: { ...settings(name), LEDGER_DATA_DIR: join(home, name) } });
      const { code } = await program.ended;
      if (code !== 0)
        throw new Error(`${args.join(' ')} ended with ${String(code)}: ${program.stdout}${program.stderr}`);
      return program.stdout.trim();
    }

    async function signed(api: LedgerApi, size: number): Promise<Checkpoint> {
      let checkpoint: Checkpoint | undefined;
      await until(async () => {
        const { status, text } = await call(api.origin, 'GET', `${TREE}/checkpoint`);
        if (status === 200) checkpoint = parseCheckpoint(text);
        return checkpoint !== undefined && checkpoint.size >= size;
      });
      return checkpoint!;
    }

    const heightOf = async (api: LedgerApi): Promise<number> =>
      ((await api.api('GET', '/blockchain/height')).json as { data: { height: number } }).data.height;

    it(
      'are equal on two replicas, one with each driver, and a monitor reports one history',
      async () => {
        for (const id of ['one', 'two', 'three']) expect((await lisbon.create(id)).status).toBe(201);
        const size = await heightOf(lisbon);
        const [here, there] = [await signed(lisbon, size), await signed(porto, size)];
        expect([here.size, there.size]).toEqual([size, size]);
        expect(Buffer.from(here.root)).toEqual(Buffer.from(there.root));
        expect(here.origin).not.toBe(there.origin);
        const logs = await Promise.all(
          ['lisbon', 'porto'].map(async (name) => `log ${await tool(name, 'tree', 'key')}\n`),
        );
        writeFileSync(join(home, 'policy'), `${logs.join('')}quorum none\n`);
        const urls = [lisbon, porto].map(({ origin }) => `${origin}${TREE}`);
        const report = await tool('lisbon', 'monitor', ...urls, '--policy', join(home, 'policy'));
        expect(report).toContain(`${size} blocks`);
      },
      STEP_MS,
    );

    it(
      'are copied from a replica and checked when the peer was made from a snapshot, and are incomplete before',
      async () => {
        const peer = readNetwork(network.directory).plan.ports.peerOrg1;
        const completed = join(network.directory, 'peers/org1/data/snapshots/completed/mychannel/*');
        const address = ['--peerAddress', `localhost:${peer}`];
        const [root = ''] = globSync(
          join(network.directory, 'organizations/peerOrganizations/org1.*/tlsca/*-cert.pem'),
        );
        const org1 = { mspId: 'Org1MSP', folder: 'peerOrganizations/org1.example.com' };
        const request = ['snapshot', 'submitrequest', '-c', 'mychannel', '-b', '0'];
        await admin.peer(org1, ...request, ...address, '--tlsRootCertFile', root);
        await until(() => globSync(completed).length === 1);
        cpSync(globSync(completed)[0]!, join(home, 'snapshot'), { recursive: true });
        await network.stop('peer-org2');
        // The chaincode stays installed.
        rmSync(join(network.directory, 'peers/org2/data/ledgersData'), { recursive: true });
        await network.startStopped();
        await admin.peer(ORG2, 'channel', 'joinbysnapshot', '--snapshotpath', join(home, 'snapshot'));
        const { peerOrg2 } = readNetwork(network.directory).plan.ports;
        const tlsRoot = globSync(join(network.directory, 'organizations', ORG2.folder, 'tlsca/*-cert.pem'))[0]!;
        const atOrg2 = {
          FABRIC_PEER_ENDPOINTS: `localhost:${peerOrg2}`,
          FABRIC_PEER_HOST_ALIAS: 'peer0.org2.example.com',
          FABRIC_TLS_ROOT_CERT: tlsRoot,
        };
        // A block after the snapshot, which the new peer has.
        await until(async () => (await lisbon.create(`after-${Date.now()}`)).status === 201);
        const size = await heightOf(lisbon);
        let faro = await start('faro', atOrg2);
        await until(async () => (await faro.api('GET', `/blocks/${size - 1}`)).status === 200);
        const refused = await faro.api('GET', `/blocks/${size - 1}/proof`);
        expect([refused.status, refused.headers['x-error-code']]).toEqual([503, 'LEDGER.TREE_INCOMPLETE']);
        await faro.program.end();

        await signed(lisbon, size);
        const log = await tool('lisbon', 'tree', 'key');
        expect(await tool('faro', 'tree', 'import', `${lisbon.origin}${TREE}`, '--log', log)).toContain('imported');
        faro = await start('faro', atOrg2);
        expect((await lisbon.create('last')).status).toBe(201);
        const [ours, theirs] = [await signed(faro, size + 1), await signed(lisbon, size + 1)];
        expect([ours.size, Buffer.from(ours.root)]).toEqual([theirs.size, Buffer.from(theirs.root)]);
        expect((await faro.api('GET', '/blocks/1/proof')).status).toBe(200);
        await faro.program.end();
      },
      STEP_MS,
    );
  });
}
