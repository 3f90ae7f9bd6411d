// Writes the generated files that are committed: `npm run openapi`, `env-example`, `proxy-config` and `docs-tables` write theirs,
// `npm run check:generated` fails if one is stale (--check).
import 'reflect-metadata';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { RequestMethod, type Type } from '@nestjs/common';
import { METHOD_METADATA, PATH_METADATA } from '@nestjs/common/constants.js';
import { ModulesContainer, NestFactory } from '@nestjs/core';
import { FastifyAdapter } from '@nestjs/platform-fastify';
import openapiTypescript, { astToString } from 'openapi-typescript';
import { ROLES } from '#ledger-callers';
import { envExampleOf, Environment, readConfig } from '#ledger-config';
import { routeConfigOf } from '../apps/ledger-api/src/access/access.decorators.js';
import { AppModule } from '../apps/ledger-api/src/app.module.js';
import { generateDocument as ledgerApi } from '../apps/ledger-api/src/app.setup.js';
import { ERRORS, type ErrorCode } from '../apps/ledger-api/src/http/error-table.js';
import { ERROR_CODE, sampleAnswer } from '../apps/ledger-api/src/http/error-answers.js';
import { proxyEnvExample, PROXY_ENVIRONMENT } from '../apps/proxy-client/src/config/overrides.js';
import { FAILURES, type FailureRow } from '../apps/proxy-client/src/failure/failure-table.js';
import { generateDocument as proxyClient } from '../apps/proxy-client/src/admin/admin-application.js';
import { GATE_BUILDS } from '../test/support/proxy/gate-builds.js';
import { GATE_PROGRAMS } from '../test/support/proxy/gate-programs.js';
import { configSchema, configTypes, keyRows } from './proxy-settings.js';

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
  'proxy-config': async () =>
    Promise.resolve({
      'apps/proxy-client/src/library/config-types.ts': configTypes(),
      'docs/proxy-client.schema.json': configSchema(),
    }),
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

/** Paths outside the API's prefix. */
const TOP_LEVEL = ['', 'pages/{name}', 'readyz', 'metrics'];

function errorRow(code: ErrorCode): string[] {
  const { status, body, headers } = sampleAnswer(code);
  const shown = Object.entries(headers).filter(([name]) => name !== ERROR_CODE && name !== 'x-transaction-id');
  if ('x-transaction-id' in headers) shown.push(['x-transaction-id', '…']);
  const message = body.message.replaceAll(/\b[0-9a-f]{64}\b/g, '…');
  const { cause } = ERRORS[code];
  return [
    code,
    String(status),
    cause,
    message,
    shown.map(([name, value]) => `\`${name}: ${value}\``).join(', ') || '–',
  ];
}

function failureRow([category, row]: readonly [string, FailureRow]): string[] {
  return [
    category,
    String(row.status),
    `\`${row.proxyStatus}\``,
    `0x${row.reply.toString(16).padStart(2, '0')}`,
    row.socksKey ?? '–',
    row.counted ? 'yes' : 'no',
    row.text,
  ];
}

/** Returns the operations of all controllers, and who may call each; no ledger is opened. */
async function roleRows(): Promise<string[][]> {
  const options = { preview: true, logger: false } as const;
  const app = await NestFactory.create(AppModule.register(readConfig({})), new FastifyAdapter(), options);
  const controllers = [...app.get(ModulesContainer).values()].flatMap((module) => [...module.controllers.values()]);
  const handlers = controllers.flatMap(({ metatype }) => {
    const bases = [Reflect.getMetadata(PATH_METADATA, metatype as Type) as string | string[]].flat();
    const methods = Object.values(Object.getOwnPropertyDescriptors((metatype as Type).prototype as object));
    return methods
      .map(({ value }) => value as object)
      .filter((handler) => Reflect.hasMetadata(METHOD_METADATA, handler))
      .flatMap((handler) => {
        const path = Reflect.getMetadata(PATH_METADATA, handler) as string;
        return bases.map((base) => ({ path: pathOf(base, path), handler }));
      });
  });
  const rows = handlers.sort((one, other) => (one.path < other.path ? -1 : 1)).map(roleRow);
  // Two handlers of one path, for two types of its body, have one row unless their roles differ.
  return [...new Map(rows.map((row) => [row.join(), row])).values()];
}

function pathOf(base: string, path: string): string {
  const segments = `${base}/${path}`.split('/').filter((segment) => segment !== '');
  const place = segments.map((segment) => segment.replace(/^:(.+)/, '{$1}')).join('/');
  return `${TOP_LEVEL.includes(place) || place.startsWith('tree/') ? '' : '/api/v1'}/${place}`;
}

function roleRow({ path, handler }: { readonly path: string; readonly handler: object }): string[] {
  const method = RequestMethod[Reflect.getMetadata(METHOD_METADATA, handler) as number] ?? '';
  const { isOpen = false, needs } = routeConfigOf(handler) ?? {};
  if (!isOpen && needs === undefined) {
    throw new Error(`${path} does not declare who may call it: add @Needs(role) or @Open()`);
  }
  const cells = ROLES.map((role) => (isOpen || ROLES.indexOf(role) >= ROLES.indexOf(needs ?? role) ? 'yes' : '403'));
  return [`\`${method} ${path}\``, isOpen ? 'yes' : '401', ...cells];
}

