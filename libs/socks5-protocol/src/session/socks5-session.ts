import type { Socket } from 'node:net';
import type { Socks5Target } from '../codec/address.js';
import type { AuthMethod, Socks5Credentials } from '../codec/messages.js';
import { Socks5Error, type Socks5ErrorCode } from '../codec/socks5-error.js';
import { ClientHandshake, type ClientStep } from '../handshake/client-handshake.js';
import { startTimer } from './contain.js';

/** The receiver of what a byte source reads. */
export interface SocketReader {
  /**
   * Receives the bytes of one read. After `true` the buffer is reused at once, so bytes that are needed later must be copied.
   * After `false` reading stops and the buffer stays as it is until the source is resumed.
   */
  read(chunk: Buffer): boolean;
  /** The peer has finished sending. */
  onEnd?(): void;
  /** The socket has closed, and no call follows; `errored` of the socket is the reason, if it broke. */
  onClose?(): void;
  /**
   * A method of this reader has thrown: it ends its work with a failure. Without this method the socket is destroyed.
   */
  onDefect?(error: unknown): void;
}

/** The part of a socket that a handshake uses. */
export interface SessionSocket extends Pick<Socket, 'write' | 'errored'> {
  destroy(): unknown;
}

/** The part of a byte source that a handshake uses. */
export interface SessionSource {
  /** Connected and half-open, with an 'error' listener. */
  readonly socket: SessionSocket;
  /** Passes the bytes from now on to `reader`. */
  start(reader: SocketReader): void;
}

export interface Socks5SessionListener {
  /** The server has accepted the authentication: {@link Socks5Session.request} may be called. Only without a target. */
  ready?(): void;
  /** The server has accepted the authentication. Called before any other method, but not if an error reply came in the same read. */
  authenticated?(): void;
  /**
   * The tunnel is open. `rest` followed the reply and belongs to the tunnel.
   *
   * @returns `true` if another reader has already taken over the source; otherwise reading stops
   */
  established(rest: Buffer): boolean | undefined;
  /** The handshake failed and the socket is destroyed; called last. */
  failed(error: Socks5Error): void;
}

export interface Socks5SessionOptions {
  readonly source: SessionSource;
  readonly offer: readonly AuthMethod[];
  readonly credentials?: Socks5Credentials | undefined;
  /** Absent: authenticate, then wait for {@link Socks5Session.request}. */
  readonly target?: Socks5Target | undefined;
  /** Sends everything in the first write; requires a target and a single offered method. */
  readonly oneFlight?: boolean;
  /** Milliseconds until the reply; the time that an idle connection waits for its request does not count. 0: no limit. */
  readonly timeout: number;
  readonly listener: Socks5SessionListener;
}

/** One client handshake on a connected socket, with its timeout. */
export class Socks5Session implements SocketReader {
  readonly #socket: SessionSocket;
  readonly #handshake: ClientHandshake;
  readonly #timeout: number;
  readonly #listener: Socks5SessionListener;
  readonly #target: Socks5Target | undefined;
  #timer: NodeJS.Timeout | undefined;
  #isAuthenticated = false;
  #isFinished = false;

  /** @throws {@link Socks5Error} `INVALID_CREDENTIALS`, before anything is sent */
  constructor({ source, offer, credentials, target, oneFlight = false, timeout, listener }: Socks5SessionOptions) {
    this.#handshake = new ClientHandshake(offer, credentials);
    this.#socket = source.socket;
    this.#timeout = timeout;
    this.#listener = listener;
    this.#target = target;
    this.#startTimer();
    this.#socket.write(oneFlight && target !== undefined ? this.#handshake.oneFlight(target) : this.#handshake.greet());
    source.start(this);
  }

  /** The method that the server chose; undefined until then. */
  get method(): AuthMethod | undefined {
    return this.#handshake.method;
  }

  /** Requests `target` after `ready` was called. */
  request(target: Socks5Target): void {
    this.#startTimer();
    this.#socket.write(this.#handshake.request(target));
  }

  /** Aborts the handshake: `failed` is called with `SOCKS5.ABORTED`, unless the session is finished. */
  abort(): void {
    this.#fail('SOCKS5.ABORTED', 'The connection attempt was aborted.');
  }

  /** Fails with `SOCKS5.TIMEOUT`, unless the session is finished. */
  expire(): void {
    this.#fail('SOCKS5.TIMEOUT', 'The SOCKS5 server did not finish the handshake in time.');
  }

  read(chunk: Buffer): boolean {
    let step: ClientStep;
    if (this.#isFinished) return false;
    try {
      step = this.#handshake.feed(chunk);
    } catch (error) {
      if (!(error instanceof Socks5Error)) throw error;
      this.#end(error);
      return false;
    }
    if (!this.#isAuthenticated && this.#handshake.phase === 'request') {
      this.#isAuthenticated = true;
      this.#listener.authenticated?.();
    }
    return this.#follow(step);
  }

  onEnd(): void {
    this.#fail('SOCKS5.CLOSED', 'The SOCKS5 server closed the connection during the handshake.');
  }

  onClose(): void {
    const cause = this.#socket.errored ?? undefined;
    this.#fail('SOCKS5.CLOSED', 'The connection to the SOCKS5 server broke during the handshake.', cause);
  }

  onDefect(cause: unknown): void {
    this.#end(new Socks5Error('SOCKS5.DEFECT', 'The handshake has failed.', { phase: this.#handshake.phase, cause }));
  }

  #follow(step: ClientStep): boolean {
    switch (step.kind) {
      case 'wait':
        return true;
      case 'write':
        this.#socket.write(step.write);
        return true;
      case 'ready':
        if (this.#target !== undefined) this.#socket.write(this.#handshake.request(this.#target));
        else {
          clearTimeout(this.#timer);
          this.#listener.ready?.();
        }
        return !this.#isFinished;
      case 'done':
        this.#finish();
        return this.#listener.established(step.rest) === true;
    }
  }

  #fail(code: Socks5ErrorCode, message: string, cause?: unknown): void {
    if (!this.#isFinished) this.#end(new Socks5Error(code, message, { phase: this.#handshake.phase, cause }));
  }

  #end(error: Socks5Error): void {
    this.#finish();
    this.#socket.destroy();
    this.#listener.failed(error);
  }

  #finish(): void {
    this.#isFinished = true;
    clearTimeout(this.#timer);
  }

  #startTimer(): void {
    clearTimeout(this.#timer);
    this.#timer = startTimer(this, this.#timeout, this.expire.bind(this));
  }
}
