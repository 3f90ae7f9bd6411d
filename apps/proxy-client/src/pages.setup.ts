import { NestFactory } from '@nestjs/core';
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify';
import { SwaggerModule } from '@nestjs/swagger';
import { createMetricsRegistry, registerProxyStats, type LossyLog, type ProxyStats } from '#metrics';
import { AppModule } from './app.module.js';
import type { PageHandler } from './monitoring/page-gate.js';
import { openApiDocument } from './openapi/openapi-document.js';

/** The pages of the proxy, to be put behind a listener of node:http. */
export interface Pages {
  readonly handle: PageHandler;
  close(): Promise<void>;
}

/**
 * Makes /stats, /health, /metrics, /docs and /docs-json. The Nest application listens nowhere by itself: the admin listener
 * hands it the requests that are for it. (The proxy's own listener answers /stats and /health without it.)
 */
export async function createPages(stats: ProxyStats, log?: LossyLog): Promise<Pages> {
  const app = await createApplication(AppModule.forRoot(stats, await metricsOf(stats, log)));
  SwaggerModule.setup('docs', app, openApiDocument(app), { raw: ['json'] });
  await app.init();
  const fastify = app.getHttpAdapter().getInstance();
  await fastify.ready();
  return {
    handle: (request, response) => {
      fastify.routing(request, response);
    },
    close: () => app.close(),
  };
}

/** The Nest application of the pages, not initialised. */
export async function createApplication(module: ReturnType<typeof AppModule.forRoot>): Promise<NestFastifyApplication> {
  const adapter = new FastifyAdapter({ routerOptions: { ignoreTrailingSlash: false } });
  return NestFactory.create<NestFastifyApplication>(module, adapter, {
    logger: ['error', 'warn'],
    abortOnError: false,
    bodyParser: false,
  });
}

async function metricsOf(
  stats: ProxyStats,
  log: LossyLog | undefined,
): Promise<Awaited<ReturnType<typeof createMetricsRegistry>>> {
  const registry = await createMetricsRegistry(log);
  await registerProxyStats(registry, stats);
  return registry;
}
