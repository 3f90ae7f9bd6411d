import { readRegularFileSync } from '#files';
import { isJsonObject, type JsonObject } from '#json';
import type { Collection } from './collections.js';
import { parseSignaturePolicy, type SignaturePolicy } from './signature-policy.js';

/** The file in the folder of a chaincode with its collections, unless its chaincode.json names another one. */
export const COLLECTIONS_FILE = 'collections_config.json';

/** Why a file of collections is refused: its path and the field. */
export interface CollectionsFault {
  readonly fault: string;
}

/** Fabric's rule for names (lifecycle). */
const NAME = /^[A-Za-z0-9-][A-Za-z0-9_-]*$/;
const MOST_PEERS = 2 ** 31 - 1;

type Check = (value: unknown) => string | undefined;

/**
 * Reads a file of collections in the format of `peer lifecycle chaincode approveformyorg --collections-config`.
 * @param path - is read; its faults name it
 */
export function readCollections(path: string): readonly Collection[] | CollectionsFault {
  const fault = (reason: string): CollectionsFault => ({ fault: `${path}: ${reason}.` });
  let content: unknown;
  try {
    content = JSON.parse(readRegularFileSync(path));
  } catch (error) {
    return error instanceof SyntaxError
      ? fault('it is not valid JSON')
      : fault(`it cannot be read (${(error as NodeJS.ErrnoException).code ?? 'unknown'})`);
  }
  if (!Array.isArray(content)) return fault('it must be a list of collections');
  const names = new Set<unknown>();
  for (const [index, each] of (content as readonly unknown[]).entries()) {
    const reason = collectionFault(each);
    if (reason !== undefined) return fault(`[${index}]${reason}`);
    const { name } = each as JsonObject;
    if (names.has(name)) return fault(`[${index}].name: another collection is named ${JSON.stringify(name)}`);
    names.add(name);
  }
  return (content as readonly CollectionFields[]).map(collectionOf);
}

interface CollectionFields extends Partial<Collection> {
  readonly name: string;
  readonly policy: string;
}

function collectionOf({ name, policy, ...rest }: CollectionFields): Collection {
  const { memberOnlyRead = false, memberOnlyWrite = false, blockToLive = 0 } = rest;
  return { name, members: parseSignaturePolicy(policy).principals, memberOnlyRead, memberOnlyWrite, blockToLive };
}

/** Returns the field and the reason; undefined for a valid collection. */
function collectionFault(value: unknown): string | undefined {
  if (!isJsonObject(value)) return ' must be an object';
  for (const field of ['name', 'policy']) if (!(field in value)) return `.${field} is missing`;
  const fault = fieldsFault(value, FIELDS);
  if (fault !== undefined) return fault;
  const { requiredPeerCount = 0, maxPeerCount = 1 } = value as { requiredPeerCount?: number; maxPeerCount?: number };
  if (maxPeerCount >= requiredPeerCount) return undefined;
  return `.maxPeerCount must not be less than requiredPeerCount (${requiredPeerCount})`;
}

function fieldsFault(value: JsonObject, checks: Readonly<Record<string, Check>>): string | undefined {
  for (const [name, field] of Object.entries(value)) {
    const check = Object.hasOwn(checks, name) ? checks[name] : undefined;
    if (check === undefined) return `.${name} is unknown. Known: ${Object.keys(checks).join(', ')}`;
    const reason = check(field);
    if (reason !== undefined) return reason.startsWith('.') ? `.${name}${reason}` : `.${name} ${reason}`;
  }
  return undefined;
}

const FIELDS: Readonly<Record<string, Check>> = {
  name: (value) =>
    typeof value === 'string' && NAME.test(value)
      ? undefined
      : 'must consist of letters, digits, "_" and "-", and not begin with "_"',
  policy: (value) => policyFault(value, ({ isAlternative }) => isAlternative),
  requiredPeerCount: peerCountFault,
  maxPeerCount: peerCountFault,
  blockToLive: (value) =>
    Number.isSafeInteger(value) && Number(value) >= 0 ? undefined : 'must be a whole number from 0 on',
  memberOnlyRead: booleanFault,
  memberOnlyWrite: booleanFault,
  endorsementPolicy: endorsementPolicyFault,
};

function policyFault(value: unknown, isAllowed: (policy: SignaturePolicy) => boolean): string | undefined {
  if (typeof value !== 'string') return 'must be a text';
  try {
    return isAllowed(parseSignaturePolicy(value)) ? undefined : 'must consist of OR only';
  } catch (error) {
    return `is no signature policy: ${(error as Error).message}`;
  }
}

function peerCountFault(value: unknown): string | undefined {
  const isCount = Number.isInteger(value) && Number(value) >= 0 && Number(value) <= MOST_PEERS;
  return isCount ? undefined : `must be a whole number from 0 to ${MOST_PEERS}`;
}

function booleanFault(value: unknown): string | undefined {
  return typeof value === 'boolean' ? undefined : 'must be true or false';
}

/** It is recorded on a network only: the ledger of one organization has one endorser. */
function endorsementPolicyFault(value: unknown): string | undefined {
  if (!isJsonObject(value)) return 'must be an object';
  const fault = fieldsFault(value, {
    signaturePolicy: (text) => policyFault(text, () => true),
    channelConfigPolicy: (text) => (typeof text === 'string' ? undefined : 'must be a text'),
  });
  if (fault !== undefined) return fault;
  return Object.keys(value).length > 1 ? 'must have either signaturePolicy or channelConfigPolicy' : undefined;
}
