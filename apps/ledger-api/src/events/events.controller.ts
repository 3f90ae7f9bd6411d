import type { OutgoingHttpHeaders } from 'node:http';
import { applyDecorators, Controller, Get, Headers, Module, Param, Query, Req, Res, type Type } from '@nestjs/common';
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
import type { LedgerChannel } from '#ledger-gateway';
import { Needs } from '../access/access.decorators.js';
import { accessLease } from '../access/access.plugin.js';
import { Login } from '../access/login.js';
import { OfChannel, onEveryChannel } from '../gateway/channels.js';
import { EXAMPLE_TRANSACTION_ID } from '../http/error-table.js';
import { ApiError, invalidRequest } from '../http/errors.js';
import { clientAddress } from '../http/client-address.js';
import { traceFields } from '../http/trace-context.js';
import {
  ALL_ERRORS,
  Fails,
  LEDGER_ERRORS,
  LOGIN_ERRORS,
  REQUEST_ID,
  type OperationPart,
} from '../http/operation.decorator.js';
import { Asset, AssetWrite } from '../assets/asset.dto.js';
import { type ContractResult, ENCODING, PAYLOAD } from '../contracts/contract.dto.js';
import { CHAINCODE } from '../contracts/contract-operations.js';
import { ContractsModule } from '../contracts/contracts.controller.js';
import { ContractsService } from '../contracts/contracts.service.js';
import { ChannelEvents } from './channel-events.js';
import { isUnreachable, type Start } from './event-log.js';
import { parsePosition, parseSelection, TEXT, type EventSelection } from './event-position.js';
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

/** An event that a chaincode set: the data of a `chaincode` event. */
export class ChaincodeEvent extends AssetWrite implements ContractResult {
  @ApiProperty({ enum: ['chaincode'] })
  type!: 'chaincode';

  @ApiProperty({ example: 'basic' })
  chaincode!: string;

  @ApiProperty({ example: 'CreateAsset', description: 'The name that the chaincode gave the event.' })
  eventName!: string;

  @ApiProperty(PAYLOAD)
  payload!: string;

  @ApiProperty(ENCODING)
  encoding!: ContractResult['encoding'];
}

const TYPE = 'text/event-stream';
const TRANSACTION = {
  transactionId: EXAMPLE_TRANSACTION_ID,
  blockNumber: 7,
  timestamp: '2026-11-21T12:00:00.000Z',
  creatorId: 'User1@org1.example.com',
  creatorMspId: 'Org1MSP',
};
const ASSET = { ID: 'asset7', appraisedValue: '300', color: 'blue', owner: 'Tomoko', size: '5' };
const ASSET_EVENT: AssetEvent = { type: 'asset.created', ...TRANSACTION, assetId: 'asset7', asset: ASSET };
const CHAINCODE_EVENT: ChaincodeEvent = {
  ...{ type: 'chaincode', ...TRANSACTION, chaincode: 'basic', eventName: 'CreateAsset' },
  ...{ payload: JSON.stringify(ASSET), encoding: 'text' },
};

/** The schema of data that is of one of these models. */
function schemaOf(models: readonly Type[]): { $ref: string } | { oneOf: { $ref: string }[] } {
  const schemas = models.map((model) => ({ $ref: getSchemaPath(model) }));
  const [only, second] = schemas;
  return only !== undefined && second === undefined ? only : { oneOf: schemas };
}

/** Documents a stream of events. OpenAPI 3.0 cannot describe messages of a stream: the schema is that of their data. */
function EventStreamOperation(
  text: Readonly<{ operationId: string; summary: string; description: string }>,
  { models, example, part = {} }: Readonly<{ models: readonly Type[]; example: object; part?: OperationPart }>,
): MethodDecorator {
  return applyDecorators(
    RouteConfig({ isStream: true }),
    ApiOperation(text),
    ApiExtraModels(...models),
    ...(part.parameters ?? []),
    ApiQuery({
      name: 'from',
      required: false,
      description: 'The first block, instead of the next one; 0 for the whole chain.',
      schema: { type: 'integer', minimum: 0 },
    }),
    ApiHeader({
      name: 'Last-Event-ID',
      required: false,
      description: 'The id of the last processed event. The stream resumes after it and ignores "from".',
      schema: { type: 'string', pattern: '^[0-9]+:(end|[0-9]+:[0-9]+)(:[0-9a-f]{8})?$' },
    }),
    ApiResponse({
      status: 200,
      description: 'OK',
      headers: REQUEST_ID,
      content: { [TYPE]: { schema: schemaOf(models), example } },
    }),
    Fails([
      ...[TEXT.badId, TEXT.unknownId, TEXT.otherChain, TEXT.badFrom, TEXT.beyondHead(8)].map(invalidRequest),
      new ApiError('API.NOT_READY', TEXT.ending),
      ...(part.errors ?? []),
      ...LEDGER_ERRORS,
      ...LOGIN_ERRORS,
      ...ALL_ERRORS,
    ]),
  );
}

