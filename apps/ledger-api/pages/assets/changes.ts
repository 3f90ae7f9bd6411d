import type { Asset, AssetVersion } from '../api/client.ts';

/** The fields of an asset except its id, in display order. */
export const FIELDS = ['owner', 'color', 'size', 'appraisedValue'] as const;
export type Field = (typeof FIELDS)[number];

/** The labels of the fields, also of those that only forms have. */
export const FIELD_NAMES: Readonly<Record<Field | 'id' | 'newOwner', string>> = {
  id: 'Id',
  owner: 'Owner',
  color: 'Color',
  size: 'Size',
  appraisedValue: 'Appraised value',
  newOwner: 'New owner',
};

/** A field whose value has changed; it has no value before it is created. */
interface Change {
  readonly field: Field;
  readonly before?: string;
  readonly after: string;
}

/** Returns the fields that differ between two states of an asset. */
export function changesBetween(before: Asset, after: Asset): readonly Change[] {
  return FIELDS.filter((field) => before[field] !== after[field]).map((field) => ({
    field,
    before: before[field],
    after: after[field],
  }));
}

/** A field in two states of an asset; a value is undefined where the asset did not exist. */
export interface FieldPair {
  readonly field: Field;
  readonly before: string | undefined;
  readonly after: string | undefined;
  readonly isChanged: boolean;
}

/** Compares two states of an asset field by field. */
export function compareStates(before: Asset | undefined, after: Asset | undefined): readonly FieldPair[] {
  return FIELDS.map((field) => {
    const [first, second] = [before?.[field], after?.[field]];
    return { field, before: first, after: second, isChanged: first !== second };
  });
}

/** An entry of an asset's history. The asset is null if it was deleted, or overwritten by another value. */
type Version = Pick<AssetVersion, 'transactionId' | 'asset' | 'deleted'>;

/** The effect of a transaction on an asset. */
export interface Step<Of extends Version> {
  readonly version: Of;
  readonly verb: 'Created' | 'Updated' | 'Transferred' | 'Deleted' | 'Overwritten';
  /** Empty if there is no asset after it. */
  readonly changes: readonly Change[];
}

/**
 * Derives the steps of a history by comparing each version with the one before it.
 * @param versions - newest first
 * @param isComplete - whether the last version is the oldest of the history; if not, it only serves for comparison
 */
export function stepsOf<Of extends Version>(versions: readonly Of[], isComplete: boolean): readonly Step<Of>[] {
  const shown = isComplete ? versions : versions.slice(0, -1);
  return shown.map((version, index) => stepOf(version, versions[index + 1]?.asset ?? null));
}

function stepOf<Of extends Version>(version: Of, before: Asset | null): Step<Of> {
  const { asset, deleted } = version;
  if (asset === null) return { version, verb: deleted ? 'Deleted' : 'Overwritten', changes: [] };
  if (before === null)
    return { version, verb: 'Created', changes: FIELDS.map((field) => ({ field, after: asset[field] })) };
  const changes = changesBetween(before, asset);
  const isTransfer = changes.length === 1 && changes[0]?.field === 'owner';
  return { version, verb: isTransfer ? 'Transferred' : 'Updated', changes };
}
