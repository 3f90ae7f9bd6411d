import { NestFactory } from '@nestjs/core';
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify';
import type { OpenAPIObject } from '@nestjs/swagger';
import type { FastifyInstance } from 'fastify';
import type { Logger } from 'pino';
import { PROGRAM_LOG, type ProgramLog } from '#logging';
import { AppModule } from './app.module.js';
import { useAccess } from './access/access.plugin.js';
import { ListedFunctions } from './access/listed-functions.js';
import { Login } from './access/login.js';
import type { RequestLimits } from './access/request-limits.js';
import { readConfig, type LedgerApiConfig, type LimitOptions } from './config/config.js';
import type { Ledger } from '#ledger-gateway';
import { EXPLORER } from './explorer/explorer.controller.js';
import { LEDGER } from './gateway/gateway.module.js';
import { ErrorsFilter } from './http/errors.filter.js';
import { BODY_LIMIT, createAdapter } from './http/fastify-adapter.js';
import { CrossOrigin } from './http/cross-origin.js';
import { HostRules } from './http/host-rules.js';
import { useBodyBudget, useJsonBodiesOnly } from './http/json-body.js';
import { methodsByPath, setHeaders, useRequestHooks } from './http/request-hooks.js';
import { NestLogger } from './logging/logging.module.js';
import { RequestMetrics } from './metrics/metrics.module.js';
import { API_PREFIX, openApiDocument, serveDocument } from './openapi/openapi-document.js';
import { sendContinue } from './server/api-server.js';
import { Listeners } from './server/listeners.js';

export interface LedgerApi {
  readonly app: NestFastifyApplication;
  readonly listeners: Listeners;
}

/**
 * Creates the whole application of a configuration, ready to listen.
 * @throws a LedgerError when the ledger cannot be opened
 */
export async function createLedgerApi(config: LedgerApiConfig): Promise<LedgerApi> {
  let listeners!: Listeners;
  const adapter = createAdapter({
    makeServer: (handler) => {
      listeners = new Listeners(handler);
      return listeners.server;
    },
    trustedProxies: config.server.trustedProxies,
    onRouterError: (error, request, reply) => {
      setHeaders(request, reply);
      app.get(ErrorsFilter).answer(error, request, reply);
    },
  });
  const app = await NestFactory.create<NestFastifyApplication>(AppModule.register(config), adapter, {
    // Nest's own parsers accept urlencoded forms and repair invalid UTF-8.
    bodyParser: false,
    // A failure to open the ledger is one line, logged by the caller, not Nest's stack trace.
    logger: false,
    abortOnError: false,
  });
  const { logger } = app.get<ProgramLog>(PROGRAM_LOG);
  const { server, callers } = config;
  app.useLogger(new NestLogger(logger));
  app.setGlobalPrefix(API_PREFIX, { exclude: ['/', 'pages/:name', 'readyz', 'metrics'] });

  // Everything that must be registered before the first route.
  const instance: FastifyInstance = adapter.getInstance();
  app.get(RequestMetrics).watch(instance);
  const pages = new CrossOrigin(server.corsOrigins);
  const hosts = new HostRules(callers.isOn ? undefined : server.allowedHosts, pages);
  useRequestHooks(instance, { hosts, pages, hasKeys: callers.isOn }, logger);
  const ledger = app.get<Ledger>(LEDGER);
  useAccess(instance, {
    config: callers,
    login: app.get(Login),
    listed: app.get(ListedFunctions),
    authorize: callers.sign ? (caller) => ledger.authorize(caller) : undefined,
    limits: server.requestLimit && (await openLimits(server.requestLimit, logger)),
    logger,
  });
  useJsonBodiesOnly(instance);
  useBodyBudget(instance, { bodyLimit: BODY_LIMIT });
  instance.addHook('preParsing', ({ raw }, reply, _payload, done) => {
    // After the access checks: a client without a key is not asked for its body.
    if (Number(raw.headers['content-length'] ?? 0) <= BODY_LIMIT) sendContinue(reply.raw);
    done(null);
  });
  instance.addHook('preClose', async () => listeners.drain());
  EXPLORER.register(instance);
  const refuseOtherMethods = methodsByPath(instance);

  serveDocument(app, server, callers.isOn);
  await app.init();
  refuseOtherMethods();
  await instance.ready();
  return { app, listeners };
}

/** Loads the request limits only if they are configured, for a faster start. */
async function openLimits(options: LimitOptions, logger: Logger): Promise<RequestLimits> {
  const { RequestLimits } = await import('./access/request-limits.js');
  return RequestLimits.open(options, logger);
}

/** Generates the document of the default configuration from the modules alone: no ledger is opened, nothing listens. */
export async function generateDocument(): Promise<OpenAPIObject> {
  const config = readConfig({});
  const options = { preview: true, logger: false } as const;
  const app = await NestFactory.create(AppModule.register(config), new FastifyAdapter(), options);
  return openApiDocument(app, config.server, config.callers.isOn);
}
