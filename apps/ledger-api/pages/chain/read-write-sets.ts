/** The block and transaction that wrote a value. */
interface Version {
  readonly block: number;
  readonly transaction: number;
}

/** One key that a transaction read, wrote or removed. */
export interface KeyAccess {
  readonly namespace: string;
  readonly key: string;
  /** The version that was read; `absent` if the key did not exist; undefined if it was not read. */
  readonly read?: Version | 'absent';
  /** Undefined if the key was not written. */
  readonly write?: { readonly value: string } | 'deleted';
}

/** The parts of an envelope that its description does not contain. */
export interface EnvelopeDetails {
  readonly endorserMspIds: readonly string[];
  readonly keys: readonly KeyAccess[];
}

/**
 * Extracts the details of a decoded envelope. A peer also records malformed envelopes: missing parts are omitted, and the page
 * shows the whole envelope as well.
 */
export function envelopeDetails(raw: unknown): EnvelopeDetails {
  const actions = listAt(raw, 'payload', 'data', 'actions').map((action) => at(action, 'payload', 'action'));
  return {
    endorserMspIds: actions
      .flatMap((action) => listAt(action, 'endorsements'))
      .map((endorsement) => textAt(endorsement, 'endorser', 'mspid')),
    keys: actions
      .flatMap((action) => listAt(action, 'proposal_response_payload', 'extension', 'results', 'ns_rwset'))
      .flatMap(keysOf),
  };
}

/** Merges the read and the write of a key. */
function keysOf(set: unknown): readonly KeyAccess[] {
  const namespace = textAt(set, 'namespace');
  const keys = new Map<string, KeyAccess>();
  for (const read of listAt(set, 'rwset', 'reads')) {
    const key = textAt(read, 'key');
    keys.set(key, { namespace, key, read: versionOf(at(read, 'version')) });
  }
  for (const write of listAt(set, 'rwset', 'writes')) {
    const key = textAt(write, 'key');
    const change = at(write, 'is_delete') === true ? 'deleted' : { value: textAt(write, 'value') };
    keys.set(key, { namespace, key, ...keys.get(key), write: change });
  }
  return [...keys.values()];
}

function versionOf(version: unknown): Version | 'absent' {
  if (typeof version !== 'object' || version === null) return 'absent';
  return { block: Number(at(version, 'block_num')), transaction: Number(at(version, 'tx_num')) };
}

function at(value: unknown, ...path: readonly string[]): unknown {
  return path.reduce<unknown>(
    (found, name) =>
      typeof found === 'object' && found !== null ? (found as Record<string, unknown>)[name] : undefined,
    value,
  );
}

function listAt(value: unknown, ...path: readonly string[]): readonly unknown[] {
  const found = at(value, ...path);
  return Array.isArray(found) ? (found as unknown[]) : [];
}

function textAt(value: unknown, ...path: readonly string[]): string {
  const found = at(value, ...path);
  return typeof found === 'string' ? found : '';
}
