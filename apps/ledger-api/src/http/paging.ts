import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import { ApiQuery } from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { valueFault } from '#contract-kit';
import type { ChainPosition } from '#ledger-gateway';
import { invalidRequest, type ApiError } from './errors.js';
import { COUNT_HEADER } from './counts.js';
import { header, type OperationPart } from './operation.decorator.js';

/** The query parameter that requests the number of all matches. */
const COUNT = 'count';
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

/** A filter whose values have a specific form. */
export interface PageFilter {
  readonly description: string;
  /** Its form, for a message: "must be …". */
  readonly form: string;
  readonly schema: Readonly<Record<string, unknown>>;
  /** Returns a value in its one canonical form; undefined for an invalid one. */
  read(text: string): string | undefined;
}

/** The pages of a list. */
export interface PageRules<C, F extends string = never> {
  readonly cursor: PageCursor<C>;
  /** The largest page. */
  readonly most: number;
  /** Whether the number of all matches can be requested. */
  readonly isCountable?: true;
  /** Filters; one without a specific form is a description. */
  readonly filters?: Readonly<Record<F, string | PageFilter>>;
  /** Filters by fields, whose names follow this prefix. */
  readonly fields?: { readonly prefix: string; readonly description: string };
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

const RFC3339 =
  /^(?<local>\d{4}-\d\d-\d\d[Tt](?:[01]\d|2[0-3]):\d\d:\d\d)(?:\.(?<fraction>\d{1,9}))?(?:[Zz]|(?<sign>[+ -])(?<hours>[01]\d|2[0-3]):(?<minutes>[0-5]\d))$/;

/** Returns a time as timestamps are written: ISO 8601 in UTC, with three digits of the second, or nine if it has more. */
export function readTime(text: string): string | undefined {
  const { local = '', fraction = '', ...zone } = RFC3339.exec(text)?.groups ?? {};
  const wanted = `${local.toUpperCase()}.000Z`;
  const time = Date.parse(wanted);
  // Date.parse accepts 30 February.
  if (Number.isNaN(time) || new Date(time).toISOString() !== wanted) return undefined;
  const utc = new Date(time - offsetOf(zone)).toISOString();
  // With an offset, the year may be before 0 or after 9999.
  if (!/^\d{4}-/.test(utc)) return undefined;
  const digits = fraction.padEnd(9, '0');
  return utc.replace('.000Z', `.${digits.endsWith('000000') ? digits.slice(0, 3) : digits}Z`);
}

/** Returns milliseconds. An unencoded + in a query is read as a space. */
function offsetOf({ sign, hours = '0', minutes = '0' }: Readonly<Record<string, string | undefined>>): number {
  return (sign === '-' ? -60_000 : 60_000) * (Number(hours) * 60 + Number(minutes));
}

const time = (description: string): PageFilter => ({
  description,
  form: 'a time in RFC 3339, such as 2026-11-21T12:00:00Z or 2026-11-21T13:00:00%2B01:00',
  schema: { type: 'string', format: 'date-time' },
  read: readTime,
});

/** Filters by time, of a list whose items have a timestamp. */
export const TIME_FILTERS = {
  since: time('Only what has this timestamp or a later one. Timestamps are from the clocks of submitters.'),
  until: time('Only what has an earlier timestamp than this.'),
} as const;

/** A requested page of a list. */
export class PageRequest<C, F extends string = never> {
  readonly limit: number;
  readonly cursor: C | undefined;
  readonly filters: Readonly<Partial<Record<F, string>>>;
  /** Whether the number of all matches is requested. */
  readonly isCounted: boolean;
  /** Whether the query is empty, which requests the whole list where that is available. */
  readonly isPlain: boolean;
  readonly #rules: PageRules<C, F>;
  readonly #names: readonly string[];

  /** @throws `API.INVALID_REQUEST` for an unknown, repeated or invalid parameter */
  constructor(rules: PageRules<C, F>, query: Readonly<Record<string, unknown>>) {
    const names = Object.keys(query);
    const countable = rules.isCountable === true ? [COUNT] : [];
    const known = ['limit', rules.cursor.name, ...Object.keys(rules.filters ?? {}), ...countable];
    const { prefix } = rules.fields ?? {};
    const isField = (name: string): boolean => prefix !== undefined && name.startsWith(prefix) && name !== prefix;
    for (const name of names) requireKnown(name, query[name], isField(name) ? [name] : known);
    const {
      limit,
      [COUNT]: count,
      [rules.cursor.name]: cursor,
      ...filters
    } = query as Readonly<Record<string, string>>;
    const values = Object.entries(filters).map(
      ([name, text]) => [name, readFilter(name, text, rules.filters)] as const,
    );
    this.limit = limit === undefined ? Math.min(DEFAULT_LIMIT, rules.most) : readLimit(limit, rules);
    this.cursor = cursor === undefined ? undefined : readCursor(cursor, rules);
    this.filters = Object.fromEntries(values) as Partial<Record<F, string>>;
    this.isCounted = readCount(count);
    this.isPlain = names.length === 0;
    this.#names = names;
    this.#rules = rules;
  }

  /** @throws `API.INVALID_REQUEST` for a limit, a cursor or a count, which a whole list does not have */
  requireWhole(): void {
    const name = this.#names.find((given) => ['limit', COUNT, this.#rules.cursor.name].includes(given));
    if (name !== undefined) throw wholeListError(name);
  }

