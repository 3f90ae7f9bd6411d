import { randomBytes } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { CHANNEL_PROFILE, channelConfig } from './channel-config.js';
import type { NetworkContext } from './components.js';
import { PEER_ORGANISATIONS } from './network-plan.js';
import { caConfig, cryptoConfig, ordererConfig, peerConfig } from './node-configs.js';
import { runCommand } from './run-command.js';

/** Makes the certificates and keys of all, with cryptogen. */
export async function makeIdentities(context: NetworkContext): Promise<void> {
  const { layout, release } = context;
  write(layout.cryptoConfig, cryptoConfig());
  await run(context, release.binaries.cryptogen, [
    'generate',
    `--config=${layout.cryptoConfig}`,
    `--output=${layout.organisations}`,
  ]);
  context.progress('identities made: orderer, two peer organisations with Admin and User1, chaincode TLS');
}

/** Makes the channel's first block, with configtxgen. */
export async function makeGenesisBlock(context: NetworkContext): Promise<void> {
  const { plan, layout, release } = context;
  write(layout.channelConfig, channelConfig(plan, layout));
  const folder = dirname(layout.channelConfig);
  const args = ['-profile', CHANNEL_PROFILE, '-channelID', plan.channel, '-outputBlock', layout.genesisBlock];
  await run(context, release.binaries.configtxgen, [...args, '-configPath', folder]);
  context.progress(`first block of ${plan.channel} made: Raft, blocks after ${plan.batchTimeout}, endorsed by both`);
}

/** Writes the configuration of each node. */
export function makeNodeConfigs({ plan, layout, release }: NetworkContext): void {
  write(join(layout.orderer, 'orderer.yaml'), ordererConfig(plan, layout, release.ordererYaml));
  for (const organisation of PEER_ORGANISATIONS) {
    write(join(layout.peer(organisation), 'core.yaml'), peerConfig(plan, layout, organisation, release));
  }
  if (!plan.ca) return;
  const secret = randomBytes(18).toString('base64url');
  write(layout.registrarSecret, secret);
  write(join(layout.ca, 'fabric-ca-server-config.yaml'), caConfig(plan, layout, secret));
}

/** Only the owner may read what is written: most of it is about keys. */
export function write(file: string, text: string | Uint8Array): void {
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  writeFileSync(file, text, { mode: 0o600 });
}

async function run({ layout, environment, signal }: NetworkContext, command: string, args: string[]): Promise<void> {
  await runCommand({ command, args, env: environment, cwd: layout.directory, signal });
}
