import { Module, type DynamicModule, type LoggerService } from '@nestjs/common';
import { APP_FILTER, NestFactory } from '@nestjs/core';
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify';
import { SwaggerModule, type OpenAPIObject } from '@nestjs/swagger';
import { ActivityController } from './activity.controller.js';
import { EVENT_STREAMS, EventStreams } from './event-streams.js';
import { DashboardController } from './dashboard.controller.js';
import { ListenersController } from './listeners.controller.js';
import { MetricsController, MonitoringController } from './monitoring.controller.js';
import { NothingHereFilter } from './nothing-here.filter.js';
import { openApiDocument } from './openapi-document.js';
import type { PageHandler } from './page-gate.js';
import { PacController } from './pac.controller.js';
import { PROXY_VIEW, type ProxyView } from './proxy-view.js';
import { UpstreamsController } from './upstreams.controller.js';

/** What the pages are made from. */
export interface PageSources {
  readonly view: ProxyView;
  readonly events: EventStreams;
}

/** The admin pages: what the proxy shows of itself. What it forwards never comes here. */
@Module({
  controllers: [
    DashboardController,
    MonitoringController,
    ListenersController,
    UpstreamsController,
    ActivityController,
    PacController,
    MetricsController,
  ],
  providers: [{ provide: APP_FILTER, useClass: NothingHereFilter }],
})
export class AdminModule {
  static forRoot({ view, events }: PageSources): DynamicModule {
    const providers = [
      { provide: PROXY_VIEW, useValue: view },
      { provide: EVENT_STREAMS, useValue: events },
    ];
    return { module: AdminModule, providers };
  }
}

/** Takes what Nest finds wrong. */
export type TellFault = (message: string, detail: string) => void;

/**
 * Makes the pages, with /docs and /docs-json about them. The Nest application listens nowhere by itself: the thread of the pages
 * hands it the requests that it lets through.
 */
export async function createPages(sources: PageSources, tell: TellFault): Promise<PageHandler> {
  const app = await createApplication(sources, tell);
  SwaggerModule.setup('docs', app, openApiDocument(app), { raw: ['json'] });
  await app.init();
  const fastify = app.getHttpAdapter().getInstance();
  await fastify.ready();
  return (request, response) => {
    fastify.routing(request, response);
  };
}

/** The document of the monitoring API, as it is committed under docs/openapi. */
export async function generateDocument(): Promise<OpenAPIObject> {
  const nothing = async (): Promise<never> => Promise.reject(new Error('The document is made without a proxy.'));
  const view: ProxyView = {
    ...{ snapshot: nothing, metrics: nothing, upstreams: nothing, ready: nothing, reloadedAt: nothing },
    ...{ connections: nothing, endConnection: nothing, failures: nothing, pac: nothing, listeners: nothing },
  };
  const app = await createApplication({ view, events: new EventStreams(view) }, () => undefined);
  await app.init();
  const document = openApiDocument(app);
  await app.close();
  return document;
}

/** The Nest application of the pages, not initialised. */
async function createApplication(sources: PageSources, tell: TellFault): Promise<NestFastifyApplication> {
  const adapter = new FastifyAdapter({ routerOptions: { ignoreTrailingSlash: false } });
  return NestFactory.create<NestFastifyApplication>(AdminModule.forRoot(sources), adapter, {
    logger: faultsOnly(tell),
    abortOnError: false,
    bodyParser: false,
  });
}

/** Nest's account of its modules and routes is nobody's concern. */
function faultsOnly(tell: TellFault): LoggerService {
  const told = (message: unknown, ...details: unknown[]): void => {
    tell(String(message), details.map(String).join(' '));
  };
  return { log: () => undefined, warn: told, error: told, fatal: told };
}
