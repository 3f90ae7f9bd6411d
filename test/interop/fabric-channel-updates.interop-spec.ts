import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { verifyLedger } from '#embedded-ledger';
import type { Ledger } from '#ledger-gateway';
import { ChannelAdmin, ORDERER, ORG1, ORG2, type ConfigGroup } from '../support/channel-admin.js';
import { packBlocks } from '../support/packed-blocks.js';
import { FABRIC_DRIVERS } from '../support/fabric-ledgers.js';
import { FabricNetwork } from '../support/fabric-network.js';
import { fabricRelease } from '../support/fabric-release.js';

const release = fabricRelease();
const STEP_MS = 180_000;
/** Set to a file to record the blocks in it, as those in test/fixtures/updated-channels were. */
const { RECORD_BLOCKS: record } = process.env;

if ('missing' in release) {
  describe(`a real channel after updates (skipped: ${release.missing})`, () => {
    it.skip('needs the binaries of a Fabric release', () => undefined);
  });
}

('missing' in release ? describe.skip : describe)('a real channel after updates', () => {
  let network: FabricNetwork;
  let blocks: string;

  beforeAll(async () => {
    if ('missing' in release) return;
    network = await FabricNetwork.up(release.env, '--batch-timeout', '200ms');
    blocks = mkdtempSync(join(tmpdir(), 'blocks-'));
    await updateChannel(new ChannelAdmin(network.directory, release.env), network);
  }, STEP_MS);
  afterAll(async () => {
    rmSync(blocks, { recursive: true });
    await network.down();
  }, STEP_MS);

  it(
    'of anchor peers, policies, organizations, orderers and chaincode verifies as sound',
    async () => {
      const ledger = await FABRIC_DRIVERS[0]!.open(network);
      try {
        const saved = await save(ledger, blocks);
        if (record !== undefined) writeFileSync(record, packBlocks(saved));
        const { findings, checked } = await verifyLedger({ path: blocks, isChannel: true });
        expect(findings).toEqual([]);
        expect(checked).toMatchObject({ configurations: 7 });
      } finally {
        await ledger.close();
      }
    },
    STEP_MS,
  );
});

interface AnchorPeers {
  readonly value: { readonly anchor_peers: { readonly host: string; readonly port: number }[] };
}

interface BatchSize {
  readonly value: { max_message_count: number };
}

/** Makes an update of each kind, with a transaction after each. */
async function updateChannel(admin: ChannelAdmin, network: FabricNetwork): Promise<void> {
  const ledger = await FABRIC_DRIVERS[0]!.open(network);
  const create = async (id: string): Promise<void> => {
    await ledger.submit({ function: 'CreateAsset', arguments: [id, 'blue', '5', 'Tomoko', '300'] });
  };
  const applicationOf = ({ groups }: ConfigGroup): ConfigGroup => groups['Application']!;
  try {
    await create('before');
    for (const organization of [ORG1, ORG2]) {
      await admin.updateConfig((channel) => {
        const { values } = applicationOf(channel).groups[organization.mspId]!;
        const { value } = values['AnchorPeers'] as AnchorPeers;
        value.anchor_peers.push({ host: 'localhost', port: 17051 });
      }, organization);
    }
    await create('after-anchor-peers');
    await admin.updateConfig(
      (channel) => {
        const endorsement = applicationOf(channel).policies['Endorsement'] as { policy: { value: { rule: string } } };
        endorsement.policy.value.rule = 'ANY';
      },
      ORG1,
      ORG2,
    );
    await create('after-policy');
    await admin.updateConfig(
      (channel) => {
        const { groups } = applicationOf(channel);
        const text = JSON.stringify(groups['Org2MSP']).replaceAll('Org2MSP', 'Org3MSP');
        groups['Org3MSP'] = JSON.parse(text) as ConfigGroup;
      },
      ORG1,
      ORG2,
    );
    await create('after-organization');
    await admin.commitChaincode('1.1', 2);
    await create('after-chaincode');
    await admin.updateConfig((channel) => {
      const { value } = channel.groups['Orderer']!.values['BatchSize'] as BatchSize;
      value.max_message_count = 50;
    }, ORDERER);
    await admin.updateConfig(
      (channel) => {
        delete applicationOf(channel).groups['Org3MSP'];
      },
      ORG1,
      ORG2,
    );
    await create('after-all');
  } finally {
    await ledger.close();
  }
}

/** Writes each block of a channel into a file, and returns all of them. */
async function save(channel: Ledger, directory: string): Promise<Uint8Array[]> {
  const saved: Uint8Array[] = [];
  const { height } = await channel.chainInfo();
  for (let number = 0; number < height; number++) {
    const { bytes } = (await channel.blockByNumber(number))!;
    writeFileSync(join(directory, `${String(number).padStart(2, '0')}.block`), bytes);
    saved.push(bytes);
  }
  return saved;
}
