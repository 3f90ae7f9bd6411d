// Writes the API documents into docs/openapi/, and their types for openapi-fetch; with --check says which of them is stale.
import 'reflect-metadata';
import { mkdirSync } from 'node:fs';
import openapiTypescript, { astToString } from 'openapi-typescript';
import { generateDocument as ledgerApi } from '../apps/ledger-api/src/generate-document.js';
import { generateDocument as proxyClient } from '../apps/proxy-client/src/pages/admin-application.js';
import { writeOrCheck } from './docs/write-or-check.js';

const documents = { 'ledger-api': await ledgerApi(), 'proxy-client': await proxyClient() };

mkdirSync('docs/openapi', { recursive: true });
for (const [name, document] of Object.entries(documents)) {
  writeOrCheck(`docs/openapi/${name}.json`, `${JSON.stringify(document, null, 2)}\n`, 'npm run openapi');
  // Over JSON, which has lost what Nest left undefined.
  const types = await openapiTypescript(JSON.stringify(document));
  writeOrCheck(`docs/openapi/${name}.d.ts`, `// npm run openapi\n${astToString(types)}`, 'npm run openapi');
}
