import { decodeMessage } from './decode-message.js';
import { Classification, HeaderType, PolicyRule, PolicyType, RoleType } from './enums.js';
import {
  boolean,
  bytes,
  bytesBy,
  bytesOf,
  embedded,
  enumeration,
  integer,
  many,
  mapOf,
  message,
  one,
  text,
  textualBytes,
  type Decoded,
  type MessageSchema,
} from './schema.js';

// The messages of fabric-protos that blocks consist of. This one declaration drives decoding, the check of the canonical form and
// the JSON form. A message is declared after those that it contains.

/** `google.protobuf.Timestamp` */
export const Timestamp = message({ seconds: integer, nanos: integer });

// Blocks and their metadata.

const BlockHeader = message({ number: integer, previousHash: bytes, dataHash: bytes });
const BlockData = message({ data: many(bytes) });
const BlockMetadata = message({ metadata: many(bytes) });

export const Block = message({ header: one(BlockHeader), data: one(BlockData), metadata: one(BlockMetadata) });

// Envelopes and their headers.

export const SerializedIdentity = message({ mspid: text, idBytes: bytes });

export const SignatureHeader = message({ creator: embedded(SerializedIdentity), nonce: bytes });

/** `common.Metadata` without signatures, whose value is the commit hash. */
export const Metadata = message({ value: bytes });

const LastConfig = message({ index: integer });
export const OrdererBlockMetadata = message({ lastConfig: one(LastConfig), consenterMetadata: bytes });
const MetadataSignature = message({
  signatureHeader: embedded(SignatureHeader),
  signature: bytes,
  identifierHeader: bytes,
});
/** `common.Metadata` with the signatures of the orderers. */
export const SignedMetadata = message({ value: embedded(OrdererBlockMetadata), signatures: many(MetadataSignature) });

const ChaincodeID = message({ path: text, name: text, version: text });
const ChaincodeHeaderExtension = message({ chaincodeId: { ...one(ChaincodeID), number: 2 } });

export const ChannelHeader = message({
  type: integer,
  version: integer,
  timestamp: one(Timestamp),
  channelId: text,
  txId: text,
  epoch: integer,
  extension: bytesBy('type', { [HeaderType.ENDORSER_TRANSACTION]: ChaincodeHeaderExtension }),
  tlsCertHash: bytes,
});

export const Header = message({ channelHeader: embedded(ChannelHeader), signatureHeader: embedded(SignatureHeader) });

export const Payload = message({ header: one(Header), data: bytesOf(dataSchema) });

export const Envelope = message({ payload: bytesOf(() => Payload), signature: bytes });

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

const Version = message({
  blockNumber: { ...integer, protoName: 'block_num' },
  transactionNumber: { ...integer, protoName: 'tx_num' },
});
export const KVRead = message({ key: text, version: one(Version) });
const QueryReads = message({ kvReads: many(KVRead) });
const QueryReadsMerkleSummary = message({ maxDegree: integer, maxLevel: integer, maxLevelHashes: many(bytes) });
export const RangeQueryInfo = message({
  startKey: text,
  endKey: text,
  itrExhausted: boolean,
  rawReads: one(QueryReads),
  readsMerkleHashes: one(QueryReadsMerkleSummary),
});
const KVWrite = message({ key: text, isDelete: boolean, value: textualBytes });
const KVMetadataEntry = message({ name: text, value: bytes });
export const KVMetadataWrite = message({ key: text, entries: many(KVMetadataEntry) });

export const KVRWSet = message({
  reads: many(KVRead),
  rangeQueriesInfo: many(RangeQueryInfo),
  writes: many(KVWrite),
  metadataWrites: many(KVMetadataWrite),
});

const KVReadHash = message({ keyHash: bytes, version: one(Version) });
const KVWriteHash = message({ keyHash: bytes, isDelete: boolean, valueHash: bytes, isPurge: boolean });
const KVMetadataWriteHash = message({ keyHash: bytes, entries: many(KVMetadataEntry) });

export const HashedRWSet = message({
  hashedReads: many(KVReadHash),
  hashedWrites: many(KVWriteHash),
  metadataWrites: many(KVMetadataWriteHash),
});

const CollectionHashedReadWriteSet = message({
  collectionName: text,
  hashedRwset: embedded(HashedRWSet),
  pvtRwsetHash: bytes,
});
const NsReadWriteSet = message({
  namespace: text,
  rwset: embedded(KVRWSet),
  collectionHashedRwset: many(CollectionHashedReadWriteSet),
});

export const TxReadWriteSet = message({ dataModel: enumeration({ KV: 0 }), nsRwset: many(NsReadWriteSet) });

// Endorser transactions.

/** `protos.ChaincodeEvent`. */
export const ChaincodeEvent = message({ chaincodeId: text, txId: text, eventName: text, payload: textualBytes });
const Response = message({ status: integer, message: text, payload: textualBytes });

export const ChaincodeAction = message({
  results: embedded(TxReadWriteSet),
  events: { ...embedded(ChaincodeEvent), nullable: true },
  response: one(Response),
  chaincodeId: one(ChaincodeID),
});

