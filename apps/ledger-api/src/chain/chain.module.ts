import { Module } from '@nestjs/common';
import { BlockchainController } from './blockchain.controller.js';
import { BlocksController } from './blocks.controller.js';
import { TransactionsController } from './transactions.controller.js';

/** The chain: its head, its blocks and its transactions. */
@Module({ controllers: [BlockchainController, BlocksController, TransactionsController] })
export class ChainModule {}
