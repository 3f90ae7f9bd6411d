import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { execFile } from 'node:child_process';
import { cpSync } from 'node:fs';
import { mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import openapiTS, { astToString, type OpenAPI3 } from 'openapi-typescript';
import { ChaincodeFolder } from '../../support/chaincode-folders.js';
import { call, LedgerApi } from '../../support/ledger-api.js';

/** What a user of each chaincode writes: `client` has the generated types, and `results` is compared. */
const CODE: Readonly<Record<string, { readonly code: string; readonly results: readonly unknown[] }>> = {
  cars: {
    code: `
const car: components['schemas']['Car'] = { id: 'c1', engine: { power: 75 } };
const { data } = await client.POST('/contracts/cars/functions/Register', { body: { car, mileage: 12 } });
const written = data?.data;
const car1: { id: string; engine: { power?: number } } | undefined = written && 'result' in written ? written.result : undefined;
const id: string | undefined = written?.transactionId;
const tried = await client.POST('/contracts/cars/functions/Register', { body: { car, mileage: 12 }, params: { query: { evaluate: true } } });
const found = await client.POST('/contracts/cars/functions/Find', { body: { id: 'c1' } });
const fuel: string | undefined = found.data?.data.result?.engine?.fuel;
const recorded = await client.POST('/contracts/cars/functions/Find', { body: { id: 'c1' }, params: { query: { evaluate: false } } });
const list = await client.POST('/contracts/cars/functions/List', { body: {} });
const cars: readonly { readonly id: string }[] | undefined = list.data?.data.result;
// @ts-expect-error -- the id is a string
await client.POST('/contracts/cars/functions/Find', { body: { id: 7 } });
results.push(id?.length, car1 !== undefined, fuel ?? '', cars !== undefined);
results.push(tried.data?.message, recorded.data?.data.transactionId?.length);`,
    results: [64, true, '', true, 'Function evaluated.', 64],
  },
  shop: {
    code: `
const items = [{ product: 'pen', count: 2 }];
const placed = await client.POST('/contracts/shop/functions/org.example.orders%3APlace', { body: { items, express: true } });
const counted = await client.POST('/contracts/shop/functions/org.example.stock%3ACount', { body: { 'product/name': 'pen' } });
const count: number | undefined = counted.data?.data.result;
const refilled = await client.POST('/contracts/shop/functions/org.example.stock%3ARefill', { body: { entry: { sku: 'a' } } });
results.push(placed.data?.data.transactionId?.length, count !== undefined, refilled.response.status);`,
    results: [64, true, 200],
  },
  'bank-java': {
    code: `
const body = { number: '1', balance: 5, rate: 1.5 };
const opened = await client.POST('/contracts/bank-java/functions/OpenAccount', { body, params: { header: { 'Idempotency-Key': 'k' } } });
const balance: number | undefined = opened.data && 'result' in opened.data.data ? opened.data.data.result?.balance : 0;
const refused = await client.POST('/contracts/bank-java/functions/OpenAccount', { body: { ...body, balance: 1.5 } });
results.push(opened.response.status, balance ?? 'none', refused.error?.message);`,
    results: [200, 'none', 'The body is refused: /balance must be integer.'],
  },
  'plain-js': {
    code: `
const written = await client.POST('/contracts/plain-js/functions/Write', { body: ['a', 1] });
const all = await client.POST('/contracts/plain-js/functions/All', { body: [], params: { query: { evaluate: true } } });
results.push(written.response.status, all.data?.message);`,
    results: [200, 'Function evaluated.'],
  },
  tokens: {
    code: `
const sent = await client.POST('/contracts/tokens/functions/Transfer', { body: { to: 'ana', amount: 3 }, params: { header: { Prefer: 'respond-async' } } });
const balance = await client.POST('/contracts/tokens/functions/BalanceOf', { body: { owner: 'ana' } });
const number: number | undefined = balance.data?.data.result;
results.push(sent.response.status, number !== undefined);`,
    results: [202, true],
  },
};
const NAMES = Object.keys(CODE);
const FRAME = (code: string) => `import createClient from 'openapi-fetch';
import type { components, paths } from './types.mts';
type Unused = components;
const client = createClient<paths>({ baseUrl: process.env['API'] ?? '' });
const results: unknown[] = [];
${code}
console.log(JSON.stringify(results));
`;

describe('clients that openapi-typescript makes of the documents of chaincodes', () => {
  let folders: readonly ChaincodeFolder[];
  let api: LedgerApi;
  beforeAll(async () => {
    folders = NAMES.map((name) => {
      const folder = ChaincodeFolder.node('described');
      cpSync(join('test/fixtures/metadata', `${name}.json`), folder.file('metadata.json'));
      return folder;
    });
    const sources = NAMES.map((name, index) => `${name}=${folders[index]!.path}`);
    api = await LedgerApi.start({ LEDGER_CHAINCODES: sources.join(',') });
  });
  afterAll(async () => {
    await api.stop();
    for (const folder of folders) folder.remove();
  });

  it.each(NAMES)('compile in strict mode, and run: %s', async (name) => {
    const { code, results } = CODE[name]!;
    const directory = await mkdtemp(join(tmpdir(), 'contract-client-'));
    try {
      await symlink(join(process.cwd(), 'node_modules'), join(directory, 'node_modules'));
      const document = await call(api.origin, 'GET', `/api/v1/contracts/${name}/openapi.json`);
      await writeFile(join(directory, 'types.mts'), astToString(await openapiTS(document.json as OpenAPI3)));
      const file = join(directory, 'client.mts');
      await writeFile(file, FRAME(code));
      const flags = ['--strict', '--exactOptionalPropertyTypes', '--noUncheckedIndexedAccess', '--skipLibCheck'];
      const target = ['--module', 'nodenext', '--target', 'esnext', '--types', 'node', '--noEmit', '--ignoreConfig'];
      const tsc = join(process.cwd(), 'node_modules/.bin/tsc');
      const options = [...flags, ...target, '--allowImportingTsExtensions', file];
      await promisify(execFile)(tsc, options, { cwd: directory }).catch((error: unknown) => {
        throw new Error((error as { readonly stdout: string }).stdout);
      });
      const { stdout } = await promisify(execFile)(process.execPath, [file], { env: { API: `${api.origin}/api/v1` } });
      expect(JSON.parse(stdout)).toEqual(results);
    } finally {
      await rm(directory, { recursive: true });
    }
  });
});
