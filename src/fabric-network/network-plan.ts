import { once } from 'node:events';
import { createServer, type AddressInfo, type Server } from 'node:net';
import { join, resolve } from 'node:path';
import { FabricNetworkError } from './processes.js';

/** The address that everything listens on. */
export const LOOPBACK = '127.0.0.1';
/** The host that peers and orderer advertise; every certificate is valid for it too. */
export const ADVERTISED_HOST = 'localhost';

/** The listeners with their descriptions, in the order of the ports that are usual for sample networks, 7050 to 7055, and one more. */
const LISTENERS = {
  orderer: 'orderer',
  peerOrg1: 'peer of Org1',
  chaincode: 'chaincode',
  ordererAdmin: "orderer's administration",
  ca: 'certificate authority',
  peerOrg2: 'peer of Org2',
  records: 'records chaincode',
};
export type PortName = keyof typeof LISTENERS;
const PORT_NAMES = Object.keys(LISTENERS) as PortName[];
export type NetworkPorts = Readonly<Record<PortName, number>>;

/** The choices that make a network. They are stored with it, so that it can be started again as it was. */
export interface NetworkPlan {
  /** Absolute path of everything that belongs to the network. */
  readonly directory: string;
  readonly ports: NetworkPorts;
  readonly channel: string;
  /** Further channels of the same nodes, with the same chaincode. */
  readonly otherChannels?: readonly string[];
  readonly chaincode: ChaincodePlan;
  /** The contract of records; undefined for networks of earlier releases, and where `chaincode` has its name. */
  readonly records?: ChaincodePlan;
  /** How long the orderer waits for more transactions before it cuts a block; a Go duration, such as 200ms. */
  readonly batchTimeout: string;
  /** Most transactions in a block. */
  readonly batchSize: number;
  /** Whether Org1 has a Fabric CA. */
  readonly ca: boolean;
}

/** Returns the names of all channels of a network. */
export function channelsOf({ channel, otherChannels = [] }: NetworkPlan): readonly string[] {
  return [channel, ...otherChannels];
}

/** The chaincode of the channels, which runs as a service. */
export interface ChaincodePlan {
  readonly name: string;
  readonly version: string;
  /** TLS between the peers and the chaincode, both ways. */
  readonly tls: boolean;
  /** A shell command that serves another chaincode, with CHAINCODE_ID and CHAINCODE_SERVER_ADDRESS in its environment. */
  readonly command?: string;
  /** Working directory of the command. */
  readonly workingDirectory?: string;
  /** A read-only function and its arguments, separated by spaces, that checks the chaincode; empty: no check. */
  readonly probe: string;
}

/** The name of the chaincode of records, by which ledger-api calls it. */
const RECORDS = 'records';

/** A chaincode of the channels with the part of the network that serves it. */
export interface DeployedChaincode {
  readonly part: 'chaincode' | 'records';
  readonly plan: ChaincodePlan;
}

/** Returns the chaincodes of the channels. */
export function chaincodesOf({ chaincode, records }: NetworkPlan): readonly DeployedChaincode[] {
  return [
    { part: 'chaincode', plan: chaincode },
    ...(records === undefined ? [] : [{ part: 'records', plan: records } as const]),
  ];
}

/** The options of `up`; a network is made of all of them, with defaults. */
export interface PlanOptions {
  /** 0: any free ports. */
  readonly firstPort: number;
  /** One or more. */
  readonly channel: readonly string[];
  readonly chaincodeName: string;
  readonly chaincodeVersion: string;
  readonly chaincodeCommand?: string | undefined;
  /** Absolute. */
  readonly chaincodeDir?: string | undefined;
  readonly chaincodeTls: boolean;
  readonly probe: string | false;
  readonly batchTimeout: string;
  readonly batchSize: number;
  readonly ca: boolean;
}

/** One of the two organizations that run peers. */
export interface PeerOrganization {
  readonly name: 'Org1' | 'Org2';
  readonly mspId: string;
  readonly domain: string;
  readonly peerHost: string;
  readonly port: 'peerOrg1' | 'peerOrg2';
}

