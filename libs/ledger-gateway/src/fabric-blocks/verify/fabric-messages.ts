import type { FieldSchema, MessageSchema } from './canonical-form.js';

export const integer: FieldSchema = { type: 'integer' };
export const boolean: FieldSchema = { type: 'boolean' };
export const text: FieldSchema = { type: 'text' };
export const bytes: FieldSchema = { type: 'bytes' };

export function message(name: string, fields: Readonly<Record<number, FieldSchema>>): MessageSchema {
  return { name, fields: new Map(Object.entries(fields).map(([number, field]) => [Number(number), field])) };
}

/** A message field. */
export function one(type: MessageSchema): FieldSchema {
  return { type };
}

/** A bytes field that holds a serialized message. */
export function embedded(type: MessageSchema): FieldSchema {
  return { type, embedded: true };
}

export function many(field: FieldSchema | MessageSchema): FieldSchema {
  return { ...('fields' in field ? one(field) : field), repeated: true };
}

/** A map from text to the value, which is a message with the two. */
export function mapOf(value: FieldSchema): FieldSchema {
  const entry = message('entry', { 1: { ...text, explicit: true }, 2: { ...value, explicit: true } });
  return { type: entry, repeated: true, map: true };
}

// The messages of fabric-protos that blocks are made of, as far as they are looked into.

export const Metadata = message('Metadata', {
  1: bytes,
  2: many(
    message('MetadataSignature', {
      1: bytes,
      2: bytes,
      3: bytes,
    }),
  ),
});

export const OrdererBlockMetadata = message('OrdererBlockMetadata', {
  1: one(message('LastConfig', { 1: integer })),
  2: bytes,
});

export const Block = message('Block', {
  1: one(message('BlockHeader', { 1: integer, 2: bytes, 3: bytes })),
  2: one(message('BlockData', { 1: many(bytes) })),
  3: one(message('BlockMetadata', { 1: many(bytes) })),
});

export const Envelope = message('Envelope', { 1: bytes, 2: bytes });

const SerializedIdentity = message('SerializedIdentity', { 1: text, 2: bytes });

export const SignatureHeader = message('SignatureHeader', { 1: embedded(SerializedIdentity), 2: bytes });

const ChannelHeader = message('ChannelHeader', {
  1: integer,
  2: integer,
  3: one(message('Timestamp', { 1: integer, 2: integer })),
  4: text,
  5: text,
  6: integer,
  7: bytes,
  8: bytes,
});

export const Payload = message('Payload', {
  1: one(message('Header', { 1: embedded(ChannelHeader), 2: embedded(SignatureHeader) })),
  2: bytes,
});

const Version = message('Version', { 1: integer, 2: integer });
const KVRead = message('KVRead', { 1: text, 2: one(Version) });
const KVMetadataEntry = message('KVMetadataEntry', { 1: text, 2: bytes });

const KVRWSet = message('KVRWSet', {
  1: many(KVRead),
  2: many(
    message('RangeQueryInfo', {
      1: text,
      2: text,
      3: boolean,
      4: one(message('QueryReads', { 1: many(KVRead) })),
      5: one(message('QueryReadsMerkleSummary', { 1: integer, 2: integer, 3: many(bytes) })),
    }),
  ),
  3: many(message('KVWrite', { 1: text, 2: boolean, 3: bytes })),
  4: many(message('KVMetadataWrite', { 1: text, 2: many(KVMetadataEntry) })),
});

const HashedRWSet = message('HashedRWSet', {
  1: many(message('KVReadHash', { 1: bytes, 2: one(Version) })),
  2: many(message('KVWriteHash', { 1: bytes, 2: boolean, 3: bytes, 4: boolean })),
  3: many(message('KVMetadataWriteHash', { 1: bytes, 2: many(KVMetadataEntry) })),
});

const TxReadWriteSet = message('TxReadWriteSet', {
  1: integer,
  2: many(
    message('NsReadWriteSet', {
      1: text,
      2: embedded(KVRWSet),
      3: many(message('CollectionHashedReadWriteSet', { 1: text, 2: embedded(HashedRWSet), 3: bytes })),
    }),
  ),
});

const ChaincodeID = message('ChaincodeID', { 1: text, 2: text, 3: text });

const ChaincodeAction = message('ChaincodeAction', {
  1: embedded(TxReadWriteSet),
  2: embedded(message('ChaincodeEvent', { 1: text, 2: text, 3: text, 4: bytes })),
  3: one(message('Response', { 1: integer, 2: text, 3: bytes })),
  4: one(ChaincodeID),
});

const ChaincodeInvocationSpec = message('ChaincodeInvocationSpec', {
  1: one(
    message('ChaincodeSpec', {
      1: integer,
      2: one(ChaincodeID),
      3: one(message('ChaincodeInput', { 1: many(bytes), 2: mapOf(bytes), 3: boolean })),
      4: integer,
    }),
  ),
});

const ChaincodeActionPayload = message('ChaincodeActionPayload', {
  1: embedded(message('ChaincodeProposalPayload', { 1: embedded(ChaincodeInvocationSpec), 2: mapOf(bytes) })),
  2: one(
    message('ChaincodeEndorsedAction', {
      1: embedded(message('ProposalResponsePayload', { 1: bytes, 2: embedded(ChaincodeAction) })),
      2: many(message('Endorsement', { 1: embedded(SerializedIdentity), 2: bytes })),
    }),
  ),
});

export const Transaction = message('Transaction', {
  1: many(message('TransactionAction', { 1: embedded(SignatureHeader), 2: embedded(ChaincodeActionPayload) })),
});

const Policy = message('Policy', { 1: integer, 2: bytes });

const groupFields = {
  1: integer,
  3: mapOf(one(message('ConfigValue', { 1: integer, 2: bytes, 3: text }))),
  4: mapOf(one(message('ConfigPolicy', { 1: integer, 2: one(Policy), 3: text }))),
  5: text,
};
// Groups hold groups: three levels are all that Fabric has (channel, Application and Orderer, organisations); one more
// for the consortiums of old system channels.
const organisation = message('ConfigGroup', groupFields);
const consortium = message('ConfigGroup', { ...groupFields, 2: mapOf(one(organisation)) });
const section = message('ConfigGroup', { ...groupFields, 2: mapOf(one(consortium)) });
const channel = message('ConfigGroup', { ...groupFields, 2: mapOf(one(section)) });

export const ConfigEnvelope = message('ConfigEnvelope', {
  1: one(message('Config', { 1: integer, 2: one(channel) })),
  2: one(Envelope),
});
