import type { OutgoingHttpHeaders } from 'node:http';
import { Controller, Get, Headers, Inject, Query, Req, Res } from '@nestjs/common';
import {
  ApiExtraModels,
  ApiHeader,
  ApiOperation,
  ApiQuery,
  ApiResponse,
  ApiTags,
  getSchemaPath,
} from '@nestjs/swagger';
import { RouteConfig } from '@nestjs/platform-fastify';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Needs } from '../access/access.decorators.js';
import { accessLease } from '../access/ledger-access.hook.js';
import { Login } from '../access/login.hook.js';
import { callersConfig } from '../config/config.module.js';
import type { CallersConfig } from '../config/config.js';
import type { Ledger } from '#ledger-gateway';
import { LEDGER } from '../gateway/gateway.module.js';
import { ApiError, EXAMPLE_TRANSACTION_ID } from '../http/errors.js';
import { clientAddress } from '../http/client-address.js';
import { Fails, REQUEST_ID } from '../http/operation.decorator.js';
import { ALL_ERRORS, LEDGER_ERRORS, LOGIN_ERRORS } from '../http/operation-errors.js';
import { AssetEvent, BlockEvent } from './event.dto.js';
import { parsePosition, TEXT } from './event-position.js';
import { EventStreams } from './event-streams.js';
import { beyondHead, EventsService } from './events.service.js';

const TYPE = 'text/event-stream';
const EXAMPLE: AssetEvent = {
  type: 'asset.created',
  transactionId: EXAMPLE_TRANSACTION_ID,
  blockNumber: 7,
  timestamp: '2026-11-21T12:00:00.000Z',
  creatorId: 'User1@org1.example.com',
  creatorMspId: 'Org1MSP',
  assetId: 'asset7',
  asset: { ID: 'asset7', appraisedValue: '300', color: 'blue', owner: 'Tomoko', size: '5' },
};

@Controller('events')
@Needs('reader')
@ApiTags('events')
@ApiExtraModels(AssetEvent, BlockEvent)
export class EventsController {
  readonly #events: EventsService;
  readonly #streams: EventStreams;
  readonly #login: Login | undefined;
  readonly #ledger: Ledger;

  constructor(
    events: EventsService,
    streams: EventStreams,
    login: Login,
    @Inject(LEDGER) ledger: Ledger,
    @Inject(callersConfig.KEY) { isOn }: CallersConfig,
  ) {
    this.#events = events;
    this.#streams = streams;
    this.#ledger = ledger;
    this.#login = isOn ? login : undefined;
  }

  /** Not by Nest's `@Sse()`, which keeps whatever a client does not read. */
  @Get()
  @RouteConfig({ isStream: true })
  @ApiQuery({
    name: 'from',
    required: false,
    description: 'The block to begin with, instead of the next one; 0 for the whole chain.',
    schema: { type: 'integer', minimum: 0 },
  })
  @ApiHeader({
    name: 'Last-Event-ID',
    required: false,
    description: 'The id of the last event that was seen: goes on behind it, whatever from says.',
    schema: { type: 'string', pattern: '^[0-9]+:(end|[0-9]+:[0-9]+)$' },
  })
  @ApiOperation({
    operationId: 'followEvents',
    summary: 'Follows what is committed, as server-sent events',
    description:
      'Of each block what became of each asset, in the order of the chain: asset.created, asset.updated, asset.transferred, ' +
      'asset.deleted (data: AssetEvent), then block (data: BlockEvent). Never ends by itself; who connects again with ' +
      'Last-Event-ID misses nothing and gets nothing twice. docs/events.md says more.',
  })
  @ApiResponse({
    status: 200,
    description: 'OK',
    headers: REQUEST_ID,
    content: {
      [TYPE]: {
        // Of each message the data: there is no word for the messages themselves in OpenAPI 3.0.
        schema: { oneOf: [AssetEvent, BlockEvent].map((it) => ({ $ref: getSchemaPath(it) })) },
        example: EXAMPLE,
      },
    },
  })
  @Fails([
    new ApiError('API.INVALID_REQUEST', TEXT.badId),
    new ApiError('API.INVALID_REQUEST', TEXT.unknownId),
    new ApiError('API.INVALID_REQUEST', TEXT.badFrom),
    new ApiError('API.INVALID_REQUEST', beyondHead(8)),
    new ApiError('API.NOT_READY', TEXT.ending),
    ...LEDGER_ERRORS,
    ...LOGIN_ERRORS,
    ...ALL_ERRORS,
  ])
  async follow(
    @Query() query: Record<string, unknown>,
    @Headers('last-event-id') lastEventId: string | undefined,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const wanted = parsePosition(query, lastEventId);
    this.#streams.requireOpen();
    const response = reply.raw;
    const start = await this.#events.start(wanted, () => response.destroyed);
    const lease = await this.#leaseOf(request);
    const facts = { caller: request.caller?.name, address: clientAddress(request), requestId: request.id };
    reply.hijack();
    // The end of the connection is that of the stream, in every version of HTTP: a block is one write then, and not framed anew for each client.
    response.removeHeader('transfer-encoding');
    response.writeHead(200, {
      ...(reply.getHeaders() as OutgoingHttpHeaders),
      'content-type': TYPE,
      'cache-control': 'no-store, no-transform',
      'x-accel-buffering': 'no',
      connection: 'close',
    });
    if (request.method === 'HEAD') response.end();
    else this.#streams.add(response, { ...start, lease, facts });
  }

  /** Undefined while callers need not log in. */
  async #leaseOf(request: FastifyRequest): Promise<(() => boolean) | undefined> {
    const { caller } = request;
    if (this.#login === undefined || caller === undefined) return undefined;
    const login = await this.#login.leaseOf(request);
    const access = accessLease(caller.name, (name) => this.#ledger.authorize(name));
    return () => login() && access();
  }
}
