import { Buffer } from 'node:buffer';
import { createRequire } from 'node:module';
import type * as Ajv from 'ajv/dist/2020.js';
import type * as Formats from 'ajv-formats';
import { ContractError } from '#contract-kit';
import { compilePattern, MAX_SCHEMA_BYTES, requireBoundedSchema } from './schema-bounds.js';
import { canonicalJson, isArray, isObject, type Json, type JsonObject } from './strict-json.js';

/** Formats whose patterns take linear time. Others are refused when a type is defined. */
const FORMATS: Formats.FormatName[] = [
  ...(['date', 'time', 'date-time', 'duration', 'email', 'hostname', 'ipv4', 'ipv6'] as const),
  ...(['uri', 'uri-reference', 'uuid', 'json-pointer', 'byte'] as const),
];
/** Longer strings have no format. */
const MAX_FORMAT_LENGTH = 2048;
/** Maximum number of faults that a refusal lists. */
const MAX_FAULTS = 20;
/** Maximum product of values and subschemas for which all faults are collected; of larger documents the first fault is reported. */
const MAX_COLLECTED = 200_000;
/** Compiled schemas that are cached. */
const CACHE_SIZE = 100;

type Validator = Ajv.ValidateFunction;

/** One compiled schema. The validator that collects every fault is compiled at the first refusal. */
interface CompiledSchema {
  readonly validate: Validator;
  readonly validateAll: () => Validator;
  readonly subschemas: number;
}

const compiled = new Map<string, CompiledSchema>();
/** The same by the object of a schema, whose canonical text would be made again for each document. */
const compiledOf = new WeakMap<JsonObject, CompiledSchema>();

/**
 * Checks a schema when a type is defined.
 * @throws `ContractError` RECORD_TYPE_INVALID with the JSON pointer of the fault
 */
export function requireValidSchema(schema: Json): void {
  if (schema === true) return;
  if (!isObject(schema)) throw invalidSchema('it must be an object, or true for any document');
  if (Buffer.byteLength(canonicalJson(schema)) > MAX_SCHEMA_BYTES) {
    throw invalidSchema(`it must not exceed ${MAX_SCHEMA_BYTES} bytes`);
  }
  requireBoundedSchema(schema);
  const ajv = validatorFactory(false);
  if (ajv.validateSchema(schema) !== true) throw invalidSchema(ajv.errorsText(ajv.errors, { dataVar: '' }));
  try {
    ajv.compile(schema);
  } catch (error) {
    throw invalidSchema((error as Error).message);
  }
}

function invalidSchema(rule: string): ContractError {
  return new ContractError('RECORD_TYPE_INVALID', `the schema is refused: ${rule}`);
}

/**
 * Checks a document against a schema that was accepted before.
 * @throws `ContractError` RECORD_INVALID with the JSON pointer and the rule of each fault
 */
export function requireValidDocument(schema: Json, document: Json): void {
  if (schema === true || !isObject(schema)) return;
  const faults = faultsIn(compile(schema), document);
  if (faults.length === 0) return;
  const listed = faults.map(({ pointer, rule }) => `${pointer === '' ? 'it' : pointer} ${rule}`);
  const shown = listed.slice(0, MAX_FAULTS).join('; ');
  const more = listed.length > MAX_FAULTS ? `; and ${listed.length - MAX_FAULTS} more` : '';
  throw new ContractError('RECORD_INVALID', `the document is refused: ${shown}${more}`);
}

/** A violation of a schema. */
export interface SchemaFault {
  /** JSON pointer (RFC 6901) of the part of the value; empty for the value itself. */
  readonly pointer: string;
  /** Continues a sentence whose subject is that part. */
  readonly rule: string;
}

/** Returns the violations of a schema by a value; none if there are none. */
export type SchemaCheck = (value: Json) => readonly SchemaFault[];

/** A compiler of schemas that are no types'. It keeps each of them. */
export class SchemaCompiler {
  #first: Ajv.Ajv2020 | undefined;
  #all: Ajv.Ajv2020 | undefined;

