import { Module } from '@nestjs/common';
import { Uploads } from './uploads.service.js';

/** Uploads of many things by one request. */
@Module({ providers: [Uploads], exports: [Uploads] })
export class UploadsModule {}