/** Returns a text with its table of that name replaced: it is between two comments with the name. */
function withTable(
  text: string,
  name: string,
  [header, ...rows]: readonly [readonly string[], ...(readonly (readonly string[])[])],
): string {
  const [begin, end] = [`<!-- begin ${name}: written by npm run docs-tables -->`, `<!-- end ${name} -->`];
  const [start, stop] = [text.indexOf(begin), text.indexOf(end)];
  if (start === -1 || stop < start)
    throw new Error(`The document has no place for the table "${name}": ${begin} … ${end}`);
  const lines = [header, header.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`);
  return `${text.slice(0, start)}${begin}\n\n${lines.join('\n')}\n\n${text.slice(stop)}`;
}

/** The tables of proxy-client's keys: their pages, and the keys of each. */
const KEY_TABLES = {
  'keys of listeners': { page: 'docs/proxy-client.md', keys: ['mode', 'logLevel', 'listen', 'listeners'] },
  'keys of upstreams and rules': {
    page: 'docs/proxy-routing.md',
    keys: ['upstream', 'upstreams', 'rules', 'default'],
  },
  'keys of operation': {
    page: 'docs/proxy-operation.md',
    keys: ['timeouts', 'limits', 'pool', 'via', 'log', 'admin'],
  },
  'keys of the gate': { page: 'docs/gate.md', keys: ['gate'] },
} as const;

/** Returns proxy-client's pages with the tables of its keys and variables. */
function settingPages(): Files {
  const withKeys = Object.entries(KEY_TABLES).map(([name, { page, keys }]) => {
    const table = [['Key', 'Default', 'Meaning'], ...keyRows(keys)] as const;
    return [page, withTable(readFileSync(page, 'utf8'), name, table)] as const;
  });
  const pages = Object.fromEntries(withKeys);
  const page = KEY_TABLES['keys of listeners'].page;
  const variables = PROXY_ENVIRONMENT.map(({ name, default: written, meaning }) => [name, written, meaning]);
  return {
    ...pages,
    [page]: withTable(pages[page] ?? '', 'variables', [['Variable', 'Default', 'Meaning'], ...variables]),
  };
}

/** Returns the gate's page with the programs and builds that its tests try. */
function withGateTables(text: string): string {
  const plain = GATE_PROGRAMS.filter(({ line }) => line === undefined).map(({ name }) => name);
  const others = GATE_PROGRAMS.filter(({ line }) => line !== undefined);
  const programs = withTable(text, 'programs of the gate', [
    ['Program', 'Line'],
    [`${plain.length} programs: ${plain.join(', ')}`, 'none'],
    ...others.map(({ name, line = '' }) => [name, `\`${line}\``]),
  ]);
  const builds = Map.groupBy(GATE_BUILDS, ({ name }) => name.slice(0, name.indexOf(':')));
  return withTable(programs, 'builds of the gate', [
    ['Tool', 'Builds'],
    ...Array.from(builds, ([tool, all]) => [tool, all.map(({ name }) => name.slice(tool.length + 2)).join(', ')]),
  ]);
}

/** Returns the documents with tables that are generated from the code: errors of both programs, roles, settings, and what tests try. */
async function docsTables(): Promise<Files> {
  const codes = Object.keys(ERRORS) as ErrorCode[];
  const settings = settingPages();
  const gate = KEY_TABLES['keys of the gate'].page;
  const [errors, callers] = ['docs/errors.md', 'docs/callers.md'];
  const ledgerErrors = withTable(readFileSync(errors, 'utf8'), 'ledger-api errors', [
    ['Code', 'Status', 'Cause', 'Sample message', 'Headers'],
    ...codes.map(errorRow),
  ]);
  return {
    [errors]: withTable(ledgerErrors, 'proxy-client failures', [
      ['Category', 'Status', 'Proxy-Status error', 'SOCKS5 reply', 'socks5_errors', 'failed_requests', 'Message'],
      ...Object.entries(FAILURES).map(failureRow),
    ]),
    ...settings,
    [gate]: withGateTables(settings[gate] ?? ''),
    [callers]: withTable(readFileSync(callers, 'utf8'), 'roles', [
      ['Operation', 'without a key', ...ROLES],
      ...(await roleRows()),
    ]),
  };
}

function textOf(file: string): string | undefined {
  return existsSync(file) ? readFileSync(file, 'utf8') : undefined;
}

const names = process.argv.slice(2).filter((argument) => argument !== '--check');
const unknown = names.find((name) => !Object.hasOwn(COMMANDS, name));
if (unknown !== undefined) {
  console.error(`generate: unknown command ${JSON.stringify(unknown)}. Use ${Object.keys(COMMANDS).join(', ')}.`);
  process.exit(2);
}
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
