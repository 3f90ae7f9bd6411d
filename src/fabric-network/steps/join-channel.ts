import { join } from 'node:path';
import { ADVERTISED_HOST, PEER_ORGANISATIONS } from '../plan/network-plan.js';
import { runCommand } from '../processes/run-command.js';
import type { NetworkContext } from './network-context.js';
import { runPeer } from './peer-cli.js';

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