const ChaincodeInput = message({ args: many(textualBytes), decorations: mapOf(bytes), isInit: boolean });
const ChaincodeSpec = message({
  type: enumeration({ UNDEFINED: 0, GOLANG: 1, NODE: 2, CAR: 3, JAVA: 4 }),
  chaincodeId: one(ChaincodeID),
  input: one(ChaincodeInput),
  timeout: integer,
});

export const ChaincodeInvocationSpec = message({ chaincodeSpec: one(ChaincodeSpec) });

/** Without the transient map, which holds private data: peers refuse a transaction that contains one. */
export const ChaincodeProposalPayload = message({ input: embedded(ChaincodeInvocationSpec) });

export const ProposalResponsePayload = message({ proposalHash: bytes, extension: embedded(ChaincodeAction) });

const Endorsement = message({ endorser: embedded(SerializedIdentity), signature: bytes });
const ChaincodeEndorsedAction = message({
  proposalResponsePayload: embedded(ProposalResponsePayload),
  endorsements: many(Endorsement),
});

export const ChaincodeActionPayload = message({
  chaincodeProposalPayload: embedded(ChaincodeProposalPayload),
  action: one(ChaincodeEndorsedAction),
});

const TransactionAction = message({ header: embedded(SignatureHeader), payload: embedded(ChaincodeActionPayload) });

export const Transaction = message({ actions: many(TransactionAction) });

// Requests to peers and their answers.

/** `protos.ProcessedTransaction`, the answer of `GetTransactionByID`. */
export const ProcessedTransaction = message({ transactionEnvelope: embedded(Envelope), validationCode: integer });

/** `protos.Proposal`, which a client sends to peers. */
export const Proposal = message({ header: embedded(Header), payload: bytes });

/** `common.BlockchainInfo`, the answer of `GetChainInfo`. */
export const BlockchainInfo = message({ height: integer, currentBlockHash: bytes, previousBlockHash: bytes });

const ChannelInfo = message({ channelId: text });
/** `protos.ChannelQueryResponse`, the answer of `GetChannels`. */
export const ChannelQueryResponse = message({ channels: many(ChannelInfo) });

const RpcDetail = message({ typeUrl: text, value: bytes });
/** `google.rpc.Status`, which a peer attaches to an error. */
export const RpcStatus = message({ code: integer, message: text, details: many(RpcDetail) });
/** `gateway.ErrorDetail`, the error of one node. */
export const ErrorDetail = message({ address: text, mspId: text, message: text });

// Policies.

export const MSPRole = message({ mspIdentifier: text, role: enumeration(RoleType) });

export const OrganizationUnit = message({
  mspIdentifier: text,
  organizationalUnitIdentifier: text,
  certifiersIdentifier: bytes,
});

const Principal = message({
  principalClassification: enumeration(Classification),
  principal: bytesBy('principalClassification', {
    [Classification.ROLE]: MSPRole,
    [Classification.ORGANIZATION_UNIT]: OrganizationUnit,
  }),
});

/** A rule: either a number of rules, or one signer by its index in the identities. */
export interface SignaturePolicyMessage {
  readonly signedBy: number;
  readonly nOutOf: { readonly n: number; readonly rules: readonly SignaturePolicyMessage[] } | undefined;
}

const SignaturePolicy: MessageSchema<SignaturePolicyMessage> = message(
  { signedBy: { ...integer, explicit: true }, nOutOf: one(() => NOutOf) },
  ({ nOutOf }) => (nOutOf === undefined ? 'nOutOf' : 'signedBy'),
);
const NOutOf = message({ n: integer, rules: many(SignaturePolicy) });

export const SignaturePolicyEnvelope = message({
  version: integer,
  rule: one(SignaturePolicy),
  identities: many(Principal),
});

export const ImplicitMetaPolicy = message({ subPolicy: text, rule: enumeration(PolicyRule) });

export const ApplicationPolicy = message({
  signaturePolicy: one(SignaturePolicyEnvelope),
  channelConfigPolicyReference: text,
});

const Policy = message({
  type: integer,
  value: bytesBy('type', {
    [PolicyType.SIGNATURE]: SignaturePolicyEnvelope,
    [PolicyType.IMPLICIT_META]: ImplicitMetaPolicy,
  }),
});

// The organizations of a channel.

const OUIdentifier = message({ certificate: bytes, organizationalUnitIdentifier: text });
const NodeOUs = message({
  enable: boolean,
  clientOuIdentifier: one(OUIdentifier),
  peerOuIdentifier: one(OUIdentifier),
  adminOuIdentifier: one(OUIdentifier),
  ordererOuIdentifier: one(OUIdentifier),
});
const KeyInfo = message({ keyIdentifier: text, keyMaterial: bytes });
const SigningIdentityInfo = message({ publicSigner: bytes, privateSigner: one(KeyInfo) });
const FabricCryptoConfig = message({ signatureHashFamily: text, identityIdentifierHashFunction: text });

