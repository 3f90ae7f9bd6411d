import { resolve } from 'node:path';
import { FabricNetworkError } from './fabric-network.error.js';
import { freePorts, portsFrom, type NetworkPorts } from './network-ports.js';

/** All that decides how a network looks; it is kept with the network, so that it can be started again as it was. */
export interface NetworkPlan {
  /** Absolute path that everything is kept under. */
  readonly directory: string;
  readonly ports: NetworkPorts;
  readonly channel: string;
  readonly chaincode: ChaincodePlan;
  /** How long the orderer waits for more transactions before it cuts a block; a Go duration, such as 200ms. */
  readonly batchTimeout: string;
  /** Most transactions in a block. */
  readonly batchSize: number;
  /** Whether Org1 has a Fabric CA. */
  readonly ca: boolean;
}

/** The chaincode of the channel, which runs as a service. */
export interface ChaincodePlan {
  readonly name: string;
  readonly version: string;
  /** TLS between the peers and the chaincode, both ways. */
  readonly tls: boolean;
  /**
   * A shell command that serves another chaincode than ours; it finds its id and address in CHAINCODE_ID and
   * CHAINCODE_SERVER_ADDRESS.
   */
  readonly command?: string;
  /** Working directory of the command. */
  readonly workingDirectory?: string;
  /** A read-only function with its arguments, parted by spaces, that checks whether the chaincode answers; empty: no check. */
  readonly probe: string;
}

/** One of the two organisations that run peers. */
export interface PeerOrganisation {
  readonly name: 'Org1' | 'Org2';
  readonly mspId: string;
  readonly domain: string;
  readonly peerHost: string;
  readonly port: 'peerOrg1' | 'peerOrg2';
}

export const ORG1: PeerOrganisation = organisation('Org1', 'peerOrg1');
export const ORG2: PeerOrganisation = organisation('Org2', 'peerOrg2');
export const PEER_ORGANISATIONS: readonly PeerOrganisation[] = [ORG1, ORG2];

export const ORDERER = { mspId: 'OrdererMSP', domain: 'example.com', host: 'orderer.example.com' } as const;

/** TLS identities of the chaincode and of the peers that connect to it come from an organisation of their own. */
export const CHAINCODE_TLS = { domain: 'chaincode.example.com', host: 'service.chaincode.example.com' } as const;

/** The CA's name in the profile, and the one it calls itself. */
export const CA = { host: 'ca.org1.example.com', registrar: 'admin' } as const;

/** Host that every certificate is also good for, and that peers and orderer advertise. */
export const ADVERTISED_HOST = 'localhost';

function organisation(name: 'Org1' | 'Org2', port: PeerOrganisation['port']): PeerOrganisation {
  const domain = `${name.toLowerCase()}.example.com`;
  return { name, mspId: `${name}MSP`, domain, peerHost: `peer0.${domain}`, port };
}

/** Label of the chaincode's package, which its id begins with. */
export function chaincodeLabel({ name, version }: ChaincodePlan): string {
  return `${name}_${version}`;
}

/** Where a plan's chaincode command runs. */
export function commandDirectory(plan: NetworkPlan): string {
  return resolve(plan.chaincode.workingDirectory ?? '.');
}

/** What the user may choose; what is not there has its default. */
export interface PlanOptions {
  readonly firstPort?: number;
  readonly channel?: string;
  readonly chaincodeName?: string;
  readonly chaincodeVersion?: string;
  readonly chaincodeCommand?: string;
  readonly chaincodeDir?: string;
  readonly chaincodeTls?: boolean;
  /** false: the network is ready without asking the chaincode. */
  readonly probe?: string | false;
  readonly batchTimeout?: string;
  readonly batchSize?: number;
  readonly ca?: boolean;
}

export const PLAN_DEFAULTS = {
  firstPort: 7050,
  channel: 'mychannel',
  chaincodeName: 'basic',
  chaincodeVersion: '1.0',
  /** This project's chaincode has it, and so have the samples. */
  probe: 'AssetExists probe',
  batchTimeout: '200ms',
  batchSize: 100,
} as const;

