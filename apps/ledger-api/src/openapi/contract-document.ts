import type { OpenAPIObject } from '@nestjs/swagger';
import { isObject, type Json } from '#records-contract';
import { uniqueName } from '../contracts/metadata-schemas.js';
import { bodySchemaOf, type TypedContract, type TypedFunction } from '../contracts/typed-contract.js';
import { rebased } from './record-operations.js';

type PathItem = OpenAPIObject['paths'][string];
type Operation = NonNullable<PathItem['get']>;
type Responses = Operation['responses'];
type Schemas = Readonly<Record<string, unknown>>;
type ObjectSchema = Readonly<{ properties: Schemas }>;

/** Most functions in a document. */
const MAX_FUNCTIONS = 500;
const PATH = '/contracts/{chaincode}/functions/{function}';
const CHANNEL_PATH = `/channels/{channel}${PATH}`;
const SCHEMAS = '#/components/schemas/';
const DEFINITIONS = '#/$defs/';
const DESCRIPTION =
  'The functions of the chaincode as its metadata describe them. They can also be called with an array of their arguments, and ' +
  '`?evaluate=true` or `?evaluate=false` overrides how.';
/** Parameters of the path that the paths of the document contain. */
const IN_PATH = new Set(['channel', 'chaincode', 'function']);
/** The data of every answer but that of a request that does not wait for the commit. */
const RESULT = 'FunctionResult';

/** A chaincode of a document. */
export interface DocumentedContract {
  readonly chaincode: string;
  /** The channel of the path; undefined for a path without one. */
  readonly channel: string | undefined;
  readonly contract: TypedContract;
}

/**
 * Creates the document of a chaincode: an operation for each function, made of the operation of the API that calls any function.
 * @param document - of the API, in OpenAPI 3.1
 */
export function contractDocument(document: OpenAPIObject, documented: DocumentedContract): OpenAPIObject {
  const { chaincode, channel, contract } = documented;
  const operation = document.paths[channel === undefined ? PATH : CHANNEL_PATH]?.post;
  if (operation === undefined) throw new Error(`The document of the API has no operation ${PATH}.`);
  const { openapi, info, servers = [], security = [], components = {} } = document;
  const { schemas = {}, securitySchemes = {} } = components;
  const names = componentNames(contract, schemas);
  const embed = (schema: Json): unknown =>
    rebased(schema, (reference) => SCHEMAS + (names.get(reference.slice(DEFINITIONS.length)) ?? ''));
  const operations = new OperationFactory(operation, (schemas as Schemas)[RESULT] as ObjectSchema, embed);
  const shown = contract.functions.slice(0, MAX_FUNCTIONS);
  const paths = Object.fromEntries(shown.map((each) => [pathOf(documented, each), { post: operations.of(each) }]));
  const { shared: responses } = operations;
  const types = [...contract.schemas.definitions].map(
    ([name, schema]) => [names.get(name) ?? '', embed(schema)] as const,
  );
  const own = usedSchemas([paths, responses], schemas);
  return {
    ...{ openapi, servers, security, paths },
    info: {
      title: `Chaincode ${chaincode}`,
      version: info.version,
      description: DESCRIPTION + moreFunctions(contract.functions.length - shown.length),
    },
    components: {
      securitySchemes,
      responses: responses as NonNullable<typeof components.responses>,
      schemas: { ...own, ...Object.fromEntries(types) } as typeof schemas,
    },
  };
}

function pathOf({ chaincode, channel }: DocumentedContract, { callName }: TypedFunction): string {
  const base = channel === undefined ? '' : `/channels/${encodeURIComponent(channel)}`;
  return `${base}/contracts/${encodeURIComponent(chaincode)}/functions/${encodeURIComponent(callName)}`;
}

function moreFunctions(count: number): string {
  return count > 0 ? ` ${count} more functions are not part of this document.` : '';
}

