import { Inject, Controller, Get, Param } from '@nestjs/common';
import { ApiExtraModels, ApiTags, getSchemaPath } from '@nestjs/swagger';
import { describeTransaction, type Ledger } from '#ledger-gateway';
import { Needs } from '../access/access.decorators.js';
import { LEDGER } from '../gateway/gateway.module.js';
import { ApiError, EXAMPLE_TRANSACTION_ID } from '../http/errors.js';
import { success, type ResponseEnvelope } from '../http/envelope.dto.js';
import { Operation } from '../http/operation.decorator.js';
import { LEDGER_ERRORS } from '../http/operation-errors.js';
import { TransactionDetail, TransactionResponse } from './transaction.dto.js';
import { NO_TRANSACTION, NO_TRANSACTION_ID, requireTransactionId, TransactionIdParam } from './transaction-id.js';

const FOUND = 'Transaction found.';

@Controller('transactions')
@Needs('reader')
@ApiTags('transactions')
@ApiExtraModels(TransactionDetail, TransactionResponse)
export class TransactionsController {
  readonly #ledger: Ledger;

  constructor(@Inject(LEDGER) ledger: Ledger) {
    this.#ledger = ledger;
  }

  @Get(':txid')
  @TransactionIdParam()
  @Operation({
    id: 'getTransaction',
    summary: 'Gives one recorded transaction, decoded',
    success: {
      message: FOUND,
      data: { $ref: getSchemaPath(TransactionDetail) },
      example: {
        transactionId: EXAMPLE_TRANSACTION_ID,
        blockHash: '7c2e0d5f9a8b4c3d2e1f0a9b8c7d6e5f4a3b2c1d0e9f8a7b6c5d4e3f2a1b0c9d',
        blockNumber: 7,
        chaincodeId: 'basic',
        channelId: 'mychannel',
        creatorId: 'User1@org1.example.com',
        creatorMspId: 'Org1MSP',
        endorsers: ['peer0.org1.example.com'],
        function: 'CreateAsset',
        arguments: ['asset7', 'blue', '5', 'Tomoko', '300'],
        timestamp: '2026-11-21T12:00:00.000Z',
        validationCode: 'VALID',
        response: {
          status: 200,
          message: '',
          payload: '{"ID":"asset7","appraisedValue":"300","color":"blue","owner":"Tomoko","size":"5"}',
        },
        rawTransaction: { payload: { header: { channel_header: { type: 3, channel_id: 'mychannel' } } } },
      },
    },
    errors: [NO_TRANSACTION_ID, NO_TRANSACTION, ...LEDGER_ERRORS],
  })
  async detail(@Param('txid') id: string): Promise<ResponseEnvelope<TransactionDetail>> {
    const transaction = await this.#ledger.transactionById(requireTransactionId(id));
    if (transaction === undefined) throw new ApiError('API.NOT_FOUND', NO_TRANSACTION.message);
    return success(FOUND, describeTransaction(transaction));
  }
}
