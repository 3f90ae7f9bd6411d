import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { servicePackage, type ChaincodePackage } from '#asset-contract';
import type { NetworkLayout } from '../plan/network-layout.js';
import { ADVERTISED_HOST, chaincodeLabel, ORG1, PEER_ORGANISATIONS, type NetworkPlan } from '../plan/network-plan.js';
import { LOOPBACK } from '../plan/network-ports.js';
import type { NetworkContext } from './network-context.js';
import { ordererArguments, runPeer } from './peer-cli.js';

/** The package that tells the peers where the chaincode is served; its id is known before anything is installed. */
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
