/** Where a value was written. */
interface Version {
  readonly block: number;
  readonly transaction: number;
}

/** One key that a transaction read, wrote or removed. */
export interface KeyAccess {
  readonly namespace: string;
  readonly key: string;
  /** Where the value that was read had been written; `absent` when there was none; undefined when it was not read. */
  readonly read?: Version | 'absent';
  /** Undefined when it was not written. */
  readonly write?: { readonly value: string } | 'deleted';
}

/** Who vouches for a transaction's result. */
export interface Endorser {
  readonly mspId: string;
  /** PEM, or what came in its place. */
  readonly certificate: string;
}

/** What a transaction's envelope says beyond its description. */
export interface EnvelopeReading {
  readonly endorsers: readonly Endorser[];
  readonly keys: readonly KeyAccess[];
}

/**
 * Reads the decoded envelope as far as it has the form of a chaincode's transaction. A peer records what clients send, also
 * where it is garbage: what is not there is not shown, and the whole envelope stands beside it.
 */
export function readEnvelope(raw: unknown): EnvelopeReading {
  const actions = listAt(raw, 'payload', 'data', 'actions').map((action) => at(action, 'payload', 'action'));
  return {
    endorsers: actions.flatMap((action) => listAt(action, 'endorsements')).map(endorserOf),
    keys: actions
      .flatMap((action) => listAt(action, 'proposal_response_payload', 'extension', 'results', 'ns_rwset'))
      .flatMap(keysOf),
  };
}

function endorserOf(endorsement: unknown): Endorser {
  return {
    mspId: textAt(endorsement, 'endorser', 'mspid'),
    certificate: textAt(endorsement, 'endorser', 'id_bytes'),
  };
}

/** A key that was read and written is one row. */
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
