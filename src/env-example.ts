// Writes .env.example from the config classes, or with --check says whether it is stale.
import { envExample as ledgerApi } from '../apps/ledger-api/src/config/environment.js';
import { proxyEnvExample as proxyClient } from '../apps/proxy-client/src/config/environment.js';
import { writeOrCheck } from './docs/write-or-check.js';

const INTRODUCTION = `# Copy to .env and change what you need; the process environment wins over this file.
# Written by \`npm run env-example\`.
`;

const sections = [
  { title: 'ledger-api', text: ledgerApi() },
  { title: 'proxy-client', text: proxyClient() },
];

const body = sections.map(({ title, text }) => `\n# --- ${title} ---\n\n${text}`).join('');
writeOrCheck('.env.example', INTRODUCTION + body, 'npm run env-example');
