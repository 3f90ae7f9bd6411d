import { Inject, Injectable } from '@nestjs/common';
import type { Ledger } from '#ledger-gateway';
import type { ChainInfoResponse } from '../dto/blockchain.dto.js';
import { LEDGER } from '../gateway/ledger.token.js';

/** The head of the chain. */
@Injectable()
export class BlockchainService {
  readonly #ledger: Ledger;

  constructor(@Inject(LEDGER) ledger: Ledger) {
    this.#ledger = ledger;
  }

  async info(): Promise<ChainInfoResponse> {
    const { currentBlockHash, channel, height } = await this.#ledger.channel().chainInfo();
    return { blockHash: currentBlockHash, chainName: channel, height };
  }
}
