import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { readFileSync } from 'node:fs';
import { LedgerApi } from '../../support/ledger-api.js';

interface Parameter {
  readonly name: string;
  readonly in: string;
  readonly required?: boolean;
  readonly example?: unknown;
  readonly schema?: { readonly example?: unknown };
}

interface DocumentedOperation {
  readonly operationId: string;
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: {
    readonly content: Readonly<
      Record<string, { readonly examples?: Readonly<Record<string, { readonly value: object }>> }>
    >;
  };
}

const { paths } = JSON.parse(readFileSync('docs/openapi/ledger-api.json', 'utf8')) as {
  readonly paths: Readonly<Record<string, Readonly<Record<string, DocumentedOperation>>>>;
};
const operations = Object.entries(paths).flatMap(([path, item]) =>
  Object.entries(item).map(([method, operation]) => ({ path, method, operation })),
);

function exampleOf({ example, schema }: Parameter): unknown {
  return example ?? schema?.example;
}

/** Returns a path with its parameters as Swagger UI fills them in. */
function prefilled(path: string, { parameters = [] }: DocumentedOperation): string {
  const required = parameters.filter((each) => each.required === true);
  const inPath = required.filter((each) => each.in === 'path');
  const filled = inPath.reduce((text, each) => text.replace(`{${each.name}}`, String(exampleOf(each))), path);
  const query = required
    .filter((each) => each.in === 'query')
    .map((each) => [each.name, String(exampleOf(each))] as const);
  return query.length === 0 ? filled : `${filled}?${new URLSearchParams(Object.fromEntries(query)).toString()}`;
}

describe('requests as Swagger UI fills them in', () => {
  let api: LedgerApi;
  beforeAll(async () => {
    api = await LedgerApi.start();
    await api.api('POST', '/ledger/init');
  });
  afterAll(async () => {
    await api.stop();
  });

  it.each(operations.map(({ operation }) => [operation.operationId, operation] as const))(
    'have an example of each required parameter: %s',
    (_id, { parameters = [] }) => {
      const required = parameters.filter((each) => each.required === true);
      expect(required.filter((each) => exampleOf(each) === undefined).map(({ name }) => name)).toEqual([]);
    },
  );

  // The id of a transaction differs on every ledger; the tree is off; no record type is defined.
  const reads = operations.filter(({ path, method }) => method === 'get' && !/\{(?:txid|type)\}|\/proof$/.test(path));
  it.each(reads.map(({ path, operation }) => [prefilled(path, operation)]))('succeed: GET %s', async (path) => {
    expect((await api.api('GET', path)).status).toBe(200);
  });

  it.each(
    operations
      .filter(
        ({ path, method }) =>
          /\/(evaluate|functions\/\{function\})$/.test(path) || (method === 'put' && path.endsWith('/assets/{id}')),
      )
      .map((each) => [each.method.toUpperCase(), each.path, each.operation] as const),
  )('succeed: %s %s', async (method, path, operation) => {
    const [{ value } = { value: {} }] = Object.values(
      operation.requestBody?.content['application/json']?.examples ?? {},
    );
    expect((await api.api(method, prefilled(path, operation), { body: value })).status).toBe(200);
  });
});
