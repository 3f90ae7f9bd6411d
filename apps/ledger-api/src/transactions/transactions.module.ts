import { Module } from '@nestjs/common';
import { ReceiptController } from './receipt.controller.js';
import { TransactionListController } from './transaction-list.controller.js';
import { TransactionsController } from './transactions.controller.js';

@Module({ controllers: [TransactionListController, TransactionsController, ReceiptController] })
export class TransactionsModule {}
