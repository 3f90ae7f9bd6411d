import { readFileSync } from 'node:fs';
import { generateDocument } from '../../apps/ledger-api/src/app.setup.js';

interface Schema {
  readonly type?: string;
  readonly $ref?: string;
  readonly format?: string;
  readonly enum?: readonly unknown[];
  readonly example?: unknown;
  readonly items?: Schema;
  readonly allOf?: readonly Schema[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: boolean;
}
interface Content {
  readonly 'application/json': {
    readonly schema: Schema;
    readonly examples?: Readonly<Record<string, { readonly value: unknown }>>;
  };
}
interface Response {
  readonly headers?: Readonly<Record<string, { readonly schema: { readonly enum?: readonly string[] } }>>;
  readonly content: Content;
}
interface Operation {
  readonly parameters?: readonly {
    readonly name: string;
    readonly in: string;
    readonly required: boolean;
    readonly description?: string;
  }[];
  readonly requestBody?: { readonly required: boolean; readonly content: Content };
  readonly responses: Readonly<Record<string, Response>>;
  readonly security?: readonly object[];
}
interface Document {
  readonly openapi: string;
  readonly info: { readonly version: string };
  readonly servers: readonly { readonly url: string }[];
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly security: readonly object[];
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> };
}

const FILE = 'docs/openapi/ledger-api.json';
const document = JSON.parse(readFileSync(FILE, 'utf8')) as Document;

/** The contract's resources: each field with its type. */
const COMPONENTS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  Asset: { ID: 'string', appraisedValue: 'string', color: 'string', owner: 'string', size: 'string' },
  CreateAssetRequest: { id: 'string', appraisedValue: 'string', color: 'string', owner: 'string', size: 'string' },
  TransferAssetRequest: { newOwner: 'string' },
  ErrorResponse: { success: 'boolean', message: 'string' },
  HealthResponse: { status: 'string' },
  BlockHeightResponse: { height: 'integer' },
  ChainInfoResponse: { blockHash: 'string', chainName: 'string', height: 'integer' },
  TransactionDetail: {
    transactionId: 'string',
    blockHash: 'string',
    blockNumber: 'integer',
    chaincodeId: 'string',
    channelId: 'string',
    creatorId: 'string',
    creatorMspId: 'string',
    endorsers: 'array of string',
    function: 'string',
    arguments: 'array of string',
    timestamp: 'string',
    validationCode: 'string',
    response: 'TransactionResponse',
    rawTransaction: 'object',
  },
  TransactionResponse: { message: 'string', payload: 'string', status: 'integer' },
};

/** The errors of every operation that needs a caller and uses the ledger. */
const ALL = [400, 401, 403, 429, 500, 503];
/** And with a body and an Idempotency-Key. */
const WRITE = [...ALL, 409, 413, 415, 422];

/** And with If-Match, for a URL with an id. */
const CHANGE = [...WRITE, 412, 414, 501];

/** The contract's operations: success status, shape of `data`, body, error statuses with those of the framework. */
const OPERATIONS: readonly (readonly [string, string, number, string, string, readonly number[]])[] = [
  ['get', '/assets', 200, 'array of Asset', '', ALL],
  ['post', '/assets', 201, 'AssetTransaction', 'CreateAssetRequest', [...WRITE, 412]],
  ['get', '/assets/{id}', 200, 'Asset', '', [...ALL, 404, 414, 501]],
  ['put', '/assets/{id}', 200, 'Asset', 'CreateAssetRequest', CHANGE],
  ['put', '/assets/{id}/transfer', 200, 'AssetTransaction', 'TransferAssetRequest', [...CHANGE, 404]],
  ['get', '/blockchain/height', 200, 'BlockHeightResponse', '', ALL],
  ['get', '/blockchain/info', 200, 'ChainInfoResponse', '', ALL],
  ['get', '/health', 200, 'HealthResponse', '', [400, 403]],
  ['post', '/ledger/init', 200, 'LedgerInitResult', '', ALL],
  ['get', '/transactions/{txid}', 200, 'TransactionDetail', '', [...ALL, 404]],
];

/** The operations of the API that are not in the contract. */
const OTHERS = [
  'get /assets/{id}/history',
  'get /blocks',
  'get /blocks/{number}',
  'get /blocks/{number}/proof',
  'get /callers/me',
  'get /contracts',
  'get /contracts/{chaincode}',
  'get /contracts/{chaincode}/metadata',
  'get /contracts/{chaincode}/events',
  'get /contracts/{chaincode}/openapi.json',
  'post /contracts/{chaincode}/functions/{function}',
  'post /contracts/{chaincode}/evaluate',
  'post /contracts/{chaincode}/submit',
  'get /events',
  'get /identities/{mspId}/ca',
  'get /ledger/totals',
  'get /search',
  'get /transactions',
  'get /transactions/{txid}/receipt',
  'get /channels',
  'get /record-types',
  'get /record-types/{type}',
  'put /record-types/{type}',
  'get /records/{type}',
  'post /records/{type}',
  'get /records/{type}/{id}',
  'put /records/{type}/{id}',
  'delete /records/{type}/{id}',
  'get /records/{type}/{id}/history',
];

/** The first segments of paths that every channel has. */
const OF_CHANNEL = /^\w+ \/(blockchain|blocks|contracts|events|identities|record-types|records|search|transactions)\b/;
const onChannel = (operation: string): string => operation.replace(' /', ' /channels/{channel}/');

/** A schema in the words of the tables above. */
function words({ type, $ref, items, allOf }: Schema): string {
  if ($ref !== undefined) return $ref.replace('#/components/schemas/', '');
  if (type === 'array') return `array of ${words(items ?? {})}`;
  return type ?? words(allOf?.[0] ?? {});
}