/** The streams of server-sent events: changes of assets, and events of chaincodes. */
@Controller(onEveryChannel())
@Needs('reader')
export class EventsController {
  constructor(
    private readonly events: ChannelEvents,
    private readonly contracts: ContractsService,
    private readonly login: Login,
  ) {}

  @Get('events')
  @ApiTags('events')
  @EventStreamOperation(
    {
      operationId: 'followEvents',
      summary: 'Streams committed changes as server-sent events',
      description:
        'For each block, in the order of the chain: one event per written asset (asset.created, asset.updated, ' +
        'asset.transferred, asset.deleted; data: AssetEvent), then block (data: BlockEvent). The stream does not end. A client ' +
        'that reconnects with Last-Event-ID misses nothing and receives nothing twice. While a Fabric peer is unreachable the ' +
        'stream stays open; an "error" event (code, message) precedes its end if it cannot continue. See docs/events.md.',
    },
    { models: [AssetEvent, BlockEvent], example: ASSET_EVENT },
  )
  async follow(
    @OfChannel() ledger: LedgerChannel,
    @Query() query: Record<string, unknown>,
    @Headers('last-event-id') lastEventId: string | undefined,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const requested = parsePosition(query, lastEventId);
    const { log } = this.events.of(ledger);
    await this.#stream(ledger, request, reply, () => log.start(requested, () => reply.raw.destroyed));
  }

  @Get('contracts/:chaincode/events')
  @ApiTags('contracts')
  @EventStreamOperation(
    {
      operationId: 'followContractEvents',
      summary: 'Streams the events of a chaincode as server-sent events',
      description:
        'The events that the chaincode set in VALID transactions (event: chaincode; data: ChaincodeEvent), in the order of ' +
        'the chain. After each block an id without an event states how far the stream is. It resumes and ends as followEvents.',
    },
    {
      models: [ChaincodeEvent],
      example: CHAINCODE_EVENT,
      part: {
        parameters: [
          ...(CHAINCODE.parameters ?? []),
          ApiQuery({
            name: 'event',
            required: false,
            description: 'Only events with this name. Repeat it for several names.',
            schema: { type: 'array', items: { type: 'string', minLength: 1, maxLength: 256 }, maxItems: 20 },
          }),
        ],
        errors: [invalidRequest(TEXT.badEvent), ...(CHAINCODE.errors ?? [])],
      },
    },
  )
  async followContract(
    @OfChannel() ledger: LedgerChannel,
    @Param('chaincode') chaincode: string,
    @Query() { event, ...query }: Record<string, unknown>,
    @Headers('last-event-id') lastEventId: string | undefined,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const selection = parseSelection(chaincode, event);
    const requested = parsePosition(query, lastEventId);
    const findStart = async (): Promise<Start> => {
      await this.contracts.require(ledger, chaincode, request.caller?.name);
      return this.events.of(ledger).log.start(requested, () => reply.raw.destroyed, selection);
    };
    await this.#stream(ledger, request, reply, findStart, selection);
  }

  /** Starts a stream. Nest's `@Sse()` is not used because it buffers without limit what a client does not read. */
  async #stream(
    ledger: LedgerChannel,
    request: FastifyRequest,
    reply: FastifyReply,
    findStart: () => Promise<Start>,
    selection?: EventSelection,
  ): Promise<void> {
    const { streams } = this.events.of(ledger);
    streams.requireOpen();
    const response = reply.raw;
    const start = await findStart().catch((error: unknown) => {
      if (isUnreachable(error)) return undefined;
      throw error;
    });
    const { caller } = request;
    const facts = {
      caller: caller?.name,
      address: clientAddress(request),
      requestId: request.id,
      ...traceFields(request),
    };
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
    else streams.add(response, { lease: this.#leaseOf(request, ledger), facts, selection }, { start, attempt });
  }

  /** Returns the check whether the caller may still follow; undefined without authentication. */
  #leaseOf(request: FastifyRequest, ledger: LedgerChannel): (() => boolean) | undefined {
    const { caller } = request;
    if (caller === undefined) return undefined;
    const access = accessLease(() => ledger.authorize(caller.name));
    return () => this.login.isValid(request) && access();
  }
}

/** The streams of committed changes and of chaincode events. */
@Module({
  imports: [ContractsModule],
  controllers: [EventsController],
  providers: [StreamMetrics, ChannelEvents],
})
export class EventsModule {}
