import { isExactNumber } from '#json';
import {
  canonicalJson,
  escapePointer,
  isObject,
  type Json,
  type JsonObject,
  SchemaCompiler,
  type SchemaCheck,
} from '#records-contract';
import { listed } from '../http/body.pipe.js';
import { type ApiError, invalidRequest } from '../http/errors.js';
import { argumentFault, type ArgumentFault } from './call-arguments.js';
import {
  componentsIn,
  defaultContractIn,
  functionsIn,
  type PublishedFunction,
  type PublishedParameter,
} from './contract-metadata.js';
import type { CallKind, ContractMetadata } from './contract.dto.js';
import { MetadataSchemas } from './metadata-schemas.js';

/** Most parameters of a function that is called by names. */
const MAX_PARAMETERS = 100;
/** Most bytes of JSON of the arguments that are validated, as of a document; the chaincode validates all of them. */
const MAX_VALIDATED = 65_536;
/** Characters of definitions for which a schema is not compiled: those of the schema of a type. */
const MAX_SCHEMA = 16_384;
/** Characters of a pointer and of a name that an answer repeats. */
const MAX_SHOWN = 256;
/** A name that the contract API gives to a parameter whose name it does not know. */
const UNNAMED = /^(?:param|arg)\d+$/;

/** A parameter with its schema in JSON Schema (2020-12), whose references begin with `#/$defs/`. */
export interface TypedParameter {
  readonly name: string;
  readonly schema: Json;
}

/** A function of a chaincode as its metadata describe it. */
export interface TypedFunction {
  /** The name by which it is called, with that of its contract if the chaincode has several contracts. */
  readonly callName: string;
  readonly name: string;
  readonly contract: string;
  readonly kind: CallKind | undefined;
  /** As the metadata have them; undefined if they do not specify them. */
  readonly published: readonly PublishedParameter[] | undefined;
  /** In their order; undefined if the metadata do not name them, so that the arguments must be an array. */
  readonly parameters: readonly TypedParameter[] | undefined;
  /** The schema of its result; undefined if the metadata do not specify it. */
  readonly returns: Json | undefined;
}

/** A chaincode as its metadata describe it: its functions, and the check of their arguments. */
export class TypedContract {
  readonly functions: readonly TypedFunction[];
  readonly schemas: MetadataSchemas;
  readonly #byName: ReadonlyMap<string, TypedFunction>;
  /** By the texts of schemas: most parameters have the same ones. */
  readonly #checks = new Map<string, SchemaCheck>();
  readonly #compiler = new SchemaCompiler();

