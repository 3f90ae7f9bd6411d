import { createPrivateKey } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { credentials, Client } from '@grpc/grpc-js';
import { connect, hash, signers } from '@hyperledger/fabric-gateway';
import { servicePackage, type ChaincodePackage } from '#contract-kit';
import type { FabricRelease } from './find-binaries.js';
import {
  ADVERTISED_HOST,
  type DeployedChaincode,
  LOOPBACK,
  type NetworkLayout,
  type NetworkPlan,
  ORG1,
  PEER_ORGANIZATIONS,
  type PeerOrganization,
} from './network-plan.js';
import { runCommand, waitUntilReady } from './processes.js';

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
export async function run(
  { layout, environment, signal }: NetworkContext,
  command: string,
  args: readonly string[],
  variables: Readonly<Record<string, string>> = {},
): Promise<void> {
  await runCommand({ command, args, env: { ...environment, ...variables }, cwd: layout.directory }, { signal });
}

/** Lets the orderer and both peers join a channel. */
export async function joinChannel(context: NetworkContext, channel: string): Promise<void> {
  const { plan, layout, release, progress } = context;
  const { tls } = layout.ordererIdentity;
  await run(context, release.binaries.osnadmin, [
    ...['channel', 'join', '--channelID', channel, '--config-block', layout.genesisBlock(channel)],
    ...['-o', `${ADVERTISED_HOST}:${plan.ports.ordererAdmin}`, '--ca-file', layout.ordererTlsRoot],
    ...['--client-cert', join(tls, 'server.crt'), '--client-key', join(tls, 'server.key')],
  ]);
  await runBothPeers(context, ['channel', 'join', '-b', layout.genesisBlock(channel)]);
  progress(`orderer and both peers joined ${channel}`);
}

/** An orderer that starts elects itself after one to two seconds. */
const ORDERER_MS = 20_000;

/**
 * Waits until the orderer serves a channel. Before its election it delivers no blocks and accepts no transactions.
 * @throws {@link FabricNetworkError} NOT_READY with the orderer's last response
 */
export async function waitForOrderer(context: NetworkContext, channel: string): Promise<void> {
  const { layout, signal, progress } = context;
  const file = join(layout.orderer, 'newest.block');
  const fetch = ['channel', 'fetch', 'newest', file, '-c', channel, ...ordererArguments(context)];
  await waitUntilReady(
    () => runPeer(context, ORG1, fetch),
    { timeoutMs: ORDERER_MS, signal },
    ({ message }) =>
      `the orderer does not serve ${channel} after ${ORDERER_MS / 1000} s (${message}): see ${layout.log('orderer')}`,
  );
  progress(`orderer accepts transactions of ${channel}`);
}

/** Returns the package that contains a chaincode's address; its id is known before the installation. */
export function chaincodePackage(
  { ports }: NetworkPlan,
  layout: NetworkLayout,
  { part, plan: chaincode }: DeployedChaincode,
): ChaincodePackage {
  const address = `${LOOPBACK}:${ports[part]}`;
  const label = `${chaincode.name}_${chaincode.version}`;
  if (!chaincode.tls) return servicePackage(label, { address });
  const { root, clientCert, clientKey } = layout.chaincodeTls;
  const client = { cert: readFileSync(clientCert, 'utf8'), key: readFileSync(clientKey, 'utf8') };
  return servicePackage(label, { address, tls: { rootCert: readFileSync(root, 'utf8'), client } });
}

const LIFECYCLE = ['lifecycle', 'chaincode'];

/** Installs the package of a chaincode on both peers. */
export async function installChaincode(context: NetworkContext, chaincode: DeployedChaincode): Promise<void> {
  const { plan, layout, progress } = context;
  const { id } = chaincodePackage(plan, layout, chaincode);
  await runBothPeers(context, [...LIFECYCLE, 'install', layout.chaincodePackage(chaincode.part)]);
  progress(`chaincode ${id.slice(0, id.indexOf(':') + 9)}… installed on both peers`);
}

