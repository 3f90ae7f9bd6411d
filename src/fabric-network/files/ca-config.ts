import { stringify } from 'yaml';
import type { NetworkLayout } from '../plan/network-layout.js';
import { ADVERTISED_HOST, CA, type NetworkPlan } from '../plan/network-plan.js';
import { LOOPBACK } from '../plan/network-ports.js';

/**
 * Configuration of Org1's Fabric CA. It signs with Org1's own root, so that the peers take the identities it issues;
 * its TLS certificate it issues itself at first start.
 */
export function caConfig({ ports }: NetworkPlan, layout: NetworkLayout, registrarSecret: string): string {
  return stringify({
    address: LOOPBACK,
    port: ports.ca,
    tls: { enabled: true },
    ca: { name: CA.host, certfile: layout.caIdentity.cert, keyfile: layout.caIdentity.key },
    registry: {
      maxenrollments: -1,
      identities: [
        {
          name: CA.registrar,
          pass: registrarSecret,
          type: 'client',
          affiliation: '',
          attrs: {
            'hf.Registrar.Roles': '*',
            'hf.Registrar.DelegateRoles': '*',
            'hf.Registrar.Attributes': '*',
            'hf.Revoker': true,
            'hf.GenCRL': true,
            'hf.IntermediateCA': false,
            'hf.AffiliationMgr': true,
          },
        },
      ],
    },
    db: { type: 'sqlite3', datasource: 'fabric-ca-server.db' },
    affiliations: { org1: ['department1', 'department2'] },
    signing: {
      default: { usage: ['digital signature'], expiry: '8760h' },
      profiles: {
        tls: {
          usage: ['signing', 'key encipherment', 'server auth', 'client auth', 'key agreement'],
          expiry: '8760h',
        },
      },
    },
    csr: { cn: CA.host, keyrequest: { algo: 'ecdsa', size: 256 }, hosts: [ADVERTISED_HOST, LOOPBACK, CA.host] },
    operations: { listenAddress: `${LOOPBACK}:0` },
    metrics: { provider: 'disabled' },
  });
}
