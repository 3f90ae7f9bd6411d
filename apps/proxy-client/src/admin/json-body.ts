import { BadRequestException } from '@nestjs/common';
import { isJsonObject, type JsonObject } from '#json';

/**
 * Parses a request body that is one JSON object.
 *
 * @param body - the received text
 * @param names - the names of all fields that the object may have
 * @param example - a valid body, for the refusal
 * @returns the fields, each undefined if it is absent
 * @throws BadRequestException for text that is no JSON object, and for other fields
 */
export function parseJsonBody<Name extends string>(
  body: unknown,
  names: readonly Name[],
  example: string,
): Readonly<Partial<Record<Name, unknown>>> {
  const fields = parseObject(body);
  if (fields === undefined) throw new BadRequestException(`Send ${example} as application/json.`);
  const isKnown = (name: string): boolean => (names as readonly string[]).includes(name);
  if (!Object.keys(fields).every(isKnown)) throw new BadRequestException(`Known fields are ${names.join(', ')}.`);
  return fields as Readonly<Partial<Record<Name, unknown>>>;
}

function parseObject(text: unknown): JsonObject | undefined {
  try {
    const value: unknown = JSON.parse(String(text));
    return isJsonObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
