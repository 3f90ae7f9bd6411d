import { Buffer } from 'node:buffer';
import { Classification, HeaderType, PolicyRule, PolicyType, RoleType } from '../messages/enums.js';
import {
  ChannelHeader,
  CONFIG_VALUES,
  ConfigEnvelope,
  FabricMSPConfig,
  ImplicitMetaPolicy,
  MSPRole,
  Payload,
  SignatureHeader,
  SignaturePolicyEnvelope,
} from '../messages/fabric-messages.js';
import { messageOf, type MessageSchema, type NamedField } from '../messages/schema.js';
import { draftBlock, encodeFirstBlock, type BlockDraft } from './block-encoder.js';
import { transactionIdOf } from './hashes.js';
import { booleanField, elementField, integerField, join, messageField } from '../messages/proto-fields.js';
import { encodeEnvelope } from './transaction-encoder.js';

/** A channel of organizations whose clients write, whose peers endorse and whose orderers sign blocks. */
export interface ChannelDefinition {
  readonly channel: string;
  readonly organisations: readonly OrganisationDefinition[];
  readonly maxTransactionsPerBlock: number;
  /** Milliseconds since the epoch. */
  readonly timestamp: number;
  /** 24 random bytes. */
  readonly nonce: Uint8Array;
}

/** An organization of the channel. */
export interface OrganisationDefinition {
  readonly mspId: string;
  /** PEM; it signs members' certificates, whose organizational unit names the role (Fabric's node OUs). */
  readonly rootCertificate: string;
}

/** Block 0 and its hashes. */
export interface FirstBlock {
  readonly draft: BlockDraft;
  /** The serialized `common.Block`. */
  readonly bytes: Buffer;
}

const NOTHING = Buffer.alloc(0);
const MEBIBYTE = 1024 * 1024;

/** Creates block 0: the channel's configuration in an unsigned envelope, as Fabric's configtxgen does. */
export function encodeConfigBlock(definition: ChannelDefinition): FirstBlock {
  const { channel: channelId, timestamp, nonce } = definition;
  const seconds = Math.floor(timestamp / 1000);
  const channelHeader = encodeMessage(ChannelHeader, {
    type: HeaderType.CONFIG,
    version: 1,
    timestamp: { seconds, nanos: (timestamp - seconds * 1000) * 1_000_000 },
    channelId,
    txId: transactionIdOf(nonce, NOTHING),
  });
  const payload = encodeMessage(Payload, {
    header: { channelHeader, signatureHeader: encodeMessage(SignatureHeader, { nonce }) },
    data: encodeMessage(ConfigEnvelope, { config: { channelGroup: channelGroup(definition) } }),
  });
  const draft = draftBlock(0, NOTHING, [encodeEnvelope(payload, NOTHING)]);
  return { draft, bytes: encodeFirstBlock(draft) };
}

/** Returns the configuration tree that Fabric's configtxgen makes of the same facts. */
function channelGroup({ organisations, maxTransactionsPerBlock }: ChannelDefinition): Message {
  const common = {
    Admins: implicitMeta('MAJORITY', 'Admins'),
    Readers: implicitMeta('ANY', 'Readers'),
    Writers: implicitMeta('ANY', 'Writers'),
  };
  const byPeers = implicitMeta('MAJORITY', 'Endorsement');
  const application = group({
    groups: byMspId(organisations, {
      Admins: ['ADMIN'],
      Endorsement: ['PEER'],
      Readers: ['ADMIN', 'PEER', 'CLIENT'],
      Writers: ['ADMIN', 'CLIENT'],
    }),
    values: { Capabilities: capabilities('V2_5') },
    policies: { ...common, Endorsement: byPeers, LifecycleEndorsement: byPeers },
  });
  const orderer = group({
    // The role is required because the organization's clients may share the root.
    groups: byMspId(organisations, { Admins: ['ADMIN'], Readers: ['MEMBER'], Writers: ['ORDERER'] }),
    values: {
      BatchSize: {
        maxMessageCount: maxTransactionsPerBlock,
        absoluteMaxBytes: 10 * MEBIBYTE,
        preferredMaxBytes: 2 * MEBIBYTE,
      },
      BatchTimeout: { timeout: '1s' },
      Capabilities: capabilities('V2_0'),
      ChannelRestrictions: {},
      // A single orderer, whose metadata are empty.
      ConsensusType: { type: 'solo' },
    },
    policies: { ...common, BlockValidation: implicitMeta('ANY', 'Writers') },
  });
  return group({
    groups: { Application: application, Orderer: orderer },
    values: {
      BlockDataHashingStructure: { width: 0xffffffff },
      Capabilities: capabilities('V2_0'),
      HashingAlgorithm: { name: 'SHA256' },
    },
    policies: common,
  });
}

