import { decodeMessage } from './decode-message.js';
import {
  boolean,
  bytes,
  embedded,
  integer,
  many,
  mapOf,
  message,
  one,
  text,
  type Decoded,
  type MessageSchema,
} from './schema.js';

// The messages of fabric-protos that blocks consist of. This one declaration drives decoding, the check of the canonical form and
// the JSON form. A message is declared after those that it contains.

/** `common.HeaderType` */
export const HeaderType = {
  MESSAGE: 0,
  CONFIG: 1,
  CONFIG_UPDATE: 2,
  ENDORSER_TRANSACTION: 3,
  ORDERER_TRANSACTION: 4,
  DELIVER_SEEK_INFO: 5,
  CHAINCODE_PACKAGE: 6,
} as const;

/** `protos.TxValidationCode` */
export const TxValidationCode = {
  VALID: 0,
  NIL_ENVELOPE: 1,
  BAD_PAYLOAD: 2,
  BAD_COMMON_HEADER: 3,
  BAD_CREATOR_SIGNATURE: 4,
  INVALID_ENDORSER_TRANSACTION: 5,
  INVALID_CONFIG_TRANSACTION: 6,
  UNSUPPORTED_TX_PAYLOAD: 7,
  BAD_PROPOSAL_TXID: 8,
  DUPLICATE_TXID: 9,
  ENDORSEMENT_POLICY_FAILURE: 10,
  MVCC_READ_CONFLICT: 11,
  PHANTOM_READ_CONFLICT: 12,
  UNKNOWN_TX_TYPE: 13,
  TARGET_CHAIN_NOT_FOUND: 14,
  MARSHAL_TX_ERROR: 15,
  NIL_TXACTION: 16,
  EXPIRED_CHAINCODE: 17,
  CHAINCODE_VERSION_CONFLICT: 18,
  BAD_HEADER_EXTENSION: 19,
  BAD_CHANNEL_HEADER: 20,
  BAD_RESPONSE_PAYLOAD: 21,
  BAD_RWSET: 22,
  ILLEGAL_WRITESET: 23,
  INVALID_WRITESET: 24,
  INVALID_CHAINCODE: 25,
  NOT_VALIDATED: 254,
  INVALID_OTHER_REASON: 255,
} as const;

/** `common.BlockMetadataIndex` */
export const MetadataIndex = {
  SIGNATURES: 0,
  LAST_CONFIG: 1,
  TRANSACTIONS_FILTER: 2,
  ORDERER: 3,
  COMMIT_HASH: 4,
} as const;
/** Number of metadata entries of a block. */
export const METADATA_ENTRIES = 5;

/** `common.Policy.PolicyType` */
export const PolicyType = { SIGNATURE: 1, IMPLICIT_META: 3 } as const;
/** `common.ImplicitMetaPolicy.Rule` */
export const PolicyRule = { ANY: 0, ALL: 1, MAJORITY: 2 } as const;
/** `common.MSPPrincipal.Classification` */
export const Classification = { ROLE: 0, ORGANIZATION_UNIT: 1, IDENTITY: 2, ANONYMITY: 3, COMBINED: 4 } as const;
/** `common.MSPRole.MSPRoleType` */
export const RoleType = { MEMBER: 0, ADMIN: 1, CLIENT: 2, PEER: 3, ORDERER: 4 } as const;

/** `google.protobuf.Timestamp` */
export const Timestamp = message('Timestamp', { seconds: integer(1), nanos: integer(2) });

// Blocks and their metadata.

const BlockHeader = message('BlockHeader', { number: integer(1), previousHash: bytes(2), dataHash: bytes(3) });
const BlockData = message('BlockData', { data: many(bytes(1)) });
const BlockMetadata = message('BlockMetadata', { metadata: many(bytes(1)) });

export const Block = message('Block', {
  header: one(1, BlockHeader),
  data: one(2, BlockData),
  metadata: one(3, BlockMetadata),
});

