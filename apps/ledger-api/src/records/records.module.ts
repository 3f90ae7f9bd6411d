import { Module } from '@nestjs/common';
import { WriteAnswers } from '../http/writes.js';
import { UploadsModule } from '../uploads/uploads.module.js';
import { RecordTypesController } from './record-types.controller.js';
import { RecordsController } from './records.controller.js';

/** The endpoints of records and their types. */
@Module({
  imports: [UploadsModule],
  controllers: [RecordTypesController, RecordsController],
  providers: [WriteAnswers],
})
export class RecordsModule {}
