import type { OpenAPIObject } from '@nestjs/swagger';

/** JSON, as far as the conversion distinguishes it. */
type Json = unknown;

/**
 * Converts a document of OpenAPI 3.0, which the decorators write, to 3.1, whose schemas are those of JSON Schema 2020-12: `nullable` is a
 * type there.
 */
export function toOpenApi31(document: OpenAPIObject): OpenAPIObject {
  return { ...(converted(document) as OpenAPIObject), openapi: '3.1.0' };
}

function converted(value: Json): Json {
  if (Array.isArray(value)) return value.map(converted);
  if (typeof value !== 'object' || value === null) return value;
  // A property may have this name.
  const entries = Object.entries(value).filter(([name, member]) => name !== 'nullable' || typeof member !== 'boolean');
  const members = Object.fromEntries(entries.map(([name, member]) => [name, converted(member)]));
  return 'nullable' in value && value.nullable === true ? withNull(members) : members;
}

/** What else a value must match; null would not. */
const OTHER_RULES = ['$ref', 'allOf', 'anyOf', 'oneOf', 'enum', 'const'];

/** Adds null to a schema. */
function withNull({ description, example, ...schema }: Readonly<Record<string, Json>>): Json {
  const facts = { ...(description !== undefined && { description }), ...(example !== undefined && { example }) };
  if (Object.keys(schema).length === 0) return facts;
  const isPlain = !OTHER_RULES.some((name) => name in schema);
  if (typeof schema['type'] === 'string' && isPlain) return { ...schema, type: [schema['type'], 'null'], ...facts };
  return { anyOf: [schema, { type: 'null' }], ...facts };
}