export const ORG1 = organization('Org1', 'peerOrg1');
export const ORG2 = organization('Org2', 'peerOrg2');
export const PEER_ORGANIZATIONS = [ORG1, ORG2];
export const ORDERER = { mspId: 'OrdererMSP', domain: 'example.com', host: 'orderer.example.com' } as const;
/** The organization of the TLS identities of the chaincode, and of the peers that connect to it. */
export const CHAINCODE_TLS = { domain: 'chaincode.example.com', host: 'service.chaincode.example.com' } as const;
/** The CA's name in the profile and in its TLS certificate, and its registrar. */
export const CA = { host: 'ca.org1.example.com', registrar: 'admin' } as const;

function organization(name: PeerOrganization['name'], port: PeerOrganization['port']): PeerOrganization {
  const domain = `${name.toLowerCase()}.example.com`;
  return { name, mspId: `${name}MSP`, domain, peerHost: `peer0.${domain}`, port };
}

/** Makes the plan of a new network. */
export async function makePlan(directory: string, options: PlanOptions): Promise<NetworkPlan> {
  const { firstPort, chaincodeCommand: command, probe, batchTimeout, batchSize, ca } = options;
  const [channel = '', ...otherChannels] = new Set(options.channel);
  return {
    directory: resolve(directory),
    ports: firstPort === 0 ? await freePorts() : named(PORT_NAMES.map((_, index) => firstPort + index)),
    channel,
    ...(otherChannels.length > 0 && { otherChannels }),
    chaincode: {
      name: options.chaincodeName,
      version: options.chaincodeVersion,
      tls: options.chaincodeTls,
      probe: probe === false ? '' : probe,
      ...(command !== undefined && { command, workingDirectory: options.chaincodeDir ?? resolve('.') }),
    },
    ...(options.chaincodeName !== RECORDS && {
      records: {
        name: RECORDS,
        version: '1.0',
        tls: options.chaincodeTls,
        probe: probe === false ? '' : 'ListTypes 1 ',
      },
    }),
    batchTimeout,
    batchSize,
    ca,
  };
}

/**
 * Checks that an existing network has the specified options: its channel and identities cannot be changed. The probe
 * may be another one.
 * @throws {@link FabricNetworkError} PLAN_DIFFERS that names the first difference
 */
export function requireSamePlan(
  existing: NetworkPlan,
  { probe, channel, ...options }: Partial<PlanOptions>,
): NetworkPlan {
  const given = { ...options, ...(channel !== undefined && { channel: [...new Set(channel)].join(', ') }) };
  const { chaincode, records, ports, directory } = existing;
  const current: Readonly<Record<string, string | number | boolean | undefined>> = {
    channel: channelsOf(existing).join(', '),
    batchTimeout: existing.batchTimeout,
    batchSize: existing.batchSize,
    ca: existing.ca,
    firstPort: given.firstPort === 0 ? 0 : ports.orderer,
    chaincodeName: chaincode.name,
    chaincodeVersion: chaincode.version,
    chaincodeCommand: chaincode.command,
    chaincodeDir: chaincode.workingDirectory,
    chaincodeTls: chaincode.tls,
  };
  const difference = Object.entries(given).find(([name, value]) => value !== current[name]);
  if (difference !== undefined) {
    const [name, value] = difference;
    const text = `the network in ${directory} was made with ${name} ${current[name] ?? 'unset'}, not ${String(value)}`;
    const remedy = 'leave that option out, choose another --dir, or re-create it after `down --remove-data`';
    throw new FabricNetworkError('PLAN_DIFFERS', `${text}: ${remedy}`);
  }
  if (probe === undefined) return existing;
  const withProbe = { ...existing, chaincode: { ...chaincode, probe: probe === false ? '' : probe } };
  return probe === false && records !== undefined ? { ...withProbe, records: { ...records, probe: '' } } : withProbe;
}

/** Returns a free port for each listener, chosen by the system. */
export async function freePorts(): Promise<NetworkPorts> {
  const servers = await Promise.all(PORT_NAMES.map(() => listen(0)));
  const ports = servers.map((server) => (server.address() as AddressInfo).port);
  await Promise.all(servers.map(close));
  return named(ports);
}

/**
 * Makes sure that each port can be listened on.
 * @throws {@link FabricNetworkError} PORT_TAKEN that names the first one taken
 */
