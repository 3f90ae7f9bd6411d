import { Controller, Get, HttpCode, Inject, Module, Post, Res } from '@nestjs/common';
import { RouteConfig } from '@nestjs/platform-fastify';
import { ApiProperty, ApiTags } from '@nestjs/swagger';
import type { FastifyReply } from 'fastify';
import { INITIAL_ASSETS } from '#asset-contract';
import { type Ledger, LedgerError } from '#ledger-gateway';
import { requireCapability } from '../gateway/capabilities.js';
import { CurrentCaller, Needs } from '../access/access.decorators.js';
import { LEDGER } from '../gateway/gateway.module.js';
import { success, type ResponseEnvelope } from '../http/envelope.dto.js';
import { EXAMPLE_TRANSACTION_ID } from '../http/error-table.js';
import { CONTRACT_WRITE, LEDGER_CALL, Operation } from '../http/operation.decorator.js';

/** The result of an initialization; a second one creates nothing. */
export class LedgerInitResult {
  @ApiProperty({ type: 'integer', minimum: 0, example: 6, description: 'The number of assets created.' })
  created!: number;

  @ApiProperty({
    type: [String],
    example: [EXAMPLE_TRANSACTION_ID],
    description: 'The transactions that created them.',
  })
  transactionIds!: string[];
}

/** The number of transactions in an hour. */
export class HourCount {
  @ApiProperty({ format: 'date-time', example: '2026-11-21T12:00:00.000Z', description: 'The beginning of the hour.' })
  hour!: string;

  @ApiProperty({ type: 'integer', minimum: 1, example: 42 })
  transactions!: number;
}

/** The numbers of assets and transactions. */
export class LedgerTotals {
  @ApiProperty({ type: 'integer', minimum: 0, example: 6 })
  assets!: number;

  @ApiProperty({ type: 'integer', minimum: 1, example: 128, description: 'Of every kind and validation code.' })
  transactions!: number;

  @ApiProperty({
    type: [HourCount],
    description: 'The last 48 hours that have transactions, oldest first, by the timestamps of the transactions.',
  })
  hours!: readonly HourCount[];
}

/** The endpoints for the totals and the initialization of the ledger. */
@Controller('ledger')
@ApiTags('ledger')
export class LedgerController {
  constructor(@Inject(LEDGER) private readonly ledger: Ledger) {}

  @Get('totals')
  @Needs('reader')
  @Operation(
    {
      id: 'getTotals',
      summary: 'Counts assets and transactions',
      description: 'On Hyperledger Fabric this needs a complete index of the channel (LEDGER_INDEX_DIR).',
      data: LedgerTotals,
      errors: [
        new LedgerError(
          'LEDGER.NOT_SUPPORTED',
          'There are no totals yet. The index of the channel is being built: 40 %.',
        ),
      ],
    },
    LEDGER_CALL,
  )
  async totals(): Promise<ResponseEnvelope<LedgerTotals>> {
    return success('Totals read.', await requireCapability(this.ledger, 'totals')());
  }

  @Post('init')
  @Needs('admin')
  @HttpCode(200)
  @RouteConfig({ ignoresBody: true })
  @Operation(
    {
      id: 'initLedger',
      summary: 'Creates the six initial assets',
      description: 'Existing ones are not changed. If all exist, nothing is recorded.',
      data: LedgerInitResult,
      errors: ['LEDGER.REFUSED'],
    },
    CONTRACT_WRITE,
  )
  async init(
    @Res({ passthrough: true }) reply: FastifyReply,
    @CurrentCaller('name') caller: string | undefined,
  ): Promise<ResponseEnvelope<LedgerInitResult>> {
    const result = await this.#createMissing(caller);
    const [transactionId] = result.transactionIds;
    if (transactionId !== undefined) void reply.header('x-transaction-id', transactionId);
    return success('Ledger initialised.', result);
  }

  /** Records nothing if all exist. */
  async #createMissing(caller: string | undefined): Promise<LedgerInitResult> {
    if (await this.#isComplete(caller)) return { created: 0, transactionIds: [] };
    const submitted = await this.ledger.submit({ function: 'InitLedger', arguments: [] }, { caller });
    const { result, transactionId, transactionIds = [transactionId] } = submitted;
    const created = JSON.parse(Buffer.from(result).toString()) as string[];
    return { created: created.length, transactionIds: created.length === 0 ? [] : [...transactionIds] };
  }

  async #isComplete(caller: string | undefined): Promise<boolean> {
    for (const { ID } of INITIAL_ASSETS) {
      const exists = await this.ledger.evaluate({ function: 'AssetExists', arguments: [ID] }, { caller });
      if (Buffer.from(exists).toString() !== 'true') return false;
    }
    return true;
  }
}

/** The endpoints of the ledger as a whole. */
@Module({ controllers: [LedgerController] })
export class LedgerModule {}