/** Returns the names of the definitions of a chaincode in a document: those of the API's own schemas are taken. */
function componentNames(contract: TypedContract, own: Schemas): ReadonlyMap<string, string> {
  const used = new Set(Object.keys(own));
  return new Map(
    [...contract.schemas.definitions.keys()].map((name) => {
      const unique = uniqueName(name, used);
      used.add(unique);
      return [name, unique];
    }),
  );
}

/** Makes the operations of functions. */
class OperationFactory {
  readonly #operation: Operation;
  readonly #result: ObjectSchema;
  readonly #embed: (schema: Json) => unknown;
  readonly #ids = new Set<string>();
  /** The responses that all operations have. */
  readonly shared: Readonly<Record<string, unknown>>;

  /** @param result - the schema of the result of any function */
  constructor(operation: Operation, result: ObjectSchema, embed: (schema: Json) => unknown) {
    this.#operation = operation;
    this.#result = result;
    this.#embed = embed;
    this.shared = Object.fromEntries(Object.entries(operation.responses).filter(([status]) => status !== '200'));
  }

  of(called: TypedFunction): Operation {
    const { callName, contract, kind, parameters, returns } = called;
    const operationId = uniqueName(callName, this.#ids);
    this.#ids.add(operationId);
    // The names of parameters are known only with a kind that says how the function is called.
    const way = parameters === undefined ? undefined : kind;
    // Clients of functions that only read need not tell a result from the answer to a request that does not wait.
    const alwaysWaits = way === 'evaluate';
    const kept = (this.#operation.parameters ?? []).filter(
      (parameter) =>
        !('name' in parameter && (IN_PATH.has(parameter.name) || (alwaysWaits && parameter.name === 'Prefer'))),
    );
    return {
      operationId,
      tags: [contract],
      summary: `${way === undefined ? 'Calls' : way === 'evaluate' ? 'Evaluates' : 'Submits'} ${called.name}`,
      parameters: kept,
      requestBody: this.#body(parameters),
      responses: this.#responses(returns, alwaysWaits),
    } as Operation;
  }

  #body(parameters: TypedFunction['parameters']): object {
    const description = 'The arguments in their order. The metadata do not name the parameters.';
    const schema =
      parameters === undefined ? { type: 'array', items: {}, description } : this.#embed(bodySchemaOf(parameters));
    return { required: parameters !== undefined && parameters.length > 0, content: { 'application/json': { schema } } };
  }

  #responses(returns: TypedFunction['returns'], alwaysWaits: boolean): Responses {
    const envelope = { $ref: `${SCHEMAS}ResponseEnvelope` };
    const data = { type: 'object', required: ['data'], properties: { data: this.#data(returns) } };
    const content = { 'application/json': { schema: { allOf: [envelope, data] } } };
    const others = Object.keys(this.shared).filter((status) => !alwaysWaits || status !== '202');
    return {
      '200': { ...this.#operation.responses['200'], content } as Responses[string],
      ...Object.fromEntries(others.map((status) => [status, { $ref: `#/components/responses/${status}` }])),
    };
  }

  #data(returns: TypedFunction['returns']): object {
    // A function that returns a text has that text as its payload, which is not JSON as a rule.
    const isTyped = returns !== undefined && !(isObject(returns) && returns['type'] === 'string');
    if (!isTyped) return { $ref: SCHEMAS + RESULT };
    return { ...this.#result, properties: { ...this.#result.properties, result: this.#embed(returns) } };
  }
}

/** Returns the schemas of the API to which parts of a document refer, directly or by another one. */
function usedSchemas(parts: readonly unknown[], schemas: Schemas): Schemas {
  const found: Record<string, unknown> = {};
  const pending = [...parts];
  for (let part = pending.pop(); part !== undefined; part = pending.pop()) {
    for (const [, name = ''] of JSON.stringify(part).matchAll(/"#\/components\/schemas\/([^"]+)"/g)) {
      if (name in found || !Object.hasOwn(schemas, name)) continue;
      found[name] = schemas[name];
      pending.push(schemas[name]);
    }
  }
  return found;
}
