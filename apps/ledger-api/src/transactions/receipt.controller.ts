import { Inject, Controller, Get, Param, Res } from '@nestjs/common';
import { ApiExtraModels, ApiTags, getSchemaPath } from '@nestjs/swagger';
import type { FastifyReply } from 'fastify';
import { LedgerError, type Ledger } from '#ledger-gateway';
import { Needs } from '../access/access.decorators.js';
import { LEDGER } from '../gateway/gateway.module.js';
import { ApiError, EXAMPLE_TRANSACTION_ID } from '../http/errors.js';
import { Operation } from '../http/operation.decorator.js';
import { LEDGER_ERRORS } from '../http/operation-errors.js';
import { Receipt } from './receipt.dto.js';
import { NO_TRANSACTION, NO_TRANSACTION_ID, requireTransactionId, TransactionIdParam } from './transaction-id.js';

@Controller('transactions')
@Needs('reader')
@ApiTags('receipts')
@ApiExtraModels(Receipt)
export class ReceiptController {
  readonly #ledger: Ledger;

  constructor(@Inject(LEDGER) ledger: Ledger) {
    this.#ledger = ledger;
  }

  @Get(':txid/receipt')
  @TransactionIdParam()
  @Operation({
    id: 'getReceipt',
    summary: 'Gives what proves a transaction to others',
    description:
      "A file: the transaction's block, and a peer's signed word on the validation code. " +
      '`npm run ledger -- verify-receipt` checks it on any machine, without the ledger.',
    success: {
      file: { $ref: getSchemaPath(Receipt) },
      example: {
        format: 'ledger-receipt',
        version: 1,
        channel: 'mychannel',
        transactionId: EXAMPLE_TRANSACTION_ID,
        blockNumber: 7,
        blockHash: '7c2e0d5f9a8b4c3d2e1f0a9b8c7d6e5f4a3b2c1d0e9f8a7b6c5d4e3f2a1b0c9d',
        position: 0,
        validationCode: 'VALID',
        block: 'CkYIBxIg',
        attestation: {
          kind: 'statement',
          statement: '{"statement":"ledger-receipt/1",…}',
          endorser: 'CgdPcmcxTVNQ',
          signature: 'MEQCIH8=',
        },
      },
    },
    errors: [
      NO_TRANSACTION_ID,
      NO_TRANSACTION,
      new LedgerError(
        'LEDGER.NOT_SUPPORTED',
        'a receipt needs a peer that signs it, and there are no keys in the data directory',
      ),
      ...LEDGER_ERRORS,
    ],
  })
  async receipt(@Param('txid') id: string, @Res({ passthrough: true }) reply: FastifyReply): Promise<string> {
    const transactionId = requireTransactionId(id);
    const receipt = await this.#ledger.receipt(transactionId);
    if (receipt === undefined) throw new ApiError('API.NOT_FOUND', NO_TRANSACTION.message);
    void reply.header('content-type', 'application/json; charset=utf-8');
    void reply.header('content-disposition', `attachment; filename="receipt-${transactionId}.json"`);
    return receipt;
  }
}