/** Approves the definition of a chaincode on a channel for both organizations and commits it. */
export async function commitChaincode(
  context: NetworkContext,
  chaincode: DeployedChaincode,
  channel: string,
): Promise<void> {
  const { plan, layout, progress } = context;
  const { name, version } = chaincode.plan;
  const { id } = chaincodePackage(plan, layout, chaincode);
  const definition = [
    ...ordererArguments(context),
    ...['--channelID', channel, '--name', name, '--version', version, '--sequence', '1'],
    ...(chaincode.part === 'records' ? ['--collections-config', layout.collections] : []),
  ];
  await runBothPeers(context, [...LIFECYCLE, 'approveformyorg', '--package-id', id, ...definition]);
  progress(`${name} ${version} approved by both organisations on ${channel}`);
  const peers = PEER_ORGANIZATIONS.flatMap((organization) => [
    ...['--peerAddresses', `${ADVERTISED_HOST}:${plan.ports[organization.port]}`],
    ...['--tlsRootCertFiles', join(layout.peerIdentity(organization).tls, 'ca.crt')],
  ]);
  await runPeer(context, ORG1, [...LIFECYCLE, 'commit', ...definition, ...peers]);
  progress(`${name} ${version} committed on ${channel}`);
}

async function runBothPeers(context: NetworkContext, args: readonly string[]): Promise<void> {
  await Promise.all(PEER_ORGANIZATIONS.map((organization) => runPeer(context, organization, args)));
}

/** Runs `peer` as an organization's administrator against its own peer. */
function runPeer(context: NetworkContext, of: PeerOrganization, args: readonly string[]): Promise<void> {
  const { plan, layout, release } = context;
  return run(context, release.binaries.peer, args, {
    FABRIC_CFG_PATH: layout.peer(of),
    CORE_PEER_ADDRESS: `${ADVERTISED_HOST}:${plan.ports[of.port]}`,
    CORE_PEER_LOCALMSPID: of.mspId,
    CORE_PEER_MSPCONFIGPATH: layout.user(of, 'Admin').msp,
    CORE_PEER_TLS_ROOTCERT_FILE: join(layout.peerIdentity(of).tls, 'ca.crt'),
  });
}

function ordererArguments({ plan, layout }: NetworkContext): readonly string[] {
  return ['-o', `${ADVERTISED_HOST}:${plan.ports.orderer}`, '--tls', '--cafile', layout.ordererTlsRoot];
}

const ENDORSEMENT_MS = 30_000;
const ATTEMPT_MS = 5000;

/**
 * Waits until the peers of both organizations endorse a call of the chaincode: discovery knows all peers then, the
 * chaincode responds, and a client's first transaction succeeds. Nothing is sent to the orderer.
 * @throws {@link FabricNetworkError} NOT_READY with the peers' last response
 */
export async function waitForEndorsement(
  { plan: { ports }, layout, signal, progress }: NetworkContext,
  { part, plan: chaincode }: DeployedChaincode,
  channel: string,
): Promise<void> {
  if (chaincode.probe === '') return;
  const roots = readFileSync(layout.tlsRoot(ORG1));
  const client = new Client(`${ADVERTISED_HOST}:${ports.peerOrg1}`, credentials.createSsl(roots), {
    'grpc.ssl_target_name_override': ORG1.peerHost,
  });
  const gateway = connect({
    client,
    hash: hash.sha256,
    identity: { mspId: ORG1.mspId, credentials: readFileSync(join(layout.pem, 'User1.cert.pem')) },
    signer: signers.newPrivateKeySigner(createPrivateKey(readFileSync(join(layout.pem, 'User1.key.pem')))),
    endorseOptions: () => ({ deadline: Date.now() + ATTEMPT_MS }),
  });
  try {
    const contract = gateway.getNetwork(channel).getContract(chaincode.name);
    const [name = '', ...args] = chaincode.probe.split(' ');
    await waitUntilReady(
      () => contract.newProposal(name, { arguments: args }).endorse(),
      { timeoutMs: ENDORSEMENT_MS, signal },
      ({ message, details = [] }: Error & { readonly details?: readonly { readonly message: string }[] }) =>
        `the peers do not endorse ${chaincode.probe} of ${chaincode.name} after ${ENDORSEMENT_MS / 1000} s ` +
        `(${details[0]?.message ?? message}): see ${layout.log(part)}, or name a function that it has with --probe`,
    );
  } finally {
    gateway.close();
    client.close();
  }
  progress(`both organisations endorse calls of ${chaincode.name} on ${channel}`);
}
