import type { INestApplication } from '@nestjs/common';
import { DocumentBuilder, SwaggerModule, type OpenAPIObject } from '@nestjs/swagger';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import type { FastifyReply, FastifyRequest } from 'fastify';
import helmet from 'helmet';
import type { ServerConfig } from '#ledger-config';
import type { Caller } from '../access/access.decorators.js';
import { ResponseEnvelope } from '../http/envelope.dto.js';
import { OTHER_BODIES } from '../http/operation.decorator.js';
import { hostOf, urlHost } from '../http/host-rules.js';
import type { RecordType } from '../records/record.dto.js';
import type { ContractName } from '../contracts/contract.dto.js';
import { ContractsService } from '../contracts/contracts.service.js';
import { completeChannelOperations } from './channel-operations.js';
import { pageOptions, type ShownDocument } from './docs-page.js';
import { TypedDocument } from './typed-document.js';

/** The path segment that carries the version of the interface. */
export const API_PREFIX = 'api/v1';
const DOCUMENT = 'docs-json';
const TITLE = 'Asset Ledger REST API';

type ServerObject = NonNullable<OpenAPIObject['servers']>[number];
type OperationObject = NonNullable<OpenAPIObject['paths'][string]['post']>;

const TAGS = {
  assets: 'Assets and the writes that change them.',
  blockchain: 'The head of the chain.',
  transactions: 'Recorded transactions and their creators.',
  history: 'Earlier versions of assets.',
  chain: 'Blocks and lists of transactions.',
  search: 'Suggestions while typing.',
  receipts: 'Proofs for auditors without access to the ledger.',
  events: 'A stream of committed changes.',
  records: 'Records of your own types, validated by a JSON Schema.',
  contracts: 'Any function of any chaincode of the channel.',
  ledger: 'The ledger as a whole.',
  callers: 'The authenticated caller.',
  health: 'The health of the service.',
};
const LOGIN = {
  apiKey: 'A key of `ledger-tool callers add`. Required with LEDGER_AUTH=on, otherwise ignored.',
  bearer: 'The same key, or a token of the issuer LEDGER_JWT_ISSUER.',
};

/**
 * Generates the API's document from controllers and DTOs, with the servers of the configuration.
 * @param hasCallers - whether callers must authenticate
 */
export function openApiDocument(app: INestApplication, server: ServerConfig, hasCallers: boolean): OpenAPIObject {
  const builder = new DocumentBuilder()
    .setTitle(TITLE)
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
  const document = SwaggerModule.createDocument(app, builder.build(), {
    ignoreGlobalPrefix: true,
    autoTagControllers: false,
  });
  completeChannelOperations(document);
  // Closes every object schema, which no decorator can express; the envelope stays open for `data`.
  for (const [name, schema] of Object.entries(document.components?.schemas ?? {})) {
    if (name !== ResponseEnvelope.name) Object.assign(schema, { additionalProperties: false });
  }
  for (const { post } of Object.values(document.paths)) if (post !== undefined) addOtherBodies(post);
  return {
    ...document,
    servers: configuredServers(urlHost(server.host), server),
    security: [...(hasCallers ? [] : [{}]), { apiKey: [] }, { bearer: [] }],
  };
}

function addOtherBodies(operation: OperationObject & { [OTHER_BODIES]?: object }): void {
  if (operation.requestBody !== undefined && 'content' in operation.requestBody) {
    Object.assign(operation.requestBody.content, operation[OTHER_BODIES]);
  }
  Reflect.deleteProperty(operation, OTHER_BODIES);
}

/** Servers with a host, as generated clients need them. A port that the system chooses is unknown and omitted. */
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
 * Returns the servers for a request. The page calls the server that it came from, under any name that a proxy uses for it: its
 * Content-Security-Policy permits no other. The document names the server as requested, then the other scheme under the same
 * host name.
 */
function serversFor({ url, protocol, headers }: FastifyRequest, server: ServerConfig): ServerObject[] {
  const name = headers.host === undefined ? undefined : hostOf(headers.host);
  if (headers.host === undefined || name === undefined || url.startsWith('/docs/')) {
    return [serverAt('', 'The server of this document')];
  }
  const others = configuredServers(urlHost(name), server).filter(({ description }) => description !== protocol);
  return [serverAt(`${protocol}://${headers.host}`, protocol), ...others];
}

/** Returns the document of a chaincode for the page. One that publishes no metadata has none: the page shows the reason. */
function documentOf({ chaincode }: ContractName): ShownDocument {
  return {
    name: `Chaincode ${chaincode}`,
    url: `/${API_PREFIX}/contracts/${encodeURIComponent(chaincode)}/openapi.json`,
  };
}

/** The parts of {@link serveDocument}. */
export interface DocumentParts {
  readonly server: ServerConfig;
  readonly hasCallers: boolean;
  /** Returns the record types whose operations a caller may see; undefined without authentication. */
  readonly recordTypes: (caller: Caller | undefined) => Promise<readonly RecordType[]>;
}

/**
 * Serves Swagger UI at /docs with helmet's headers, and the document at /docs-json, generated at its first request. With
 * authentication the operations on record types are shown to callers only: their schemas are data of the ledger.
 */
export function serveDocument(app: NestFastifyApplication, { server, hasCallers, recordTypes }: DocumentParts): void {
  const typesOf = new WeakMap<FastifyRequest, readonly RecordType[]>();
  const typed = app.get(TypedDocument);
  typed.use({
    generate: () => openApiDocument(app, server, hasCallers),
    serversFor: (request) => serversFor(request, server),
  });
  // No HSTS and no upgrade: the certificate may be self-signed, and http is served too.
  const setPageHeaders = helmet({
    strictTransportSecurity: false,
    contentSecurityPolicy: { directives: { 'upgrade-insecure-requests': null } },
  });
  app
    .getHttpAdapter()
    .getInstance()
    .addHook('onRoute', (route) => {
      if (!/^\/docs(-json)?(\/|$)/.test(route.url)) return;
      route.config = { ...route.config, isOpen: true, mayLogIn: true };
      if (/^\/docs(-json|\/swagger-ui-init\.js)$/.test(route.url)) {
        const readTypes = async (request: FastifyRequest): Promise<void> => {
          if (hasCallers && request.caller === undefined) return;
          typesOf.set(request, await recordTypes(request.caller));
        };
        route.onRequest = [route.onRequest ?? [], readTypes].flat();
      }
      if (route.url === `/${DOCUMENT}`) return;
      const hook = (request: FastifyRequest, reply: FastifyReply, done: (error?: Error) => void): void => {
        setPageHeaders(request.raw, reply.raw, (error) => {
          done(error as Error | undefined);
        });
      };
      route.onRequest = [route.onRequest ?? [], hook].flat();
    });
  SwaggerModule.setup('docs', app, () => typed.document, {
    jsonDocumentUrl: DOCUMENT,
    raw: ['json'],
    customSiteTitle: TITLE,
    explorer: true,
    swaggerOptions: pageOptions([
      { name: TITLE, url: `/${DOCUMENT}` },
      ...app.get(ContractsService).names().map(documentOf),
    ]),
    patchDocumentOnRequest: (request) => ({
      ...typed.withTypes(typesOf.get(request as FastifyRequest) ?? []),
      servers: serversFor(request as FastifyRequest, server),
    }),
  });
}
