import { Controller, Get, Module, Param, Req } from '@nestjs/common';
import { ApiTags, type OpenAPIObject } from '@nestjs/swagger';
import type { FastifyRequest } from 'fastify';
import type { LedgerChannel } from '#ledger-gateway';
import { Needs } from '../access/access.decorators.js';
import { CHAINCODE, NO_METADATA } from '../contracts/contract-operations.js';
import { ContractsModule } from '../contracts/contracts.controller.js';
import { TypedContracts } from '../contracts/typed-contracts.service.js';
import { OfChannel, onEveryChannel } from '../gateway/channels.js';
import { LEDGER_CALL, Operation } from '../http/operation.decorator.js';
import { TypedDocument } from './typed-document.js';

/** The endpoint that describes the functions of a chaincode for generators of clients. */
@Controller(onEveryChannel('contracts'))
@ApiTags('contracts')
export class ContractDocumentController {
  constructor(
    private readonly contracts: TypedContracts,
    private readonly documents: TypedDocument,
  ) {}

  @Get(':chaincode/openapi.json')
  @Needs('reader')
  @Operation(
    {
      id: 'getContractDocument',
      summary: 'Returns the OpenAPI document of a chaincode',
      description:
        'OpenAPI 3.1, made of the metadata of the chaincode: an operation for each of its first 500 functions, with the types of ' +
        'its arguments and its result.',
      otherContent: { 'application/json': { schema: { type: 'object', additionalProperties: true } } },
      errors: [NO_METADATA],
    },
    CHAINCODE,
    LEDGER_CALL,
  )
  async document(
    @OfChannel() ledger: LedgerChannel,
    @Param('chaincode') chaincode: string,
    @Param('channel') channel: string | undefined,
    @Req() request: FastifyRequest,
  ): Promise<OpenAPIObject> {
    const contract = await this.contracts.read(ledger, chaincode, request.caller?.name);
    const document = this.documents.ofContract({ chaincode, channel, contract });
    return { ...document, servers: this.documents.serversFor(request) };
  }
}

/** The documents of the API. */
@Module({
  imports: [ContractsModule],
  controllers: [ContractDocumentController],
  providers: [TypedDocument],
})
export class OpenApiModule {}
