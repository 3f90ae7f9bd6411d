import { Buffer } from 'node:buffer';
import { draftBlock, encodeFirstBlock, type BlockDraft } from './block-encoder.js';
import { transactionIdOf } from './hashes.js';
import { bytesField, integerField, join, messageField, stringField, elementField } from './proto-fields.js';
import { encodeEnvelope, timestampField } from './transaction-encoder.js';

/** What makes one first block differ from another of the same channel. */
export interface FirstBlockInput {
  readonly definition: ChannelDefinition;
  /** Milliseconds since the epoch. */
  readonly timestamp: number;
  /** 24 random bytes. */
  readonly nonce: Uint8Array;
}

/** Block 0 and its hashes. */
export interface FirstBlock {
  readonly draft: BlockDraft;
  /** Message `common.Block`. */
  readonly bytes: Buffer;
}

const HEADER_TYPE_CONFIG = 1;
const NO_CREATOR = Buffer.alloc(0);

/** Creates block 0: the channel's configuration in an unsigned envelope, as Fabric's configtxgen does. */
export function encodeConfigBlock({ definition, timestamp, nonce }: FirstBlockInput): FirstBlock {
  const channelHeader = [
    integerField(1, HEADER_TYPE_CONFIG),
    integerField(2, 1),
    timestampField(3, timestamp),
    stringField(4, definition.channel),
    stringField(5, transactionIdOf(nonce, NO_CREATOR)),
  ];
  const header = messageField(1, messageField(1, ...channelHeader), messageField(2, bytesField(2, nonce)));
  // ConfigEnvelope { config: Config { channel_group } }
  const config = messageField(1, messageField(2, ...groupFields(channelGroup(definition))));
  const envelope = encodeEnvelope(join([header, messageField(2, config)]), Buffer.alloc(0));
  const draft = draftBlock(0, Buffer.alloc(0), [envelope]);
  return { draft, bytes: encodeFirstBlock(draft) };
}

/** A channel and who takes part in it. */
interface ChannelDefinition {
  readonly channel: string;
  readonly applicationOrganisations: readonly OrganisationDefinition[];
  readonly ordererOrganisations: readonly OrganisationDefinition[];
  /** `solo`, a single orderer, is the one whose metadata are empty. */
  readonly consensusType: string;
  readonly maxTransactionsPerBlock: number;
}

const MEBIBYTE = 1024 * 1024;