export async function requireFreePorts(names: readonly PortName[], ports: NetworkPorts): Promise<void> {
  for (const name of names) {
    try {
      await close(await listen(ports[name]));
    } catch (cause) {
      const { code = String(cause) } = cause as NodeJS.ErrnoException;
      const text = `port ${ports[name]} on ${LOOPBACK}, meant for the ${LISTENERS[name]}, cannot be listened on (${code})`;
      const remedy = 'stop the process that uses it, or choose other ports with --first-port (0: any free ones)';
      throw new FabricNetworkError('PORT_TAKEN', `${text}: ${remedy}`, { cause });
    }
  }
}

function named(ports: readonly number[]): NetworkPorts {
  return Object.fromEntries(PORT_NAMES.map((name, index) => [name, ports[index]])) as unknown as NetworkPorts;
}

async function listen(port: number): Promise<Server> {
  const server = createServer().listen(port, LOOPBACK);
  await once(server, 'listening');
  return server;
}

async function close(server: Server): Promise<void> {
  server.close();
  await once(server, 'close');
}

/** The path of each file of a network. Those in `organizations` are as cryptogen makes them. */
export type NetworkLayout = ReturnType<typeof layoutOf>;

/** Returns the paths of the files of a network in a directory. */
// eslint-disable-next-line @typescript-eslint/explicit-module-boundary-types -- it would repeat each name
export function layoutOf(directory: string) {
  const at = (...parts: readonly string[]): string => join(directory, ...parts);
  const organization = ({ domain }: Pick<PeerOrganization, 'domain'>): string =>
    at('organizations', 'peerOrganizations', domain);
  const ordererOrganization = at('organizations', 'ordererOrganizations', ORDERER.domain);
  const identity = (base: string): Identity => ({ msp: join(base, 'msp'), tls: join(base, 'tls') });
  const peerIdentity = (of: Pick<PeerOrganization, 'domain' | 'peerHost'>): Identity =>
    identity(join(organization(of), 'peers', of.peerHost));
  const user = (of: Pick<PeerOrganization, 'domain'>, name: 'Admin' | 'User1'): Identity =>
    identity(join(organization(of), 'users', `${name}@${of.domain}`));
  const tlsRoot = (of: Pick<PeerOrganization, 'domain'>): string =>
    join(organization(of), 'tlsca', `tlsca.${of.domain}-cert.pem`);
  const service = peerIdentity({ domain: CHAINCODE_TLS.domain, peerHost: CHAINCODE_TLS.host }).tls;
  const client = user(CHAINCODE_TLS, 'Admin').tls;
  return {
    directory,
    record: at('network.json'),
    cryptoConfig: at('crypto-config.yaml'),
    organizations: at('organizations'),
    channelConfig: at('configtx', 'configtx.yaml'),
    genesisBlock: (channel: string): string => at('configtx', `${channel}.block`),
    orderer: at('orderer'),
    ca: at('ca'),
    /** Secret of the CA's registrar, for enrolling. */
    registrarSecret: at('ca', 'registrar-secret'),
    chaincodePackage: (part: DeployedChaincode['part']): string => at(part, 'package.tgz'),
    /** The private collections of the contract of records. */
    collections: at('records', 'collections.json'),
    wallet: at('wallet'),
    pem: at('pem'),
    environment: at('.env'),
    peer: ({ name }: PeerOrganization): string => at('peers', name.toLowerCase()),
    log: (process: string): string => at('logs', `${process}.log`),
    connectionProfile: ({ name }: PeerOrganization): string => at(`connection-${name.toLowerCase()}.json`),
    ordererOrganization,
    ordererIdentity: identity(join(ordererOrganization, 'orderers', ORDERER.host)),
    ordererTlsRoot: join(ordererOrganization, 'tlsca', `tlsca.${ORDERER.domain}-cert.pem`),
    organization,
    peerIdentity,
    user,
    tlsRoot,
    /** Org1's root, which the CA signs with. */
    caIdentity: {
      cert: join(organization(ORG1), 'ca', `ca.${ORG1.domain}-cert.pem`),
      key: join(organization(ORG1), 'ca', 'priv_sk'),
    },
    /** The chaincode's server certificate, the peers' client certificate for it, and the root of both. */
    chaincodeTls: {
      root: tlsRoot(CHAINCODE_TLS),
      serviceCert: join(service, 'server.crt'),
      serviceKey: join(service, 'server.key'),
      clientCert: join(client, 'client.crt'),
      clientKey: join(client, 'client.key'),
    },
  };
}

interface Identity {
  readonly msp: string;
  readonly tls: string;
}
