import { elementField, integerField, messageField, stringField } from '../proto-fields.js';
import { item, type ConfigGroup, type ConfigItem } from './config-group.js';
import { applicationOrganisation, ordererOrganisation, type OrganisationDefinition } from './organisation.js';
import { implicitMetaPolicy } from './policies.js';

/** A channel and who takes part in it. */
export interface ChannelDefinition {
  readonly channel: string;
  readonly applicationOrganisations: readonly OrganisationDefinition[];
  readonly ordererOrganisations: readonly OrganisationDefinition[];
  /** `solo`, a single orderer, is the one whose metadata are empty. */
  readonly consensusType: string;
  readonly maxTransactionsPerBlock: number;
}

const MEBIBYTE = 1024 * 1024;

/** The configuration tree that Fabric's configtxgen makes of the same facts. */
export function channelGroup(definition: ChannelDefinition): ConfigGroup {
  return {
    groups: { Application: applicationGroup(definition), Orderer: ordererGroup(definition) },
    values: {
      BlockDataHashingStructure: item(integerField(1, 0xffffffff)),
      Capabilities: capabilities('V2_0'),
      HashingAlgorithm: item(stringField(1, 'SHA256')),
    },
    policies: commonPolicies(),
  };
}

function applicationGroup({ applicationOrganisations }: ChannelDefinition): ConfigGroup {
  const byPeers = item(...implicitMetaPolicy('MAJORITY', 'Endorsement'));
  return {
    groups: byMspId(applicationOrganisations, applicationOrganisation),
    values: { Capabilities: capabilities('V2_5') },
    policies: { ...commonPolicies(), Endorsement: byPeers, LifecycleEndorsement: byPeers },
  };
}

function ordererGroup(definition: ChannelDefinition): ConfigGroup {
  const batch = [
    integerField(1, definition.maxTransactionsPerBlock),
    integerField(2, 10 * MEBIBYTE),
    integerField(3, 2 * MEBIBYTE),
  ];
  return {
    groups: byMspId(definition.ordererOrganisations, ordererOrganisation),
    values: {
      BatchSize: item(...batch),
      BatchTimeout: item(stringField(1, '1s')),
      Capabilities: capabilities('V2_0'),
      ChannelRestrictions: item(),
      ConsensusType: item(stringField(1, definition.consensusType)),
    },
    policies: { ...commonPolicies(), BlockValidation: item(...implicitMetaPolicy('ANY', 'Writers')) },
  };
}

function commonPolicies(): Record<'Admins' | 'Readers' | 'Writers', ConfigItem> {
  return {
    Admins: item(...implicitMetaPolicy('MAJORITY', 'Admins')),
    Readers: item(...implicitMetaPolicy('ANY', 'Readers')),
    Writers: item(...implicitMetaPolicy('ANY', 'Writers')),
  };
}

/** Message `common.Capabilities` with one entry, whose value is an empty message. */
function capabilities(name: string): ConfigItem {
  return item(messageField(1, elementField(1, name), messageField(2)));
}

function byMspId(
  organisations: readonly OrganisationDefinition[],
  toGroup: (organisation: OrganisationDefinition) => ConfigGroup,
): Record<string, ConfigGroup> {
  return Object.fromEntries(organisations.map((organisation) => [organisation.mspId, toGroup(organisation)]));
}
