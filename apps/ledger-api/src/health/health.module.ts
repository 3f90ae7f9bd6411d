import { Module } from '@nestjs/common';
import { HealthController, ReadinessController } from './health.controller.js';

@Module({ controllers: [HealthController, ReadinessController] })
export class HealthModule {}
