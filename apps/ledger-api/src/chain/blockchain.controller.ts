import { Controller, Get, Inject } from '@nestjs/common';
import { ApiExtraModels, ApiTags, getSchemaPath } from '@nestjs/swagger';
import type { Ledger } from '#ledger-gateway';
import { Needs } from '../access/access.decorators.js';
import { LEDGER } from '../gateway/gateway.module.js';
import { success, type ResponseEnvelope } from '../http/envelope.dto.js';
import { Operation } from '../http/operation.decorator.js';
import { LEDGER_ERRORS } from '../http/operation-errors.js';
import { BlockHeightResponse, ChainInfoResponse } from './block.dto.js';

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
    summary: 'Returns the number of blocks',
    success: { data: { $ref: getSchemaPath(BlockHeightResponse) } },
    errors: LEDGER_ERRORS,
  })
  async height(): Promise<ResponseEnvelope<BlockHeightResponse>> {
    const { height } = await this.#ledger.chainInfo();
    return success(TEXT.height, { height });
  }

  @Get('info')
  @Operation({
    id: 'getChainInfo',
    summary: "Returns the channel's name, its height and the hash of its newest block",
    success: { data: { $ref: getSchemaPath(ChainInfoResponse) } },
    errors: LEDGER_ERRORS,
  })
  async info(): Promise<ResponseEnvelope<ChainInfoResponse>> {
    const { currentBlockHash: blockHash, channel: chainName, height } = await this.#ledger.chainInfo();
    return success(TEXT.info, { blockHash, chainName, height });
  }
}
