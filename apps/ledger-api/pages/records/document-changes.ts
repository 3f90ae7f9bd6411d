import { isObject, member, type Json, type JsonObject } from './schema-form.ts';
import type { RecordChange } from '../api/client.ts';
import { missingDocument } from './outside.ts';

/** A part of a document that has changed. A part that was added or removed has one value only. */
export interface PartChange {
  /** The names of the members that lead to it, with dots: `address.city`; empty for the whole document. */
  readonly path: string;
  readonly before?: string;
  readonly after?: string;
}

/** Returns the parts in which two documents differ. Objects are compared by their members, everything else as a whole. */
export function changesBetween(before: Json | undefined, after: Json | undefined, path = ''): readonly PartChange[] {
  // A new object is compared with an empty one, unless it is empty itself.
  const earlier = before === undefined && isObject(after) && Object.keys(after).length > 0 ? {} : before;
  if (isObject(after) && isObject(earlier)) return changesInside(earlier, after, path);
  if (JSON.stringify(before) === JSON.stringify(after)) return [];
  const shown = Object.entries({ before, after }).filter(([, value]) => value !== undefined) as [string, Json][];
  return [{ path, ...Object.fromEntries(shown.map(([time, value]) => [time, shownValue(value)])) }];
}

function changesInside(before: JsonObject, after: JsonObject, path: string): readonly PartChange[] {
  const names = [...new Set([...Object.keys(before), ...Object.keys(after)])];
  return names.flatMap((name) =>
    changesBetween(member(before, name), member(after, name), path === '' ? name : `${path}.${name}`),
  );
}

/** Returns a value as text: a string unchanged, everything else as JSON. */
export function shownValue(value: Json): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}

/** Returns the value at a path of an indexed field (`address.city`); undefined if there is none. */
export function partAt(document: Json, path: string): Json | undefined {
  let part: Json | undefined = document;
  for (const name of path.split('.')) part = isObject(part) ? member(part, name) : undefined;
  return part;
}

/** The effect of a transaction on a record. */
export interface RecordStep {
  readonly change: RecordChange;
  readonly verb: 'Created' | 'Updated' | 'Deleted';
  /** Empty after a deletion, and for a document outside the blocks that is not stored. */
  readonly parts: readonly PartChange[];
  /** Why there is no document, in a word. */
  readonly missing?: string | undefined;
  /** Why there is no document to compare with, in a word. */
  readonly missingBefore?: string | undefined;
}

/**
 * Derives the steps of a history by comparing each change with the one before it.
 * @param changes - newest first
 * @param isComplete - whether the last change is the oldest of the history; if not, it only serves for comparison
 */
export function stepsOf(changes: readonly RecordChange[], isComplete: boolean): readonly RecordStep[] {
  const shown = isComplete ? changes : changes.slice(0, -1);
  return shown.map((change, index) => {
    if (change.deleted) return { change, verb: 'Deleted', parts: [] };
    const earlier = changes[index + 1];
    const verb = earlier === undefined || earlier.deleted ? 'Created' : 'Updated';
    const missing = missingDocument(change);
    if (missing !== undefined) return { change, verb, parts: [], missing };
    const missingBefore = earlier && missingDocument(earlier);
    const isComparable = verb === 'Updated' && missingBefore === undefined;
    const parts = changesBetween(isComparable ? (earlier?.document as Json) : undefined, change.document as Json);
    return { change, verb, parts, ...(missingBefore !== undefined && { missingBefore }) };
  });
}
