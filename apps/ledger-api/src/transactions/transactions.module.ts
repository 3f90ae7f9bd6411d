import { Module } from '@nestjs/common';
import { TransactionListController } from './transaction-list.controller.js';
import { TransactionsController } from './transactions.controller.js';

@Module({ controllers: [TransactionListController, TransactionsController] })
export class TransactionsModule {}
