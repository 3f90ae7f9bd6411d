import {
  BadRequestException,
  HttpException,
  Module,
  PayloadTooLargeException,
  type DynamicModule,
  type LoggerService,
} from '@nestjs/common';
import { APP_FILTER, APP_GUARD, NestFactory } from '@nestjs/core';
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify';
import { DocumentBuilder, SwaggerModule, type OpenAPIObject } from '@nestjs/swagger';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { Problems } from './api/activity.responses.js';
import { CheckEnd, CheckStep } from './api/routes.responses.js';
import { ACCESS_RULES, AccessGuard, RefusalFilter, sendText } from './access.guard.js';
import { refusalOfHost, type AccessRules } from './access-rules.js';
import { AdminRoutes } from './admin-routes.js';
import { ActivityController } from './activity.controller.js';
import { DASHBOARD, DashboardController } from './dashboard.controller.js';
import { EVENT_STREAMS, EventStreams } from './event-streams.js';
import { AsksController } from './asks.controller.js';
import { GateController } from './gate.controller.js';
import { MonitoringController } from './monitoring.controller.js';
import { RoutesController } from './routes.controller.js';
import { UpstreamsController } from './upstreams.controller.js';
import { PROXY_VIEW, type RemoteView } from './remote-view.js';

/** What the pages need. */
export interface PageSources {
  readonly view: RemoteView;
  readonly events: EventStreams;
  /** Returns the rules in force; a reload changes them. */
  readonly access: () => AccessRules;
}

/** The admin pages. Proxied requests do not come here. */
@Module({
  // The last one has the fallback for every other path.
  controllers: [
    MonitoringController,
    UpstreamsController,
    RoutesController,
    AsksController,
    GateController,
    ActivityController,
    DashboardController,
  ],
  providers: [
    { provide: APP_GUARD, useClass: AccessGuard },
    { provide: APP_FILTER, useClass: RefusalFilter },
  ],
})
export class AdminModule {
  /** @param routes - of the server that the pages run on */
  static forRoot({ view, events, access }: PageSources, routes: AdminRoutes): DynamicModule {
    const providers = [
      { provide: AdminRoutes, useValue: routes },
      { provide: PROXY_VIEW, useValue: view },
      { provide: EVENT_STREAMS, useValue: events },
      { provide: ACCESS_RULES, useValue: access },
    ];
    return { module: AdminModule, providers };
  }
}

/**
 * Creates the pages, with Swagger UI at /docs and the document at /docs-json.
 *
 * @returns the request handler; the Nest application itself does not listen
 */
export async function createPages(
  sources: PageSources,
): Promise<(request: IncomingMessage, response: ServerResponse) => void> {
  const app = await createApplication(sources);
  const fastify = app.getHttpAdapter().getInstance();
  checkEveryRequest(fastify, sources.access);
  DASHBOARD.register(fastify);
  SwaggerModule.setup('docs', app, openApiDocument(app), { raw: ['json'] });
  await app.init();
  await fastify.ready();
  return (request, response) => {
    fastify.routing(request, response);
  };
}

/** Generates the API document as it is committed in docs/openapi. */
export async function generateDocument(): Promise<OpenAPIObject> {
  const view = {} as RemoteView;
  const access = (): AccessRules => ({
    allowedHosts: new Set(),
    token: undefined,
    isPacOpen: false,
    hasMonitoring: true,
  });
  const app = await createApplication({ view, events: new EventStreams(view), access });
  await app.init();
  const document = openApiDocument(app);
  await app.close();
  return document;
}

async function createApplication(sources: PageSources): Promise<NestFastifyApplication> {
  const adapter = new FastifyAdapter({
    routerOptions: { ignoreTrailingSlash: false },
    // A path that cannot be decoded: no hook runs for it.
    frameworkErrors: (_error: Error, request: FastifyRequest, reply: FastifyReply) => {
      void reply.headers(HEADERS);
      const { status, text } = refusalOfHost(request.raw, sources.access()) ?? MALFORMED_PATH;
      sendText(reply, status, text);
    },
  });
  const routes = new AdminRoutes();
  adapter.getInstance().addHook('onRoute', routes.add);
  return NestFactory.create<NestFastifyApplication>(AdminModule.forRoot(sources, routes), adapter, {
    logger: errorsOnly(sources.view),
    abortOnError: false,
    bodyParser: false,
  });
}

