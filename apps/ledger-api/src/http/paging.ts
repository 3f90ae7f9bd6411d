import { applyDecorators, type PipeTransform } from '@nestjs/common';
import { ApiQuery } from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { valueFault } from '#asset-contract';
import type { ChainPosition, Page } from '#ledger-gateway';
import { ApiError } from './errors.js';

/** Default number of items on a page. */
const DEFAULT_LIMIT = 100;

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
export class PageQueryPipe<C, F extends string = never> implements PipeTransform<
  Readonly<Record<string, unknown>>,
  PageRequest<C, F>
> {
  readonly #rules: PageRules<C, F>;
  readonly #filters: readonly F[];

  constructor(rules: PageRules<C, F>) {
    this.#rules = rules;
    this.#filters = filtersOf(rules);
  }

  /** @throws `API.INVALID_REQUEST` for an unknown, repeated or invalid parameter */
  transform(query: Readonly<Record<string, unknown>>): PageRequest<C, F> {
    const names = Object.keys(query);
    for (const name of names) this.#requireKnown(name, query[name]);
    const { limit, [this.#rules.cursor.name]: cursor, ...filters } = query as Readonly<Record<string, string>>;
    for (const [name, value] of Object.entries(filters)) requireValue(name, value);
    return {
      limit: limit === undefined ? Math.min(DEFAULT_LIMIT, this.#rules.most) : this.#readLimit(limit),
      cursor: cursor === undefined ? undefined : this.#readCursor(cursor),
      filters: filters as Readonly<Partial<Record<F, string>>>,
      isPlain: names.length === 0,
    };
  }

  #requireKnown(name: string, value: unknown): void {
    const known = ['limit', this.#rules.cursor.name, ...this.#filters];
    if (!known.includes(name)) {
      const use = `${known.slice(0, -1).join(', ')} and ${known.at(-1) ?? ''}`;
      throw new ApiError(
        'API.INVALID_REQUEST',
        `Unknown query parameter ${JSON.stringify(name.slice(0, 64))}; use ${use}.`,
      );
    }
    if (typeof value !== 'string')
      throw new ApiError('API.INVALID_REQUEST', `The query parameter ${JSON.stringify(name)} appears more than once.`);
  }

  #readLimit(text: string): number {
    const limit = /^[0-9]{1,4}$/.test(text) ? Number(text) : 0;
    if (limit >= 1 && limit <= this.#rules.most) return limit;
    throw badLimit(this.#rules);
  }

  #readCursor(text: string): C {
    const cursor = this.#rules.cursor.read(text);
    if (cursor === undefined) throw badCursor(this.#rules);
    return cursor;
  }
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
  return applyDecorators(
    ApiQuery({
      name: 'limit',
      required: false,
      description: 'The maximum number of items on the page. The Link header names the next page. A page may be short.',
      schema: { type: 'integer', minimum: 1, maximum: most },
    }),
    ApiQuery({
      name: cursor.name,
      required: false,
      description: cursor.description,
      schema: { type: 'string', pattern: cursor.pattern },
    }),
    ...filtersOf(rules).map((name) =>
      ApiQuery({
        name,
        required: false,
        description: filters?.[name] ?? '',
        schema: { type: 'string', minLength: 1 },
      }),
    ),
  );
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

function requireValue(name: string, value: string): void {
  const fault = valueFault(value);
  if (fault !== undefined) throw new ApiError('API.INVALID_REQUEST', `The query parameter ${name} ${fault}.`);
}

function badLimit({ most }: Pick<PageRules<unknown, string>, 'most'>): ApiError {
  return new ApiError('API.INVALID_REQUEST', `The query parameter limit must be a whole number from 1 to ${most}.`);
}

function badCursor<C>({ cursor }: Pick<PageRules<C, string>, 'cursor'>): ApiError {
  return new ApiError('API.INVALID_REQUEST', `The query parameter ${cursor.name} must be ${cursor.form}.`);
}
