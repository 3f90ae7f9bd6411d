import { join } from 'node:path';
import { ADVERTISED_HOST, type PeerOrganisation } from '../plan/network-plan.js';
import { runCommand } from '../processes/run-command.js';
import type { NetworkContext } from './network-context.js';

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
