import { execFile } from 'node:child_process';
import { globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';
import { readNetwork } from './fabric-client.js';

const run = promisify(execFile);

/** An organization whose administrator acts. */
export interface Organization {
  readonly mspId: string;
  /** Folder below `organizations` with all that cryptogen made for it. */
  readonly folder: string;
}

export const ORG1: Organization = { mspId: 'Org1MSP', folder: 'peerOrganizations/org1.example.com' };
export const ORG2: Organization = { mspId: 'Org2MSP', folder: 'peerOrganizations/org2.example.com' };
export const ORDERER: Organization = { mspId: 'OrdererMSP', folder: 'ordererOrganizations/example.com' };

/** A group of a channel's configuration, as configtxlator decodes it. */
export interface ConfigGroup {
  groups: Record<string, ConfigGroup>;
  values: Record<string, unknown>;
  policies: Record<string, unknown>;
}

/** Changes the channel of a network as its administrators do, with Fabric's own tools. */
export class ChannelAdmin {
  readonly #directory: string;
  readonly #env: Readonly<Record<string, string>>;

  /** @param env how the Fabric binaries are found, see `fabricRelease` */
  constructor(directory: string, env: Readonly<Record<string, string>>) {
    this.#directory = directory;
    this.#env = { ...env, PATH: `${env['FABRIC_BIN'] ?? ''}${delimiter}${env['PATH'] ?? ''}` };
  }

  /** Updates the channel's configuration, signed by the administrators of all organizations named; the last one sends it. */
  async updateConfig(change: (channel: ConfigGroup) => void, ...by: readonly Organization[]): Promise<void> {
    const work = mkdtempSync(join(this.#directory, 'update-'));
    const file = (name: string): string => join(work, name);
    const translate = (...args: string[]) => run('configtxlator', args, { env: this.#env });
    const json = async (type: string, from: string): Promise<unknown> => {
      await translate('proto_decode', '--type', type, '--input', from, '--output', `${from}.json`);
      return JSON.parse(readFileSync(`${from}.json`, 'utf8'));
    };
    const encode = async (type: string, value: unknown, to: string): Promise<void> => {
      writeFileSync(`${to}.json`, JSON.stringify(value));
      await translate('proto_encode', '--type', type, '--input', `${to}.json`, '--output', to);
    };
    const { channel } = readNetwork(this.#directory).plan;
    const sender = by.at(-1) ?? ORG1;
    await this.peer(sender, 'channel', 'fetch', 'config', file('block'), '-c', channel, ...this.#orderer);
    const block = (await json('common.Block', file('block'))) as RecordedConfig;
    const { config } = block.data.data[0].payload.data;
    await encode('common.Config', config, file('original'));
    change(config.channel_group);
    await encode('common.Config', config, file('updated'));
    const configs = ['--original', file('original'), '--updated', file('updated')];
    await translate('compute_update', '--channel_id', channel, ...configs, '--output', file('update'));
    const config_update = await json('common.ConfigUpdate', file('update'));
    const envelope = {
      payload: { header: { channel_header: { channel_id: channel, type: 2 } }, data: { config_update } },
    };
    await encode('common.Envelope', envelope, file('envelope'));
    for (const organization of by) await this.peer(organization, 'channel', 'signconfigtx', '-f', file('envelope'));
    await this.peer(sender, 'channel', 'update', '-f', file('envelope'), '-c', channel, ...this.#orderer);
    rmSync(work, { recursive: true });
  }

  /** Approves and commits the next definition of the network's chaincode, which both peers have installed. */
  async commitChaincode(version: string, sequence: number): Promise<void> {
    const { channel, chaincode, ports } = readNetwork(this.#directory).plan;
    const installed = await this.peer(ORG1, 'lifecycle', 'chaincode', 'queryinstalled', '--output', 'json');
    const [{ package_id: id }] = (JSON.parse(installed) as Installed).installed_chaincodes;
    const definition = [
      ...['--channelID', channel, '--name', chaincode.name, '--version', version, '--sequence', String(sequence)],
      ...this.#orderer,
    ];
    for (const organization of [ORG1, ORG2]) {
      await this.peer(organization, 'lifecycle', 'chaincode', 'approveformyorg', '--package-id', id, ...definition);
    }
    const peers = [ports.peerOrg1, ports.peerOrg2].flatMap((port) => ['--peerAddresses', `localhost:${port}`]);
    const roots = [ORG1, ORG2].flatMap((organization) => ['--tlsRootCertFiles', this.#tlsRoot(organization)]);
    await this.peer(ORG1, 'lifecycle', 'chaincode', 'commit', ...definition, ...peers, ...roots);
  }

  /** Ends the orderer's service for a channel, while it serves the others. */
  async removeFromOrderer(channel: string): Promise<void> {
    const { ports } = readNetwork(this.#directory).plan;
    const [tls = ''] = globSync(join(this.#directory, 'organizations', ORDERER.folder, 'orderers', '*', 'tls'));
    const args = [
      ...['channel', 'remove', '--channelID', channel, '-o', `localhost:${ports.ordererAdmin}`],
      ...['--ca-file', this.#tlsRoot(ORDERER)],
      ...['--client-cert', join(tls, 'server.crt'), '--client-key', join(tls, 'server.key')],
    ];
    await run('osnadmin', args, { env: this.#env });
  }

  /** Runs `peer` as an organization's administrator and returns its output. */
  async peer({ mspId, folder }: Organization, ...args: string[]): Promise<string> {
    const { ports } = readNetwork(this.#directory).plan;
    const peer = mspId === ORG2.mspId ? ORG2 : ORG1;
    const [msp = ''] = globSync(join(this.#directory, 'organizations', folder, 'users', 'Admin@*', 'msp'));
    const { stdout } = await run('peer', args, {
      env: {
        ...this.#env,
        FABRIC_CFG_PATH: join(this.#directory, 'peers', peer === ORG1 ? 'org1' : 'org2'),
        CORE_PEER_ADDRESS: `localhost:${peer === ORG1 ? ports.peerOrg1 : ports.peerOrg2}`,
        CORE_PEER_TLS_ROOTCERT_FILE: this.#tlsRoot(peer),
        CORE_PEER_LOCALMSPID: mspId,
        CORE_PEER_MSPCONFIGPATH: msp,
      },
    });
    return stdout;
  }

  get #orderer(): readonly string[] {
    const { ports } = readNetwork(this.#directory).plan;
    return ['-o', `localhost:${ports.orderer}`, '--tls', '--cafile', this.#tlsRoot(ORDERER)];
  }

  #tlsRoot({ folder }: Organization): string {
    return globSync(join(this.#directory, 'organizations', folder, 'tlsca', '*-cert.pem'))[0] ?? '';
  }
}

interface RecordedConfig {
  readonly data: {
    readonly data: readonly [{ readonly payload: { readonly data: { config: { channel_group: ConfigGroup } } } }];
  };
}

interface Installed {
  readonly installed_chaincodes: readonly [{ readonly package_id: string }];
}