// Envelopes and their headers.

export const SerializedIdentity = message('SerializedIdentity', { mspid: text(1), idBytes: bytes(2) });

export const SignatureHeader = message('SignatureHeader', {
  creator: embedded(1, SerializedIdentity),
  nonce: bytes(2),
});

/** `common.Metadata` without signatures, whose value is the commit hash. */
export const Metadata = message('Metadata', { value: bytes(1) });

const LastConfig = message('LastConfig', { index: integer(1) });
export const OrdererBlockMetadata = message('OrdererBlockMetadata', {
  lastConfig: one(1, LastConfig),
  consenterMetadata: bytes(2),
});
const MetadataSignature = message('MetadataSignature', {
  signatureHeader: embedded(1, SignatureHeader),
  signature: bytes(2),
  identifierHeader: bytes(3),
});
/** `common.Metadata` with the signatures of the orderers. */
export const SignedMetadata = message('Metadata', {
  value: embedded(1, OrdererBlockMetadata),
  signatures: many(one(2, MetadataSignature)),
});

const ChaincodeID = message('ChaincodeID', { path: text(1), name: text(2), version: text(3) });
const ChaincodeHeaderExtension = message('ChaincodeHeaderExtension', { chaincodeId: one(2, ChaincodeID) });

export const ChannelHeader = message('ChannelHeader', {
  type: integer(1),
  version: integer(2),
  timestamp: one(3, Timestamp),
  channelId: text(4),
  txId: text(5),
  epoch: integer(6),
  extension: bytes(7, {
    holds: ({ type }: { readonly type: number }) =>
      type === HeaderType.ENDORSER_TRANSACTION ? ChaincodeHeaderExtension : undefined,
  }),
  tlsCertHash: bytes(8),
});

export const Header = message('Header', {
  channelHeader: embedded(1, ChannelHeader),
  signatureHeader: embedded(2, SignatureHeader),
});

export const Payload = message('Payload', { header: one(1, Header), data: bytes(2, { holds: dataSchema }) });

export const Envelope = message('Envelope', { payload: bytes(1, { holds: () => Payload }), signature: bytes(2) });

/** Returns the message in the data of a payload, which its channel header determines. */
function dataSchema({ header }: { readonly header?: Decoded<typeof Header> }): MessageSchema | undefined {
  switch (header && decodeMessage(ChannelHeader, header.channelHeader).type) {
    case HeaderType.ENDORSER_TRANSACTION:
      return Transaction;
    case HeaderType.CONFIG:
      return ConfigEnvelope;
    case HeaderType.CONFIG_UPDATE:
      return ConfigUpdateEnvelope;
    default:
      return undefined;
  }
}

// Read and write sets.

const Version = message('Version', {
  blockNumber: integer(1, { protoName: 'block_num' }),
  transactionNumber: integer(2, { protoName: 'tx_num' }),
});
export const KVRead = message('KVRead', { key: text(1), version: one(2, Version) });
const QueryReads = message('QueryReads', { kvReads: many(one(1, KVRead)) });
const QueryReadsMerkleSummary = message('QueryReadsMerkleSummary', {
  maxDegree: integer(1),
  maxLevel: integer(2),
  maxLevelHashes: many(bytes(3)),
});
export const RangeQueryInfo = message('RangeQueryInfo', {
  startKey: text(1),
  endKey: text(2),
  itrExhausted: boolean(3),
  rawReads: one(4, QueryReads),
  readsMerkleHashes: one(5, QueryReadsMerkleSummary),
});
const KVWrite = message('KVWrite', { key: text(1), isDelete: boolean(2), value: bytes(3, { textual: true }) });
const KVMetadataEntry = message('KVMetadataEntry', { name: text(1), value: bytes(2) });
const KVMetadataWrite = message('KVMetadataWrite', { key: text(1), entries: many(one(2, KVMetadataEntry)) });

