import { contain, type DefectOwner } from '#socks5-protocol';
import { ProxyFailure } from '../failure/proxy-failure.js';
import { FormatError, malformed } from '../http/field-lines.js';
import { ResponseReader, type AnsweredRequest } from '../http/response-reader.js';
import type { SectionAccount } from '../http/section-memory.js';
import { MORE } from '../http/section.js';
import type { ByteSource, SourceReader } from '../relay/byte-source.js';
import { abort, type ConnectionSocket } from '../relay/connection-socket.js';
import type { ConnectQuery, Forwarding, Upstream } from '../upstream/upstream.js';

/** The exchange that a connection serves. */
export interface ConnectionUser extends DefectOwner {
  /**
   * Handles the parts of the response that one read produced.
   *
   * @param response - the parts; the pieces of the body are in `chunk`
   * @param rest - bytes after the end of the response, if there are any
   * @returns whether reading continues at once, see {@link SourceReader}
   */
  received(response: ResponsePart, chunk: Buffer, rest?: Buffer): boolean;
  /** The HTTP proxy that forwards the request has refused the credentials. */
  loginRefused(failure: ProxyFailure): void;
  /** The response is malformed, or the connection ended before it did. */
  responseFailed(error: FormatError): void;
}

/** The heads and the part of the body that one read produced. */
export type ResponsePart = Pick<ResponseReader, 'heads' | 'body'>;

const NOTHING = Buffer.alloc(0);

/** How a connection leads to its origin. */
type OriginWay = Pick<OriginConnection, 'key' | 'upstream' | 'forwarding'>;

/** Returns how a connection leads to its origin through an upstream. */
export function originWay(upstream: Upstream, query: ConnectQuery, origin: string): OriginWay {
  const forwarding = query.mayForward === true ? upstream.forwarding : undefined;
  return { key: upstream.keyFor(query, origin), upstream, forwarding };
}

/** A connection to an origin, or to an HTTP proxy that forwards to any origin. Its bytes are parsed and passed to the exchange that currently uses it. */
export class OriginConnection implements SourceReader, DefectOwner {
  /** Upstream, user and target: a connection is only reused for the same key. */
  readonly key: string;
  /** The upstream that it goes through: the member, if a group connected. */
  readonly upstream: Upstream;
  /** Present if it leads to an HTTP proxy that forwards requests in absolute-form. */
  readonly forwarding: Forwarding | undefined;
  readonly socket: ConnectionSocket;
  /** Whether a client has authenticated it: then no other client may use it. */
  isPinned = false;
  /** Whether bytes were received that belong to no response. */
  isSpoiled = false;
  /** The number of requests before the current one. */
  served = 0;
  /** The pool's time when it became idle. */
  idleSince = 0;
  /** The pool's time from which on it must not be used. */
  idleUntil = Infinity;
  readonly #link: ByteSource;
  readonly #reader: ResponseReader;
  #user: ConnectionUser | undefined;
  readonly #onClose: (connection: OriginConnection) => void;
  #isStarted = false;

  /** @param onClose - called once, when the connection has closed */
  constructor(link: ByteSource, way: OriginWay, headerBytes: number, onClose: (connection: OriginConnection) => void) {
    this.key = way.key;
    this.upstream = way.upstream;
    this.forwarding = way.forwarding;
    this.socket = link.socket;
    this.#link = link;
    this.#reader = new ResponseReader(headerBytes);
    this.#onClose = onClose;
  }

  /** Whether another request can be sent on it. */
  get isUsable(): boolean {
    return !this.socket.destroyed && this.socket.writable && !this.socket.readableEnded;
  }

  get relaysContent(): boolean {
    return this.#reader.inContent;
  }

  /** Whether the current response is complete. */
  get isAnswered(): boolean {
    return this.#reader.isIdle;
  }

  /** Whether a byte of the current response was received. */
  get isAnswerBegun(): boolean {
    return this.#reader.hasBegun;
  }

