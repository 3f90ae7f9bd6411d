import { Controller, Get } from '@nestjs/common';
import { ApiExtraModels, ApiTags, getSchemaPath } from '@nestjs/swagger';
import { BlockHeightResponse, ChainInfoResponse } from '../dto/blockchain.dto.js';
import { success, type ResponseEnvelope } from '../dto/envelope.dto.js';
import { LEDGER_FAILED, Operation } from '../openapi/operation.decorator.js';
import { BlockchainService } from './blockchain.service.js';

@Controller('blockchain')
@ApiTags('blockchain')
@ApiExtraModels(BlockHeightResponse, ChainInfoResponse)
export class BlockchainController {
  readonly #blockchain: BlockchainService;

  constructor(blockchain: BlockchainService) {
    this.#blockchain = blockchain;
  }

  @Get('height')
  @Operation({
    id: 'getHeight',
    summary: 'Gives the number of blocks',
    success: {
      message: 'Height read.',
      data: { $ref: getSchemaPath(BlockHeightResponse) },
      example: { height: 8 },
    },
    errors: { 500: LEDGER_FAILED },
  })
  async height(): Promise<ResponseEnvelope<BlockHeightResponse>> {
    const { height } = await this.#blockchain.info();
    return success('Height read.', { height });
  }

  @Get('info')
  @Operation({
    id: 'getChainInfo',
    summary: "Gives the channel's name, its height and the hash of its newest block",
    success: {
      message: 'Chain information read.',
      data: { $ref: getSchemaPath(ChainInfoResponse) },
      example: {
        blockHash: '7c2e0d5f9a8b4c3d2e1f0a9b8c7d6e5f4a3b2c1d0e9f8a7b6c5d4e3f2a1b0c9d',
        chainName: 'mychannel',
        height: 8,
      },
    },
    errors: { 500: LEDGER_FAILED },
  })
  async info(): Promise<ResponseEnvelope<ChainInfoResponse>> {
    return success('Chain information read.', await this.#blockchain.info());
  }
}
