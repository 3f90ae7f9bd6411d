import { joinField, parseField } from './field-path.js';
import type { FindOptions } from './find-options.js';
import type { MangoIndex } from './index-definition.js';
import { compareBytes } from './json-value.js';
import { MangoError } from './mango-error.js';
import type { Condition, Selector } from './selector.js';

/**
 * Chooses the index that CouchDB would use. It determines the order of the results, and that documents without one of its
 * fields are not found. Undefined stands for all documents by their keys.
 * @throws {@link MangoError} when there is none for a sort, or the named one must be used and is not usable
 */
export function chooseIndex(options: FindOptions, indexes: readonly MangoIndex[]): MangoIndex | undefined {
  const { selector, useIndex, mayFallBack } = options;
  const named = indexes.filter((index) => isNamed(index, useIndex));
  const candidates = indexes.filter((index) => index.filter === undefined || named.includes(index));
  const usable = candidates.filter((index) => isUsable(index, options));
  const isByKey = isUsableByKey(options);
  if (usable.length === 0 && !isByKey) {
    throw new MangoError('no_usable_index', 'No index exists for this sort, try indexing by the sort fields.');
  }
  const usableNamed = usable.filter((index) => named.includes(index));
  if (usableNamed.length > 0) return best(usableNamed, selector);
  const isAnyOf = useIndex.length === 0 && usable.length + Number(isByKey) > 1;
  if (!mayFallBack && !isAnyOf) throw unusable(useIndex);
  return best(usable, selector);
}

/** All documents are in the order of their keys, which a sort by the key may use when the selector limits it. */
function isUsableByKey({ sort, selector }: FindOptions): boolean {
  return sort.length === 0 || (sort.length === 1 && sort[0] === '_id' && indexedFields(selector).has('_id'));
}

function isNamed(index: MangoIndex, [designDocument, name]: readonly string[]): boolean {
  return designDocument === index.designDocument && (name === undefined || name === index.name);
}

function unusable(useIndex: readonly string[]): MangoError {
  const [designDocument, name] = useIndex;
  const advice = 'You must specify an index with the `use_index` parameter.';
  if (designDocument === undefined) return new MangoError('invalid_index', advice);
  const index = `_design/${designDocument}${name === undefined ? '' : `, ${name}`}`;
  const reason = `${index} specified by \`use_index\` could not be found or it is not suitable.`;
  return new MangoError('invalid_index', reason);
}

/** An index is usable when the selector requires all its fields, and it begins with those of the sort. */
function isUsable({ columns }: MangoIndex, { selector, sort }: FindOptions): boolean {
  const needed = columns.filter((column) => !sort.includes(column) && column !== '_id' && column !== '_rev');
  const missing = missingFields([selector], new Set(needed.map((column) => joinField(parseField(column)))));
  return missing.size === 0 && isSortedBy(columns, sort, selector);
}

/** Fields that are equal in all results may precede those of the sort. */
function isSortedBy(columns: readonly string[], sort: readonly string[], selector: Selector): boolean {
  if (sort.length === 0) return true;
  const start = columns.findIndex((column) => column === sort[0] || !isConstant(selector, column));
  return start !== -1 && sort.every((field, at) => field === columns[start + at]);
}

function isConstant(selector: Selector, column: string): boolean {
  if (selector.kind === 'and') return selector.selectors.some((each) => isConstant(each, column));
  if (selector.kind !== 'field') return false;
  return selector.condition.operator === '$eq' && joinField(selector.path) === joinField(parseField(column));
}

/** Returns those of the fields that a document may lack and still match. */
function missingFields(selectors: readonly Selector[], fields: ReadonlySet<string>): ReadonlySet<string> {
  let missing = fields;
  for (const selector of selectors) {
    if (missing.size === 0) break;
    if (selector.kind === 'and') missing = missingFields(selector.selectors, missing);
    else if (selector.kind === 'or') missing = missingOfAny(selector.selectors, missing);
    else if (selector.kind === 'field' && !isAbsence(selector.condition)) {
      const field = joinField(selector.path);
      missing = new Set([...missing].filter((each) => each !== field));
    }
  }
  return missing;
}

/** Each of the alternatives must require a field. CouchDB treats an empty list as if it required all. */
function missingOfAny(selectors: readonly Selector[], fields: ReadonlySet<string>): ReadonlySet<string> {
  return new Set(selectors.flatMap((each) => [...missingFields([each], fields)]));
}

function isAbsence(condition: Condition): boolean {
  return condition.operator === '$exists' && !condition.argument;
}

/** Returns the fields whose conditions limit a range of an index. */
function indexedFields(selector: Selector): ReadonlySet<string> {
  if (selector.kind === 'and') return new Set(selector.selectors.flatMap((each) => [...indexedFields(each)]));
  if (selector.kind !== 'field' || !INDEXED.has(selector.condition.operator)) return new Set();
  return new Set([joinField(selector.path)]);
}

const INDEXED: ReadonlySet<string> = new Set(['$lt', '$lte', '$eq', '$gt', '$gte', '$beginsWith', '$exists']);

/** Returns the index of which most fields are limited, then the one with fewest fields, then the first by its name. */
function best(indexes: readonly MangoIndex[], selector: Selector): MangoIndex | undefined {
  const fields = indexedFields(selector);
  const prefix = ({ columns }: MangoIndex): number => {
    const end = columns.findIndex((column) => !fields.has(joinField(parseField(column))));
    return end === -1 ? columns.length : end;
  };
  return [...indexes].sort(
    (a, b) =>
      prefix(b) - prefix(a) ||
      a.columns.length - b.columns.length ||
      compareBytes(a.designDocument, b.designDocument) ||
      compareBytes(a.name, b.name),
  )[0];
}