export const KVRWSet = message('KVRWSet', {
  reads: many(one(1, KVRead)),
  rangeQueriesInfo: many(one(2, RangeQueryInfo)),
  writes: many(one(3, KVWrite)),
  metadataWrites: many(one(4, KVMetadataWrite)),
});

const KVReadHash = message('KVReadHash', { keyHash: bytes(1), version: one(2, Version) });
const KVWriteHash = message('KVWriteHash', {
  keyHash: bytes(1),
  isDelete: boolean(2),
  valueHash: bytes(3),
  isPurge: boolean(4),
});
const KVMetadataWriteHash = message('KVMetadataWriteHash', {
  keyHash: bytes(1),
  entries: many(one(2, KVMetadataEntry)),
});

export const HashedRWSet = message('HashedRWSet', {
  hashedReads: many(one(1, KVReadHash)),
  hashedWrites: many(one(2, KVWriteHash)),
  metadataWrites: many(one(3, KVMetadataWriteHash)),
});

const CollectionHashedReadWriteSet = message('CollectionHashedReadWriteSet', {
  collectionName: text(1),
  hashedRwset: embedded(2, HashedRWSet),
  pvtRwsetHash: bytes(3),
});
const NsReadWriteSet = message('NsReadWriteSet', {
  namespace: text(1),
  rwset: embedded(2, KVRWSet),
  collectionHashedRwset: many(one(3, CollectionHashedReadWriteSet)),
});

export const TxReadWriteSet = message('TxReadWriteSet', {
  dataModel: integer(1, { names: { KV: 0 } }),
  nsRwset: many(one(2, NsReadWriteSet)),
});

// Endorser transactions.

const ChaincodeEvent = message('ChaincodeEvent', {
  chaincodeId: text(1),
  txId: text(2),
  eventName: text(3),
  payload: bytes(4, { textual: true }),
});
const Response = message('Response', { status: integer(1), message: text(2), payload: bytes(3, { textual: true }) });

export const ChaincodeAction = message('ChaincodeAction', {
  results: embedded(1, TxReadWriteSet),
  events: embedded(2, ChaincodeEvent, { nullable: true }),
  response: one(3, Response),
  chaincodeId: one(4, ChaincodeID),
});

const ChaincodeInput = message('ChaincodeInput', {
  args: many(bytes(1, { textual: true })),
  decorations: mapOf(2, bytes(2)),
  isInit: boolean(3),
});
const ChaincodeSpec = message('ChaincodeSpec', {
  type: integer(1, { names: { UNDEFINED: 0, GOLANG: 1, NODE: 2, CAR: 3, JAVA: 4 } }),
  chaincodeId: one(2, ChaincodeID),
  input: one(3, ChaincodeInput),
  timeout: integer(4),
});

export const ChaincodeInvocationSpec = message('ChaincodeInvocationSpec', { chaincodeSpec: one(1, ChaincodeSpec) });

export const ChaincodeProposalPayload = message('ChaincodeProposalPayload', {
  input: embedded(1, ChaincodeInvocationSpec),
  // Peers refuse a transaction that contains one, since it holds private data.
  transientMap: { ...mapOf(2, bytes(2)), view: { hidden: true } },
});

export const ProposalResponsePayload = message('ProposalResponsePayload', {
  proposalHash: bytes(1),
  extension: embedded(2, ChaincodeAction),
});

const Endorsement = message('Endorsement', { endorser: embedded(1, SerializedIdentity), signature: bytes(2) });
const ChaincodeEndorsedAction = message('ChaincodeEndorsedAction', {
  proposalResponsePayload: embedded(1, ProposalResponsePayload),
  endorsements: many(one(2, Endorsement)),
});

export const ChaincodeActionPayload = message('ChaincodeActionPayload', {
  chaincodeProposalPayload: embedded(1, ChaincodeProposalPayload),
  action: one(2, ChaincodeEndorsedAction),
});

