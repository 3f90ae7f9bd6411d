import { NestFactory } from '@nestjs/core';
import { FastifyAdapter } from '@nestjs/platform-fastify';
import type { OpenAPIObject } from '@nestjs/swagger';
import { AppModule } from './app.module.js';
import { readConfig } from './config/config.js';
import { openApiDocument } from './openapi/openapi-document.js';

/** Generates the document of the default configuration from the modules alone: no ledger is opened, nothing listens. */
export async function generateDocument(): Promise<OpenAPIObject> {
  const config = readConfig({});
  const app = await NestFactory.create(AppModule.register(config), new FastifyAdapter(), {
    preview: true,
    logger: false,
  });
  const { server, callers } = config;
  return openApiDocument(app, server, callers.isOn);
}
