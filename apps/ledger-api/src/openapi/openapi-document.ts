import type { INestApplication } from '@nestjs/common';
import { DocumentBuilder, SwaggerModule, type OpenAPIObject } from '@nestjs/swagger';
import type { FastifyRequest } from 'fastify';
import { ResponseEnvelope } from '../dto/envelope.dto.js';
import type { LedgerApiConfig } from '../config/ledger-api.config.js';
import { hostOf } from '../http/host-rules.js';

/** The path segment that carries the version of the interface. */
export const API_PREFIX = 'api/v1';
const DOCUMENT = 'docs-json';

type ServerObject = NonNullable<OpenAPIObject['servers']>[number];

type Listen = LedgerApiConfig['listen'];

/** Generates the API's document from controllers and DTOs, with the servers of the configuration. */
export function openApiDocument(app: INestApplication, listen: Listen): OpenAPIObject {
  const builder = new DocumentBuilder()
    .setTitle('Asset Ledger REST API')
    .setDescription(
      'Assets on a blockchain ledger: create, read, update, transfer; chain information and transactions.',
    )
    .setVersion('1.0');
  for (const tag of ['assets', 'blockchain', 'transactions', 'ledger', 'health']) builder.addTag(tag);
  const document = SwaggerModule.createDocument(app, builder.build(), { ignoreGlobalPrefix: true });
  return { ...closed(document), servers: configuredServers(urlHost(listen.host), listen) };
}

/** Servers with a host, which generated clients need; a port that the system chooses is not known and left out. */
function configuredServers(host: string, { httpPort, httpsPort }: Listen): ServerObject[] {
  const ports = { http: httpPort, https: httpsPort };
  return (['http', 'https'] as const)
    .filter((scheme) => ports[scheme] !== 0)
    .map((scheme) => serverAt(`${scheme}://${host}:${ports[scheme]}`, scheme));
}

function serverAt(origin: string, description: string): ServerObject {
  return { url: `${origin}/${API_PREFIX}`, description };
}

/**
 * The servers for whoever asks. The page calls the server that it came from, whatever that is called in front of a proxy:
 * its Content-Security-Policy lets it call no other. The document names the server as it was asked for, then the other
 * listener under the same name.
 */
function serversFor({ url, protocol, headers }: FastifyRequest, listen: Listen): ServerObject[] {
  const name = headers.host === undefined ? undefined : hostOf(headers.host);
  if (headers.host === undefined || name === undefined || !url.startsWith(`/${DOCUMENT}`)) {
    return [serverAt('', 'The server that gave this document')];
  }
  const others = configuredServers(urlHost(name), listen).filter(({ description }) => description !== protocol);
  return [serverAt(`${protocol}://${headers.host}`, protocol), ...others];
}

/** Says of each object that it has no other fields, which no decorator can say; the envelope is left open for `data`. */
function closed(document: OpenAPIObject): OpenAPIObject {
  for (const [name, schema] of Object.entries(document.components?.schemas ?? {})) {
    if (name !== ResponseEnvelope.name) Object.assign(schema, { additionalProperties: false });
  }
  return document;
}

/** Serves Swagger UI at /docs and the document at /docs-json; it is generated when it is first asked for. */
export function serveDocument(app: INestApplication, { listen }: LedgerApiConfig): void {
  SwaggerModule.setup('docs', app, () => openApiDocument(app, listen), {
    jsonDocumentUrl: DOCUMENT,
    raw: ['json'],
    customSiteTitle: 'Asset Ledger REST API',
    patchDocumentOnRequest: (request, _response, document) => ({
      ...document,
      servers: serversFor(request as FastifyRequest, listen),
    }),
  });
}

/** A host as it stands in a URL: IPv6 addresses in brackets. */
export function urlHost(host: string): string {
  return host.includes(':') ? `[${host}]` : host;
}