const TransactionAction = message('TransactionAction', {
  header: embedded(1, SignatureHeader),
  payload: embedded(2, ChaincodeActionPayload),
});

export const Transaction = message('Transaction', { actions: many(one(1, TransactionAction)) });

// Requests to peers and their answers.

/** `protos.ProcessedTransaction`, the answer of `GetTransactionByID`. */
export const ProcessedTransaction = message('ProcessedTransaction', {
  transactionEnvelope: embedded(1, Envelope),
  validationCode: integer(2),
});

/** `protos.Proposal`, which a client sends to peers. */
export const Proposal = message('Proposal', { header: embedded(1, Header), payload: bytes(2) });

/** `common.BlockchainInfo`, the answer of `GetChainInfo`. */
export const BlockchainInfo = message('BlockchainInfo', {
  height: integer(1),
  currentBlockHash: bytes(2),
  previousBlockHash: bytes(3),
});

const RpcDetail = message('Any', { typeUrl: text(1), value: bytes(2) });
/** `google.rpc.Status`, which a peer attaches to an error. */
export const RpcStatus = message('Status', { code: integer(1), message: text(2), details: many(one(3, RpcDetail)) });
/** `gateway.ErrorDetail`, the error of one node. */
export const ErrorDetail = message('ErrorDetail', { address: text(1), mspId: text(2), message: text(3) });

// Policies.

export const MSPRole = message('MSPRole', { mspIdentifier: text(1), role: integer(2, { names: RoleType }) });

export const OrganizationUnit = message('OrganizationUnit', {
  mspIdentifier: text(1),
  organizationalUnitIdentifier: text(2),
  certifiersIdentifier: bytes(3),
});

const PRINCIPALS = new Map<number, MessageSchema>([
  [Classification.ROLE, MSPRole],
  [Classification.ORGANIZATION_UNIT, OrganizationUnit],
]);
const Principal = message('MSPPrincipal', {
  principalClassification: integer(1, { names: Classification }),
  principal: bytes(2, {
    holds: ({ principalClassification: kind }: { readonly principalClassification: number }) => PRINCIPALS.get(kind),
  }),
});

/** A rule: either a number of rules, or one signer by its index in the identities. */
export interface SignaturePolicyMessage {
  readonly signedBy: number;
  readonly nOutOf: { readonly n: number; readonly rules: readonly SignaturePolicyMessage[] } | undefined;
}

const SignaturePolicy: MessageSchema<SignaturePolicyMessage> = message(
  'SignaturePolicy',
  { signedBy: { ...integer(1), explicit: true }, nOutOf: one(2, () => NOutOf) },
  ({ nOutOf }) => (nOutOf === undefined ? 'nOutOf' : 'signedBy'),
);
const NOutOf = message('NOutOf', { n: integer(1), rules: many(one(2, SignaturePolicy)) });

export const SignaturePolicyEnvelope = message('SignaturePolicyEnvelope', {
  version: integer(1),
  rule: one(2, SignaturePolicy),
  identities: many(one(3, Principal)),
});

export const ImplicitMetaPolicy = message('ImplicitMetaPolicy', {
  subPolicy: text(1),
  rule: integer(2, { names: PolicyRule }),
});

export const ApplicationPolicy = message('ApplicationPolicy', {
  signaturePolicy: one(1, SignaturePolicyEnvelope),
  channelConfigPolicyReference: text(2),
});

const POLICIES = new Map<number, MessageSchema>([
  [PolicyType.SIGNATURE, SignaturePolicyEnvelope],
  [PolicyType.IMPLICIT_META, ImplicitMetaPolicy],
]);
const Policy = message('Policy', {
  type: integer(1),
  value: bytes(2, { holds: ({ type }: { readonly type: number }) => POLICIES.get(type) }),
});

// The organizations of a channel.

