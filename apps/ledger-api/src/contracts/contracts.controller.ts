import { Body, Controller, Get, HttpCode, Module, Param, Post, Req, Res } from '@nestjs/common';
import { ApiBody, ApiExtraModels, ApiParam, ApiTags, getSchemaPath } from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { LedgerError } from '#ledger-gateway';
import { CurrentCaller, Needs, OrListedFor } from '../access/access.decorators.js';
import { ApiError } from '../http/errors.js';
import { success, type ResponseEnvelope } from '../http/envelope.dto.js';
import { IdempotencyKey, Repeatable, setWriteHeaders } from '../http/idempotency-key.js';
import { Operation, WRITE_HEADERS } from '../http/operation.decorator.js';
import {
  BODY_ERRORS,
  KEY_ERRORS,
  PATH_ERRORS,
  LEDGER_ERRORS,
  TRANSACTION_ERRORS,
  type DocumentedError,
} from '../http/operation-errors.js';
import { BodyPipe } from '../http/body.pipe.js';
import { ContractCall, ContractDescription, ContractResult, ContractTransaction } from './contract.dto.js';
import { ContractsService } from './contracts.service.js';

const UNKNOWN: readonly DocumentedError[] = ['LEDGER.CHAINCODE_UNKNOWN', 'API.NOT_LISTED'];
const CALL_ERRORS: readonly DocumentedError[] = [
  new ApiError('API.INVALID_REQUEST', 'The body is refused: function is missing.'),
  'API.CHAINCODE_REFUSED',
  ...UNKNOWN,
  ...BODY_ERRORS,
  ...PATH_ERRORS,
];
const chaincode = ApiParam({
  name: 'chaincode',
  description: 'The name of a chaincode of the channel. The embedded ledger has only its own.',
  schema: { type: 'string', minLength: 1 },
  example: 'basic',
});

@Controller('contracts')
@ApiTags('contracts')
@ApiExtraModels(ContractDescription, ContractResult, ContractTransaction)
export class ContractsController {
  readonly #contracts: ContractsService;

  constructor(contracts: ContractsService) {
    this.#contracts = contracts;
  }

  @Get(':chaincode')
  @Needs('reader')
  @chaincode
  @Operation({
    id: 'describeContract',
    summary: 'Lists the functions of a chaincode that publishes metadata',
    success: { data: { $ref: getSchemaPath(ContractDescription) } },
    errors: [
      ...UNKNOWN,
      new LedgerError('LEDGER.NOT_SUPPORTED', 'the chaincode cars publishes no metadata'),
      ...PATH_ERRORS,
      ...LEDGER_ERRORS,
    ],
  })
  async describe(
    @Param('chaincode') name: string,
    @CurrentCaller('name') caller: string | undefined,
  ): Promise<ResponseEnvelope<ContractDescription>> {
    return success('Functions listed.', await this.#contracts.describe(name, caller));
  }

  @Post(':chaincode/evaluate')
  @Needs('admin')
  @OrListedFor('reader')
  @HttpCode(200)
  @chaincode
  @Operation({
    id: 'evaluateContract',
    summary: 'Runs a function of a chaincode without recording it',
    description: 'What it would write is dropped. Functions that LEDGER_CONTRACTS lists may be called by readers too.',
    success: {
      data: { $ref: getSchemaPath(ContractResult) },
    },
    errors: [...CALL_ERRORS, 'API.CROSS_SITE', ...LEDGER_ERRORS],
  })
  @ApiBody({ type: ContractCall })
  async evaluate(
    @Param('chaincode') name: string,
    @Body(BodyPipe) call: ContractCall,
    @Req() { caller }: FastifyRequest,
  ): Promise<ResponseEnvelope<ContractResult>> {
    return success('Function evaluated.', await this.#contracts.evaluate(name, call, caller));
  }

  @Post(':chaincode/submit')
  @Needs('admin')
  @OrListedFor('writer')
  @HttpCode(200)
  @chaincode
  @Repeatable()
  @Operation({
    id: 'submitContract',
    summary: 'Runs a function of a chaincode as a transaction',
    description:
      'The answer is sent when the transaction is committed; a conflicting one is executed again. ' +
      'Functions that LEDGER_CONTRACTS lists may be called by writers too.',
    success: {
      data: { $ref: getSchemaPath(ContractTransaction) },
      headers: WRITE_HEADERS,
    },
    errors: [...CALL_ERRORS, ...KEY_ERRORS, ...LEDGER_ERRORS, ...TRANSACTION_ERRORS],
  })
  @ApiBody({ type: ContractCall })
  async submit(
    @Param('chaincode') name: string,
    @Body(BodyPipe) call: ContractCall,
    @IdempotencyKey() key: string | undefined,
    @Req() { caller }: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<ResponseEnvelope<ContractTransaction>> {
    const { data, ...written } = await this.#contracts.submit(name, call, caller, key);
    setWriteHeaders(reply, written);
    return success('Transaction recorded.', data);
  }
}

@Module({ controllers: [ContractsController], providers: [ContractsService] })
export class ContractsModule {}
