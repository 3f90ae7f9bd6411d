import { Body, Controller, HttpCode, Param, Post, Query, Req, Res } from '@nestjs/common';
import { RouteConfig } from '@nestjs/platform-fastify';
import { ApiBody, ApiParam, ApiQuery, ApiTags } from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { LedgerChannel } from '#ledger-gateway';
import { Needs, OrListedFor } from '../access/access.decorators.js';
import { OfChannel, onEveryChannel } from '../gateway/channels.js';
import { success, type ResponseEnvelope } from '../http/envelope.dto.js';
import { ApiError, invalidRequest } from '../http/errors.js';
import { JSON_BODY, Operation, TRANSACTION, type OperationPart } from '../http/operation.decorator.js';
import {
  ASYNC,
  REPEATABLE,
  WriteAnswers,
  WriteHeaders,
  type AcceptedTransaction,
  type WriteOptions,
} from '../http/writes.js';
import { FunctionResult, type CallKind } from './contract.dto.js';
import { CHAINCODE, NO_METADATA } from './contract-operations.js';
import { ContractsService } from './contracts.service.js';
import { TypedContracts } from './typed-contracts.service.js';

/** The body of a call, with an example that every ledger with the initial assets accepts. */
const ARGUMENTS: OperationPart = {
  ...JSON_BODY,
  parameters: [
    ApiParam({
      name: 'function',
      description: 'The function, as CONTRACT:FUNCTION if the chaincode has several contracts; percent-encoded.',
      schema: { type: 'string', minLength: 1, example: 'ReadAsset' },
    }),
    ApiQuery({
      name: 'evaluate',
      required: false,
      description:
        'true evaluates the call and false submits it, whatever the metadata specify. By default functions that are tagged so are ' +
        'evaluated, and others are submitted.',
      schema: { type: 'boolean' },
    }),
    ApiBody({
      required: false,
      description:
        'The arguments: an object by the names of the parameters, or an array of them in their order; the array if the metadata do not ' +
        'name the parameters. They are passed on as those of evaluateContract are.',
      schema: {
        oneOf: [
          { type: 'object', additionalProperties: true },
          { type: 'array', items: {} },
        ],
      },
      examples: { names: { value: { id: 'asset1' } }, array: { value: ['asset1'] } },
    }),
  ],
};

/** The endpoint that calls a function of a chaincode with the arguments that its metadata describe. */
@Controller(onEveryChannel('contracts'))
@ApiTags('contracts')
export class ContractFunctionsController {
  constructor(
    private readonly contracts: ContractsService,
    private readonly typed: TypedContracts,
    private readonly answers: WriteAnswers,
  ) {}

  @Post(':chaincode/functions/:function')
  @Needs('admin')
  @OrListedFor('reader')
  @RouteConfig({ keepsDigits: true })
  @HttpCode(200)
  @Operation(
    {
      id: 'callFunction',
      summary: 'Calls a function of a chaincode as its metadata describe it',
      description:
        'The arguments are validated by the schemas of the metadata. A function that is tagged to be evaluated is not recorded. Functions ' +
        'that LEDGER_CONTRACTS lists may be evaluated by readers, and submitted by writers too. Transient data and endorsing ' +
        'organizations require submitContract or evaluateContract.',
      data: FunctionResult,
      errors: [
        invalidRequest('The body is refused: /id is missing; /size must be integer.'),
        new ApiError('API.NOT_FOUND', 'The metadata of the chaincode "basic" have no function "Sell".'),
        'API.CHAINCODE_REFUSED',
        NO_METADATA,
      ],
    },
    CHAINCODE,
    REPEATABLE,
    ASYNC,
    ARGUMENTS,
    TRANSACTION,
  )
  async callFunction(
    @OfChannel() ledger: LedgerChannel,
    @Param('chaincode') chaincode: string,
    @Param('function') name: string,
    @Query('evaluate') evaluate: unknown,
    @Body() body: unknown,
    @WriteHeaders() options: WriteOptions,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<ResponseEnvelope<FunctionResult | AcceptedTransaction>> {
    const { caller } = request;
    const asked = { name, body, kind: kindOf(evaluate) };
    const { kind, call } = await this.typed.call(ledger, chaincode, asked, caller);
    if (kind === 'evaluate') {
      request.isEvaluation = true;
      return success('Function evaluated.', await this.contracts.evaluate(ledger, chaincode, call, caller));
    }
    return this.answers.answer(reply, options, {
      message: 'Transaction recorded.',
      write: (terms) => this.contracts.submit(ledger, chaincode, call, caller, terms),
      dataOf: ({ data }) => data,
    });
  }
}

/** Parses the query parameter that overrides the kind of a function. */
function kindOf(evaluate: unknown): CallKind | undefined {
  if (evaluate === undefined) return undefined;
  if (evaluate === 'true') return 'evaluate';
  if (evaluate === 'false') return 'submit';
  throw invalidRequest('The query parameter "evaluate" must be true or false.');
}