const OUIdentifier = message('FabricOUIdentifier', { certificate: bytes(1), organizationalUnitIdentifier: text(2) });
const NodeOUs = message('FabricNodeOUs', {
  enable: boolean(1),
  clientOuIdentifier: one(2, OUIdentifier),
  peerOuIdentifier: one(3, OUIdentifier),
  adminOuIdentifier: one(4, OUIdentifier),
  ordererOuIdentifier: one(5, OUIdentifier),
});
const KeyInfo = message('KeyInfo', { keyIdentifier: text(1), keyMaterial: bytes(2) });
const SigningIdentityInfo = message('SigningIdentityInfo', { publicSigner: bytes(1), privateSigner: one(2, KeyInfo) });
const FabricCryptoConfig = message('FabricCryptoConfig', {
  signatureHashFamily: text(1),
  identityIdentifierHashFunction: text(2),
});

export const FabricMSPConfig = message('FabricMSPConfig', {
  name: text(1),
  rootCerts: many(bytes(2)),
  intermediateCerts: many(bytes(3)),
  admins: many(bytes(4)),
  revocationList: many(bytes(5)),
  signingIdentity: one(6, SigningIdentityInfo),
  organizationalUnitIdentifiers: many(one(7, OUIdentifier)),
  cryptoConfig: one(8, FabricCryptoConfig),
  tlsRootCerts: many(bytes(9)),
  tlsIntermediateCerts: many(bytes(10)),
  fabricNodeOus: one(11, NodeOUs),
});

/** The type of a `MSPConfig` that is a {@link FabricMSPConfig}. */
const FABRIC_MSP = 0;

export const MSPConfig = message('MSPConfig', {
  type: integer(1),
  config: bytes(2, {
    holds: ({ type }: { readonly type: number }) => (type === FABRIC_MSP ? FabricMSPConfig : undefined),
  }),
});

// The values of a channel's configuration.

const AnchorPeer = message('AnchorPeer', { host: text(1), port: integer(2) });
const APIResource = message('APIResource', { policyRef: text(1) });
const Capability = message('Capability', {});
const Addresses = message('OrdererAddresses', { addresses: many(text(1)) });
const Consenter = message('Consenter', {
  id: integer(1),
  host: text(2),
  port: integer(3),
  mspId: text(4),
  identity: bytes(5),
  clientTlsCert: bytes(6),
  serverTlsCert: bytes(7),
});
const RaftConsenter = message('Consenter', {
  host: text(1),
  port: integer(2),
  clientTlsCert: bytes(3),
  serverTlsCert: bytes(4),
});
const RaftOptions = message('Options', {
  tickInterval: text(1),
  electionTick: integer(2),
  heartbeatTick: integer(3),
  maxInflightBlocks: integer(4),
  snapshotIntervalSize: integer(5),
});
const RaftMetadata = message('ConfigMetadata', {
  consenters: many(one(1, RaftConsenter)),
  options: one(2, RaftOptions),
});
const BftOptions = message('Options', {
  requestBatchMaxCount: integer(1),
  requestBatchMaxBytes: integer(2),
  requestBatchMaxInterval: text(3),
  incomingMessageBufferSize: integer(4),
  requestPoolSize: integer(5),
  requestForwardTimeout: text(6),
  requestComplainTimeout: text(7),
  requestAutoRemoveTimeout: text(8),
  requestMaxBytes: integer(9),
  viewChangeResendInterval: text(10),
  viewChangeTimeout: text(11),
  leaderHeartbeatTimeout: text(12),
  leaderHeartbeatCount: integer(13),
  collectTimeout: text(14),
  syncOnStart: boolean(15),
  speedUpViewChange: boolean(16),
  leaderRotation: integer(17),
  decisionsPerLeader: integer(18),
});
const CONSENSUS_METADATA = new Map<string, MessageSchema>([
  ['etcdraft', RaftMetadata],
  ['BFT', BftOptions],
]);
const ConsensusType = message('ConsensusType', {
  type: text(1),
  metadata: bytes(2, { holds: ({ type }: { readonly type: string }) => CONSENSUS_METADATA.get(type) }),
  state: integer(3, { names: { STATE_NORMAL: 0, STATE_MAINTENANCE: 1 } }),
});
const BatchSize = message('BatchSize', {
  maxMessageCount: integer(1),
  absoluteMaxBytes: integer(2),
  preferredMaxBytes: integer(3),
});

