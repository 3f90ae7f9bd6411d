import { Module } from '@nestjs/common';
import { WriteAnswers } from '../http/writes.js';
import { RecordTypesController } from './record-types.controller.js';
import { RecordsController } from './records.controller.js';
import { RecordsService } from './records.service.js';

/** The endpoints of records and their types. */
@Module({ controllers: [RecordTypesController, RecordsController], providers: [RecordsService, WriteAnswers] })
export class RecordsModule {}