  /** Sets the Link header (RFC 8288) to the next page, if there is one. */
  linkNext(reply: FastifyReply, next: C | undefined): void {
    if (next === undefined) return;
    const path = reply.request.url.split('?', 1).join('').replaceAll('>', '%3E');
    const filters = Object.entries<string | undefined>(this.filters);
    const narrowed = filters.map(([name, value]) => `${encodeURIComponent(name)}=${encodeURIComponent(value ?? '')}`);
    const { cursor } = this.#rules;
    const query = [...narrowed, `limit=${this.limit}`, `${cursor.name}=${cursor.write(next)}`].join('&');
    void reply.header('link', `<${path}?${query}>; rel="next"`);
  }
}

function requireKnown(name: string, value: unknown, known: readonly string[]): void {
  if (!known.includes(name)) {
    const use = `${known.slice(0, -1).join(', ')} and ${known.at(-1) ?? ''}`;
    throw invalidRequest(`Unknown query parameter ${JSON.stringify(name.slice(0, 64))}; use ${use}.`);
  }
  if (typeof value !== 'string') throw invalidRequest(`The query parameter "${name}" appears more than once.`);
}

/** @throws `API.INVALID_REQUEST` */
function readFilter(name: string, text: string, filters: Readonly<Record<string, string | PageFilter>> = {}): string {
  const rule = filters[name];
  if (typeof rule === 'object') {
    const value = rule.read(text);
    if (value === undefined) throw badFilter(name, rule);
    return value;
  }
  const fault = valueFault(text);
  if (fault !== undefined) throw invalidRequest(`The query parameter ${name} ${fault}.`);
  return text;
}

function readLimit(text: string, rules: PageRules<unknown, string>): number {
  const limit = /^[0-9]{1,4}$/.test(text) ? Number(text) : 0;
  if (limit >= 1 && limit <= rules.most) return limit;
  throw badLimit(rules);
}

function readCount(text: string | undefined): boolean {
  if (text !== undefined && text !== 'true') throw invalidCount();
  return text !== undefined;
}

function readCursor<C>(text: string, rules: PageRules<C, string>): C {
  const cursor = rules.cursor.read(text);
  if (cursor === undefined) throw badCursor(rules);
  return cursor;
}

/** Injects the requested page of a list: `@PageQuery(RULES) page: PageRequest<…>`. */
export const PageQuery = createParamDecorator(
  <C, F extends string>(rules: PageRules<C, F>, context: ExecutionContext): PageRequest<C, F> =>
    new PageRequest(rules, context.switchToHttp().getRequest<FastifyRequest>().query as Record<string, unknown>),
);

/** Documents the query and the Link header of a list. */
export function paged<C, F extends string>(rules: PageRules<C, F>): OperationPart {
  const { cursor, most, filters = {}, fields, isCountable } = rules;
  const parameters = [
    {
      name: 'limit',
      description: 'The maximum number of items on the page. The Link header names the next page. A page may be short.',
      schema: { type: 'integer', minimum: 1, maximum: most },
    },
    { name: cursor.name, description: cursor.description, schema: { type: 'string', pattern: cursor.pattern } },
    ...Object.entries<string | PageFilter>(filters).map(([name, filter]) =>
      typeof filter === 'string'
        ? { name, description: filter, schema: { type: 'string', minLength: 1 } }
        : { name, description: filter.description, schema: filter.schema },
    ),
    ...(isCountable === true
      ? [
          {
            name: COUNT,
            description: 'true: X-Total-Count is the number of all matches, wherever the page begins.',
            schema: { type: 'string', enum: ['true'] },
          },
        ]
      : []),
    ...(fields === undefined
      ? []
      : [{ name: `${fields.prefix}FIELD`, description: fields.description, schema: { type: 'string', minLength: 1 } }]),
  ];
  const formed = Object.entries<string | PageFilter>(filters).flatMap(([name, filter]) =>
    typeof filter === 'string' ? [] : [badFilter(name, filter)],
  );
  return {
    parameters: parameters.map((parameter) => ApiQuery({ ...parameter, required: false })),
    headers: { Link: header('The next page, rel="next".'), ...(isCountable === true && COUNT_HEADER) },
    errors: [badLimit(rules), badCursor(rules), ...formed, ...(isCountable === true ? [invalidCount()] : [])],
  };
}

const invalidCount = (): ApiError => invalidRequest('The query parameter count must be true.');

/** Creates the error for a page of a list that is only available as a whole. */
export function wholeListError(name: string): ApiError {
  return invalidRequest(`The query parameter ${name} does not apply to CSV, which contains the whole list.`);
}

function badLimit({ most }: Pick<PageRules<unknown, string>, 'most'>): ApiError {
  return invalidRequest(`The query parameter limit must be a whole number from 1 to ${most}.`);
}

function badCursor<C>({ cursor }: Pick<PageRules<C, string>, 'cursor'>): ApiError {
  return invalidRequest(`The query parameter ${cursor.name} must be ${cursor.form}.`);
}

function badFilter(name: string, { form }: PageFilter): ApiError {
  return invalidRequest(`The query parameter ${name} must be ${form}.`);
}
