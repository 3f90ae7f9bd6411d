import { Inject, Injectable } from '@nestjs/common';
import { describeTransaction, type Ledger } from '#ledger-gateway';
import type { TransactionDetail } from '../dto/transaction.dto.js';
import { LEDGER } from '../gateway/ledger.token.js';
import { InvalidRequestError, NotFoundError } from '../http/api.errors.js';

/** Recorded transactions. */
@Injectable()
export class TransactionsService {
  readonly #ledger: Ledger;

  constructor(@Inject(LEDGER) ledger: Ledger) {
    this.#ledger = ledger;
  }

  /** @throws {@link InvalidRequestError} for what is no transaction id, {@link NotFoundError} for one that no block holds */
  async detail(transactionId: string): Promise<TransactionDetail> {
    if (!/^[0-9a-f]{64}$/i.test(transactionId)) {
      throw new InvalidRequestError('A transaction id has 64 hexadecimal characters.');
    }
    const transaction = await this.#ledger.channel().transactionById(transactionId.toLowerCase());
    if (transaction === undefined) throw new NotFoundError('There is no transaction of that id.');
    return describeTransaction(transaction);
  }
}
