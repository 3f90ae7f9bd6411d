import { Inject, Controller, Get } from '@nestjs/common';
import { ApiExtraModels, ApiTags, getSchemaPath } from '@nestjs/swagger';
import { Needs } from '../access/access.decorators.js';
import type { Ledger } from '#ledger-gateway';
import { LEDGER } from '../gateway/gateway.module.js';
import { success, type ResponseEnvelope } from '../http/envelope.dto.js';
import { Operation } from '../http/operation.decorator.js';
import { LEDGER_ERRORS } from '../http/operation-errors.js';
import { BlockHeightResponse, ChainInfoResponse } from './blockchain.dto.js';

const TEXT = { height: 'Height read.', info: 'Chain information read.' } as const;

@Controller('blockchain')
@Needs('reader')
@ApiTags('blockchain')
@ApiExtraModels(BlockHeightResponse, ChainInfoResponse)
export class BlockchainController {
  readonly #ledger: Ledger;

  constructor(@Inject(LEDGER) ledger: Ledger) {
    this.#ledger = ledger;
  }

  @Get('height')
  @Operation({
    id: 'getHeight',
    summary: 'Gives the number of blocks',
    success: {
      message: TEXT.height,
      data: { $ref: getSchemaPath(BlockHeightResponse) },
      example: { height: 8 },
    },
    errors: LEDGER_ERRORS,
  })
  async height(): Promise<ResponseEnvelope<BlockHeightResponse>> {
    const { height } = await this.#ledger.chainInfo();
    return success(TEXT.height, { height });
  }

  @Get('info')
  @Operation({
    id: 'getChainInfo',
    summary: "Gives the channel's name, its height and the hash of its newest block",
    success: {
      message: TEXT.info,
      data: { $ref: getSchemaPath(ChainInfoResponse) },
      example: {
        blockHash: '7c2e0d5f9a8b4c3d2e1f0a9b8c7d6e5f4a3b2c1d0e9f8a7b6c5d4e3f2a1b0c9d',
        chainName: 'mychannel',
        height: 8,
      },
    },
    errors: LEDGER_ERRORS,
  })
  async info(): Promise<ResponseEnvelope<ChainInfoResponse>> {
    const { currentBlockHash: blockHash, channel: chainName, height } = await this.#ledger.chainInfo();
    return success(TEXT.info, { blockHash, chainName, height });
  }
}
