import type { OpenAPIObject } from '@nestjs/swagger';
import type { RecordType } from '../records/record.dto.js';

type Schema = Readonly<Record<string, unknown>>;
/** A schema of an object, as the decorators describe a class. */
interface ObjectSchema extends Schema {
  readonly properties: Readonly<Record<string, Schema | undefined>>;
  readonly required: readonly string[];
}
type PathItem = OpenAPIObject['paths'][string];
type Operation = NonNullable<PathItem['get']>;
type Parameters = NonNullable<Operation['parameters']>;

const PATHS = ['/records/{type}', '/records/{type}/{id}', '/records/{type}/{id}/history'];
const METHODS = ['get', 'post', 'put', 'delete'] as const;
const BODIES = { post: 'application/json', put: 'application/json' } as const;
const FIELD = 'where.FIELD';
const PURGE = 'purge';
const SCHEMAS = '#/components/schemas/';
/** The schemas of answers: each type has its own. */
const ANSWERS: readonly string[] = [
  'StoredDocument',
  'WrittenRecord',
  'RecordPage',
  'RecordChange',
  'RecordHistoryPage',
];
/** Those of them whose document may be null. */
const NULLABLE: readonly string[] = ['StoredDocument', 'RecordChange'];

/**
 * Adds the operations on the records of each defined type to a document: their paths name the type, their bodies and answers have its
 * schema, and lists have a parameter for each indexed field.
 */
export function withRecordTypes(document: OpenAPIObject, types: readonly RecordType[]): OpenAPIObject {
  const paths = { ...document.paths };
  const schemas: Record<string, unknown> = { ...document.components?.schemas };
  for (const type of types) {
    const name = `records.${type.name}`;
    schemas[name] = { title: type.name, ...embedded(type.schema, SCHEMAS + name) };
    for (const answer of ANSWERS) {
      const schema = schemas[answer] as ObjectSchema | undefined;
      if (schema !== undefined) schemas[`${answer}.${type.name}`] = answerOf(schema, answer, type);
    }
    for (const path of PATHS) {
      const item = document.paths[path];
      if (item !== undefined) paths[path.replace('{type}', type.name)] = itemOf(item, type, name);
    }
  }
  return { ...document, paths, components: { ...document.components, schemas: schemas as never } };
}

/** Returns a schema as a part of a document, in which references begin at its root. */
function embedded(schema: unknown, root: string): Schema {
  if (typeof schema !== 'object' || schema === null) return {};
  return rebased(schema, (reference) => root + reference.slice(1)) as Schema;
}

/** Returns a schema as a part of a document, with other references. @param referTo - returns the new one of each */
export function rebased(value: unknown, referTo: (reference: string) => string): unknown {
  if (Array.isArray(value)) return value.map((element) => rebased(element, referTo));
  if (typeof value !== 'object' || value === null) return value;
  const members = Object.entries(value).map(([name, member]): [string, unknown] => {
    const isReference = name === '$ref' && typeof member === 'string' && member.startsWith('#/');
    return [name, isReference ? referTo(member) : rebased(member, referTo)];
  });
  return Object.fromEntries(members);
}

/** Returns a reference of an answer to a schema, which is the type's own if it has one. */
function ownReference(reference: string, type: string): string {
  const name = reference.slice(SCHEMAS.length);
  return ANSWERS.includes(name) ? `${SCHEMAS}${name}.${type}` : reference;
}

/** Returns the schema of an answer with documents of a type. */
function answerOf(schema: ObjectSchema, answer: string, { name, payload }: RecordType): Schema {
  const own = rebased(schema, (reference) => ownReference(reference, name)) as ObjectSchema;
  const { document, outside, ...others } = own.properties;
  if (document === undefined) return own;
  const reference = { $ref: `${SCHEMAS}records.${name}` };
  const isOutside = payload === 'outside';
  // A change that is a deletion has no document; a document outside the blocks may be erased.
  const isNullable = NULLABLE.includes(answer) && (isOutside || answer === 'RecordChange');
  const properties = {
    ...others,
    document: isNullable ? { anyOf: [reference, { type: 'null' }] } : reference,
    ...(isOutside && { outside }),
  };
  const isRequired = isOutside && answer !== 'RecordChange';
  return { ...own, properties, required: [...own.required, ...(isRequired ? ['outside'] : [])] };
}

function itemOf(item: PathItem, type: RecordType, schema: string): PathItem {
  const isAppend = type.mode === 'append';
  const operations = METHODS.flatMap((method) => {
    const operation = item[method];
    // Records of an append type are neither changed nor deleted, and only those outside the blocks are purged.
    const isRefused = isAppend && (method === 'put' || (method === 'delete' && type.payload === 'inside'));
    if (operation === undefined || isRefused) return [];
    return [[method, operationOf(operation, method, type, schema)] as const];
  });
  return Object.fromEntries(operations);
}

function operationOf(
  operation: Operation,
  method: (typeof METHODS)[number],
  { name, indexes, mode, payload }: RecordType,
  schema: string,
): Operation {
  const parameters = (operation.parameters ?? []).flatMap((parameter): Parameters => {
    if (!('name' in parameter)) return [parameter];
    if (parameter.name === 'type' || (parameter.name === PURGE && payload === 'inside')) return [];
    if (parameter.name === PURGE && mode === 'append') {
      return [{ ...parameter, required: true, schema: { type: 'boolean', enum: [true] } }];
    }
    if (parameter.name !== FIELD) return [parameter];
    return indexes.map((field) => ({ ...parameter, name: `where.${field}` }));
  });
  const media = method === 'post' || method === 'put' ? BODIES[method] : undefined;
  const $ref = SCHEMAS + schema;
  return {
    ...operation,
    operationId: `${operation.operationId ?? ''}Of_${name}`,
    tags: [name],
    parameters,
    responses: rebased(operation.responses, (reference) => ownReference(reference, name)) as Operation['responses'],
    ...(media !== undefined && { requestBody: { required: true, content: { [media]: { schema: { $ref } } } } }),
  };
}
