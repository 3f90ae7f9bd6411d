import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { servicePackage, type ChaincodePackage } from '#asset-contract';
import { FabricNetworkError } from './fabric-network.error.js';
import type { FabricRelease } from './find-binaries.js';
import type { NetworkLayout } from './network-layout.js';
import {
  ADVERTISED_HOST,
  LOOPBACK,
  ORG1,
  PEER_ORGANIZATIONS,
  type NetworkPlan,
  type PeerOrganization,
} from './network-plan.js';
import { retry, runCommand } from './run-command.js';

/** The input of every step of `up`. */
export interface NetworkContext {
  readonly plan: NetworkPlan;
  readonly layout: NetworkLayout;
  readonly release: FabricRelease;
  /** The environment of programs. Without Fabric's own variables, which would override the configuration files. */
  readonly environment: Readonly<Record<string, string>>;
  /** Aborts waits and running commands. */
  readonly signal: AbortSignal;
  /** Reports a finished step to the user. */
  readonly progress: (text: string) => void;
}

/** Runs a program of the release in the network's directory. */
export async function run(context: NetworkContext, command: string, args: readonly string[]): Promise<string> {
  const { environment: env, layout, signal } = context;
  return runCommand({ command, args, env, cwd: layout.directory, signal });
}

/** Lets the orderer and both peers join the channel. */
export async function joinChannel(context: NetworkContext): Promise<void> {
  const { plan, layout, release, progress } = context;
  const { tls } = layout.ordererIdentity;
  await run(context, release.binaries.osnadmin, [
    ...['channel', 'join', '--channelID', plan.channel, '--config-block', layout.genesisBlock],
    ...['-o', `${ADVERTISED_HOST}:${plan.ports.ordererAdmin}`, '--ca-file', layout.ordererTlsRoot],
    ...['--client-cert', join(tls, 'server.crt'), '--client-key', join(tls, 'server.key')],
  ]);
  await runBothPeers(context, ['channel', 'join', '-b', layout.genesisBlock]);
  progress(`orderer and both peers joined ${plan.channel}`);
}

/** An orderer that starts elects itself after one to two seconds. */
const READY_MS = 20_000;

/**
 * Waits until the orderer serves the channel. Before its election it delivers no blocks and accepts no transactions.
 * @throws {@link FabricNetworkError} NOT_READY with the orderer's last response
 */
export async function waitForOrderer(context: NetworkContext): Promise<void> {
  const { plan, layout, signal, progress } = context;
  const file = join(layout.orderer, 'newest.block');
  const fetch = ['channel', 'fetch', 'newest', file, '-c', plan.channel, ...ordererArguments(context)];
  await retry(
    () => runPeer(context, ORG1, fetch),
    { timeoutMs: READY_MS, signal },
    (cause) =>
      new FabricNetworkError(
        'NOT_READY',
        `the orderer does not serve ${plan.channel} after ${READY_MS / 1000} s (${(cause as Error).message}): ` +
          `see ${layout.log('orderer')}`,
        { cause },
      ),
  );
  progress(`orderer takes transactions of ${plan.channel}`);
}

/** Returns the package that contains the chaincode's address; its id is known before the installation. */
export function chaincodePackage({ ports, chaincode }: NetworkPlan, layout: NetworkLayout): ChaincodePackage {
  const address = `${LOOPBACK}:${ports.chaincode}`;
  const label = `${chaincode.name}_${chaincode.version}`;
  if (!chaincode.tls) return servicePackage(label, { address });
  const { root, clientCert, clientKey } = layout.chaincodeTls;
  const client = { cert: readFileSync(clientCert, 'utf8'), key: readFileSync(clientKey, 'utf8') };
  return servicePackage(label, { address, tls: { rootCert: readFileSync(root, 'utf8'), client } });
}

/** Installs the package on both peers, approves its definition for both organizations and commits it. */
export async function deployChaincode(context: NetworkContext, packageId: string): Promise<void> {
  const { plan, layout, progress } = context;
  const { name, version } = plan.chaincode;
  const lifecycle = ['lifecycle', 'chaincode'];
  await runBothPeers(context, [...lifecycle, 'install', layout.chaincodePackage]);
  progress(`chaincode ${packageId.slice(0, packageId.indexOf(':') + 9)}… installed on both peers`);
  const definition = [
    ...ordererArguments(context),
    ...['--channelID', plan.channel, '--name', name, '--version', version, '--sequence', '1'],
  ];
  await runBothPeers(context, [...lifecycle, 'approveformyorg', '--package-id', packageId, ...definition]);
  progress(`${name} ${version} approved by both organisations`);
  const peers = PEER_ORGANIZATIONS.flatMap((organization) => [
    ...['--peerAddresses', `${ADVERTISED_HOST}:${plan.ports[organization.port]}`],
    ...['--tlsRootCertFiles', join(layout.peerIdentity(organization).tls, 'ca.crt')],
  ]);
  await runPeer(context, ORG1, [...lifecycle, 'commit', ...definition, ...peers]);
  progress(`${name} ${version} committed on ${plan.channel}`);
}

async function runBothPeers(context: NetworkContext, args: readonly string[]): Promise<void> {
  await Promise.all(PEER_ORGANIZATIONS.map((organization) => runPeer(context, organization, args)));
}

/** Runs `peer` as an organization's administrator against its own peer. */
async function runPeer(context: NetworkContext, of: PeerOrganization, args: readonly string[]): Promise<string> {
  const { plan, layout, release, environment } = context;
  const env = {
    ...environment,
    FABRIC_CFG_PATH: layout.peer(of),
    CORE_PEER_ADDRESS: `${ADVERTISED_HOST}:${plan.ports[of.port]}`,
    CORE_PEER_LOCALMSPID: of.mspId,
    CORE_PEER_MSPCONFIGPATH: layout.user(of, 'Admin').msp,
    CORE_PEER_TLS_ROOTCERT_FILE: join(layout.peerIdentity(of).tls, 'ca.crt'),
  };
  return run({ ...context, environment: env }, release.binaries.peer, args);
}

function ordererArguments({ plan, layout }: NetworkContext): readonly string[] {
  return ['-o', `${ADVERTISED_HOST}:${plan.ports.orderer}`, '--tls', '--cafile', layout.ordererTlsRoot];
}
