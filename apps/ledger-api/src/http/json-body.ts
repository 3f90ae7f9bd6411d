import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import type { FastifyInstance, FastifyRequest, preParsingHookHandler } from 'fastify';
import { GrowingBuffer } from '#bulk-data';
import { isDeeper, namesTwice, withExactNumbers } from '#json';
import { LedgerError } from '#ledger-gateway';
import { ApiError, invalidRequest } from './errors.js';

const utf8 = new TextDecoder('utf-8', { fatal: true });

/** Longest request body in bytes. */
export const BODY_LIMIT = 1024 * 1024;
/** Bodies up to this many bytes are not counted in the budget. */
const SMALL_BODY = 16 * 1024;
/** The budget in bytes for all longer bodies that are being received. */
const BODY_BUDGET = 64 * 1024 * 1024;

/** Most levels of a value whose numbers keep their digits: its parser calls itself for each. */
const MAX_EXACT_DEPTH = 256;

/** The media type of one JSON value per line. */
export const NDJSON = 'application/x-ndjson';
/** Most bytes in memory of a body that is read line by line; the body itself may be longer. */
const LINES_MEMORY = 4 * 1024 * 1024;

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Whether the route ignores its body, of whatever type. */
    ignoresBody?: boolean;
    /** Whether the route passes the JSON text of its body on, because parsing could alter a number. */
    keepsJsonText?: boolean;
    /** Whether the numbers of the body keep their digits: see `withExactNumbers`. */
    keepsDigits?: boolean;
    /** Whether the route reads a body of JSON lines from the request itself. */
    readsLines?: boolean;
  }
}

/** Adds a hook to the routes of methods that have a body: reads need not run it. Call it before the first route is registered. */
export function addBodyHook(instance: FastifyInstance, hook: preParsingHookHandler): void {
  instance.addHook('onRoute', (route) => {
    const hasBody = [route.method].flat().some((method) => method !== 'GET' && method !== 'HEAD');
    if (hasBody) route.preParsing = [route.preParsing ?? [], hook].flat();
  });
}

/** Returns the type of a body by which a route may be selected; all other types are one. */
export function bodyTypeOf({ headers }: IncomingMessage): string {
  return /^application\/x-ndjson[ \t]*(;|$)/i.test(headers['content-type'] ?? '') ? NDJSON : '';
}

/**
 * Makes JSON in UTF-8 the only accepted body, and JSON lines where a route reads them. Fastify's own parsers (JSON with invalid UTF-8 replaced, plain text) are
 * removed, and Nest's (urlencoded forms) must not be registered: `bodyParser: false`.
 */
export function useJsonBodiesOnly(instance: FastifyInstance): void {
  instance.removeAllContentTypeParsers();
  instance.addContentTypeParser('application/json', async (request: FastifyRequest, payload: IncomingMessage) => {
    const body = await readBody(payload, request.routeOptions.bodyLimit);
    checkEncoding(request);
    const { keepsJsonText, keepsDigits } = request.routeOptions.config;
    return keepsJsonText === true ? decodeText(body) : parseJson(body, { keepsDigits });
  });
  instance.addContentTypeParser(NDJSON, (request, _payload, done) => {
    try {
      if (request.routeOptions.config.readsLines !== true) throw new ApiError('API.UNSUPPORTED_BODY');
      checkEncoding(request);
      done(null, undefined);
    } catch (error) {
      done(error as Error);
    }
  });
  instance.addContentTypeParser('*', (request, _payload, done) => {
    if (request.routeOptions.config.ignoresBody === true) done(null, undefined);
    else done(new ApiError('API.UNSUPPORTED_BODY'));
  });
  addBodyHook(instance, ({ raw, routeOptions }, _reply, _payload, done) => {
    // Without a type, the body is passed to the parser that reads nothing.
    if (routeOptions.config.ignoresBody === true) delete raw.headers['content-type'];
    done(null);
  });
}

/**
 * Reads a body into one buffer, at the same cost per byte in whatever pieces it arrives. (Fastify's own reader stores each piece.)
 * @param limit - most bytes of the body
 * @throws `API.BODY_TOO_LARGE`; `API.INVALID_REQUEST` when the connection breaks
 */
