import { Module } from '@nestjs/common';
import { ContractsController } from './contracts.controller.js';
import { ContractsService } from './contracts.service.js';

@Module({ controllers: [ContractsController], providers: [ContractsService] })
export class ContractsModule {}
