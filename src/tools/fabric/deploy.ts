import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { servicePackage, type ChaincodePackage } from '#asset-contract';
import type { NetworkContext } from './components.js';
import { FabricNetworkError } from './fabric-network.error.js';
import type { NetworkLayout } from './network-layout.js';
import {
  ADVERTISED_HOST,
  ORG1,
  PEER_ORGANISATIONS,
  chaincodeLabel,
  type NetworkPlan,
  type PeerOrganisation,
} from './network-plan.js';
import { LOOPBACK } from './network-ports.js';
import { runCommand, waitUntil } from './run-command.js';

/** Lets the orderer and both peers join the channel. */
export async function joinChannel(context: NetworkContext): Promise<void> {
  const { plan, layout, release, environment, signal, progress } = context;
  const { tls } = layout.ordererIdentity;
  await runCommand({
    command: release.binaries.osnadmin,
    args: [
      ...['channel', 'join', '--channelID', plan.channel, '--config-block', layout.genesisBlock],
      ...['-o', `${ADVERTISED_HOST}:${plan.ports.ordererAdmin}`, '--ca-file', layout.ordererTlsRoot],
      ...['--client-cert', join(tls, 'server.crt'), '--client-key', join(tls, 'server.key')],
    ],
    env: environment,
    cwd: layout.directory,
    signal,
  });
  await Promise.all(
    PEER_ORGANISATIONS.map((organisation) =>
      runPeer(context, organisation, ['channel', 'join', '-b', layout.genesisBlock]),
    ),
  );
  progress(`orderer and both peers joined ${plan.channel}`);
}

/** An orderer that starts elects itself after one to two seconds. */
const READY_MS = 20_000;

/**
 * Waits until the orderer serves the channel. Until it has elected itself it refuses to deliver blocks as it refuses
 * transactions.
 * @throws {@link FabricNetworkError} FABRIC_NETWORK.NOT_READY with the orderer's last answer
 */
export async function waitForOrderer(context: NetworkContext): Promise<void> {
  const { plan, layout, signal, progress } = context;
  const file = join(layout.orderer, 'newest.block');
  let last: FabricNetworkError | undefined;
  const served = await waitUntil(
    async () => {
      try {
        return await runPeer(context, ORG1, [
          ...['channel', 'fetch', 'newest', file, '-c', plan.channel],
          ...ordererArguments(context),
        ]);
      } catch (error) {
        if (!(error instanceof FabricNetworkError)) throw error;
        last = error;
        return undefined;
      }
    },
    { timeoutMs: READY_MS, signal },
  );
  if (served === undefined) {
    throw new FabricNetworkError(
      'FABRIC_NETWORK.NOT_READY',
      `the orderer does not serve ${plan.channel} after ${READY_MS / 1000} s (${last?.message ?? 'no answer'}): ` +
        `see ${layout.log('orderer')}`,
      { cause: last },
    );
  }
  progress(`orderer takes transactions of ${plan.channel}`);
}

/** The package that contains the chaincode's address; its id is known before installation. */
export function chaincodePackage(plan: NetworkPlan, layout: NetworkLayout): ChaincodePackage {
  const address = `${LOOPBACK}:${plan.ports.chaincode}`;
  const label = chaincodeLabel(plan.chaincode);
  if (!plan.chaincode.tls) return servicePackage(label, { address });
  const { root, clientCert, clientKey } = layout.chaincodeTls;
  const client = { cert: readFileSync(clientCert, 'utf8'), key: readFileSync(clientKey, 'utf8') };
  return servicePackage(label, { address, tls: { rootCert: readFileSync(root, 'utf8'), client } });
}

/** Installs the package on both peers, approves its definition for both organisations and commits it. */
export async function deployChaincode(context: NetworkContext, packageId: string): Promise<void> {
  const { plan, layout, progress } = context;
  await Promise.all(
    PEER_ORGANISATIONS.map((organisation) =>
      runPeer(context, organisation, ['lifecycle', 'chaincode', 'install', layout.chaincodePackage]),
    ),
  );
  progress(`chaincode ${packageId.slice(0, packageId.indexOf(':') + 9)}… installed on both peers`);
  const definition = [
    ...ordererArguments(context),
    ...['--channelID', plan.channel, '--name', plan.chaincode.name],
    ...['--version', plan.chaincode.version, '--sequence', '1'],
  ];
  await Promise.all(
    PEER_ORGANISATIONS.map((organisation) =>
      runPeer(context, organisation, [
        ...['lifecycle', 'chaincode', 'approveformyorg', '--package-id', packageId],
        ...definition,
      ]),
    ),
  );
  progress(`${plan.chaincode.name} ${plan.chaincode.version} approved by both organisations`);
  const peers = PEER_ORGANISATIONS.flatMap((organisation) => [
    ...['--peerAddresses', `${ADVERTISED_HOST}:${plan.ports[organisation.port]}`],
    ...['--tlsRootCertFiles', join(layout.peerIdentity(organisation).tls, 'ca.crt')],
  ]);
  await runPeer(context, ORG1, ['lifecycle', 'chaincode', 'commit', ...definition, ...peers]);
  progress(`${plan.chaincode.name} ${plan.chaincode.version} committed on ${plan.channel}`);
}

/** Runs `peer` as an organisation's administrator against its own peer. */
export async function runPeer(
  context: Pick<NetworkContext, 'plan' | 'layout' | 'release' | 'environment' | 'signal'>,
  organisation: PeerOrganisation,
  args: readonly string[],
  timeoutMs?: number,
): Promise<string> {
  const { plan, layout, release, environment, signal } = context;
  return runCommand({
    command: release.binaries.peer,
    args,
    cwd: layout.directory,
    signal,
    ...(timeoutMs !== undefined && { timeoutMs }),
    env: {
      ...environment,
      FABRIC_CFG_PATH: layout.peer(organisation),
      CORE_PEER_ADDRESS: `${ADVERTISED_HOST}:${plan.ports[organisation.port]}`,
      CORE_PEER_LOCALMSPID: organisation.mspId,
      CORE_PEER_MSPCONFIGPATH: layout.user(organisation, 'Admin').msp,
      CORE_PEER_TLS_ROOTCERT_FILE: join(layout.peerIdentity(organisation).tls, 'ca.crt'),
    },
  });
}

/** Arguments that name the orderer. */
export function ordererArguments({ plan, layout }: Pick<NetworkContext, 'plan' | 'layout'>): readonly string[] {
  return ['-o', `${ADVERTISED_HOST}:${plan.ports.orderer}`, '--tls', '--cafile', layout.ordererTlsRoot];
}