export const FabricMSPConfig = message({
  name: text,
  rootCerts: many(bytes),
  intermediateCerts: many(bytes),
  admins: many(bytes),
  revocationList: many(bytes),
  signingIdentity: one(SigningIdentityInfo),
  organizationalUnitIdentifiers: many(OUIdentifier),
  cryptoConfig: one(FabricCryptoConfig),
  tlsRootCerts: many(bytes),
  tlsIntermediateCerts: many(bytes),
  fabricNodeOus: one(NodeOUs),
});

/** Type 0 is an MSP of certificates; Idemix is another. */
export const MSPConfig = message({ type: integer, config: bytesBy('type', { 0: FabricMSPConfig }) });

// The values of a channel's configuration.

const AnchorPeer = message({ host: text, port: integer });
const APIResource = message({ policyRef: text });
const Capability = message({});
/** `common.Capabilities` */
export const Capabilities = message({ capabilities: mapOf(Capability) });
const Addresses = message({ addresses: many(text) });
const Consenter = message({
  id: integer,
  host: text,
  port: integer,
  mspId: text,
  identity: bytes,
  clientTlsCert: bytes,
  serverTlsCert: bytes,
});
const RaftConsenter = message({ host: text, port: integer, clientTlsCert: bytes, serverTlsCert: bytes });
const RaftOptions = message({
  tickInterval: text,
  electionTick: integer,
  heartbeatTick: integer,
  maxInflightBlocks: integer,
  snapshotIntervalSize: integer,
});
const RaftMetadata = message({ consenters: many(RaftConsenter), options: one(RaftOptions) });
const BftOptions = message({
  requestBatchMaxCount: integer,
  requestBatchMaxBytes: integer,
  requestBatchMaxInterval: text,
  incomingMessageBufferSize: integer,
  requestPoolSize: integer,
  requestForwardTimeout: text,
  requestComplainTimeout: text,
  requestAutoRemoveTimeout: text,
  requestMaxBytes: integer,
  viewChangeResendInterval: text,
  viewChangeTimeout: text,
  leaderHeartbeatTimeout: text,
  leaderHeartbeatCount: integer,
  collectTimeout: text,
  syncOnStart: boolean,
  speedUpViewChange: boolean,
  leaderRotation: integer,
  decisionsPerLeader: integer,
});
const ConsensusType = message({
  type: text,
  metadata: bytesBy('type', { etcdraft: RaftMetadata, BFT: BftOptions }),
  state: enumeration({ STATE_NORMAL: 0, STATE_MAINTENANCE: 1 }),
});
const BatchSize = message({ maxMessageCount: integer, absoluteMaxBytes: integer, preferredMaxBytes: integer });

/** The message under each key of a configuration group (Fabric's channelconfig package). */
export const CONFIG_VALUES: ReadonlyMap<string, MessageSchema> = new Map<string, MessageSchema>([
  ['ACLs', message({ acls: mapOf(APIResource) })],
  ['AnchorPeers', message({ anchorPeers: many(AnchorPeer) })],
  ['BatchSize', BatchSize],
  ['BatchTimeout', message({ timeout: text })],
  ['BlockDataHashingStructure', message({ width: integer })],
  ['Capabilities', Capabilities],
  ['ChannelRestrictions', message({ maxCount: integer })],
  ['ConsensusType', ConsensusType],
  ['Consortium', message({ name: text })],
  ['Endpoints', Addresses],
  ['HashingAlgorithm', message({ name: text })],
  ['MSP', MSPConfig],
  ['OrdererAddresses', Addresses],
  ['Orderers', message({ consenterMapping: many(Consenter) })],
]);

// The configuration of a channel.

const ConfigValue = message({
  version: integer,
  value: bytesOf((_, key) => CONFIG_VALUES.get(key)),
  modPolicy: text,
});
const ConfigPolicy = message({ version: integer, policy: one(Policy), modPolicy: text });

/** A node of the configuration tree. */
export interface ConfigGroup {
  readonly version: number;
  readonly groups: ReadonlyMap<string, ConfigGroup>;
  readonly values: ReadonlyMap<string, Decoded<typeof ConfigValue>>;
  readonly policies: ReadonlyMap<string, Decoded<typeof ConfigPolicy>>;
  readonly modPolicy: string;
}

const ConfigGroup: MessageSchema<ConfigGroup> = message({
  version: integer,
  groups: mapOf(() => ConfigGroup),
  values: mapOf(ConfigValue),
  policies: mapOf(ConfigPolicy),
  modPolicy: text,
});

const Config = message({ sequence: integer, channelGroup: one(ConfigGroup) });
export const ConfigEnvelope = message({ config: one(Config), lastUpdate: one(Envelope) });

const ConfigUpdate = message({ channelId: text, readSet: one(ConfigGroup), writeSet: one(ConfigGroup) });
const ConfigSignature = message({ signatureHeader: embedded(SignatureHeader), signature: bytes });
const ConfigUpdateEnvelope = message({ configUpdate: embedded(ConfigUpdate), signatures: many(ConfigSignature) });

// Definitions of chaincodes, as `_lifecycle` stores them.

export const StateData = message({ bytes: { ...bytes, number: 2 } });
export const ChaincodeValidationInfo = message({ validationPlugin: text, validationParameter: bytes });
