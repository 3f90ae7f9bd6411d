import { readFileSync, writeFileSync } from 'node:fs';
import { RequestMethod, type Type } from '@nestjs/common';
import { METHOD_METADATA, PATH_METADATA } from '@nestjs/common/constants.js';
import { ModulesContainer, NestFactory } from '@nestjs/core';
import { FastifyAdapter } from '@nestjs/platform-fastify';
import { AppModule } from '../app.module.js';
import { routeConfigOf } from './access.decorators.js';
import { ROLES, type Role } from './caller-list.js';

const DOCUMENT = 'docs/callers.md';
const BEGIN = '<!-- written by apps/ledger-api/src/access/roles-document.spec.ts with UPDATE_DOCS=1 -->';
const END = '<!-- end of the table -->';
/** Paths outside the API's prefix. */
const TOP = ['', 'pages/{name}', 'readyz', 'metrics'];

interface Operation {
  readonly route: string;
  readonly needs: Role | 'nobody';
}

/** What is declared of each operation of each controller. */
async function operations(): Promise<Operation[]> {
  const app = await NestFactory.create(AppModule, new FastifyAdapter(), { preview: true, logger: false });
  const controllers = [...app.get(ModulesContainer).values()].flatMap((module) => [...module.controllers.values()]);
  return controllers.flatMap(({ metatype }) => operationsOf(metatype as Type));
}

function operationsOf(controller: Type): Operation[] {
  const handlers = Object.values(Object.getOwnPropertyDescriptors(controller.prototype as object))
    .map(({ value }) => value as object)
    .filter((handler) => Reflect.hasMetadata(METHOD_METADATA, handler));
  return handlers.map((handler) => {
    const method = RequestMethod[Reflect.getMetadata(METHOD_METADATA, handler) as number];
    const [base, path] = [controller, handler].map((one) => Reflect.getMetadata(PATH_METADATA, one) as string);
    const place = [base, path]
      .join('/')
      .replace(/\/+/g, '/')
      .replace(/^\/|\/$/g, '')
      .replace(/:(\w+)/g, '{$1}');
    const config = routeConfigOf(handler);
    return {
      route: `${method ?? ''} ${TOP.includes(place) ? '' : '/api/v1'}/${place}`,
      needs: config?.isOpen === true ? 'nobody' : (config?.needs ?? fail(place)),
    };
  });
}

function fail(place: string): never {
  throw new Error(`${place} does not say who may call it: put @Needs(role) or @Open() there`);
}

function row({ route, needs }: Operation): string {
  const cells = ROLES.map((role) =>
    needs === 'nobody' || ROLES.indexOf(role) >= ROLES.indexOf(needs) ? 'yes' : '403',
  );
  return `| \`${route}\` | ${[needs === 'nobody' ? 'yes' : '401', ...cells].join(' | ')} |`;
}

describe(DOCUMENT, () => {
  it('says of each operation who may call it', async () => {
    const pathOf = ({ route }: Operation) => route.split(' ').slice(1).join();
    const rows = (await operations()).toSorted((a, b) => (pathOf(a) < pathOf(b) ? -1 : 1)).map(row);
    const table = [
      `| Operation | nobody in particular | ${ROLES.join(' | ')} |`,
      `| --- | --- |${' --- |'.repeat(ROLES.length)}`,
      ...rows,
    ].join('\n');
    const [before = '', rest = ''] = readFileSync(DOCUMENT, 'utf8').split(BEGIN);
    const [documented = '', after = ''] = rest.split(END);
    if (process.env['UPDATE_DOCS'] === '1') writeFileSync(DOCUMENT, `${before}${BEGIN}\n\n${table}\n\n${END}${after}`);
    else expect(documented.trim()).toBe(table);
  });
});