  constructor(metadata: ContractMetadata) {
    const schemas = new MetadataSchemas(componentsIn(metadata));
    const published = functionsIn(metadata);
    const defaultContract = defaultContractIn(metadata);
    const isSingle = new Set(published.map(({ contract }) => contract)).size === 1;
    // Of a chaincode in a language without names, a function without parameters has none only as far as it is known.
    const isUnnamed = published.some(({ parameters = [] }) => parameters.some(({ name }) => UNNAMED.test(name)));
    this.schemas = schemas;
    this.functions = published.map((each) => ({
      callName: isSingle ? each.name : `${each.contract}:${each.name}`,
      name: each.name,
      contract: each.contract,
      kind: each.kind,
      published: each.parameters,
      parameters: isUnnamed ? undefined : namedParameters(each, schemas),
      returns: each.returns === undefined ? undefined : schemas.schemaOf(each.returns),
    }));
    this.#byName = new Map(
      this.functions
        .toReversed()
        .flatMap((each) => [
          ...(each.contract === defaultContract ? [[each.name, each] as const] : []),
          [`${each.contract}:${each.name}`, each] as const,
        ]),
    );
  }

  /** Returns the function of a name, with or without that of its contract. */
  find(name: string): TypedFunction | undefined {
    return this.#byName.get(name);
  }

  /**
   * Returns the arguments of a call in their order.
   * @param body - an object by the names of the parameters, or an array
   * @throws `API.INVALID_REQUEST` that names the parameter of each fault
   */
  argumentsOf(called: TypedFunction, body: unknown): readonly unknown[] {
    const { parameters } = called;
    const given = body ?? (parameters === undefined ? [] : {});
    if (typeof given !== 'object' || isExactNumber(given)) {
      throw invalidRequest('The body must be an object with the arguments by their names, or an array of them.');
    }
    if (parameters !== undefined) {
      // The entries of an array have its indexes as their names.
      return this.#checked(called, parameters, new Map(Object.entries(given)), Array.isArray(given));
    }
    if (!Array.isArray(given)) {
      throw invalidRequest(
        `The body must be an array of the arguments, because the metadata do not name the parameters of ${shown(called.callName)}.`,
      );
    }
    const faults = given.flatMap((value: unknown, index) => faultsBelow(`/${index}`, argumentFault(value)));
    if (faults.length > 0) throw refused(faults);
    return given;
  }

  /** @param given - the arguments by the names of the parameters, or by their positions */
  #checked(
    called: TypedFunction,
    parameters: readonly TypedParameter[],
    given: ReadonlyMap<string, unknown>,
    isByPosition: boolean,
  ): readonly unknown[] {
    const keys = parameters.map(({ name }, index) => (isByPosition ? String(index) : name));
    const checked = parameters.map((parameter, index) => {
      const key = keys[index] ?? '';
      const pointer = `/${pointerToken(key)}${isByPosition ? ` (${shown(parameter.name)})` : ''}`;
      const value = given.get(key);
      const faults = given.has(key) ? faultsBelow(pointer, argumentFault(value)) : [`${pointer} is missing`];
      return { parameter, pointer, value, faults };
    });
    const valid = checked.filter(({ faults }) => faults.length === 0);
    const isSmall = Buffer.byteLength(JSON.stringify(valid.map(({ value }) => value))) <= MAX_VALIDATED;
    const faults = checked.flatMap(({ parameter, pointer, value, faults: found }) =>
      found.length > 0 || !isSmall ? found : this.#faultsOf(parameter, value).map((each) => `${pointer}${each}`),
    );
    const known = new Set(keys);
    const unknown = [...given.keys()]
      .filter((key) => !known.has(key))
      .map((key) => `/${pointerToken(key)} is not a parameter of ${shown(called.callName)}`);
    if (faults.length + unknown.length > 0) throw refused([...faults, ...unknown]);
    return keys.map((key) => given.get(key));
  }

  /** Returns the faults of an argument, each as its pointer in the argument and the rule. */
  #faultsOf({ schema }: TypedParameter, value: unknown): readonly string[] {
    const text = canonicalJson(schema);
    const check = this.#checks.get(text) ?? this.#compile(schema);
    this.#checks.set(text, check);
    // Without the digits of numbers that a double would alter, which a validator does not know.
    const plain = JSON.parse(JSON.stringify(value)) as Json;
    return check(plain).map(({ pointer, rule }) => `${clean(pointer)} ${rule}`);
  }

  /** Returns the check of an argument. Those of a schema that is too large or too complex are left to the chaincode. */
  #compile(schema: Json): SchemaCheck {
    if (schema === false) return () => [{ pointer: '', rule: 'must not have a value' }];
    if (!isObject(schema)) return () => [];
    const definitions = this.schemas.definitionsFor(schema, MAX_SCHEMA);
    const whole = definitions && { ...schema, ...(Object.keys(definitions).length > 0 && { $defs: definitions }) };
    return (whole && this.#compiler.compile(whole)) ?? (() => []);
  }
}

/** Returns the schema of arguments by the names of their parameters. */
export function bodySchemaOf(parameters: readonly TypedParameter[]): JsonObject {
  const names = parameters.map(({ name }) => name);
  return {
    type: 'object',
    ...(names.length > 0 && { required: names }),
    properties: Object.fromEntries(parameters.map(({ name, schema }) => [name, schema])),
    additionalProperties: false,
  };
}

/** Returns the named parameters of a function; undefined if the metadata do not name each of them. */
function namedParameters(
  { parameters }: PublishedFunction,
  schemas: MetadataSchemas,
): readonly TypedParameter[] | undefined {
  if (parameters === undefined || parameters.length > MAX_PARAMETERS) return undefined;
  const names = new Set(parameters.map(({ name }) => name));
  if (names.has('') || names.size < parameters.length) return undefined;
  return parameters.map(({ name, schema }: PublishedParameter) => ({ name, schema: schemas.schemaOf(schema) }));
}

function refused(faults: readonly string[]): ApiError {
  return invalidRequest(`The body is refused: ${listed(faults)}.`);
}

function faultsBelow(pointer: string, fault: ArgumentFault | undefined): readonly string[] {
  return fault === undefined ? [] : [`${pointer}${fault.pointer} ${fault.text}`];
}

/** Returns a name as a part of a pointer. */
function pointerToken(name: string): string {
  return clean(escapePointer(name));
}

/** Shortens a text, and escapes what would break a line of a log. */
function clean(text: string): string {
  return JSON.stringify(text.slice(0, MAX_SHOWN)).slice(1, -1);
}

function shown(name: string): string {
  return `"${clean(name)}"`;
}
