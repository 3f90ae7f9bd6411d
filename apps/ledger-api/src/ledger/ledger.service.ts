import { Inject, Injectable } from '@nestjs/common';
import { INITIAL_ASSETS } from '#asset-contract';
import type { Ledger } from '#ledger-gateway';
import { LEDGER } from '../gateway/gateway.module.js';
import type { LedgerInitResult } from './ledger-init.dto.js';

/** Creates the initial assets. */
@Injectable()
export class LedgerService {
  readonly #ledger: Ledger;

  constructor(@Inject(LEDGER) ledger: Ledger) {
    this.#ledger = ledger;
  }

  /** Creates the missing initial assets; records nothing if all exist. */
  async init(caller: string | undefined): Promise<LedgerInitResult> {
    if (await this.#isComplete(caller)) return { created: 0, transactionIds: [] };
    const submitted = await this.#ledger.submit({ function: 'InitLedger', arguments: [] }, { caller });
    const { result, transactionId, transactionIds = [transactionId] } = submitted;
    const created = JSON.parse(Buffer.from(result).toString()) as string[];
    return { created: created.length, transactionIds: created.length === 0 ? [] : [...transactionIds] };
  }

  async #isComplete(caller: string | undefined): Promise<boolean> {
    for (const { ID } of INITIAL_ASSETS) {
      const exists = await this.#ledger.evaluate({ function: 'AssetExists', arguments: [ID] }, { caller });
      if (Buffer.from(exists).toString() !== 'true') return false;
    }
    return true;
  }
}
