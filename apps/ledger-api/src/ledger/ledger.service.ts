import { Inject, Injectable } from '@nestjs/common';
import { INITIAL_ASSETS } from '#asset-contract';
import type { Ledger, LedgerChannel } from '#ledger-gateway';
import type { LedgerInitResult } from '../dto/ledger-init.dto.js';
import { LEDGER } from '../gateway/ledger.token.js';

/** Fills the ledger with its initial assets. */
@Injectable()
export class LedgerService {
  readonly #channel: LedgerChannel;

  constructor(@Inject(LEDGER) ledger: Ledger) {
    this.#channel = ledger.channel();
  }

  /** Creates those initial assets that are absent; when none is, nothing is recorded. */
  async init(): Promise<LedgerInitResult> {
    if (await this.#isComplete()) return { created: 0, transactionIds: [] };
    const submitted = await this.#channel.submit({ function: 'InitLedger', arguments: [] });
    const { result, transactionId, transactionIds = [transactionId] } = submitted;
    const created = JSON.parse(Buffer.from(result).toString()) as string[];
    return { created: created.length, transactionIds: created.length === 0 ? [] : [...transactionIds] };
  }

  async #isComplete(): Promise<boolean> {
    for (const { ID } of INITIAL_ASSETS) {
      const exists = await this.#channel.evaluate({ function: 'AssetExists', arguments: [ID] });
      if (Buffer.from(exists).toString() !== 'true') return false;
    }
    return true;
  }
}
