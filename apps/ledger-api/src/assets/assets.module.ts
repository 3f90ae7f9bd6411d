import { Module } from '@nestjs/common';
import { AssetsController } from './assets.controller.js';
import { HistoryController } from './history.controller.js';
import { AssetsService } from './assets.service.js';

@Module({ controllers: [AssetsController, HistoryController], providers: [AssetsService] })
export class AssetsModule {}