async function readBody(body: IncomingMessage, limit: number): Promise<Buffer> {
  if (Number(body.headers['content-length'] ?? 0) > limit) throw new ApiError('API.BODY_TOO_LARGE');
  const bytes = new GrowingBuffer();
  return new Promise((resolve, reject) => {
    const add = (piece: Buffer): void => {
      if (bytes.length + piece.length <= limit) {
        bytes.add(piece);
        return;
      }
      body.off('data', add);
      reject(new ApiError('API.BODY_TOO_LARGE'));
    };
    body.on('data', add).resume();
    body.once('end', () => {
      resolve(bytes.take());
    });
    body.once('error', () => {
      reject(invalidRequest('The body was not received completely.'));
    });
  });
}

/**
 * Bounds the memory of bodies that are being received: each may take half a minute and be 1 MiB long. A body counts with its
 * announced length, or with the longest possible one; requests beyond the budget are refused and may be retried.
 */
export function useBodyBudget(instance: FastifyInstance, { bodyLimit = BODY_LIMIT, budget = BODY_BUDGET } = {}): void {
  let reserved = 0;
  addBodyHook(instance, ({ raw, routeOptions }, reply, _payload, done) => {
    const isChunked = raw.headers['transfer-encoding'] !== undefined;
    const readsLines = routeOptions.config.readsLines === true;
    const announced = isChunked ? bodyLimit : Number(raw.headers['content-length'] ?? 0);
    const length = readsLines ? linesMemory(raw.headers) : announced;
    // Longer bodies are refused by Fastify.
    if (length > SMALL_BODY && (readsLines || length <= bodyLimit)) {
      if (reserved + length > budget) {
        done(new LedgerError('LEDGER.OVERLOADED', 'The budget for bodies that are being received is used up.'));
        return;
      }
      reserved += length;
      const release = once(() => {
        reserved -= length;
      });
      // Of a request whose response is complete before its body, Node reports no end when the client leaves.
      raw.once('close', release);
      reply.raw.once('close', release);
    }
    done(null);
  });
}

/** Returns a function that does something at its first call only. */
function once(action: () => void): () => void {
  let isDone = false;
  return () => {
    if (!isDone) action();
    isDone = true;
  };
}

function linesMemory({ 'content-length': length }: IncomingHttpHeaders): number {
  return Math.min(Number(length ?? LINES_MEMORY), LINES_MEMORY);
}

function checkEncoding({ headers }: FastifyRequest): void {
  const coding = headers['content-encoding'];
  if (coding !== undefined && coding.toLowerCase() !== 'identity') {
    throw new ApiError('API.UNSUPPORTED_BODY', 'The body must be sent without Content-Encoding.');
  }
  const type = headers['content-type'] ?? '';
  if (!type.includes(';')) return;
  for (const [, charset = ''] of type.matchAll(/;\s*charset\s*=\s*"?([^";\s]*)/gi)) {
    if (!/^utf-?8$/i.test(charset)) {
      throw new ApiError('API.UNSUPPORTED_BODY', 'The body must be in UTF-8 (RFC 8259, section 8.1).');
    }
  }
}

/** Options of {@link parseJson}. */
interface ParseOptions {
  /** Is parsed, for the error. */
  readonly what?: string;
  /** Whether numbers keep their digits. Not below {@link MAX_EXACT_DEPTH} levels. */
  readonly keepsDigits?: boolean | undefined;
}

/**
 * Parses JSON strictly.
 * @throws `API.INVALID_REQUEST` for bytes that are not UTF-8, text that is not JSON, and a repeated member
 */
export function parseJson(body: Uint8Array, { what = 'The body', keepsDigits = false }: ParseOptions = {}): unknown {
  const text = decodeText(body, what);
  const value = orRefused<unknown>(() => JSON.parse(text), `${what} is not valid JSON.`);
  if (namesTwice(text, value)) throw invalidRequest(`${what} names a field twice.`);
  return keepsDigits && !isDeeper(value, MAX_EXACT_DEPTH) ? withExactNumbers(text, value) : value;
}

/** @throws `API.INVALID_REQUEST` for bytes that are not UTF-8 */
export function decodeText(body: Uint8Array, what = 'The body'): string {
  return orRefused(() => utf8.decode(body), `${what} is not valid UTF-8.`);
}

function orRefused<T>(parse: () => T, message: string): T {
  try {
    return parse();
  } catch {
    throw invalidRequest(message);
  }
}
