import { join } from 'node:path';
import type { NetworkLayout } from '../plan/network-layout.js';
import { ORDERER, type NetworkPlan } from '../plan/network-plan.js';
import { LOOPBACK } from '../plan/network-ports.js';
import { setYaml } from './set-yaml.js';

/**
 * orderer.yaml: the release's own with this network's addresses, identities and folders. Channels are joined through
 * the administration listener, which asks for a certificate of the orderer's organisation.
 * @param ordererYaml text of the release's orderer.yaml
 */
export function ordererConfig({ ports }: NetworkPlan, layout: NetworkLayout, ordererYaml: string): string {
  const { msp, tls } = layout.ordererIdentity;
  const key = join(tls, 'server.key');
  const certificate = join(tls, 'server.crt');
  const roots = [join(tls, 'ca.crt')];
  const data = join(layout.orderer, 'data');
  return setYaml(ordererYaml, {
    General: {
      ListenAddress: LOOPBACK,
      ListenPort: ports.orderer,
      TLS: { Enabled: true, PrivateKey: key, Certificate: certificate, RootCAs: roots },
      Cluster: { ClientCertificate: certificate, ClientPrivateKey: key },
      BootstrapMethod: 'none',
      LocalMSPDir: msp,
      LocalMSPID: ORDERER.mspId,
    },
    FileLedger: { Location: join(data, 'ledger') },
    Operations: { ListenAddress: `${LOOPBACK}:0` },
    Metrics: { Provider: 'disabled' },
    Admin: {
      ListenAddress: `${LOOPBACK}:${ports.ordererAdmin}`,
      TLS: {
        Enabled: true,
        PrivateKey: key,
        Certificate: certificate,
        ClientAuthRequired: true,
        ClientRootCAs: roots,
      },
    },
    ChannelParticipation: { Enabled: true },
    Consensus: { WALDir: join(data, 'wal'), SnapDir: join(data, 'snapshots') },
  });
}
