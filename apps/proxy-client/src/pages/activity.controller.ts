import {
  applyDecorators,
  BadRequestException,
  Controller,
  Delete,
  Get,
  HttpCode,
  HttpStatus,
  Inject,
  Param,
  Query,
  Res,
} from '@nestjs/common';
import {
  ApiBadRequestResponse,
  ApiNoContentResponse,
  ApiNotFoundResponse,
  ApiOkResponse,
  ApiOperation,
  ApiParam,
  ApiProduces,
  ApiQuery,
  ApiServiceUnavailableResponse,
  ApiTags,
} from '@nestjs/swagger';
import type { FastifyReply } from 'fastify';
import { SORTINGS, type ConnectionQuery } from '../activity/live-connections.js';
import { ApiAccessChecks, TEXT } from '../api/documentation.js';
import { FailureList, LiveConnectionList } from '../api/responses.js';
import { sendText } from './access.guard.js';
import { EVENT_STREAMS, type EventStreams } from './event-streams.js';
import { PROXY_VIEW, type RemoteView } from './proxy-view.js';

/** The query parameters of GET /connections. */
const CONNECTION_QUERY: Readonly<Record<keyof ConnectionQuery, Parameter>> = {
  find: {
    type: 'string',
    maxLength: 256,
    description: 'Only connections whose target, upstream or user contains this text; case is ignored.',
  },
  limit: { type: 'integer', minimum: 1, maximum: 1000, default: 100 },
  order: { default: 'desc', enum: ['asc', 'desc'], type: 'string' },
  sort: { default: 'age', enum: [...SORTINGS], type: 'string' },
};

interface Parameter {
  readonly type: 'string' | 'integer';
  readonly description?: string;
  readonly default?: string | number;
  readonly enum?: string[];
  readonly minimum?: number;
  readonly maximum?: number;
  readonly maxLength?: number;
}

const ApiConnectionQuery = (): MethodDecorator =>
  applyDecorators(
    ...Object.entries(CONNECTION_QUERY).map(([name, { description, ...schema }]) =>
      ApiQuery({ name, required: false, ...(description !== undefined && { description }), schema }),
    ),
  );

/** @throws BadRequestException for an unknown, repeated or invalid parameter */
function parseQuery(query: Readonly<Record<string, unknown>>): ConnectionQuery {
  const names = Object.keys(CONNECTION_QUERY);
  if (Object.keys(query).some((name) => !names.includes(name))) {
    throw new BadRequestException(`Known parameters are ${names.join(', ')}.`);
  }
  const parsed = Object.entries(CONNECTION_QUERY).map(([name, parameter]) => {
    const value = query[name];
    return [name, value === undefined ? parameter.default : parseParameter(name, value, parameter)];
  });
  return Object.fromEntries(parsed) as ConnectionQuery;
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

/** The pages about the activity of the proxy: connections, failures and events. */
@ApiTags('activity')
@ApiAccessChecks()
@Controller()
export class ActivityController {
  readonly #view: RemoteView;
  readonly #events: EventStreams;

  constructor(@Inject(PROXY_VIEW) view: RemoteView, @Inject(EVENT_STREAMS) events: EventStreams) {
    this.#view = view;
    this.#events = events;
  }

  @Get('connections')
  @ApiOperation({
    operationId: 'getConnections',
    summary: 'The requests and tunnels in progress',
    description: 'Without connections that wait for a request.',
  })
  @ApiConnectionQuery()
  @ApiOkResponse({ type: LiveConnectionList, description: 'OK' })
  @ApiBadRequestResponse({ description: 'A parameter is unknown or invalid.', content: TEXT })
  async connections(@Query() query: Readonly<Record<string, unknown>>): Promise<LiveConnectionList> {
    return this.#view.connections(parseQuery(query));
  }

  @Delete('connections/:id')
  @HttpCode(HttpStatus.NO_CONTENT)
  @ApiOperation({
    operationId: 'endConnection',
    summary: 'Ends a connection',
    description:
      'Both sides are reset, so that a truncated response is not taken for a complete one. Refused to pages of other origins.',
  })
  @ApiParam({ name: 'id', description: 'The id of GET /connections.' })
  @ApiNoContentResponse({ description: 'It was ended.' })
  @ApiNotFoundResponse({ description: 'No connection has this id; it may have ended.', content: TEXT })
  async endConnection(@Param('id') id: string, @Res() reply: FastifyReply): Promise<void> {
    if (await this.#view.endConnection(id)) await reply.send();
    else sendText(reply, HttpStatus.NOT_FOUND, 'There is no such connection; it may have ended.');
  }

  @Get('failures')
  @ApiOperation({ operationId: 'getFailures', summary: 'The last requests that failed, each with what to check' })
  @ApiOkResponse({ type: FailureList, description: 'OK' })
  async failures(): Promise<FailureList> {
    return this.#view.failures();
  }

  @Get('events')
  @ApiOperation({
    operationId: 'getEvents',
    summary: 'Server-sent events',
    description:
      'stats once a second (as GET /stats), upstream when one has changed its state ({ name, from, to }), reload after a reload of the ' +
      'configuration ({ at }), end before the proxy exits. The connection of a reader that does not read is closed.',
  })
  @ApiProduces('text/event-stream')
  @ApiOkResponse({ description: 'Until the proxy exits.', schema: { type: 'string' } })
  @ApiServiceUnavailableResponse({
    description: 'There are too many readers, or the proxy is about to exit.',
    content: TEXT,
  })
  events(@Res() reply: FastifyReply): void {
    if (reply.request.method === 'HEAD') void reply.type('text/event-stream').send();
    else if (this.#events.add(reply.raw)) reply.hijack();
    else sendText(reply, HttpStatus.SERVICE_UNAVAILABLE, 'There are too many readers, or the proxy is about to exit.');
  }
}