  /**
   * Compiles a schema. Formats that are not known are ignored.
   * @returns undefined for a schema that is not within the bounds of the schema of a type, or that is no valid one
   */
  compile(schema: JsonObject): SchemaCheck | undefined {
    const text = canonicalJson(schema);
    if (Buffer.byteLength(text) > MAX_SCHEMA_BYTES) return undefined;
    try {
      requireBoundedSchema(schema);
      this.#first ??= validatorFactory(false, { knowsFormats: false });
      const validateAll = (): Validator =>
        (this.#all ??= validatorFactory(true, { knowsFormats: false })).compile(schema);
      const entry = compiledSchema(this.#first.compile(schema), validateAll, text);
      return (value) => faultsIn(entry, value);
    } catch {
      return undefined;
    }
  }
}

function faultsIn({ validate, validateAll, subschemas }: CompiledSchema, value: Json): readonly SchemaFault[] {
  if (validate(value)) return [];
  const every = valuesIn(value) * subschemas <= MAX_COLLECTED ? validateAll() : validate;
  if (every !== validate) every(value);
  return faultsOf(every.errors ?? []);
}

function compile(schema: JsonObject): CompiledSchema {
  const known = compiledOf.get(schema);
  if (known !== undefined) return known;
  const entry = compileByText(schema);
  compiledOf.set(schema, entry);
  return entry;
}

function compileByText(schema: JsonObject): CompiledSchema {
  const key = canonicalJson(schema);
  let entry = compiled.get(key);
  if (entry === undefined) {
    const compileAll = (): Validator => validatorFactory(true).compile(schema);
    entry = compiledSchema(validatorFactory(false).compile(schema), compileAll, key);
    // The oldest entry is the first one.
    if (compiled.size >= CACHE_SIZE) compiled.delete(compiled.keys().next().value ?? '');
    compiled.set(key, entry);
  }
  return entry;
}

/** @param text - of the schema */
function compiledSchema(validate: Validator, compileAll: () => Validator, text: string): CompiledSchema {
  let all: Validator | undefined;
  return { validate, validateAll: () => (all ??= compileAll()), subschemas: text.split('{').length };
}

/**
 * Creates a compiler of schemas; one compiler would keep every schema. The packages are loaded here: ledgers without a schema
 * save 16 MiB and 40 ms in each thread.
 * @param knowsFormats - whether a format that is not known is refused; otherwise it is ignored
 */
function validatorFactory(allErrors: boolean, { knowsFormats } = { knowsFormats: true }): Ajv.Ajv2020 {
  const { Ajv2020 } = createRequire(import.meta.url)('ajv/dist/2020.js') as typeof Ajv;
  const addFormats = createRequire(import.meta.url)('ajv-formats') as typeof Formats.default;
  const ajv = new Ajv2020({
    allErrors,
    strict: true,
    strictSchema: knowsFormats,
    strictTypes: false,
    strictTuples: false,
    strictRequired: false,
    allowUnionTypes: true,
    // Inlined definitions would multiply the code.
    inlineRefs: false,
    // An inherited member, such as constructor, is not part of a document.
    ownProperties: true,
    logger: false,
    addUsedSchema: false,
    validateFormats: true,
    code: { regExp: linearPattern },
  });
  addFormats.default(ajv, FORMATS);
  for (const name of FORMATS) ajv.formats[name] = bounded(ajv.formats[name]);
  return ajv;
}

type Format = Ajv.Ajv2020['formats'][string];

function bounded(format: Format): Format {
  const test = (text: string): boolean => {
    if (text.length > MAX_FORMAT_LENGTH) return false;
    if (format instanceof RegExp) return format.test(text);
    const validate = typeof format === 'object' ? format.validate : format;
    if (validate instanceof RegExp) return validate.test(text);
    return typeof validate === 'function' && (validate as (data: string) => boolean)(text);
  };
  return test;
}

/**
 * Compiles a pattern for Ajv. Ajv stores pattern objects under their text, so that without a `toString()` of its own every
 * pattern would be the first one.
 */
function linearPattern(pattern: string): { test(text: string): boolean; toString(): string } {
  const compiledPattern = compilePattern(pattern);
  return { test: (text) => compiledPattern.test(text), toString: () => pattern };
}
linearPattern.code = 'linearPattern';

/** Returns the number of values in a document. */
function valuesIn(document: Json): number {
  if (typeof document !== 'object' || document === null) return 1;
  const values = isArray(document) ? document : Object.values(document);
  return values.reduce<number>((sum, value) => sum + valuesIn(value), 1);
}

function faultsOf(errors: readonly Ajv.ErrorObject[]): readonly SchemaFault[] {
  // The branches of a keyword such as anyOf have their own faults; `if` reports the branch that failed.
  const faults = errors
    .filter(({ keyword }) => keyword !== 'if')
    .map((error) => ({ pointer: error.instancePath, rule: ruleOf(error) }));
  return [...new Map(faults.map((fault) => [`${fault.pointer} ${fault.rule}`, fault])).values()];
}

function ruleOf({ message = 'is invalid', keyword, params }: Ajv.ErrorObject): string {
  if (keyword === 'additionalProperties' || keyword === 'unevaluatedProperties') {
    const name = String(params['additionalProperty'] ?? params['unevaluatedProperty']);
    return `must not have the property ${JSON.stringify(name.slice(0, 64))}`;
  }
  if (keyword === 'enum' && Array.isArray(params['allowedValues'])) {
    return `must be one of ${JSON.stringify(params['allowedValues']).slice(1, -1).slice(0, 256)}`;
  }
  if (keyword === 'const') return `must be ${JSON.stringify(params['allowedValue']).slice(0, 256)}`;
  return message;
}
