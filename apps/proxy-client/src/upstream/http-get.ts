import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { Duplex } from 'node:stream';
import { connect, isIP } from 'node:net';
import { ProxyFailure } from '../failure/proxy-failure.js';
import type { ByteSource } from '../relay/byte-source.js';
import type { Target } from '../http/authority.js';
import { DirectUpstream } from './direct-upstream.js';
import type { Upstream } from './upstream.js';

const MAX_REDIRECTS = 5;
const REDIRECTS: ReadonlySet<number | undefined> = new Set([301, 302, 303, 307, 308]);

/** A file could not be loaded. Its text is for the operator. */
export class GetError extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'GetError';
  }
}

/**
 * Requests a file of the configuration, such as a list, through an upstream. Redirections are followed, but not from https to http.
 *
 * @param signal - limits the time of the whole transfer
 * @returns the answer with status 200 or 304, whose body the caller must read or destroy
 * @throws {@link GetError}
 */
export async function getThrough(
  upstream: Upstream,
  url: string,
  headers: Readonly<Record<string, string>>,
  signal: AbortSignal,
): Promise<IncomingMessage> {
  try {
    return await get(upstream, new URL(url), headers, signal);
  } catch (error) {
    throw asGetError(error, signal);
  }
}

/** Converts an error of a transfer, also while its body is read. */
export function asGetError(error: unknown, signal: AbortSignal): unknown {
  if (signal.aborted) return new GetError('the server did not answer in time', { cause: error });
  if (error instanceof ProxyFailure) return new GetError(`${error.category}: ${error.text}`, { cause: error });
  const { code } = error as NodeJS.ErrnoException;
  if (error instanceof GetError || typeof code !== 'string') return error;
  return new GetError(`the connection failed (${code})`, { cause: error });
}

async function get(
  upstream: Upstream,
  from: URL,
  headers: Readonly<Record<string, string>>,
  signal: AbortSignal,
): Promise<IncomingMessage> {
  let url = from;
  for (let count = 0; count <= MAX_REDIRECTS; count += 1) {
    const response = await getOnce(upstream, url, headers, signal);
    const { statusCode = 0, headers: received } = response;
    if (statusCode === 200 || statusCode === 304) return response;
    response.destroy();
    const next = URL.parse(received.location ?? '', url.href);
    if (!REDIRECTS.has(statusCode) || next === null) throw new GetError(`the server answered HTTP ${statusCode}`);
    if (next.protocol !== 'https:' && next.protocol !== url.protocol)
      throw new GetError('the server redirects to a URL that is not https');
    url = next;
  }
  throw new GetError(`the server redirects more than ${MAX_REDIRECTS} times`);
}

async function getOnce(
  upstream: Upstream,
  url: URL,
  headers: Readonly<Record<string, string>>,
  signal: AbortSignal,
): Promise<IncomingMessage> {
  const isTls = url.protocol === 'https:';
  const host = url.hostname.replace(/^\[|\]$/g, '');
  const port = url.port === '' ? (isTls ? 443 : 80) : Number(url.port);
  const plain = await openThrough(upstream, { host, port }, signal);
  try {
    const stream = isTls ? await secured(plain, host, signal) : plain;
    const { request } = process.getBuiltinModule('node:http');
    const sent = request({
      createConnection: () => stream,
      path: `${url.pathname}${url.search}`,
      headers: { Host: url.host, 'User-Agent': 'proxy-client', Accept: '*/*', Connection: 'close', ...headers },
      signal,
    });
    sent.end();
    const [response] = (await once(sent, 'response', { signal })) as [IncomingMessage];
    return response;
  } catch (error) {
    plain.destroy();
    throw error;
  }
}

async function secured(plain: Duplex, host: string, signal: AbortSignal): Promise<Duplex> {
  const { connect: connectTls } = process.getBuiltinModule('node:tls');
  const tls = connectTls({
    socket: plain,
    rejectUnauthorized: true,
    ...(isIP(host) === 0 && { servername: host }),
    host,
  });
  await once(tls, 'secureConnect', { signal });
  return tls;
}

/** Opens a connection to a target through an upstream, as a stream. */
async function openThrough(upstream: Upstream, target: Target, signal: AbortSignal): Promise<Duplex> {
  signal.throwIfAborted();
  if (upstream instanceof DirectUpstream) {
    // Its guard is for requests of clients: the configuration itself names this address.
    const socket = connect({ ...target, signal });
    await once(socket, 'connect');
    return socket;
  }
  return new Promise((resolve, reject) => {
    const attempt = upstream.begin(
      { target, client: {}, isHop: true },
      {
        connected: (source) => {
          signal.removeEventListener('abort', abort);
          resolve(new SourceStream(source));
        },
        failed: (failure) => {
          signal.removeEventListener('abort', abort);
          reject(failure);
        },
      },
    );
    function abort(): void {
      attempt.abort();
      reject(signal.reason as Error);
    }
    signal.addEventListener('abort', abort);
  });
}

/** A {@link ByteSource} as a stream of Node. */
class SourceStream extends Duplex {
  readonly #source: ByteSource;

  constructor(source: ByteSource) {
    super();
    this.#source = source;
    source.start({
      // The memory is used again after the call.
      read: (chunk) => this.push(Buffer.from(chunk)),
      onEnd: () => this.push(null),
      onClose: () => {
        this.destroy(source.socket.errored ?? undefined);
      },
    });
  }

  override _read(): void {
    this.#source.resume();
  }

  override _write(chunk: Buffer, _encoding: string, done: (error?: Error | null) => void): void {
    this.#source.socket.write(chunk, done);
  }

  override _final(done: () => void): void {
    this.#source.socket.end();
    done();
  }

  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    this.#source.socket.destroy();
    done(error);
  }
}
