import { NestFactory } from '@nestjs/core';
import type { FastifyAdapter, NestFastifyApplication } from '@nestjs/platform-fastify';
import type { FastifyInstance } from 'fastify';
import type { Logger } from 'pino';
import type { Registry } from 'prom-client';
import { createProgramLog, type ProgramLog } from '#logging';
import { createMetricsRegistry } from '#metrics';
import { AppModule } from './app.module.js';
import type { LedgerApiConfig } from './config/ledger-api.config.js';
import { ErrorsFilter } from './http/errors.filter.js';
import { BODY_LIMIT, createAdapter } from './http/fastify-adapter.js';
import { HostRules } from './http/host-rules.js';
import { useJsonBodiesOnly } from './http/json-body.parser.js';
import { methodsByPath } from './http/method-not-allowed.js';
import { useRequestHooks } from './http/request-hooks.js';
import { securityHeaders } from './http/security-headers.js';
import { ApiListeners } from './listeners/api-listeners.js';
import { LISTENER_LIMITS, type ListenerLimits } from './listeners/listener-limits.js';
import { NestLogger } from './logging/nest-logger.js';
import { RequestMetrics } from './metrics/request-metrics.js';
import { API_PREFIX, serveDocument } from './openapi/openapi-document.js';

export interface LedgerApi {
  readonly app: NestFastifyApplication;
  readonly listeners: ApiListeners;
  readonly log: ProgramLog;
}

/**
 * Makes the whole application, ready to listen: main, the tests and the writer of the API document share it.
 * @throws a LedgerError when the ledger cannot be opened
 */
export async function createLedgerApi(
  config: LedgerApiConfig,
  limits: ListenerLimits = LISTENER_LIMITS,
): Promise<LedgerApi> {
  const log = await createProgramLog('ledger-api', config.logLevel);
  const { logger } = log;
  const registry = await createMetricsRegistry(log.destination);
  const filter = new ErrorsFilter(logger);
  const listeners = new ApiListeners({ limits, bodyLimit: BODY_LIMIT, headers: securityHeaders() });
  const adapter = createAdapter({
    makeServer: (handler) => listeners.createHttp(handler),
    onRouterError: (error, request, reply) => {
      void reply.header('x-request-id', request.id);
      filter.answer(error, request, reply);
    },
  });
  const refuseOtherMethods = prepare(adapter.getInstance<FastifyInstance>(), { config, logger, registry, listeners });
  const app = await createNestApp(adapter, AppModule.forRoot(config, registry, logger));
  app.useLogger(new NestLogger(logger));
  app.useGlobalFilters(filter);
  serveDocument(app, config);
  await app.init();
  refuseOtherMethods();
  await app.getHttpAdapter().getInstance().ready();
  return { app, listeners, log };
}

interface Preparation {
  readonly config: LedgerApiConfig;
  readonly logger: Logger;
  readonly registry: Registry;
  readonly listeners: ApiListeners;
}

/** Everything that has to stand on the instance before the first route does. */
function prepare(instance: FastifyInstance, { config, logger, registry, listeners }: Preparation): () => void {
  new RequestMetrics(registry).watch(instance);
  useRequestHooks(instance, new HostRules(config.listen.allowedHosts), logger);
  useJsonBodiesOnly(instance, BODY_LIMIT);
  instance.addHook('preClose', async () => listeners.drain());
  return methodsByPath(instance);
}

type RootModule = ReturnType<typeof AppModule.forRoot>;

async function createNestApp(adapter: FastifyAdapter, module: RootModule): Promise<NestFastifyApplication> {
  const app = await NestFactory.create<NestFastifyApplication>(module, adapter, {
    // Nest's own parsers take urlencoded forms and repair what is not UTF-8.
    bodyParser: false,
    // A failure to open the ledger is one line by whoever starts the app, not Nest's stack trace.
    logger: false,
    abortOnError: false,
  });
  return app.setGlobalPrefix(API_PREFIX, { exclude: ['readyz', 'metrics'] });
}
