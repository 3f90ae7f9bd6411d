import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Server } from 'node:net';
import { FabricNetworkError } from './fabric-network.error.js';

/** Everything listens on this address. */
export const LOOPBACK = '127.0.0.1';

/** What listens, in the order of the ports that are usual for sample networks, 7050 to 7055. */
export const PORT_NAMES = ['orderer', 'peerOrg1', 'chaincode', 'ordererAdmin', 'ca', 'peerOrg2'] as const;

export type PortName = (typeof PORT_NAMES)[number];

export type NetworkPorts = Readonly<Record<PortName, number>>;

/** Six ports in a row. */
export function portsFrom(first: number): NetworkPorts {
  return named(PORT_NAMES.map((_, index) => first + index));
}

/** Returns six free ports, chosen by the system. */
export async function freePorts(): Promise<NetworkPorts> {
  const servers = await Promise.all(PORT_NAMES.map(() => listen(0)));
  const ports = servers.map((server) => (server.address() as AddressInfo).port);
  await Promise.all(servers.map(close));
  return named(ports);
}

/**
 * Makes sure that each port can be listened on.
 * @throws {@link FabricNetworkError} FABRIC_NETWORK.PORT_TAKEN that names the first one taken
 */
export async function requireFreePorts(ports: Partial<NetworkPorts>): Promise<void> {
  for (const [name, port] of Object.entries(ports)) {
    try {
      await close(await listen(port));
    } catch (cause) {
      throw new FabricNetworkError(
        'FABRIC_NETWORK.PORT_TAKEN',
        `port ${port} on ${LOOPBACK}, meant for the ${LABELS[name as PortName]}, cannot be listened on (${codeOf(cause)}): ` +
          'end what uses it, or choose other ports with --first-port (0: any free ones)',
        { cause },
      );
    }
  }
}

const LABELS: Readonly<Record<PortName, string>> = {
  orderer: 'orderer',
  peerOrg1: 'peer of Org1',
  chaincode: 'chaincode',
  ordererAdmin: "orderer's administration",
  ca: 'certificate authority',
  peerOrg2: 'peer of Org2',
};

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

function codeOf(error: unknown): string {
  return (error as NodeJS.ErrnoException).code ?? String(error);
}

const TIMEOUT_MS = 1000;

/** Whether a TCP connection to the port on loopback succeeds. */
export async function isListening(port: number): Promise<boolean> {
  const socket = connect({ port, host: LOOPBACK });
  try {
    return await new Promise((resolve) => {
      socket.once('connect', () => {
        resolve(true);
      });
      socket.once('error', () => {
        resolve(false);
      });
      socket.setTimeout(TIMEOUT_MS, () => {
        resolve(false);
      });
    });
  } finally {
    socket.destroy();
  }
}