/** The rules of Fabric's own checks, and of Go's durations as far as a batch timeout needs them. */
const RULES: readonly (readonly [keyof PlanOptions, string, RegExp, string])[] = [
  ['channel', '--channel', /^[a-z][a-z0-9.-]{0,248}$/, 'small letters, digits, dots and dashes, a letter first'],
  ['chaincodeName', '--chaincode-name', /^[a-zA-Z0-9]+([-_][a-zA-Z0-9]+)*$/, 'letters and digits, - or _ between'],
  ['chaincodeVersion', '--chaincode-version', /^[A-Za-z0-9_.+-]+$/, 'letters, digits and _ . + -'],
  ['batchTimeout', '--batch-timeout', /^[0-9]+(\.[0-9]+)?(ms|s|m)$/, 'a duration such as 200ms or 2s'],
];

const HIGHEST_FIRST_PORT = 65530;

/**
 * Makes a plan of the options.
 * @param hasCa whether fabric-ca-server is there
 * @throws {@link FabricNetworkError} FABRIC_NETWORK.BAD_OPTION
 */
export async function makePlan(directory: string, options: PlanOptions, hasCa: boolean): Promise<NetworkPlan> {
  const chosen = { ...PLAN_DEFAULTS, ...options };
  check(chosen);
  const command = chosen.chaincodeCommand;
  return {
    directory: resolve(directory),
    ports: chosen.firstPort === 0 ? await freePorts() : portsFrom(chosen.firstPort),
    channel: chosen.channel,
    chaincode: {
      name: chosen.chaincodeName,
      version: chosen.chaincodeVersion,
      tls: chosen.chaincodeTls ?? false,
      probe: chosen.probe === false ? '' : chosen.probe,
      ...(command !== undefined && { command, workingDirectory: resolve(chosen.chaincodeDir ?? '.') }),
    },
    batchTimeout: chosen.batchTimeout,
    batchSize: chosen.batchSize,
    ca: hasCa && chosen.ca !== false,
  };
}

/**
 * Makes sure that an existing network is as it is asked for now: its channel and identities cannot be changed.
 * @throws {@link FabricNetworkError} FABRIC_NETWORK.PLAN_DIFFERS that names the first difference
 */
export function requireSamePlan(existing: NetworkPlan, options: Omit<PlanOptions, 'probe'>): void {
  const { chaincode } = existing;
  const current: Required<Omit<PlanOptions, 'chaincodeCommand' | 'chaincodeDir' | 'probe'>> & PlanOptions = {
    firstPort: existing.ports.orderer,
    channel: existing.channel,
    chaincodeName: chaincode.name,
    chaincodeVersion: chaincode.version,
    chaincodeTls: chaincode.tls,
    batchTimeout: existing.batchTimeout,
    batchSize: existing.batchSize,
    ca: existing.ca,
    ...(chaincode.command !== undefined && { chaincodeCommand: chaincode.command }),
    ...(chaincode.workingDirectory !== undefined && { chaincodeDir: chaincode.workingDirectory }),
  };
  const asked: PlanOptions = {
    ...options,
    ...(options.chaincodeDir !== undefined && { chaincodeDir: resolve(options.chaincodeDir) }),
    // Any free ports will do: those that it has are as good as others.
    ...(options.firstPort === 0 && { firstPort: existing.ports.orderer }),
  };
  for (const [name, value] of Object.entries(asked)) {
    const has = current[name as keyof PlanOptions];
    if (value === has) continue;
    throw new FabricNetworkError(
      'FABRIC_NETWORK.PLAN_DIFFERS',
      `the network in ${existing.directory} was made with ${name} ${String(has ?? 'unset')}, not ${String(value)}: ` +
        'leave that option out, choose another --dir, or re-create it after `down --remove-data`',
    );
  }
}

function check(options: PlanOptions): void {
  for (const [key, option, rule, shape] of RULES) {
    const value = String(options[key]);
    if (!rule.test(value)) throw bad(`${option} ${value} is not ${shape}`);
  }
  const { firstPort = 0, batchSize = 1 } = options;
  if (!isWhole(firstPort, 0, HIGHEST_FIRST_PORT)) {
    throw bad(`--first-port must be a whole number from 0 to ${HIGHEST_FIRST_PORT}: six ports in a row are used`);
  }
  if (!isWhole(batchSize, 1, 100_000)) throw bad('--batch-size must be a whole number from 1 to 100000');
  if (options.chaincodeDir !== undefined && options.chaincodeCommand === undefined) {
    throw bad('--chaincode-dir goes with --chaincode-command');
  }
}

function isWhole(value: number, least: number, most: number): boolean {
  return Number.isInteger(value) && value >= least && value <= most;
}

function bad(message: string): FabricNetworkError {
  return new FabricNetworkError('FABRIC_NETWORK.BAD_OPTION', message);
}
