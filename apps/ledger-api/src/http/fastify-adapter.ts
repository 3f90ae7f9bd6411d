import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { FastifyAdapter } from '@nestjs/platform-fastify';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { trusts } from './client-address.js';
import { requestIds } from './request-hooks.js';

/** Longest request body in bytes. */
export const BODY_LIMIT = 1024 * 1024;
/** Longer than Node's limit for a request's head, so that no id in a path meets it. */
const MAX_PARAM_LENGTH = 16_384;

type RequestHandler = (request: IncomingMessage, response: ServerResponse) => void;

export interface AdapterOptions {
  /** Makes the http server around Fastify's handler. */
  readonly makeServer: (handler: RequestHandler) => Server;
  /** Addresses and networks whose X-Forwarded-For is believed. */
  readonly trustedProxies: readonly string[];
  /** Answers what the router refuses, such as a malformed URL. */
  readonly onRouterError: (error: Error, request: FastifyRequest, reply: FastifyReply) => void;
}

/** No route has a schema, class-validator checks bodies: so Fastify need not load ajv and fast-json-stringify, its own compilers. */
function noSchemas(): never {
  throw new Error('A route has a schema, for which there is no compiler: bodies are checked by class-validator.');
}

/** Fastify as this API needs it: every answer in one error shape, no work in a request that nobody asked for. */
export function createAdapter({ makeServer, trustedProxies, onRouterError }: AdapterOptions): FastifyAdapter {
  return new FastifyAdapter({
    serverFactory: (handler: RequestHandler) => makeServer(handler),
    trustProxy: trustedProxies.length > 0 && trusts(trustedProxies),
    frameworkErrors: onRouterError,
    // The server that is made above answers these itself; Fastify's handler would write a second answer.
    clientErrorHandler: () => undefined,
    bodyLimit: BODY_LIMIT,
    genReqId: requestIds(),
    requestIdHeader: false,
    routerOptions: { maxParamLength: MAX_PARAM_LENGTH },
    return503OnClosing: false,
    schemaController: { compilersFactory: { buildValidator: noSchemas, buildSerializer: noSchemas } },
    // There is no Nest middleware; without this each request runs through an empty chain.
    skipMiddie: true,
  });
}
