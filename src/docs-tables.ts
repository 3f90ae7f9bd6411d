import { readFileSync } from 'node:fs';
import { RequestMethod, type Type } from '@nestjs/common';
import { METHOD_METADATA, PATH_METADATA } from '@nestjs/common/constants.js';
import { ModulesContainer, NestFactory } from '@nestjs/core';
import { FastifyAdapter } from '@nestjs/platform-fastify';
import { routeConfigOf } from '../apps/ledger-api/src/access/access.decorators.js';
import { ROLES } from '../apps/ledger-api/src/access/caller-list.js';
import { AppModule } from '../apps/ledger-api/src/app.module.js';
import { readConfig } from '../apps/ledger-api/src/config/config.js';
import { ERROR_CODE, ERRORS, sampleAnswer, type ErrorCode } from '../apps/ledger-api/src/http/errors.js';
import { FAILURES, type FailureRow } from '../apps/proxy-client/src/failure/failure-table.js';

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
    const base = Reflect.getMetadata(PATH_METADATA, metatype as Type) as string;
    const methods = Object.values(Object.getOwnPropertyDescriptors((metatype as Type).prototype as object));
    return methods
      .map(({ value }) => value as object)
      .filter((handler) => Reflect.hasMetadata(METHOD_METADATA, handler))
      .map((handler) => ({ path: pathOf(base, Reflect.getMetadata(PATH_METADATA, handler) as string), handler }));
  });
  return handlers.sort((one, other) => (one.path < other.path ? -1 : 1)).map(roleRow);
}

function pathOf(base: string, path: string): string {
  const segments = `${base}/${path}`.split('/').filter((segment) => segment !== '');
  const place = segments.map((segment) => segment.replace(/^:(.+)/, '{$1}')).join('/');
  return `${TOP_LEVEL.includes(place) ? '' : '/api/v1'}/${place}`;
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

/** Returns the documents with tables that are generated from the code: errors of both programs, and roles. */
export async function docsTables(): Promise<Readonly<Record<string, string>>> {
  const codes = Object.keys(ERRORS) as ErrorCode[];
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
    [callers]: withTable(readFileSync(callers, 'utf8'), 'roles', [
      ['Operation', 'without a key', ...ROLES],
      ...(await roleRows()),
    ]),
  };
}
