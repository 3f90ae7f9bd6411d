import { applyDecorators, BadRequestException } from '@nestjs/common';
import { ApiBadRequestResponse, ApiQuery } from '@nestjs/swagger';
import {
  ACTIVE_STATES,
  SORTINGS,
  STATES,
  type ConnectionFilter,
  type ConnectionQuery,
} from '../activity/connections.js';
import { TEXT } from './api/documentation.js';

interface Parameter {
  readonly type: 'string' | 'integer';
  readonly description?: string;
  readonly default?: string | number;
  readonly enum?: string[];
  readonly minimum?: number;
  readonly maximum?: number;
  readonly maxLength?: number;
}

const MAX_TEXT = 256;

/** The query parameters that select connections. */
const FILTER: Readonly<Record<keyof ConnectionFilter, Parameter>> = {
  find: {
    type: 'string',
    maxLength: MAX_TEXT,
    description: 'Only connections whose target, upstream or user contains this text; case is ignored.',
  },
  rule: { type: 'string', maxLength: 10, description: 'The number of a rule, or none: no rule matched.' },
  state: {
    ...{ type: 'string', default: 'active', enum: [...STATES] },
    description: 'active: connecting or open. finished: the last 500 that have ended; failed: those with an error.',
  },
  upstream: { type: 'string', maxLength: MAX_TEXT, description: 'The name of an upstream.' },
  user: { type: 'string', maxLength: MAX_TEXT, description: 'The name of a user; empty: without a user.' },
};

/** The query parameters of DELETE /connections. */
const ENDING = {
  ...FILTER,
  state: { ...FILTER.state, description: 'active: connecting or open.', enum: [...ACTIVE_STATES] },
};

/** The query parameters of GET /connections. */
const LISTING: Readonly<Record<keyof ConnectionQuery, Parameter>> = {
  ...FILTER,
  limit: { type: 'integer', minimum: 1, maximum: 1000, default: 100 },
  order: { default: 'desc', enum: ['asc', 'desc'], type: 'string' },
  sort: { default: 'age', enum: [...SORTINGS], type: 'string' },
};

type Query = Readonly<Record<string, unknown>>;

function describeQuery(parameters: Readonly<Record<string, Parameter>>): MethodDecorator {
  const described = Object.entries(parameters).map(([name, { description, ...schema }]) =>
    ApiQuery({ name, required: false, ...(description !== undefined && { description }), schema }),
  );
  const refusal = ApiBadRequestResponse({ description: 'A parameter is unknown or invalid.', content: TEXT });
  return applyDecorators(...described, refusal);
}

export const ApiConnectionQuery = (): MethodDecorator => describeQuery(LISTING);
export const ApiConnectionFilter = (): MethodDecorator => describeQuery(ENDING);

/** @throws BadRequestException for an unknown, repeated or invalid parameter */
export function parseConnectionQuery(query: Query): ConnectionQuery {
  return parse(query, LISTING) as ConnectionQuery;
}

/** @throws BadRequestException for an unknown, repeated or invalid parameter */
export function parseConnectionFilter(query: Query): ConnectionFilter {
  return parse(query, ENDING) as ConnectionFilter;
}

function parse(query: Query, parameters: Readonly<Record<string, Parameter>>): object {
  const names = Object.keys(parameters);
  if (Object.keys(query).some((name) => !names.includes(name))) {
    throw new BadRequestException(`Known parameters are ${names.join(', ')}.`);
  }
  const parsed = Object.entries(parameters).map(([name, parameter]) => {
    const value = query[name];
    return [name, value === undefined ? parameter.default : parseParameter(name, value, parameter)];
  });
  return Object.fromEntries(parsed) as object;
}

function parseParameter(name: string, value: unknown, parameter: Parameter): string | number {
  const parsed = typeof value === 'string' ? PARSERS[parameter.type](value, parameter) : undefined;
  if (parsed === undefined) throw new BadRequestException(`${name} is invalid or appears more than once. See /docs.`);
  return parsed;
}

/** Parse a value; return undefined if it is invalid. */
const PARSERS: Readonly<Record<Parameter['type'], (value: string, by: Parameter) => string | number | undefined>> = {
  string: (value, { enum: choices, maxLength = 0 }) =>
    (choices?.includes(value) ?? value.length <= maxLength) ? value : undefined,
  integer: (value, { minimum = 0, maximum = 0 }) => {
    const number = /^\d{1,4}$/.test(value) ? Number(value) : -1;
    return number >= minimum && number <= maximum ? number : undefined;
  },
};
