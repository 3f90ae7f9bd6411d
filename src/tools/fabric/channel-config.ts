import { join } from 'node:path';
import { stringify } from 'yaml';
import type { NetworkLayout } from './network-layout.js';
import { ADVERTISED_HOST, ORDERER, PEER_ORGANISATIONS, type NetworkPlan } from './network-plan.js';

/** Name of the profile that makes the channel's first block. */
export const CHANNEL_PROFILE = 'Channel';

const signature = (rule: string): Policy => ({ Type: 'Signature', Rule: rule });
const implicit = (rule: string): Policy => ({ Type: 'ImplicitMeta', Rule: rule });

interface Policy {
  readonly Type: string;
  readonly Rule: string;
}

/**
 * configtx.yaml of a channel with one Raft orderer and two peer organisations; a transaction needs the endorsement of
 * the majority of them, which is both. Capabilities are those that Fabric 2.5 and 3 share.
 */
export function channelConfig(plan: NetworkPlan, layout: NetworkLayout): string {
  const capabilities = { V2_0: true };
  return stringify({
    Profiles: {
      [CHANNEL_PROFILE]: {
        Policies: groupPolicies(),
        Capabilities: capabilities,
        Orderer: {
          ...ordererGroup(plan, layout),
          Policies: { ...groupPolicies(), BlockValidation: implicit('ANY Writers') },
          Capabilities: capabilities,
        },
        Application: {
          Organizations: PEER_ORGANISATIONS.map(({ mspId, domain, port }) => ({
            Name: mspId,
            ID: mspId,
            MSPDir: join(layout.organisation({ domain }), 'msp'),
            Policies: peerOrganisationPolicies(mspId),
            AnchorPeers: [{ Host: ADVERTISED_HOST, Port: plan.ports[port] }],
          })),
          Policies: {
            ...groupPolicies(),
            LifecycleEndorsement: implicit('MAJORITY Endorsement'),
            Endorsement: implicit('MAJORITY Endorsement'),
          },
          Capabilities: { V2_5: true },
        },
      },
    },
  });
}

function ordererGroup({ ports, batchTimeout, batchSize }: NetworkPlan, layout: NetworkLayout): object {
  const certificate = join(layout.ordererIdentity.tls, 'server.crt');
  return {
    OrdererType: 'etcdraft',
    Addresses: [`${ADVERTISED_HOST}:${ports.orderer}`],
    BatchTimeout: batchTimeout,
    BatchSize: { MaxMessageCount: batchSize, AbsoluteMaxBytes: '99 MB', PreferredMaxBytes: '2 MB' },
    EtcdRaft: {
      Consenters: [
        {
          Host: ADVERTISED_HOST,
          Port: ports.orderer,
          ClientTLSCert: certificate,
          ServerTLSCert: certificate,
        },
      ],
      // A lone orderer that starts again elects itself after ElectionTick ticks: one second here, five by default.
      Options: {
        TickInterval: '100ms',
        ElectionTick: 10,
        HeartbeatTick: 1,
        MaxInflightBlocks: 5,
        SnapshotIntervalSize: '16 MB',
      },
    },
    Organizations: [
      {
        Name: ORDERER.mspId,
        ID: ORDERER.mspId,
        MSPDir: join(layout.ordererOrganisation, 'msp'),
        Policies: {
          Readers: signature(`OR('${ORDERER.mspId}.member')`),
          Writers: signature(`OR('${ORDERER.mspId}.member')`),
          Admins: signature(`OR('${ORDERER.mspId}.admin')`),
        },
        OrdererEndpoints: [`${ADVERTISED_HOST}:${ports.orderer}`],
      },
    ],
  };
}

function peerOrganisationPolicies(mspId: string): Readonly<Record<string, Policy>> {
  return {
    Readers: signature(`OR('${mspId}.admin', '${mspId}.peer', '${mspId}.client')`),
    Writers: signature(`OR('${mspId}.admin', '${mspId}.client')`),
    Admins: signature(`OR('${mspId}.admin')`),
    Endorsement: signature(`OR('${mspId}.peer')`),
  };
}

function groupPolicies(): Readonly<Record<string, Policy>> {
  return {
    Readers: implicit('ANY Readers'),
    Writers: implicit('ANY Writers'),
    Admins: implicit('MAJORITY Admins'),
  };
}