/** The fields of a schema for which a reader of the document sees no example. */
function fieldsWithoutExample(schema: Schema, field: string): readonly string[] {
  const { example, type, $ref, items, allOf, properties } = schema;
  if (example !== undefined || schema.enum !== undefined || type === 'boolean') return [];
  const parts = [...(allOf ?? []), ...(items === undefined ? [] : [items])];
  if ($ref !== undefined) parts.push(document.components.schemas[$ref.replace('#/components/schemas/', '')]!);
  const named = Object.entries(properties ?? {});
  if (parts.length + named.length === 0) return [field];
  return [
    ...parts.flatMap((part) => fieldsWithoutExample(part, field)),
    ...named.flatMap(([name, part]) => fieldsWithoutExample(part, `${field}.${name}`)),
  ];
}

describe('docs/openapi/ledger-api.json', () => {
  it('is what the code generates', async () => {
    expect(`${JSON.stringify(await generateDocument(), null, 2)}\n`).toBe(readFileSync(FILE, 'utf8'));
  });

  it('carries version 1.0 and the base path on http and https', () => {
    expect(document.info.version).toBe('1.0');
    expect(document.servers.map(({ url }) => url)).toEqual([
      'http://127.0.0.1:3000/api/v1',
      'https://127.0.0.1:3443/api/v1',
    ]);
  });

  it('has exactly the ten operations of the contract and the documented further ones', () => {
    const found = Object.entries(document.paths).flatMap(([path, item]) =>
      Object.keys(item).map((method) => `${method} ${path}`),
    );
    const ten = OPERATIONS.map(([method, path]) => `${method} ${path}`);
    const all = [...ten, ...OTHERS];
    expect(found.sort()).toEqual([...all, ...all.filter((each) => OF_CHANNEL.test(each)).map(onChannel)].sort());
  });

  it.each(Object.entries(COMPONENTS))('%s has exactly the fields of the contract', (name, fields) => {
    const { properties = {}, required = [], additionalProperties } = document.components.schemas[name]!;
    expect(Object.fromEntries(Object.entries(properties).map(([field, schema]) => [field, words(schema)]))).toEqual(
      fields,
    );
    expect(additionalProperties).toBe(false);
    const optional = name === 'CreateAssetRequest' ? ['id'] : [];
    expect([...required].sort()).toEqual(
      Object.keys(fields)
        .filter((field) => !optional.includes(field))
        .sort(),
    );
  });

  it('declares the timestamp as a date-time and the raw transaction as free-form', () => {
    const { timestamp, rawTransaction } = document.components.schemas['TransactionDetail']!.properties!;
    expect(timestamp!.format).toBe('date-time');
    expect(rawTransaction!.additionalProperties).toBe(true);
  });
});

describe.each(OPERATIONS)('%s %s', (method, path, status, data, body, errors) => {
  const { responses, requestBody, parameters = [] } = document.paths[path]![method]!;

  it('lists exactly the statuses that it can return', () => {
    const withoutBody = path === '/assets/{id}' && method === 'get' ? [304] : [];
    // Writes of assets are answered before their commit if the client prefers that.
    const accepted = requestBody === undefined ? [] : [202];
    // The report on an upload of many assets, and one whose next line does not come.
    const uploaded = path === '/assets' && method === 'post' ? [200, 408] : [];
    const found = Object.keys(responses).map(Number);
    expect(new Set(found)).toEqual(new Set([status, ...accepted, ...uploaded, ...withoutBody, ...errors]));
  });

  it('answers success in its shape', () => {
    const { schema } = responses[status]!.content['application/json'];
    if (path === '/health') {
      expect(words(schema)).toBe(data);
    } else {
      expect(schema.allOf![0]!.$ref).toBe('#/components/schemas/ResponseEnvelope');
      expect(words(schema.allOf![1]!.properties!['data']!)).toBe(data);
      expect(schema.allOf![1]!.required).toEqual(['data']);
    }
  });

  it('answers every error as an ErrorResponse', () => {
    for (const error of errors)
      expect(words(responses[error]!.content['application/json'].schema)).toBe('ErrorResponse');
  });

  it('shows an example of each field of a success, and of each error by its code', () => {
    expect(fieldsWithoutExample(responses[status]!.content['application/json'].schema, 'answer')).toEqual([]);
    for (const error of errors) {
      const { headers = {}, content } = responses[error]!;
      const examples = Object.entries(content['application/json'].examples ?? {});
      for (const [, { value }] of examples) expect(value).toMatchObject({ success: false });
      const codes = examples.map(([name]) => name.replace(/-\d+$/, ''));
      expect(new Set(codes)).toEqual(new Set(headers['X-Error-Code']!.schema.enum));
    }
  });

  it('documents the credentials, and that none are required without authentication', () => {
    const { security = document.security } = document.paths[path]![method]!;
    expect(security).toEqual(path === '/health' ? [] : [{}, { apiKey: [] }, { bearer: [] }]);
  });

  it('accepts the body and the path parameters of the contract', () => {
    expect(requestBody === undefined ? '' : words(requestBody.content['application/json'].schema)).toBe(body);
    if (requestBody !== undefined) expect(requestBody.required).toBe(true);
    const names = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name);
    const inPath = parameters.filter((parameter) => parameter.in === 'path');
    expect(inPath.map(({ name, required }) => [name, required])).toEqual(names.map((name) => [name, true]));
    for (const { description } of parameters) expect(description).toMatch(/\.$/);
  });
});
