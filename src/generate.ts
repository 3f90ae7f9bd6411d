// Writes the generated files that are committed: `npm run openapi`, `env-example` and `docs-tables` write theirs, `npm run check:generated` fails
// if one is stale (--check).
import 'reflect-metadata';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import openapiTypescript, { astToString } from 'openapi-typescript';
import { generateDocument as ledgerApi } from '../apps/ledger-api/src/app.setup.js';
import { Environment } from '../apps/ledger-api/src/config/environment.js';
import { envExampleOf } from '../apps/ledger-api/src/config/variables.js';
import { proxyEnvExample } from '../apps/proxy-client/src/config/overrides.js';
import { generateDocument as proxyClient } from '../apps/proxy-client/src/pages/admin-application.js';
import { docsTables } from './docs-tables.js';

type Files = Readonly<Record<string, string>>;

const ENV_INTRODUCTION = `# Copy to .env and change what you need; the process environment wins over this file.
# Written by \`npm run env-example\`.
`;

/** The commands, and the files that each writes. */
const COMMANDS: Readonly<Record<string, () => Promise<Files>>> = {
  openapi: async () => ({
    ...(await openApiFiles('ledger-api', await ledgerApi())),
    ...(await openApiFiles('proxy-client', await proxyClient())),
  }),
  'env-example': async () => {
    const sections = { 'ledger-api': envExampleOf(Environment), 'proxy-client': proxyEnvExample() };
    const texts = Object.entries(sections).map(([title, text]) => `\n# --- ${title} ---\n\n${text}`);
    return Promise.resolve({ '.env.example': ENV_INTRODUCTION + texts.join('') });
  },
  'docs-tables': docsTables,
};

/** Returns an API document, and its types for openapi-fetch. */
async function openApiFiles(name: string, document: unknown): Promise<Files> {
  const text = JSON.stringify(document, null, 2);
  return {
    [`docs/openapi/${name}.json`]: `${text}\n`,
    [`docs/openapi/${name}.d.ts`]: `// npm run openapi\n${astToString(await openapiTypescript(text))}`,
  };
}

function textOf(file: string): string | undefined {
  return existsSync(file) ? readFileSync(file, 'utf8') : undefined;
}

const names = process.argv.slice(2).filter((argument) => argument !== '--check');
for (const [name, generate] of Object.entries(COMMANDS).filter(([each]) => names.includes(each))) {
  const stale = Object.entries(await generate()).filter(([file, text]) => textOf(file) !== text);
  for (const [file, text] of stale) {
    if (process.argv.includes('--check')) {
      console.error(`${file} is stale: run \`npm run ${name}\` and commit it.`);
      process.exitCode = 1;
    } else {
      writeFileSync(file, text);
      console.log(`${file} written.`);
    }
  }
}