/** The configuration tree that Fabric's configtxgen makes of the same facts. */
function channelGroup(definition: ChannelDefinition): ConfigGroup {
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

/** An organisation of the channel and how its members are known. */
export interface OrganisationDefinition {
  readonly mspId: string;
  /** PEM; members' certificates are signed by it and name their role as organisational unit (Fabric's node OUs). */
  readonly rootCertificate: string;
}

/** `FabricNodeOUs`: field number and organisational unit of each role. */
const NODE_OUS = [
  [2, 'client'],
  [3, 'peer'],
  [4, 'admin'],
  [5, 'orderer'],
] as const;

/** An organisation whose clients write and whose peers endorse. */
function applicationOrganisation(organisation: OrganisationDefinition): ConfigGroup {
  return organisationGroup(organisation, {
    Admins: ['ADMIN'],
    Endorsement: ['PEER'],
    Readers: ['ADMIN', 'PEER', 'CLIENT'],
    Writers: ['ADMIN', 'CLIENT'],
  });
}

/** An organisation whose orderers sign blocks; their role is asked for, since its clients may share the root. */
function ordererOrganisation(organisation: OrganisationDefinition): ConfigGroup {
  return organisationGroup(organisation, { Admins: ['ADMIN'], Readers: ['MEMBER'], Writers: ['ORDERER'] });
}

function organisationGroup(
  organisation: OrganisationDefinition,
  policies: Readonly<Record<string, readonly Role[]>>,
): ConfigGroup {
  const named = Object.entries(policies).map(
    ([name, roles]) => [name, item(...rolePolicy(organisation.mspId, roles))] as const,
  );
  return { values: { MSP: item(...mspFields(organisation)) }, policies: Object.fromEntries(named) };
}

/** Message `msp.MSPConfig` of an organisation. */
export function mspConfig(organisation: OrganisationDefinition): Buffer {
  return join(mspFields(organisation));
}

/** Message `msp.MSPConfig`, of the type FABRIC (0), with a `FabricMSPConfig` in it. */
function mspFields({ mspId, rootCertificate }: OrganisationDefinition): Buffer[] {
  const root = Buffer.from(rootCertificate);
  const roles = NODE_OUS.map(([number, unit]) => messageField(number, bytesField(1, root), stringField(2, unit)));
  return [
    messageField(
      2,
      stringField(1, mspId),
      elementField(2, root),
      messageField(8, stringField(1, 'SHA2'), stringField(2, 'SHA256')),
      messageField(11, integerField(1, 1), ...roles),
    ),
  ];
}

const SIGNATURE = 1;
const IMPLICIT_META = 3;

/** `common.ImplicitMetaPolicy.Rule` */
const RULES = { ANY: 0, ALL: 1, MAJORITY: 2 } as const;

/** `common.MSPRole.MSPRoleType` */
const ROLES = { MEMBER: 0, ADMIN: 1, CLIENT: 2, PEER: 3, ORDERER: 4 } as const;

type Rule = keyof typeof RULES;
type Role = keyof typeof ROLES;

/** The policy of that name in the groups below: of any, all or the majority of them. Message `common.Policy`, its fields. */
function implicitMetaPolicy(rule: Rule, subPolicy: string): Buffer[] {
  return [integerField(1, IMPLICIT_META), messageField(2, stringField(1, subPolicy), integerField(2, RULES[rule]))];
}

/** One signature of a member of the organisation with any of the roles. Message `common.Policy`, its fields. */
function rolePolicy(mspId: string, roles: readonly Role[]): Buffer[] {
  const anyOfThem = messageField(2, integerField(1, 1), ...roles.map((_, index) => messageField(2, signedBy(index))));
  const principals = roles.map((role) =>
    messageField(3, messageField(2, stringField(1, mspId), integerField(2, ROLES[role]))),
  );
  // SignaturePolicyEnvelope { rule: SignaturePolicy { n_out_of }, identities: [MSPPrincipal { MSPRole }] }
  return [integerField(1, SIGNATURE), messageField(2, messageField(2, anyOfThem), ...principals)];
}

/** Field `signed_by`, which is one of several: it is written even when it is 0. */
function signedBy(index: number): Buffer {
  return index === 0 ? Buffer.from([0x08, 0]) : integerField(1, index);
}

/** A value or policy with the policy that guards its change. */
interface ConfigItem {
  /** The fields of the message. */
  readonly fields: readonly Uint8Array[];
  readonly modPolicy: string;
}

/** A node of the configuration tree: message `common.ConfigGroup` at version 0. */
interface ConfigGroup {
  readonly groups?: Readonly<Record<string, ConfigGroup>>;
  readonly values: Readonly<Record<string, ConfigItem>>;
  readonly policies: Readonly<Record<string, ConfigItem>>;
}

const ADMINS = 'Admins';

/** An item that the group's own administrators may change. */
function item(...fields: readonly Uint8Array[]): ConfigItem {
  return { fields, modPolicy: ADMINS };
}

/** The fields of a group; its maps in the order of their keys, so that the same configuration has the same bytes. */
function groupFields({ groups = {}, values, policies }: ConfigGroup): Buffer[] {
  return [
    ...entries(groups).map(([name, group]) => mapEntry(2, name, groupFields(group))),
    ...entries(values).map(([name, value]) => mapEntry(3, name, itemFields(value))),
    ...entries(policies).map(([name, policy]) => mapEntry(4, name, itemFields(policy))),
    stringField(5, ADMINS),
  ];
}

/** `ConfigValue` and `ConfigPolicy` have the same form. */
function itemFields({ fields, modPolicy }: ConfigItem): readonly Uint8Array[] {
  const content = fields.some((field) => field.length > 0) ? [messageField(2, ...fields)] : [];
  return [...content, stringField(3, modPolicy)];
}

function mapEntry(number: number, key: string, value: readonly Uint8Array[]): Buffer {
  return messageField(number, stringField(1, key), messageField(2, ...value));
}

function entries<T>(map: Readonly<Record<string, T>>): [string, T][] {
  return Object.entries(map).sort(([a], [b]) => (a < b ? -1 : 1));
}
