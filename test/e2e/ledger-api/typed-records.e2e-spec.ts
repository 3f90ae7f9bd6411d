import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { execFile } from 'node:child_process';
import { mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import openapiTS, { astToString, type OpenAPI3 } from 'openapi-typescript';
import { call, LedgerApi } from '../../support/ledger-api.js';

const NAME = {
  type: 'object',
  properties: { name: { type: 'string' } },
  required: ['name'],
  additionalProperties: false,
};
const TYPES = {
  login: { schema: NAME },
  patient: { schema: NAME, payload: 'outside', mode: 'mutable', indexes: ['name'] },
  visit: { schema: true, payload: 'outside' },
};

/** What a user of the generated types writes. */
const CODE = `import createClient from 'openapi-fetch';
import type { components, paths } from './types.mts';

const client = createClient<paths>({ baseUrl: process.env['API'] ?? '' });
const created = await client.POST('/records/patient', { params: { query: { id: 'p1' } }, body: { name: 'ana' } });
const written = created.data?.data;
if (written === undefined || !('document' in written)) throw new Error('It is not created.');
const { digest, salt }: components['schemas']['DocumentOutside'] = written.outside;
const path = { id: 'p1' };
const read = await client.GET('/records/patient/{id}', { params: { path } });
const name: string | undefined = read.data?.data.document?.name;
const listed = await client.GET('/records/patient', { params: { query: { 'where.name': 'ana' } } });
const states = listed.data?.data.records.map(({ outside }) => outside.state);
await client.DELETE('/records/patient/{id}', { params: { path, query: { purge: true } } });
const changes = (await client.GET('/records/patient/{id}/history', { params: { path } })).data?.data.changes;
const history = changes?.map(({ document, outside }) => [document?.name ?? null, outside?.state ?? null]);
await client.POST('/records/visit', { params: { query: { id: 'v1' } }, body: [1, 'two'] });
const visit = await client.DELETE('/records/visit/{id}', { params: { path: { id: 'v1' }, query: { purge: true } } });
const login = await client.POST('/records/login', { body: { name: 'bob' } });
const inside = login.data !== undefined && 'document' in login.data.data ? login.data.data.document.name : undefined;
// @ts-expect-error Records inside the blocks have no such member.
const none = login.data?.data.outside;
console.log(JSON.stringify([digest.length, salt?.length, name, states, history, visit.response.status, inside]), none);
`;

describe('the document with the types of records', () => {
  let api: LedgerApi;
  let document: {
    readonly paths: Readonly<
      Record<string, Readonly<Record<string, { parameters: { name: string; required?: boolean }[] }>>>
    >;
    readonly components: { readonly schemas: Readonly<Record<string, { properties: object; required: string[] }>> };
  };
  beforeAll(async () => {
    api = await LedgerApi.start();
    for (const [type, body] of Object.entries(TYPES)) {
      expect(await api.api('PUT', `/record-types/${type}`, { body })).toMatchObject({ status: 200 });
    }
    document = (await call(api.origin, 'GET', '/docs-json')).json as typeof document;
  });
  afterAll(async () => {
    expect(await api.stop()).toEqual({ code: 0, signal: null });
  });

  it('describes answers with the documents of each type, and what is outside the blocks', () => {
    const { schemas } = document.components;
    const patient = { $ref: '#/components/schemas/records.patient' };
    expect(schemas['StoredDocument.patient']).toMatchObject({
      properties: { document: { anyOf: [patient, { type: 'null' }] }, outside: expect.anything() },
      required: ['id', 'version', 'document', 'outside'],
    });
    expect(schemas['WrittenRecord.patient']).toMatchObject({ properties: { document: patient } });
    expect(schemas['RecordPage.patient']).toMatchObject({
      properties: { records: { items: { $ref: '#/components/schemas/StoredDocument.patient' } } },
    });
    const login = { $ref: '#/components/schemas/records.login' };
    expect(schemas['StoredDocument.login']).toMatchObject({ properties: { document: login } });
    expect(schemas['RecordChange.login']).toMatchObject({
      properties: { document: { anyOf: [login, { type: 'null' }] } },
    });
    for (const name of ['StoredDocument', 'WrittenRecord', 'RecordChange']) {
      expect(Object.keys(schemas[`${name}.login`]?.properties ?? {})).not.toContain('outside');
    }
    expect(JSON.stringify(document.paths['/records/patient'])).toContain('"#/components/schemas/RecordPage.patient"');
    expect(JSON.stringify(document.paths['/records/{type}'])).toContain('"#/components/schemas/RecordPage"');
  });

  it('has a purge for types with documents outside the blocks only', () => {
    const purge = (type: string) =>
      document.paths[`/records/${type}/{id}`]?.['delete']?.parameters.find(({ name }) => name === 'purge')?.required;
    expect(Object.keys(document.paths['/records/login/{id}'] ?? {})).toEqual(['get']);
    expect([purge('patient'), purge('visit')]).toEqual([false, true]);
  });

  it('makes a client that compiles in strict mode, and runs', async () => {
    const directory = await mkdtemp(join(tmpdir(), 'typed-records-'));
    await symlink(join(process.cwd(), 'node_modules'), join(directory, 'node_modules'));
    const file = join(directory, 'client.mts');
    try {
      await writeFile(join(directory, 'types.mts'), astToString(await openapiTS(document as unknown as OpenAPI3)));
      await writeFile(file, CODE);
      const flags = ['--strict', '--exactOptionalPropertyTypes', '--noUncheckedIndexedAccess', '--skipLibCheck'];
      const target = ['--module', 'nodenext', '--target', 'esnext', '--types', 'node', '--noEmit', '--ignoreConfig'];
      const tsc = join(process.cwd(), 'node_modules/.bin/tsc');
      const options = [...flags, ...target, '--allowImportingTsExtensions'];
      await promisify(execFile)(tsc, [...options, file], { cwd: directory }).catch((error: unknown) => {
        throw new Error((error as { readonly stdout: string }).stdout);
      });
      const env = { API: `${api.origin}/api/v1` };
      const { stdout } = await promisify(execFile)(process.execPath, [file], { env });
      const history = [
        [null, null],
        [null, 'erased'],
      ];
      expect(JSON.parse(stdout.replace(' undefined', ''))).toEqual([64, 64, 'ana', ['stored'], history, 200, 'bob']);
    } finally {
      await rm(directory, { recursive: true });
    }
  });
});
