import { Module } from '@nestjs/common';
import { BlockchainController } from './blockchain.controller.js';

@Module({ controllers: [BlockchainController] })
export class BlockchainModule {}
