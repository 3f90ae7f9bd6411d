import { applyDecorators, type PipeTransform } from '@nestjs/common';
import { ApiQuery } from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { valueFault } from '#asset-contract';
import type { ChainPosition, Page } from '#ledger-gateway';
import { invalidRequest, type ApiError } from './errors.js';

/** Default number of items on a page. */
const DEFAULT_LIMIT = 100;

type Query = Readonly<Record<string, unknown>>;

/** The query parameter that states where a page begins. */
export interface PageCursor<C> {
  readonly name: 'after' | 'before';
  readonly description: string;
  /** Its form, for a message: "must be …". */
  readonly form: string;
  readonly pattern: string;
  /** Parses a cursor; undefined if this API has not written it. */
  read(text: string): C | undefined;
  write(cursor: C): string;
}

/** The pages of a list. */
export interface PageRules<C, F extends string = never> {
  readonly cursor: PageCursor<C>;
  /** The largest page. */
  readonly most: number;
  /** Filters with their descriptions. */
  readonly filters?: Readonly<Record<F, string>>;
}

/** A request for a page. */
export interface PageRequest<C, F extends string = never> {
  readonly limit: number;
  readonly cursor: C | undefined;
  readonly filters: Readonly<Partial<Record<F, string>>>;
  /** Whether the query is empty, which requests the whole list where that is available. */
  readonly isPlain: boolean;
}

/** After an id, which is encoded in a token. */
export const AFTER_ID: PageCursor<string> = {
  name: 'after',
  description: 'The token of a Link header.',
  form: 'the token of a Link header of this API',
  pattern: '^[A-Za-z0-9_-]+$',
  read(token) {
    const id = Buffer.from(token, 'base64url').toString();
    return AFTER_ID.write(id) === token && valueFault(id) === undefined ? id : undefined;
  },
  write: (id) => Buffer.from(id).toString('base64url'),
};

/** Before a block. */
export const BEFORE_BLOCK: PageCursor<number> = {
  name: 'before',
  description: 'The number of a block. The page begins with the block before it.',
  form: 'the number of a block',
  pattern: '^[0-9]{1,15}$',
  read: (text) => (/^[0-9]{1,15}$/.test(text) ? Number(text) : undefined),
  write: String,
};

/** Before a transaction. */
export const BEFORE_TRANSACTION: PageCursor<ChainPosition> = {
  name: 'before',
  description: 'A position in the chain, BLOCK or BLOCK:POSITION. The page begins with the transaction before it.',
  form: 'a position in the chain, BLOCK or BLOCK:POSITION',
  pattern: '^[0-9]{1,15}(:[0-9]{1,9})?$',
  read(text) {
    const [, block, position = '0'] = /^([0-9]{1,15})(?::([0-9]{1,9}))?$/.exec(text) ?? [];
    return block === undefined ? undefined : { block: Number(block), position: Number(position) };
  },
  write: ({ block, position }) => `${block}:${position}`,
};

/** Parses the query of a list. */
export class PageQueryPipe<C, F extends string = never> implements PipeTransform<Query, PageRequest<C, F>> {
  constructor(private readonly rules: PageRules<C, F>) {}

  /** @throws `API.INVALID_REQUEST` for an unknown, repeated or invalid parameter */
  transform(query: Query): PageRequest<C, F> {
    const { cursor, most } = this.rules;
    const names = Object.keys(query);
    const known = ['limit', cursor.name, ...filtersOf(this.rules)];
    for (const name of names) requireKnown(name, query[name], known);
    const { limit, [cursor.name]: from, ...filters } = query as Readonly<Record<string, string>>;
    for (const [name, value] of Object.entries(filters)) requireValue(name, value);
    return {
      limit: limit === undefined ? Math.min(DEFAULT_LIMIT, most) : this.#readLimit(limit),
      cursor: from === undefined ? undefined : this.#readCursor(from),
      filters: filters as Readonly<Partial<Record<F, string>>>,
      isPlain: names.length === 0,
    };
  }

  #readLimit(text: string): number {
    const limit = /^[0-9]{1,4}$/.test(text) ? Number(text) : 0;
    if (limit >= 1 && limit <= this.rules.most) return limit;
    throw badLimit(this.rules);
  }

  #readCursor(text: string): C {
    const cursor = this.rules.cursor.read(text);
    if (cursor === undefined) throw badCursor(this.rules);
    return cursor;
  }
}

function requireKnown(name: string, value: unknown, known: readonly string[]): void {
  if (!known.includes(name)) {
    const use = `${known.slice(0, -1).join(', ')} and ${known.at(-1) ?? ''}`;
    throw invalidRequest(`Unknown query parameter ${JSON.stringify(name.slice(0, 64))}; use ${use}.`);
  }
  if (typeof value !== 'string') throw invalidRequest(`The query parameter "${name}" appears more than once.`);
}

function requireValue(name: string, value: string): void {
  const fault = valueFault(value);
  if (fault !== undefined) throw invalidRequest(`The query parameter ${name} ${fault}.`);
}

/** Sets the Link header (RFC 8288) to the next page, if there is one. */
export function linkNext<C, F extends string>(
  { url }: FastifyRequest,
  reply: FastifyReply,
  { cursor }: PageRules<C, F>,
  { limit, filters, next }: Pick<PageRequest<C, F>, 'limit' | 'filters'> & Pick<Page<unknown, C>, 'next'>,
): void {
  if (next === undefined) return;
  const path = url.split('?', 1).join('').replaceAll('>', '%3E');
  const narrowed = Object.entries<string | undefined>(filters).map(
    ([name, value]) => `${name}=${encodeURIComponent(value ?? '')}`,
  );
  const query = [...narrowed, `limit=${limit}`, `${cursor.name}=${cursor.write(next)}`].join('&');
  void reply.header('link', `<${path}?${query}>; rel="next"`);
}

/** Documents the query of a list. */
export function Paged<C, F extends string>(rules: PageRules<C, F>): MethodDecorator {
  const { cursor, most, filters } = rules;
  const parameters = [
    {
      name: 'limit',
      description: 'The maximum number of items on the page. The Link header names the next page. A page may be short.',
      schema: { type: 'integer', minimum: 1, maximum: most },
    },
    { name: cursor.name, description: cursor.description, schema: { type: 'string', pattern: cursor.pattern } },
    ...filtersOf(rules).map((name) => ({
      name,
      description: filters?.[name] ?? '',
      schema: { type: 'string', minLength: 1 },
    })),
  ];
  return applyDecorators(...parameters.map((parameter) => ApiQuery({ ...parameter, required: false })));
}

/** Documents the Link header of a page. */
export const LINK_HEADER = {
  Link: { description: 'The next page, rel="next".', schema: { type: 'string' } },
} as const;

/** Returns the errors of an invalid query, for the OpenAPI document. */
export function pageErrors<C, F extends string>(rules: PageRules<C, F>): readonly Error[] {
  return [badLimit(rules), badCursor(rules)];
}

function filtersOf<F extends string>({ filters }: Pick<PageRules<unknown, F>, 'filters'>): readonly F[] {
  return Object.keys(filters ?? {}) as F[];
}

function badLimit({ most }: Pick<PageRules<unknown, string>, 'most'>): ApiError {
  return invalidRequest(`The query parameter limit must be a whole number from 1 to ${most}.`);
}

function badCursor<C>({ cursor }: Pick<PageRules<C, string>, 'cursor'>): ApiError {
  return invalidRequest(`The query parameter ${cursor.name} must be ${cursor.form}.`);
}
