import type { RequestListener } from 'node:http';
import { NestFactory } from '@nestjs/core';
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify';
import type { OpenAPIObject } from '@nestjs/swagger';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { type LedgerApiConfig, readConfig } from '#ledger-config';
import type { Ledger } from '#ledger-gateway';
import { PROGRAM_LOG, type ProgramLog } from '#logging';
import { AppModule } from './app.module.js';
import { ListedFunctions, useAccess, type Authorize } from './access/access.plugin.js';
import { Login } from './access/login.js';
import { EXPLORER } from './explorer-files/explorer.controller.js';
import { channelOf, useChannels } from './gateway/channels.js';
import { LEDGER } from './gateway/gateway.module.js';
import { trusts } from './http/client-address.js';
import { ErrorsFilter } from './http/error-answers.js';
import { HostRules } from './http/host-rules.js';
import { addBodyHook, BODY_LIMIT, bodyTypeOf, useBodyBudget, useJsonBodiesOnly } from './http/json-body.js';
import { closeUnlessRead, requestIds, setHeaders, useRequestHooks } from './http/request-hooks.js';
import { useOtherMethods } from './http/other-methods.js';
import type { Caller } from './access/access.decorators.js';
import { ChannelRecords } from './records/channel-records.js';
import { NestLogger } from './logging/logging.module.js';
import { RequestMetrics } from './metrics/metrics.module.js';
import { API_PREFIX, openApiDocument, serveDocument } from './openapi/openapi-document.js';
import { sendContinue } from './server/api-server.js';
import { Listeners } from './server/listeners.js';
import { TRACING } from './tracing/tracing.module.js';
import type { Tracing } from './tracing/tracing.js';

/** Longer than a drain of the listeners. */
const HOOK_TIMEOUT_MS = 30_000;

/** Longest path parameter in characters: longer than any percent-encoded id. */
const MAX_PARAM_LENGTH = 16_384;

/** No route has a schema, because BodyPipe validates bodies. So Fastify need not load ajv and fast-json-stringify. */
function noSchemas(): never {
  throw new Error('A route has a schema, for which there is no compiler: bodies are validated by BodyPipe.');
}

export interface LedgerApi {
  readonly app: NestFastifyApplication;
  readonly listeners: Listeners;
}

/**
 * Creates the whole application of a configuration, ready to listen.
 * @param log - by default one with the configured level
 * @throws a LedgerError when the ledger cannot be opened
 */
export async function createLedgerApi(config: LedgerApiConfig, log?: ProgramLog): Promise<LedgerApi> {
  const { server, callers } = config;
  let listeners!: Listeners;
  const adapter = new FastifyAdapter({
    serverFactory: (handler: RequestListener) => {
      listeners = new Listeners(handler);
      return listeners.server;
    },
    trustProxy: server.trustedProxies.length > 0 && trusts(server.trustedProxies),
    // Requests that the router refuses, such as a malformed URL.
    frameworkErrors: (error: Error, request: FastifyRequest, reply: FastifyReply) => {
      setHeaders(request, reply);
      closeUnlessRead(request, reply, () => {
        app.get(ErrorsFilter).answer(error, request, reply);
      });
    },
    // The server above answers these itself; Fastify's handler would write a second answer.
    clientErrorHandler: () => undefined,
    bodyLimit: BODY_LIMIT,
    // Fastify's own limit for its hooks, 10 s, would expire during a drain, which takes as long.
    pluginTimeout: HOOK_TIMEOUT_MS,
    genReqId: requestIds(),
    requestIdHeader: false,
    routerOptions: {
      maxParamLength: MAX_PARAM_LENGTH,
      // A path may have a route for bodies of one type, next to the route for all others.
      constraints: {
        bodyType: {
          name: 'bodyType',
          storage: () => new Map(),
          validate: () => undefined,
          deriveConstraint: bodyTypeOf,
        },
      },
    },
    return503OnClosing: false,
    schemaController: { compilersFactory: { buildValidator: noSchemas, buildSerializer: noSchemas } },
    // There is no Nest middleware. Without this option each request would run through an empty chain.
    skipMiddie: true,
  });
  const app = await NestFactory.create<NestFastifyApplication>(AppModule.register(config, log), adapter, {
    // Nest's own parsers accept urlencoded forms and repair invalid UTF-8.
    bodyParser: false,
    // A failure to open the ledger is one line, logged by the caller, not Nest's stack trace.
    logger: false,
    abortOnError: false,
  });
  const { logger } = app.get<ProgramLog>(PROGRAM_LOG);
  app.useLogger(new NestLogger(logger));
  app.setGlobalPrefix(API_PREFIX, {
    exclude: ['/', 'pages/:name', 'readyz', 'metrics', 'tree/:channel/checkpoint', 'tree/:channel/tile/{*path}'],
  });

  // Everything that must be registered before the first route.
  const instance: FastifyInstance = adapter.getInstance();
  app.get<Tracing | undefined>(TRACING)?.watch(instance);
  app.get(RequestMetrics).watch(instance);
  const hosts = new HostRules(callers.isOn ? undefined : server.allowedHosts, server.corsOrigins);
  useRequestHooks(instance, { hosts, hasKeys: callers.isOn }, logger);
  const ledger = app.get<Ledger>(LEDGER);
  const { requestLimit } = server;
  // Loaded only if it is configured, for a faster start.
  const loaded = requestLimit && (await import('./access/request-limits.js'));
  const limits = requestLimit && (await loaded?.RequestLimits.open(requestLimit, logger));
  const [login, listed] = [app.get(Login), app.get(ListedFunctions)];
  const authorize = callers.sign ? authorizeOn(ledger) : undefined;
  const { channel: defaultChannel } = ledger;
  useAccess(instance, { config: callers, login, listed, defaultChannel, authorize, limits, logger });
  useChannels(instance, ledger);
  useJsonBodiesOnly(instance);
  useBodyBudget(instance);
  addBodyHook(instance, ({ raw, routeOptions }, reply, _payload, done) => {
    // After the access checks: the body of a client without a key is not requested.
    const isTooLong = Number(raw.headers['content-length'] ?? 0) > BODY_LIMIT;
    if (!isTooLong || routeOptions.config.readsLines === true) sendContinue(reply.raw);
    done(null);
  });
  instance.addHook('preClose', async () => listeners.close());
  EXPLORER.register(instance);
  const completeRoutes = useOtherMethods(instance, MAX_PARAM_LENGTH);

  const recordTypes = (caller: Caller | undefined) => ChannelRecords.documentedTypes(ledger, caller);
  serveDocument(app, { server, hasCallers: callers.isOn, recordTypes });
  await app.init();
  // The files of Swagger UI, which are registered after this, are not part of the API.
  completeRoutes();
  await instance.ready();
  return { app, listeners };
}

/** Returns the check whether a channel accepts a caller's identity. */
function authorizeOn(ledger: Ledger): Authorize {
  return async (caller, channel) => {
    await channelOf(ledger, channel).authorize(caller);
  };
}

/** Generates the document of the default configuration from the modules alone: no ledger is opened, nothing listens. */
export async function generateDocument(): Promise<OpenAPIObject> {
  const config = readConfig({});
  const options = { preview: true, logger: false } as const;
  const app = await NestFactory.create(AppModule.register(config), new FastifyAdapter(), options);
  return openApiDocument(app, config.server, config.callers.isOn);
}
