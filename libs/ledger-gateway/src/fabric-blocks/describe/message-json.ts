import { Buffer } from 'node:buffer';
import type { Message } from 'google-protobuf';
import common from '@hyperledger/fabric-protos/lib/common/common_pb.js';
import type { JsonObject, JsonValue } from './transaction-description.js';
import { readIdentity, type DecodedIdentity } from '../decode/decode-envelope.js';
import { base64, textOrBase64 } from '../decode/text-of.js';
import { readMessage } from '../decode/read-message.js';

/** How every PEM certificate begins when it is written in base64: as far as its bits decide the characters. */
const PEM_IN_BASE64 = Buffer.from('-----BEGIN').toString('base64').slice(0, 13);

/**
 * A message as JSON with the field names of its `.proto` file, as Fabric's configtxlator writes them: bytes as base64,
 * certificates as PEM, absent messages as null.
 */
export function plainMessage(message: Message): JsonObject {
  return plainObject(message.toObject());
}

function plainObject(value: object): JsonObject {
  return Object.fromEntries(Object.entries(value).map(([name, field]) => plainField(name, field)));
}

/** The generated classes call a repeated field `…List` and a map, a list of pairs, `…Map`. */
function plainField(name: string, field: unknown): [string, JsonValue] {
  if (!Array.isArray(field)) return [snakeCase(name), plainValue(field)];
  if (name.endsWith('List')) return [snakeCase(name.slice(0, -'List'.length)), field.map(plainValue)];
  const pairs = field as readonly (readonly [string, unknown])[];
  return [
    snakeCase(name.slice(0, -'Map'.length)),
    Object.fromEntries(pairs.map(([key, value]) => [key, plainValue(value)])),
  ];
}

function plainValue(value: unknown): JsonValue {
  if (typeof value === 'string') return value.startsWith(PEM_IN_BASE64) ? fromBase64(value) : value;
  if (typeof value === 'object' && value !== null) return plainObject(value);
  return (value as number | boolean | undefined) ?? null;
}

function fromBase64(value: string): string {
  return Buffer.from(value, 'base64').toString('utf8');
}

function snakeCase(name: string): string {
  return name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

/** An identity with its certificate as PEM. */
export function identityJson({ mspId, idBytes }: DecodedIdentity): JsonObject {
  return { mspid: mspId, id_bytes: textOrBase64(idBytes) };
}

/** Message `common.SignatureHeader` with its creator decoded. */
export function signatureHeaderJson(bytes: Uint8Array): JsonObject {
  const header = readMessage(common.SignatureHeader, bytes);
  return {
    creator: identityJson(readIdentity(header.getCreator_asU8())),
    nonce: base64(header.getNonce_asU8()),
  };
}
