import { readFileSync } from 'node:fs';

interface Response {
  readonly headers?: Readonly<Record<string, { readonly schema: { readonly enum?: readonly string[] } }>>;
}
interface Document {
  readonly paths: Readonly<Record<string, Readonly<Record<string, { responses: Readonly<Record<string, Response>> }>>>>;
}

const { paths } = JSON.parse(readFileSync('docs/openapi/ledger-api.json', 'utf8')) as Document;
const routes = Object.entries(paths).map(([path, operations]) => ({
  pattern: new RegExp(`^/api/v1${path.replace(/\{\w+\}/g, '[^/]+')}$`),
  operations,
}));

/** What HTTP refuses, whatever is asked for: no time, expectation, header or version that any operation could take. */
const OF_HTTP: readonly number[] = [408, 417, 431, 505];

/** What an answer shows of itself. */
export interface Shown {
  readonly status: number;
  /** Its X-Error-Code. */
  readonly code: string | undefined;
}

/** Returns whether the API document lists this answer for the operation. */
export function isDocumented(method: string, target: string, { status, code }: Shown): boolean {
  const path = target.split('?', 1).join('');
  const operations = routes.find(({ pattern }) => pattern.test(path))?.operations;
  const operation = operations?.[method === 'HEAD' ? 'get' : method.toLowerCase()];
  if (operation === undefined || OF_HTTP.includes(status)) return true;
  const response = operation.responses[status];
  return (
    response !== undefined &&
    (code === undefined || response.headers?.['X-Error-Code']?.schema.enum?.includes(code) === true)
  );
}