/** The message under each key of a configuration group (Fabric's channelconfig package). */
const CONFIG_VALUES: ReadonlyMap<string, MessageSchema> = new Map<string, MessageSchema>([
  ['ACLs', message('ACLs', { acls: mapOf(1, one(2, APIResource)) })],
  ['AnchorPeers', message('AnchorPeers', { anchorPeers: many(one(1, AnchorPeer)) })],
  ['BatchSize', BatchSize],
  ['BatchTimeout', message('BatchTimeout', { timeout: text(1) })],
  ['BlockDataHashingStructure', message('BlockDataHashingStructure', { width: integer(1) })],
  ['Capabilities', message('Capabilities', { capabilities: mapOf(1, one(2, Capability)) })],
  ['ChannelRestrictions', message('ChannelRestrictions', { maxCount: integer(1) })],
  ['ConsensusType', ConsensusType],
  ['Consortium', message('Consortium', { name: text(1) })],
  ['Endpoints', Addresses],
  ['HashingAlgorithm', message('HashingAlgorithm', { name: text(1) })],
  ['MSP', MSPConfig],
  ['OrdererAddresses', Addresses],
  ['Orderers', message('Orderers', { consenterMapping: many(one(1, Consenter)) })],
]);

// The configuration of a channel.

const ConfigValue = message('ConfigValue', {
  version: integer(1),
  value: bytes(2, { holds: (_, key) => CONFIG_VALUES.get(key) }),
  modPolicy: text(3),
});
const ConfigPolicy = message('ConfigPolicy', { version: integer(1), policy: one(2, Policy), modPolicy: text(3) });

/** A node of the configuration tree. */
export interface ConfigGroup {
  readonly version: number;
  readonly groups: ReadonlyMap<string, ConfigGroup>;
  readonly values: ReadonlyMap<string, Decoded<typeof ConfigValue>>;
  readonly policies: ReadonlyMap<string, Decoded<typeof ConfigPolicy>>;
  readonly modPolicy: string;
}

const subgroup = one(2, (): MessageSchema<ConfigGroup> => ConfigGroup);
const ConfigGroup = message('ConfigGroup', {
  version: integer(1),
  groups: mapOf(2, subgroup),
  values: mapOf(3, one(2, ConfigValue)),
  policies: mapOf(4, one(2, ConfigPolicy)),
  modPolicy: text(5),
});

const Config = message('Config', { sequence: integer(1), channelGroup: one(2, ConfigGroup) });
export const ConfigEnvelope = message('ConfigEnvelope', { config: one(1, Config), lastUpdate: one(2, Envelope) });

const ConfigUpdate = message('ConfigUpdate', {
  channelId: text(1),
  readSet: one(2, ConfigGroup),
  writeSet: one(3, ConfigGroup),
});
const ConfigSignature = message('ConfigSignature', {
  signatureHeader: embedded(1, SignatureHeader),
  signature: bytes(2),
});
const ConfigUpdateEnvelope = message('ConfigUpdateEnvelope', {
  configUpdate: embedded(1, ConfigUpdate),
  signatures: many(one(2, ConfigSignature)),
});

// Definitions of chaincodes, as `_lifecycle` stores them.

export const StateData = message('StateData', { bytes: bytes(2) });
export const ChaincodeValidationInfo = message('ChaincodeValidationInfo', {
  validationPlugin: text(1),
  validationParameter: bytes(2),
});