  /**
   * Passes the response to a request that was written, or is being written, to `user`.
   *
   * @param memory - is charged for the head and the trailers of the response
   */
  serve(user: ConnectionUser, request: AnsweredRequest, memory?: SectionAccount): void {
    this.#user = user;
    this.#reader.begin(request, memory);
    if (this.#isStarted) return;
    this.#isStarted = true;
    if (this.#link.early > 0) this.#fail(malformed('bytes before the request'));
    else this.#link.start(this);
  }

  /**
   * Ends the current exchange. Bytes that are received from now on belong to no response and close the connection.
   *
   * @param onReusable - called when the connection can be reused: at once, or after the bytes after the response that the
   *   kernel may hold were read. A waiting request must not be sent before, or those bytes would be its response.
   */
  free(onReusable: () => void): void {
    this.#user = undefined;
    this.#reader.release();
    this.served += 1;
    if (this.#link.drained) {
      onReusable();
      return;
    }
    // The reader that stopped reading has resumed it. In the first turn of the event loop its poll phase may be over.
    setImmediate(() => {
      setImmediate(() => {
        contain(this, () => {
          if (this.isUsable) onReusable();
        });
      });
    });
  }

  /** Resumes reading after the exchange stopped it. */
  resume(): void {
    this.#link.resume();
  }

  /** Called periodically, see {@link ByteSource.trim}. */
  trim(): void {
    this.#link.trim();
  }

  /** Hands the connection over, after 101. */
  release(): ByteSource {
    this.#user = undefined;
    this.#reader.release();
    return this.#link;
  }

  /** Closes an idle connection. */
  close(): void {
    this.#leave();
    this.socket.destroy();
  }

  /**
   * Resets a connection in the middle of an exchange. After an orderly end an origin behind a SOCKS server could continue to
   * send its response.
   */
  abort(): void {
    this.#leave();
    abort(this.socket);
  }

  read(chunk: Buffer): boolean {
    const user = this.#user;
    if (user === undefined) {
      this.socket.destroy();
      return true;
    }
    try {
      const stop = this.#reader.push(chunk, 0, chunk.length);
      const rest = stop === MORE || stop === chunk.length ? undefined : chunk.subarray(stop);
      this.isSpoiled ||= rest !== undefined;
      const refusal = this.#refusal();
      if (refusal === undefined) {
        const continues = user.received(this.#reader, chunk, rest);
        // The bounds of many small pieces would take more memory than the pieces.
        this.#reader.body.clear();
        return continues;
      }
      user.loginRefused(refusal);
      return true;
    } catch (error) {
      this.#fail(error);
      return true;
    }
  }

  onEnd(): void {
    const user = this.#user;
    if (user === undefined) {
      this.socket.destroy();
      return;
    }
    try {
      this.#reader.finish();
      user.received(this.#reader, NOTHING);
    } catch (error) {
      this.#fail(error);
    }
  }

  onClose(): void {
    this.#reader.release();
    this.#onClose(this);
    this.#user?.responseFailed(new FormatError('incomplete', 'connection broke'));
  }

  onDefect(error: unknown): void {
    const user = this.#user;
    this.abort();
    user?.onDefect(error);
  }

  #leave(): void {
    this.#user = undefined;
    this.#reader.release();
  }

  #refusal(): ProxyFailure | undefined {
    const head = this.forwarding === undefined ? undefined : this.#reader.heads.at(-1);
    return head && this.forwarding?.refusalOf(head);
  }

  #fail(error: unknown): void {
    if (!(error instanceof FormatError)) throw error;
    this.#user?.responseFailed(error);
  }
}

/** Returns the failure of a response that is malformed or incomplete; it names the HTTP proxy that forwarded it, if one did. */
export function failureOfResponse({ fault, message }: FormatError, connection?: OriginConnection): ProxyFailure {
  const failure = new ProxyFailure(`response_${fault}`, { detail: message });
  return connection?.forwarding === undefined ? failure : failure.atHop(connection.upstream.name);
}
