import { Controller, HttpCode, Post, Res } from '@nestjs/common';
import { RouteConfig } from '@nestjs/platform-fastify';
import { ApiExtraModels, ApiTags, getSchemaPath } from '@nestjs/swagger';
import type { FastifyReply } from 'fastify';
import { CurrentCaller, Needs } from '../access/access.decorators.js';
import { success, type ResponseEnvelope } from '../http/envelope.dto.js';
import { Operation, TRANSACTION_ID } from '../http/operation.decorator.js';
import { WRITE_ERRORS } from '../http/operation-errors.js';
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
    description: 'Existing ones are not changed. If all exist, nothing is recorded.',
    success: {
      data: { $ref: getSchemaPath(LedgerInitResult) },
      headers: TRANSACTION_ID,
    },
    errors: [...WRITE_ERRORS, 'LEDGER.REFUSED'],
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