/** Reports warnings and errors; Nest's log of modules and routes is dropped. */
function errorsOnly(view: RemoteView): LoggerService {
  const log = (message: unknown, ...details: unknown[]): void => {
    void view.report(String(message), details.map(String).join(' '));
  };
  return { log: () => undefined, warn: log, error: log, fatal: log };
}

const MALFORMED_PATH = { status: 400, text: 'The path is malformed.' };

/** The limit of a request body in characters. */
const MAX_BODY = 1024;

const HEADERS = {
  'Cache-Control': 'no-store',
  'X-Content-Type-Options': 'nosniff',
  'X-Frame-Options': 'DENY',
  'Content-Security-Policy': "default-src 'none'; frame-ancestors 'none'",
};
/** Swagger UI sets styles inline, and has images as data: URLs. The pages for people bring their own policy. */
const DOCS_POLICY =
  "default-src 'none'; script-src 'self'; connect-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; " +
  "base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/** Sets the security headers of every response, and checks the Host of every request, those to Swagger UI included. */
function checkEveryRequest(fastify: FastifyInstance, access: () => AccessRules): void {
  fastify.addHook('onRequest', (request, reply, done) => {
    void reply.headers(HEADERS);
    if (/^\/docs(?:[/?]|$)/.test(request.url)) void reply.header('Content-Security-Policy', DOCS_POLICY);
    const refusal = refusalOfHost(request.raw, access());
    if (refusal === undefined) {
      done();
      return;
    }
    if (refusal.status === 400) void reply.header('Connection', 'close');
    sendText(reply, refusal.status, refusal.text);
  });
  // Only a selection of a member and a grant have a body. Other bodies are not parsed or waited for.
  fastify.removeAllContentTypeParsers();
  fastify.addContentTypeParser('application/json', async (_request: FastifyRequest, payload: IncomingMessage) =>
    readText(payload),
  );
  fastify.addContentTypeParser('*', (_request, _payload, done) => {
    done(null);
  });
}

/** @throws PayloadTooLargeException; BadRequestException when the client leaves before the end */
async function readText(body: IncomingMessage): Promise<string> {
  let text = '';
  try {
    for await (const piece of body.setEncoding('utf8')) {
      text += String(piece);
      if (text.length > MAX_BODY) throw new PayloadTooLargeException(`The body has more than ${MAX_BODY} characters.`);
    }
    return text;
  } catch (error) {
    throw error instanceof HttpException ? error : new BadRequestException('The body was not received completely.');
  }
}

function openApiDocument(app: NestFastifyApplication): OpenAPIObject {
  const builder = new DocumentBuilder()
    .setTitle('Proxy Client Monitoring API')
    .setDescription(
      'The monitoring pages of an HTTP proxy with SOCKS5 upstreams. The proxy forwards every request that is not for /stats or /health.',
    )
    .setVersion('1.0')
    .setLicense('Apache-2.0', 'https://www.apache.org/licenses/LICENSE-2.0')
    .addTag('monitoring', 'Counters and health of the proxy.')
    .addTag('listeners', 'On the admin listener only.')
    .addTag('upstreams', 'On the admin listener only.')
    .addTag('routes', 'On the admin listener only.')
    .addTag('gate', 'Refused targets and grants. On the admin listener only.')
    .addTag('activity', 'On the admin listener only.')
    .addTag('browsers', 'On the admin listener, and on listeners with pac: true.')
    .addBearerAuth({ type: 'http', description: 'The admin token, if the admin listener requires one.' })
    // First the server of the document: for a page of localhost, 127.0.0.1 is another origin.
    .addServer('/', 'this server')
    .addServer('http://127.0.0.1:8080', 'the proxy itself');
  // An explicit empty list: these two pages need no authentication.
  // The data of events, which are in no response.
  const options = { autoTagControllers: false, extraModels: [CheckStep, CheckEnd, Problems] };
  return { ...SwaggerModule.createDocument(app, builder.build(), options), security: [] };
}
