import { Inject, Injectable } from '@nestjs/common';
import type { ConnectionState, Ledger } from '#ledger-gateway';
import { LEDGER } from '../gateway/ledger.token.js';

/** Whether calls of the ledger can be expected to work. */
@Injectable()
export class ReadinessService {
  readonly #ledger: Ledger;

  constructor(@Inject(LEDGER) ledger: Ledger) {
    this.#ledger = ledger;
  }

  async state(): Promise<ConnectionState> {
    return this.#ledger.connectionState();
  }
}
