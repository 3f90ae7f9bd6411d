import type { OutgoingHttpHeaders } from 'node:http';
import { Controller, Get, Headers, Module, Query, Req, Res } from '@nestjs/common';
import {
  ApiExtraModels,
  ApiHeader,
  ApiOperation,
  ApiProperty,
  ApiQuery,
  ApiResponse,
  ApiTags,
  getSchemaPath,
} from '@nestjs/swagger';
import { RouteConfig } from '@nestjs/platform-fastify';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Needs } from '../access/access.decorators.js';
import { accessLease } from '../access/access.plugin.js';
import { Login } from '../access/login.js';
import type { LedgerChannel } from '#ledger-gateway';
import { OfChannel, onEveryChannel } from '../gateway/channels.js';
import { ApiError, invalidRequest, EXAMPLE_TRANSACTION_ID } from '../http/errors.js';
import { clientAddress } from '../http/client-address.js';
import { ALL_ERRORS, Fails, LEDGER_ERRORS, LOGIN_ERRORS, REQUEST_ID } from '../http/operation.decorator.js';
import { Asset, AssetWrite } from '../assets/asset.dto.js';
import { ChannelEvents } from './channel-events.js';
import { isUnreachable, type Start } from './event-log.js';
import { parsePosition, TEXT } from './event-position.js';
import { StreamMetrics } from './event-streams.js';

const TYPES = ['asset.created', 'asset.updated', 'asset.transferred', 'asset.deleted'] as const;

/** The change of one asset by one transaction: the data of an `asset.…` event. */
export class AssetEvent extends AssetWrite {
  @ApiProperty({ enum: TYPES })
  type!: (typeof TYPES)[number];

  @ApiProperty({ example: 'asset7' })
  assetId!: string;

  @ApiProperty({
    required: false,
    nullable: true,
    description: 'The asset after the transaction. Absent if it was deleted, null if the stored value is not an asset.',
  })
  asset?: Asset;
}

/** The data of the `block` event, which follows the asset events of each block. */
export class BlockEvent {
  @ApiProperty({ enum: ['block'] })
  type!: 'block';

  @ApiProperty({ type: 'integer', minimum: 0, example: 7 })
  blockNumber!: number;

  @ApiProperty({ example: '7c2e0d5f9a8b4c3d2e1f0a9b8c7d6e5f4a3b2c1d0e9f8a7b6c5d4e3f2a1b0c9d' })
  blockHash!: string;

  @ApiProperty({ example: '0d5f9a8b4c3d2e1f0a9b8c7d6e5f4a3b2c1d0e9f8a7b6c5d4e3f2a1b0c9d7c2e' })
  previousBlockHash!: string;

  @ApiProperty({
    format: 'date-time',
    example: '2026-11-21T12:00:00.000Z',
    description: 'The timestamp of its last transaction, from the clock of its submitter: blocks have no timestamp.',
  })
  timestamp!: string;

  @ApiProperty({ type: 'integer', minimum: 0, example: 3, description: 'The number of transactions, VALID or not.' })
  transactions!: number;
}

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

@Controller(onEveryChannel('events'))
@Needs('reader')
@ApiTags('events')
@ApiExtraModels(AssetEvent, BlockEvent)
export class EventsController {
  constructor(
    private readonly events: ChannelEvents,
    private readonly login: Login,
  ) {}

  /** Streams events. Nest's `@Sse()` is not used because it buffers without limit what a client does not read. */
  @Get()
  @RouteConfig({ isStream: true })
  @ApiQuery({
    name: 'from',
    required: false,
    description: 'The first block, instead of the next one; 0 for the whole chain.',
    schema: { type: 'integer', minimum: 0 },
  })
  @ApiHeader({
    name: 'Last-Event-ID',
    required: false,
    description: 'The id of the last processed event. The stream resumes after it and ignores "from".',
    schema: { type: 'string', pattern: '^[0-9]+:(end|[0-9]+:[0-9]+)(:[0-9a-f]{8})?$' },
  })
  @ApiOperation({
    operationId: 'followEvents',
    summary: 'Streams committed changes as server-sent events',
    description:
      'For each block, in the order of the chain: one event per written asset (asset.created, asset.updated, ' +
      'asset.transferred, asset.deleted; data: AssetEvent), then block (data: BlockEvent). The stream does not end. A client ' +
      'that reconnects with Last-Event-ID misses nothing and receives nothing twice. While a Fabric peer is unreachable the ' +
      'stream stays open; an "error" event (code, message) precedes its end if it cannot continue. See docs/events.md.',
  })
  @ApiResponse({
    status: 200,
    description: 'OK',
    headers: REQUEST_ID,
    content: {
      [TYPE]: {
        // The schema of a message's data: OpenAPI 3.0 cannot describe the messages themselves.
        schema: { oneOf: [AssetEvent, BlockEvent].map((it) => ({ $ref: getSchemaPath(it) })) },
        example: EXAMPLE,
      },
    },
  })
  @Fails([
    ...[TEXT.badId, TEXT.unknownId, TEXT.otherChain, TEXT.badFrom, TEXT.beyondHead(8)].map(invalidRequest),
    new ApiError('API.NOT_READY', TEXT.ending),
    ...LEDGER_ERRORS,
    ...LOGIN_ERRORS,
    ...ALL_ERRORS,
  ])
  async follow(
    @OfChannel() ledger: LedgerChannel,
    @Query() query: Record<string, unknown>,
    @Headers('last-event-id') lastEventId: string | undefined,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const requested = parsePosition(query, lastEventId);
    const { log, streams } = this.events.of(ledger);
    streams.requireOpen();
    const response = reply.raw;
    const findStart = (): Promise<Start> => log.start(requested, () => response.destroyed);
    const start = await findStart().catch((error: unknown) => {
      if (isUnreachable(error)) return undefined;
      throw error;
    });
    const { caller } = request;
    const facts = { caller: caller?.name, address: clientAddress(request), requestId: request.id };
    const attempt = async (): Promise<Start> => {
      if (caller !== undefined) await ledger.authorize(caller.name);
      return findStart();
    };
    reply.hijack();
    // The end of the connection is the end of the stream. Without chunks a block is one write, shared by all clients.
    response.removeHeader('transfer-encoding');
    response.writeHead(200, {
      ...(reply.getHeaders() as OutgoingHttpHeaders),
      'content-type': TYPE,
      'cache-control': 'no-store, no-transform',
      'x-accel-buffering': 'no',
      connection: 'close',
    });
    if (request.method === 'HEAD') response.end();
    else streams.add(response, { lease: this.#leaseOf(request, ledger), facts }, { start, attempt });
  }

  /** Returns the check whether the caller may still follow; undefined without authentication. */
  #leaseOf(request: FastifyRequest, ledger: LedgerChannel): (() => boolean) | undefined {
    const { caller } = request;
    if (caller === undefined) return undefined;
    const access = accessLease(() => ledger.authorize(caller.name));
    return () => this.login.isValid(request) && access();
  }
}

/** The stream of committed changes. */
@Module({ controllers: [EventsController], providers: [StreamMetrics, ChannelEvents] })
export class EventsModule {}
