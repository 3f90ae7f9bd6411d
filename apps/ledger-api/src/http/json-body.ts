import type { FastifyInstance, FastifyRequest, preParsingHookHandler } from 'fastify';
import { namesTwice, LedgerError } from '#ledger-gateway';
import { InvalidRequestError, UnsupportedBodyError } from './api.errors.js';

const utf8 = new TextDecoder('utf-8', { fatal: true });

/** Bodies up to this many bytes are taken however many come: a head may be as long. */
const SMALL_BODY = 16 * 1024;
/** So many bytes of longer ones may be on their way at once. */
const MOST_BODIES = 64 * 1024 * 1024;

/** A route whose body means nothing is answered whatever the body is. */
declare module 'fastify' {
  interface FastifyContextConfig {
    ignoresBody?: boolean;
  }
}

/**
 * Makes JSON in UTF-8 the only body that is taken. Fastify's own parsers (JSON that replaces bytes which are not UTF-8,
 * plain text) are removed, and Nest's (urlencoded forms) must not be registered: `bodyParser: false`.
 */
export function useJsonBodiesOnly(instance: FastifyInstance): void {
  instance.removeAllContentTypeParsers();
  instance.addContentTypeParser<Buffer>('application/json', { parseAs: 'buffer' }, (request, body, done) => {
    parseInto(done, request, body);
  });
  instance.addContentTypeParser('*', (request, _payload, done) => {
    if (request.routeOptions.config.ignoresBody === true) done(null, undefined);
    else done(new UnsupportedBodyError('The body must be JSON, with the header Content-Type: application/json.'));
  });
  instance.addHook('onRoute', (route) => {
    if (route.config?.ignoresBody === true) route.onRequest = [route.onRequest ?? [], forgetContentType].flat();
  });
}

/**
 * Bounds what is held of bodies that are not here yet: each may take half a minute to come, and be of 1 MiB. Counted is what a
 * body announces, and what it may have where it announces nothing; when that is too much together, it is told to come again.
 */
export function useBodyBudget(instance: FastifyInstance, { bodyLimit, most = MOST_BODIES }: BodyBudget): void {
  let held = 0;
  const hook: preParsingHookHandler = ({ raw }, _reply, _payload, done) => {
    const length = Number(raw.headers['content-length'] ?? bodyLimit);
    // Longer ones are refused for what they announce.
    if (length > SMALL_BODY && length <= bodyLimit) {
      if (held + length > most) {
        done(new LedgerError('LEDGER.OVERLOADED', 'As many bytes of bodies as are held are on their way.'));
        return;
      }
      held += length;
      // When it is here, or does not come any more.
      raw.once('close', () => {
        held -= length;
      });
    }
    done(null);
  };
  instance.addHook('onRoute', (route) => {
    if ([route.method].flat().some((method) => method === 'POST' || method === 'PUT')) {
      route.preParsing = [route.preParsing ?? [], hook].flat();
    }
  });
}

/** How much of bodies is held at once, in bytes. */
interface BodyBudget {
  /** The longest body. */
  readonly bodyLimit: number;
  readonly most?: number;
}

type Done = (error: Error | null, body?: unknown) => void;

function parseInto(done: Done, request: FastifyRequest, body: Uint8Array): void {
  let value: unknown;
  try {
    checkEncoding(request);
    value = parseJson(body);
  } catch (error) {
    done(error as Error);
    return;
  }
  done(null, value);
}

/** Without a type the body goes to the parser that reads nothing. */
function forgetContentType({ raw }: FastifyRequest, _reply: unknown, done: () => void): void {
  delete raw.headers['content-type'];
  done();
}

function checkEncoding({ headers }: FastifyRequest): void {
  const coding = headers['content-encoding'];
  if (coding !== undefined && coding.toLowerCase() !== 'identity') {
    throw new UnsupportedBodyError(`The body must be sent as it is, without Content-Encoding (${coding}).`);
  }
  const type = headers['content-type'] ?? '';
  if (!type.includes(';')) return;
  const charsets = type.matchAll(/;\s*charset\s*=\s*"?([^";\s]*)/gi);
  for (const [, charset = ''] of charsets) {
    if (!/^utf-?8$/i.test(charset))
      throw new UnsupportedBodyError('The body must be in UTF-8, as JSON is (RFC 8259, 8.1).');
  }
}

/**
 * Parses JSON strictly.
 * @throws {@link InvalidRequestError} for bytes that are not UTF-8, text that is not JSON, and a member that stands twice
 */
export function parseJson(body: Uint8Array): unknown {
  const text = decode(body);
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw new InvalidRequestError('The body is not valid JSON.');
  }
  if (namesTwice(text, value)) throw new InvalidRequestError('The body names a field twice.');
  return value;
}

function decode(body: Uint8Array): string {
  try {
    return utf8.decode(body);
  } catch {
    throw new InvalidRequestError('The body is not valid UTF-8.');
  }
}
