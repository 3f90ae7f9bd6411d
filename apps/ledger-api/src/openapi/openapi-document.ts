import type { INestApplication } from '@nestjs/common';
import { DocumentBuilder, SwaggerModule, type OpenAPIObject } from '@nestjs/swagger';
import { ResponseEnvelope } from '../dto/envelope.dto.js';
import type { LedgerApiConfig } from '../config/ledger-api.config.js';

/** The path segment that carries the version of the interface. */
export const API_PREFIX = 'api/v1';

/** Generates the API's document from controllers and DTOs; port 0 is left out, since it is not known yet. */
export function openApiDocument(
  app: INestApplication,
  { host, httpPort, httpsPort }: LedgerApiConfig['listen'],
): OpenAPIObject {
  const builder = new DocumentBuilder()
    .setTitle('Asset Ledger REST API')
    .setDescription(
      'Assets on a blockchain ledger: create, read, update, transfer; chain information and transactions.',
    )
    .setVersion('1.0');
  for (const tag of ['assets', 'blockchain', 'transactions', 'ledger', 'health']) builder.addTag(tag);
  // First the server that gave the document: a page of localhost may not call 127.0.0.1, another origin.
  builder.addServer(`/${API_PREFIX}`, 'The server that gave this document');
  if (httpPort !== 0) builder.addServer(`http://${urlHost(host)}:${httpPort}/${API_PREFIX}`, 'http');
  if (httpsPort !== 0) builder.addServer(`https://${urlHost(host)}:${httpsPort}/${API_PREFIX}`, 'https');
  return closed(SwaggerModule.createDocument(app, builder.build(), { ignoreGlobalPrefix: true }));
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
    jsonDocumentUrl: 'docs-json',
    raw: ['json'],
    customSiteTitle: 'Asset Ledger REST API',
  });
}

/** A host as it stands in a URL: IPv6 addresses in brackets. */
export function urlHost(host: string): string {
  return host.includes(':') ? `[${host}]` : host;
}
