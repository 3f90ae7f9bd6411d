import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { Witness } from '#tlog';

/** Larger than a proof of 63 lines and a checkpoint with 16 signatures of 5 KB. */
const MAX_BODY_BYTES = 128 * 1024;
const REQUEST_TIMEOUT_MS = 10_000;
const MAX_CONNECTIONS = 256;

/** What the server answers. */
interface Answer {
  readonly status: number;
  readonly type?: string;
  readonly body: string;
  readonly allow?: string;
}

/**
 * Creates the HTTP interface of a witness (https://c2sp.org/tlog-witness); its read and its write paths have the same prefix.
 * @param onError - is called with errors that are no fault of a request, such as a full disk; the request is answered 500
 */
export function createWitnessServer(witness: Witness, onError: (error: unknown) => void): Server {
  const server = createServer(
    { requestTimeout: REQUEST_TIMEOUT_MS, headersTimeout: REQUEST_TIMEOUT_MS },
    (request, response) => {
      respond(witness, request)
        .catch((error: unknown): Answer => {
          // A client that left before its body was complete is no fault of the witness.
          if (!request.destroyed || request.complete) onError(error);
          return { status: 500, body: 'the witness cannot record checkpoints now\n' };
        })
        .then((answer) => {
          send(response, answer);
        }, onError);
    },
  );
  server.maxConnections = MAX_CONNECTIONS;
  return server;
}

async function respond(witness: Witness, request: IncomingMessage): Promise<Answer> {
  const pathname = URL.parse(request.url ?? '/', 'http://witness')?.pathname;
  if (pathname === undefined) return { status: 400, body: 'the request target is not a URL\n' };
  if (pathname === '/add-checkpoint') return addCheckpoint(witness, request);
  const [, originHash] = /^\/([0-9a-f]{64})\/checkpoint$/.exec(pathname) ?? [];
  if (originHash === undefined) return { status: 404, body: 'use /add-checkpoint or /ORIGIN-HASH/checkpoint\n' };
  if (request.method !== 'GET' && request.method !== 'HEAD') return notAllowed('GET, HEAD');
  return witness.checkpoint(originHash);
}

async function addCheckpoint(witness: Witness, request: IncomingMessage): Promise<Answer> {
  if (request.method !== 'POST') return notAllowed('POST');
  const body = await bodyOf(request);
  if (body === undefined) return { status: 413, body: `the body has more than ${MAX_BODY_BYTES} bytes\n` };
  return witness.addCheckpoint(body);
}

/** Returns the body; undefined if it is too long. Bytes that are not UTF-8 become characters that no signature covers. */
async function bodyOf(request: IncomingMessage): Promise<string | undefined> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > MAX_BODY_BYTES) return undefined;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

function notAllowed(allow: string): Answer {
  return { status: 405, body: `use ${allow}\n`, allow };
}

function send(response: ServerResponse, { status, type = 'text/plain; charset=utf-8', body, allow }: Answer): void {
  // The rest of a body that is too long is not read.
  const close = status === 413 ? { connection: 'close' } : {};
  response.writeHead(status, {
    ...close,
    ...(allow === undefined ? {} : { allow }),
    'cache-control': 'no-store',
    'content-type': type,
    'x-content-type-options': 'nosniff',
  });
  response.end(body);
}
