import type { INestApplication } from '@nestjs/common';
import { DocumentBuilder, SwaggerModule, type OpenAPIObject } from '@nestjs/swagger';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import type { FastifyReply, FastifyRequest } from 'fastify';
import helmet from 'helmet';
import type { ServerConfig } from '../config/config.js';
import { ResponseEnvelope } from '../http/envelope.dto.js';
import { hostOf, urlHost } from '../http/host-rules.js';

/** The path segment that carries the version of the interface. */
export const API_PREFIX = 'api/v1';
const DOCUMENT = 'docs-json';

type ServerObject = NonNullable<OpenAPIObject['servers']>[number];

const TAGS = {
  assets: 'Assets as they are now, and the writes that change them.',
  blockchain: 'The head of the chain.',
  transactions: 'What was recorded, and who did it.',
  history: 'What assets were before.',
  chain: 'What was recorded, block by block.',
  receipts: 'Proofs for those who have not the ledger.',
  events: 'What is committed, as it happens.',
  contracts: 'Any function of any chaincode of the channel.',
  ledger: 'The ledger as a whole.',
  callers: 'Who calls.',
  health: 'Whether the service answers.',
};
const LOGIN = {
  apiKey: 'A key of `npm run ledger -- callers add`. Needed with LEDGER_AUTH=on, taken for nothing without.',
  bearer: 'The same key, or a token of the issuer that LEDGER_JWT_ISSUER names.',
};

/**
 * Generates the API's document from controllers and DTOs, with the servers of the configuration.
 * @param hasCallers - whether callers have to log in
 */
export function openApiDocument(app: INestApplication, server: ServerConfig, hasCallers: boolean): OpenAPIObject {
  const builder = new DocumentBuilder()
    .setTitle('Asset Ledger REST API')
    .setDescription(
      'Assets on a blockchain ledger: create, read, update, transfer; chain information and transactions.',
    )
    .setVersion('1.0')
    .setLicense('Apache-2.0', 'https://www.apache.org/licenses/LICENSE-2.0')
    .addApiKey({ type: 'apiKey', in: 'header', name: 'X-API-Key', description: LOGIN.apiKey }, 'apiKey')
    .addBearerAuth(
      { type: 'http', scheme: 'bearer', bearerFormat: 'API key or JWT', description: LOGIN.bearer },
      'bearer',
    );
  for (const [tag, description] of Object.entries(TAGS)) builder.addTag(tag, description);
  const document = SwaggerModule.createDocument(app, builder.build(), { ignoreGlobalPrefix: true });
  return {
    ...closed(document),
    servers: configuredServers(urlHost(server.host), server),
    security: [...(hasCallers ? [] : [{}]), { apiKey: [] }, { bearer: [] }],
  };
}

/** Servers with a host, which generated clients need; a port that the system chooses is not known and left out. */
function configuredServers(host: string, { httpPort, httpsPort }: ServerConfig): ServerObject[] {
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
 * serverer under the same name.
 */
function serversFor({ url, protocol, headers }: FastifyRequest, server: ServerConfig): ServerObject[] {
  const name = headers.host === undefined ? undefined : hostOf(headers.host);
  if (headers.host === undefined || name === undefined || !url.startsWith(`/${DOCUMENT}`)) {
    return [serverAt('', 'The server that gave this document')];
  }
  const others = configuredServers(urlHost(name), server).filter(({ description }) => description !== protocol);
  return [serverAt(`${protocol}://${headers.host}`, protocol), ...others];
}

/** Says of each object that it has no other fields, which no decorator can say; the envelope is left open for `data`. */
function closed(document: OpenAPIObject): OpenAPIObject {
  for (const [name, schema] of Object.entries(document.components?.schemas ?? {})) {
    if (name !== ResponseEnvelope.name) Object.assign(schema, { additionalProperties: false });
  }
  return document;
}

/** Serves Swagger UI at /docs, with helmet's headers, and the document at /docs-json; it is generated when it is first asked for. */
export function serveDocument(app: NestFastifyApplication, server: ServerConfig, hasCallers: boolean): void {
  // No HSTS, since the certificate may be self-signed and http is served too; for the same reason nothing is upgraded.
  const setPageHeaders = helmet({
    strictTransportSecurity: false,
    contentSecurityPolicy: { directives: { 'upgrade-insecure-requests': null } },
  });
  app
    .getHttpAdapter()
    .getInstance()
    .addHook('onRoute', (route) => {
      if (!/^\/docs(-json)?(\/|$)/.test(route.url)) return;
      route.config = { ...route.config, isOpen: true };
      if (route.url === `/${DOCUMENT}`) return;
      const hook = (request: FastifyRequest, reply: FastifyReply, done: (error?: Error) => void): void => {
        setPageHeaders(request.raw, reply.raw, (error) => {
          done(error as Error | undefined);
        });
      };
      route.onRequest = [route.onRequest ?? [], hook].flat();
    });
  SwaggerModule.setup('docs', app, () => openApiDocument(app, server, hasCallers), {
    jsonDocumentUrl: DOCUMENT,
    raw: ['json'],
    customSiteTitle: 'Asset Ledger REST API',
    patchDocumentOnRequest: (request, _response, document) => ({
      ...document,
      servers: serversFor(request as FastifyRequest, server),
    }),
  });
}
