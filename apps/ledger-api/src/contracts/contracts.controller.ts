import { Body, Controller, Get, HttpCode, Module, Param, Post, Req, Res } from '@nestjs/common';
import { RouteConfig } from '@nestjs/platform-fastify';
import { ApiBody, ApiTags } from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { type LedgerChannel, LedgerError } from '#ledger-gateway';
import { CurrentCaller, Evaluates, Needs, OrListedFor } from '../access/access.decorators.js';
import { OfChannel, onEveryChannel } from '../gateway/channels.js';
import { BodyPipe } from '../http/body.pipe.js';
import { success, type ResponseEnvelope } from '../http/envelope.dto.js';
import { ApiError } from '../http/errors.js';
import { JSON_BODY, LEDGER_CALL, Operation, TRANSACTION, type OperationPart } from '../http/operation.decorator.js';
import {
  ASYNC,
  REPEATABLE,
  WriteAnswers,
  WriteHeaders,
  type AcceptedTransaction,
  type WriteOptions,
} from '../http/writes.js';
import {
  ContractCall,
  ContractDescription,
  ContractMetadata,
  ContractName,
  ContractResult,
  ContractTransaction,
} from './contract.dto.js';
import { CHAINCODE, NO_METADATA } from './contract-operations.js';
import { ContractFunctionsController } from './contract-functions.controller.js';
import { ContractsService } from './contracts.service.js';
import { TypedContracts } from './typed-contracts.service.js';

/** The body of a call, with an example that every ledger with the initial assets accepts: a generated one has transient data. */
const CALL_BODY: OperationPart = {
  ...JSON_BODY,
  parameters: [
    ApiBody({
      type: ContractCall,
      examples: { read: { value: { function: 'ReadAsset', arguments: ['asset1'] } satisfies ContractCall } },
    }),
  ],
};
const CALL_ERRORS = [
  new ApiError('API.INVALID_REQUEST', 'The body is refused: function is missing.'),
  'API.CHAINCODE_REFUSED',
  'LEDGER.ORGANIZATION_UNKNOWN',
  'LEDGER.POLICY_UNSATISFIABLE',
  new LedgerError(
    'LEDGER.NOT_SUPPORTED',
    'The driver embedded supports neither transient data nor endorsing organizations',
  ),
] as const;

/** The endpoints that list chaincodes, describe their functions and call them. */
@Controller(onEveryChannel('contracts'))
@ApiTags('contracts')
export class ContractsController {
  constructor(
    private readonly contracts: ContractsService,
    private readonly typed: TypedContracts,
    private readonly answers: WriteAnswers,
  ) {}

  @Get()
  @Needs('reader')
  @Operation({
    id: 'listContracts',
    summary: 'Lists the chaincodes that the configuration names',
    description: 'LEDGER_CHAINCODE, and those of LEDGER_CHAINCODES and LEDGER_CONTRACTS. A channel may lack some.',
    data: [ContractName],
  })
  list(): ResponseEnvelope<readonly ContractName[]> {
    return success('Chaincodes listed.', this.contracts.names());
  }

  @Get(':chaincode')
  @Needs('reader')
  @Operation(
    {
      id: 'describeContract',
      summary: 'Lists the functions of a chaincode that publishes metadata',
      data: ContractDescription,
      errors: [NO_METADATA],
    },
    CHAINCODE,
    LEDGER_CALL,
  )
  async describe(
    @OfChannel() ledger: LedgerChannel,
    @Param('chaincode') name: string,
    @Req() { caller }: FastifyRequest,
  ): Promise<ResponseEnvelope<ContractDescription>> {
    return success('Functions listed.', await this.typed.describe(ledger, name, caller));
  }

  @Get(':chaincode/metadata')
  @Needs('reader')
  @Operation(
    {
      id: 'getContractMetadata',
      summary: 'Returns the metadata that a chaincode publishes',
      description: 'The result of its function `org.hyperledger.fabric:GetMetadata`.',
      data: ContractMetadata,
      errors: [NO_METADATA],
    },
    CHAINCODE,
    LEDGER_CALL,
  )
  async metadata(
    @OfChannel() ledger: LedgerChannel,
    @Param('chaincode') name: string,
    @CurrentCaller('name') caller: string | undefined,
  ): Promise<ResponseEnvelope<ContractMetadata>> {
    return success('Metadata read.', await this.contracts.metadata(ledger, name, caller));
  }

  @Post(':chaincode/evaluate')
  @Evaluates()
  @Needs('admin')
  @OrListedFor('reader')
  @RouteConfig({ keepsDigits: true })
  @HttpCode(200)
  @Operation(
    {
      id: 'evaluateContract',
      summary: 'Runs a function of a chaincode without recording it',
      description: 'Its writes are discarded. Functions that LEDGER_CONTRACTS lists may be called by readers too.',
      data: ContractResult,
      errors: [...CALL_ERRORS, 'API.CROSS_SITE'],
    },
    CHAINCODE,
    CALL_BODY,
    LEDGER_CALL,
  )
  async evaluate(
    @OfChannel() ledger: LedgerChannel,
    @Param('chaincode') name: string,
    @Body(BodyPipe) call: ContractCall,
    @Req() { caller }: FastifyRequest,
  ): Promise<ResponseEnvelope<ContractResult>> {
    return success('Function evaluated.', await this.contracts.evaluate(ledger, name, call, caller));
  }

  @Post(':chaincode/submit')
  @Needs('admin')
  @OrListedFor('writer')
  @RouteConfig({ keepsDigits: true })
  @HttpCode(200)
  @Operation(
    {
      id: 'submitContract',
      summary: 'Runs a function of a chaincode as a transaction',
      description:
        'The answer is sent when the transaction is committed; a conflicting one is executed again. ' +
        'Functions that LEDGER_CONTRACTS lists may be called by writers too.',
      data: ContractTransaction,
      errors: [...CALL_ERRORS, 'LEDGER.ERASURE_INCOMPLETE'],
    },
    CHAINCODE,
    REPEATABLE,
    ASYNC,
    CALL_BODY,
    TRANSACTION,
  )
  async submit(
    @OfChannel() ledger: LedgerChannel,
    @Param('chaincode') name: string,
    @Body(BodyPipe) call: ContractCall,
    @WriteHeaders() options: WriteOptions,
    @Req() { caller }: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<ResponseEnvelope<ContractTransaction | AcceptedTransaction>> {
    return this.answers.answer(reply, options, {
      message: 'Transaction recorded.',
      write: (terms) => this.contracts.submit(ledger, name, call, caller, terms),
      dataOf: ({ data }) => data,
    });
  }
}

/** The endpoints for calls of any chaincode. */
@Module({
  controllers: [ContractsController, ContractFunctionsController],
  providers: [ContractsService, TypedContracts, WriteAnswers],
  exports: [ContractsService, TypedContracts],
})
export class ContractsModule {}
