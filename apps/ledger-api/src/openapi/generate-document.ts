import { NestFactory } from '@nestjs/core';
import { FastifyAdapter } from '@nestjs/platform-fastify';
import type { OpenAPIObject } from '@nestjs/swagger';
import pino from 'pino';
import { createMetricsRegistry } from '#metrics';
import { AppModule } from '../app.module.js';
import { readConfig } from '../config/ledger-api.config.js';
import { openApiDocument } from './openapi-document.js';

/** The document of the default configuration, from the modules alone: no ledger is opened, nothing listens. */
export async function generateDocument(): Promise<OpenAPIObject> {
  const config = readConfig({});
  const module = AppModule.forRoot(config, await createMetricsRegistry(), pino({ level: 'silent' }));
  const app = await NestFactory.create(module, new FastifyAdapter(), { preview: true, logger: false });
  return openApiDocument(app, config.listen);
}
