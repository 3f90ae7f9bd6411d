import type { components } from '../../../../docs/openapi/ledger-api.js';

type Asset = components['schemas']['Asset'];

/** The fields of an asset beside its id, in the order in which they are shown. */
export const FIELDS = ['owner', 'color', 'size', 'appraisedValue'] as const;
export type Field = (typeof FIELDS)[number];

/** What people call the fields. */
export const FIELD_NAMES: Readonly<Record<Field | 'id', string>> = {
  id: 'Id',
  owner: 'Owner',
  color: 'Color',
  size: 'Size',
  appraisedValue: 'Appraised value',
};

/** One field that is another one than before. */
export interface Change {
  readonly field: Field;
  readonly before: string;
  readonly after: string;
}

/** What became of an asset between two of its states. */
export function changesBetween(before: Asset, after: Asset): readonly Change[] {
  return FIELDS.filter((field) => before[field] !== after[field]).map((field) => ({
    field,
    before: before[field],
    after: after[field],
  }));
}

/** One state of an asset, as its history has it. */
export interface Version {
  readonly transactionId: string;
  /** Null when the transaction removed it, or wrote what is no asset. */
  readonly asset: Asset | null;
  readonly deleted: boolean;
}

/** What a transaction did to an asset. */
export interface Step<Of extends Version> {
  readonly version: Of;
  readonly verb: 'Created' | 'Updated' | 'Transferred' | 'Deleted' | 'Overwritten';
  /** Empty where there was nothing before, or nothing is left. */
  readonly changes: readonly Change[];
}

/**
 * Tells an asset's life from its states. A step is told by comparing it with the one before.
 * @param versions - the newest first
 * @param isWhole - whether the last one is the first that there was; if not it is only what the one behind it is compared with
 */
export function stepsOf<Of extends Version>(versions: readonly Of[], isWhole: boolean): readonly Step<Of>[] {
  const told = isWhole ? versions : versions.slice(0, -1);
  return told.map((version, index) => stepOf(version, versions[index + 1]?.asset ?? null));
}

function stepOf<Of extends Version>(version: Of, before: Asset | null): Step<Of> {
  const { asset, deleted } = version;
  if (asset === null) return { version, verb: deleted ? 'Deleted' : 'Overwritten', changes: [] };
  if (before === null) return { version, verb: 'Created', changes: [] };
  const changes = changesBetween(before, asset);
  const isTransfer = changes.length === 1 && changes[0]?.field === 'owner';
  return { version, verb: isTransfer ? 'Transferred' : 'Updated', changes };
}

/**
 * Puts a first page that was read anew in front of what was read before of the same history.
 * @returns undefined when there is a gap between them
 */
export function continued<Of extends Version>(fresh: readonly Of[], known: readonly Of[]): readonly Of[] | undefined {
  const last = fresh.at(-1);
  const place = known.findIndex(({ transactionId }) => transactionId === last?.transactionId);
  return place < 0 ? undefined : [...fresh, ...known.slice(place + 1)];
}
