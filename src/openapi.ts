// Writes the API documents into docs/openapi/, or with --check says which of them is stale.
import 'reflect-metadata';
import { mkdirSync } from 'node:fs';
import { generateDocument as ledgerApi } from '../apps/ledger-api/src/generate-document.js';
import { generateDocument as proxyClient } from '../apps/proxy-client/src/pages/admin-application.js';
import { writeOrCheck } from './docs/write-or-check.js';

const documents = { 'ledger-api': ledgerApi, 'proxy-client': proxyClient };

mkdirSync('docs/openapi', { recursive: true });
for (const [name, generate] of Object.entries(documents)) {
  writeOrCheck(`docs/openapi/${name}.json`, `${JSON.stringify(await generate(), null, 2)}\n`, 'npm run openapi');
}
