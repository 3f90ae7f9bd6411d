import { Module } from '@nestjs/common';
import { EventLog } from './event-log.js';
import { EventStreams } from './event-streams.js';
import { EventsController } from './events.controller.js';
import { EventsService } from './events.service.js';

/** The stream of committed changes. */
@Module({ controllers: [EventsController], providers: [EventLog, EventStreams, EventsService] })
export class EventsModule {}
