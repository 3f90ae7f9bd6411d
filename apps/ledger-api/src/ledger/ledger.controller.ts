import { Controller, HttpCode, Post, Res } from '@nestjs/common';
import { RouteConfig } from '@nestjs/platform-fastify';
import { ApiExtraModels, ApiTags, getSchemaPath } from '@nestjs/swagger';
import type { FastifyReply } from 'fastify';
import { CurrentCaller, Needs } from '../callers/access.decorators.js';
import { success, type ResponseEnvelope } from '../http/envelope.dto.js';
import { LEDGER_FAILED, Operation, TRANSACTION_ID } from '../http/operation.decorator.js';
import { LedgerInitResult } from './ledger-init.dto.js';
import { LedgerService } from './ledger.service.js';

const INITIALISED = 'Ledger initialised.';

@Controller('ledger')
@ApiTags('ledger')
@ApiExtraModels(LedgerInitResult)
export class LedgerController {
  readonly #ledger: LedgerService;

  constructor(ledger: LedgerService) {
    this.#ledger = ledger;
  }

  @Post('init')
  @Needs('admin')
  @HttpCode(200)
  @RouteConfig({ ignoresBody: true })
  @Operation({
    id: 'initLedger',
    summary: 'Creates the six initial assets',
    description: 'Those that exist are left as they are; when all do, nothing is recorded.',
    success: {
      message: INITIALISED,
      data: { $ref: getSchemaPath(LedgerInitResult) },
      example: {
        created: 6,
        transactionIds: ['4f1b2a9c07d3e86558b1f0a3c2d4e5f60718293a4b5c6d7e8f9012a3b4c5d6e7'],
      },
      headers: TRANSACTION_ID,
    },
    errors: { 500: LEDGER_FAILED },
  })
  async init(
    @Res({ passthrough: true }) reply: FastifyReply,
    @CurrentCaller('name') caller: string | undefined,
  ): Promise<ResponseEnvelope<LedgerInitResult>> {
    const result = await this.#ledger.init(caller);
    const [transactionId] = result.transactionIds;
    if (transactionId !== undefined) void reply.header('x-transaction-id', transactionId);
    return success(INITIALISED, result);
  }
}
