import { isJsonObject } from '#json';

/**
 * Returns a JSON object with its members renamed to fields. A line of a DynamoDB export becomes the fields of its item, without its
 * other attributes, as from a table. Everything else is returned unchanged, for the ledger to refuse.
 * @param fieldOf - returns the field that a member contains
 * @param numbersAsText - whether a number becomes the text that represents it in the file
 */
export function assetOf(line: Buffer, fieldOf: (name: string) => string | undefined, numbersAsText: boolean): Buffer {
  let value: unknown;
  try {
    value = JSON.parse(line.toString(), numbersAsText ? numberAsText : undefined);
  } catch {
    return line;
  }
  if (!isJsonObject(value)) return line;
  const item = dynamoItem(value);
  const members = Object.entries(item ?? value).filter(([name]) => item === undefined || fieldOf(name) !== undefined);
  const entries = members.map(([name, member]) => [fieldOf(name) ?? name, member] as const);
  const isUnchanged = item === undefined && !numbersAsText && entries.every(([name]) => Object.hasOwn(value, name));
  return isUnchanged ? line : Buffer.from(JSON.stringify(Object.fromEntries(entries)));
}

/** Returns the digits of a number as they were written, which a double cannot always represent. */
function numberAsText(_key: string, value: unknown, { source }: { readonly source?: string } = {}): unknown {
  return typeof value === 'number' ? source : value;
}

/**
 * Returns the item of a line that DynamoDB exported (`{"Item": {"id": {"S": "car-1"}, "size": {"N": "5"}}}`), with its texts and
 * numbers as texts; undefined for other objects.
 */
function dynamoItem(record: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> | undefined {
  const { Item: item, ...others } = record;
  if (!isJsonObject(item) || Object.keys(others).length > 0) return undefined;
  return Object.fromEntries(
    Object.entries(item).map(([name, attribute]) => {
      const { S: text, N: number } = isJsonObject(attribute) ? attribute : {};
      return [name, text ?? number ?? attribute];
    }),
  );
}