/** The roles whose members may sign, by the name of a policy. */
type RolePolicies = Readonly<Record<string, readonly (keyof typeof RoleType)[]>>;

function byMspId(organisations: readonly OrganisationDefinition[], policies: RolePolicies): Record<string, Message> {
  return Object.fromEntries(
    organisations.map(({ mspId, rootCertificate }) => [
      mspId,
      group({
        values: { MSP: { config: mspConfig(mspId, Buffer.from(rootCertificate)) } },
        policies: Object.fromEntries(
          Object.entries(policies).map(([name, roles]) => [name, signedByRole(mspId, roles)]),
        ),
      }),
    ]),
  );
}

function mspConfig(name: string, certificate: Uint8Array): Buffer {
  const unit = (organizationalUnitIdentifier: string): Message => ({ certificate, organizationalUnitIdentifier });
  return encodeMessage(FabricMSPConfig, {
    name,
    rootCerts: [certificate],
    cryptoConfig: { signatureHashFamily: 'SHA2', identityIdentifierHashFunction: 'SHA256' },
    fabricNodeOus: {
      enable: true,
      clientOuIdentifier: unit('client'),
      peerOuIdentifier: unit('peer'),
      adminOuIdentifier: unit('admin'),
      ordererOuIdentifier: unit('orderer'),
    },
  });
}

function capabilities(name: string): Message {
  return { capabilities: new Map([[name, {}]]) };
}

/** Returns the policy of that name in the groups below, of any, all or the majority of them. */
function implicitMeta(rule: keyof typeof PolicyRule, subPolicy: string): Message {
  const value = encodeMessage(ImplicitMetaPolicy, { subPolicy, rule: PolicyRule[rule] });
  return { type: PolicyType.IMPLICIT_META, value };
}

/** Returns the policy of one signature of a member of the organization with any of the roles. */
function signedByRole(mspIdentifier: string, roles: RolePolicies[string]): Message {
  const value = encodeMessage(SignaturePolicyEnvelope, {
    rule: { nOutOf: { n: 1, rules: roles.map((_, signedBy) => ({ signedBy })) } },
    identities: roles.map((role) => ({
      principalClassification: Classification.ROLE,
      principal: encodeMessage(MSPRole, { mspIdentifier, role: RoleType[role] }),
    })),
  });
  return { type: PolicyType.SIGNATURE, value };
}

/** Returns a group at version 0, whose own administrators may change it and everything in it. */
function group(content: {
  readonly groups?: Readonly<Record<string, Message>>;
  readonly values: Readonly<Record<string, Message>>;
  readonly policies: Readonly<Record<string, Message>>;
}): Message {
  const modPolicy = 'Admins';
  const { groups = {}, values, policies } = content;
  return {
    groups: new Map(Object.entries(groups)),
    values: new Map(
      Object.entries(values).map(([name, value]) => {
        const schema = CONFIG_VALUES.get(name);
        return [name, { value: schema && encodeMessage(schema, value), modPolicy }];
      }),
    ),
    policies: new Map(Object.entries(policies).map(([name, policy]) => [name, { policy, modPolicy }])),
    modPolicy,
  };
}

/** A message by the names of its fields, of which absent ones have their default values. */
type Message = Readonly<Record<string, unknown>>;

/** Encodes a message in its canonical form, with maps in the order of their keys, so that the same message has the same bytes. */
function encodeMessage({ fields }: MessageSchema, message: Message): Buffer {
  return join(fields.flatMap(([name, field]) => encodeField(field, message[name])));
}

function encodeField(field: NamedField[1], value: unknown): Buffer[] {
  if (value === undefined) return [];
  if (value instanceof Map) {
    const entries = [...(value as ReadonlyMap<string, unknown>)].sort(([a], [b]) => (a < b ? -1 : 1));
    return entries.map(([key, content]) => encodeElement(field, { key, value: content }));
  }
  return Array.isArray(value) ? value.map((element) => encodeElement(field, element)) : [encodeElement(field, value)];
}

function encodeElement(field: NamedField[1], value: unknown): Buffer {
  const { number, explicit } = field;
  const schema = messageOf(field);
  if (schema !== undefined) return messageField(number, encodeMessage(schema, value as Message));
  if (typeof value === 'boolean') return booleanField(number, value);
  if (typeof value === 'number') {
    return explicit === true && value === 0 ? Buffer.from([number << 3, 0]) : integerField(number, value);
  }
  const content = value as string | Uint8Array;
  return content.length === 0 ? NOTHING : elementField(number, content);
}
