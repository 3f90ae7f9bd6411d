import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { FastifyAdapter } from '@nestjs/platform-fastify';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { trusts } from './client-address.js';
import { requestIds } from './request-hooks.js';

/** Longest request body in bytes. */
export const BODY_LIMIT = 1024 * 1024;
/** Longest path parameter in characters: longer than any percent-encoded id. */
const MAX_PARAM_LENGTH = 16_384;

type RequestHandler = (request: IncomingMessage, response: ServerResponse) => void;

export interface AdapterOptions {
  /** Creates the http server around Fastify's handler. */
  readonly makeServer: (handler: RequestHandler) => Server;
  /** Addresses and networks whose X-Forwarded-For is trusted. */
  readonly trustedProxies: readonly string[];
  /** Answers requests that the router refuses, such as a malformed URL. */
  readonly onRouterError: (error: Error, request: FastifyRequest, reply: FastifyReply) => void;
}

/** No route has a schema, because class-validator validates bodies. So Fastify need not load ajv and fast-json-stringify. */
function noSchemas(): never {
  throw new Error('A route has a schema, for which there is no compiler: bodies are validated by class-validator.');
}

/** Creates Nest's adapter for Fastify with the options of this API. */
export function createAdapter({ makeServer, trustedProxies, onRouterError }: AdapterOptions): FastifyAdapter {
  return new FastifyAdapter({
    serverFactory: (handler: RequestHandler) => makeServer(handler),
    trustProxy: trustedProxies.length > 0 && trusts(trustedProxies),
    frameworkErrors: onRouterError,
    // The server above answers these itself; Fastify's handler would write a second answer.
    clientErrorHandler: () => undefined,
    bodyLimit: BODY_LIMIT,
    genReqId: requestIds(),
    requestIdHeader: false,
    routerOptions: { maxParamLength: MAX_PARAM_LENGTH },
    return503OnClosing: false,
    schemaController: { compilersFactory: { buildValidator: noSchemas, buildSerializer: noSchemas } },
    // There is no Nest middleware. Without this option each request would run through an empty chain.
    skipMiddie: true,
  });
}
