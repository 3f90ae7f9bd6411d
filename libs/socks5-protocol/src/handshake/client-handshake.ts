import { type Socks5Target, targetEnd, UNKNOWN_TYPE } from '../codec/address.js';
import { AUTH_VERSION, type AuthMethod, Method, Reply, SOCKS_VERSION } from '../codec/constants.js';
import {
  encodeConnectRequest,
  encodeCredentials,
  encodeFlight,
  encodeGreeting,
  type Socks5Credentials,
} from '../codec/messages.js';
import { type OtherProtocol, Socks5Error, type Socks5Phase } from '../codec/socks5-error.js';
import { Inbox } from './inbox.js';

export interface ClientHandshakeOptions {
  /** The methods offered, in order of preference. */
  readonly offer: readonly AuthMethod[];
  /** Required when the offer includes user name and password. */
  readonly credentials?: Socks5Credentials | undefined;
}

/** The next action after a feed. */
export type ClientStep =
  /** Wait for more bytes. */
  | { readonly kind: 'wait' }
  /** Send `write`, then wait. */
  | { readonly kind: 'write'; readonly write: Uint8Array }
  /** The server is ready for {@link ClientHandshake.request}. */
  | { readonly kind: 'ready' }
  /** The tunnel is open; `rest` followed the reply and belongs to it. */
  | { readonly kind: 'done'; readonly rest: Uint8Array };

/**
 * Returns the methods that a client offers by default: user name and password only if it has them, and never alone, since
 * some servers close the connection then.
 */
export function defaultOffer(credentials: Socks5Credentials | undefined): readonly AuthMethod[] {
  return credentials === undefined ? [Method.none] : [Method.none, Method.password];
}

type State = 'start' | 'method' | 'authentication' | 'ready' | 'request' | 'done';

/** The first bytes of an SSH server (`SSH-2.0-…`, RFC 4253, section 4.2) and of an HTTP server's error response. */
const OTHER_PROTOCOLS: ReadonlyMap<number, OtherProtocol> = new Map([
  [0x53, 'SSH'],
  [0x48, 'HTTP'],
]);

const WAIT: ClientStep = { kind: 'wait' };
const READY: ClientStep = { kind: 'ready' };
const NO_BYTES = new Uint8Array(0);

/**
 * The client side of a SOCKS5 handshake as a state machine without I/O (sans-IO): bytes in, bytes and steps out.
 *
 * Step by step: {@link greet}, feed until `ready`, {@link request}, feed until `done`. In one flight: {@link oneFlight},
 * which offers a single method and sends everything at once, then feed until `done`.
 */
export class ClientHandshake {
  readonly #offer: readonly AuthMethod[];
  readonly #credentials: Uint8Array | undefined;
  readonly #inbox = new Inbox();
  #state: State = 'start';
  #oneFlight = false;
  #method: AuthMethod | undefined;

  /** @throws {@link Socks5Error} `SOCKS5.INVALID_CREDENTIALS` */
  constructor({ offer, credentials }: ClientHandshakeOptions) {
    this.#offer = offer;
    this.#credentials = credentials === undefined ? undefined : encodeCredentials(credentials);
    if (offer.includes(Method.password) && credentials === undefined) {
      throw new Socks5Error('SOCKS5.INVALID_CREDENTIALS', 'User name and password are offered but missing.');
    }
  }

  /** The method that the server chose; undefined until then. */
  get method(): AuthMethod | undefined {
    return this.#method;
  }

  /** The current step, for errors. */
  get phase(): Socks5Phase {
    return this.#state === 'authentication' ? 'authentication' : this.#method === undefined ? 'method' : 'request';
  }

  /** Returns the first message. */
  greet(): Uint8Array {
    this.#state = 'method';
    return encodeGreeting(this.#offer);
  }

  /** Returns the request, to be sent after the step `ready`. */
  request(target: Socks5Target): Uint8Array {
    this.#state = 'request';
    return encodeConnectRequest(target);
  }

  /** Returns greeting, credentials (if they are the method) and request as one message. The offer must be a single method. */
  oneFlight(target: Socks5Target): Uint8Array {
    this.#state = 'method';
    this.#oneFlight = true;
    const method = this.#offer.includes(Method.password) ? Method.password : Method.none;
    return encodeFlight(method, method === Method.password ? this.#credentials : undefined, target);
  }

  /**
   * Processes bytes from the server. No reference to `chunk` is retained, except for `rest`, which is a part of it.
   *
   * @throws {@link Socks5Error} `PROTOCOL`, `METHOD_REFUSED`, `METHOD_NOT_OFFERED`, `CREDENTIALS_REFUSED`, `REPLY`
   */
  feed(chunk: Uint8Array): ClientStep {
    this.#inbox.add(chunk);
    const step = this.#advance();
    if (step.kind !== 'done') {
      this.#inbox.copy();
    }
    return step;
  }

  #advance(): ClientStep {
    for (;;) {
      const before = this.#state;
      const step = this.#read();
      if (step !== undefined || this.#state === before) {
        return step ?? WAIT;
      }
    }
  }

  /** Parses one message, if it is complete. */
  #read(): ClientStep | undefined {
    switch (this.#state) {
      case 'method':
        return this.#readMethod();
      case 'authentication':
        return this.#readAuthentication();
      case 'request':
        return this.#readReply();
      case 'start':
      case 'ready':
      case 'done':
        this.#expectEmpty();
        return undefined;
    }
  }

  #readMethod(): ClientStep | undefined {
    const [version, method] = this.#inbox.bytes;
    this.#expectVersion(version, SOCKS_VERSION);
    if (method === undefined) {
      return undefined;
    }
    if (method === Method.noneAcceptable) {
      throw this.#error(
        'SOCKS5.METHOD_REFUSED',
        'The SOCKS5 server accepts none of the offered authentication methods.',
      );
    }
    const chosen = this.#offer.find((offered) => offered === method);
    if (chosen === undefined || (this.#oneFlight && chosen !== this.#offer[0])) {
      throw this.#error(
        'SOCKS5.METHOD_NOT_OFFERED',
        'The SOCKS5 server chose an authentication method that was not offered.',
      );
    }
    this.#inbox.drop(2);
    this.#method = chosen;
    if (chosen === Method.none || this.#credentials === undefined) {
      return this.#authenticated();
    }
    this.#state = 'authentication';
    return this.#oneFlight ? undefined : this.#whenEmpty({ kind: 'write', write: this.#credentials });
  }

  #readAuthentication(): ClientStep | undefined {
    const [version, status] = this.#inbox.bytes;
    // Some servers send the SOCKS version in the answer to the credentials.
    this.#expectVersion(version, version === SOCKS_VERSION ? SOCKS_VERSION : AUTH_VERSION);
    if (status === undefined) {
      return undefined;
    }
    if (status !== 0x00) {
      throw this.#error('SOCKS5.CREDENTIALS_REFUSED', 'The SOCKS5 server refused the user name and password.');
    }
    this.#inbox.drop(2);
    return this.#authenticated();
  }

  #authenticated(): ClientStep | undefined {
    this.#state = this.#oneFlight ? 'request' : 'ready';
    return this.#oneFlight ? undefined : this.#whenEmpty(READY);
  }

  #readReply(): ClientStep | undefined {
    const { bytes } = this.#inbox;
    const [version, code] = bytes;
    this.#expectVersion(version, SOCKS_VERSION);
    if (code === undefined) {
      return undefined;
    }
    // The code alone decides: servers that fail omit or garble what follows.
    if (code !== Reply.succeeded) {
      throw new Socks5Error('SOCKS5.REPLY', `The SOCKS5 server answered with reply 0x${hex(code)}.`, {
        phase: 'request',
        replyCode: code,
      });
    }
    const end = targetEnd(bytes, 3);
    if (end === UNKNOWN_TYPE) {
      throw this.#error('SOCKS5.PROTOCOL', 'The reply of the SOCKS5 server contains an unknown address type.');
    }
    if (end === undefined) {
      return undefined;
    }
    this.#state = 'done';
    return { kind: 'done', rest: end === bytes.length ? NO_BYTES : bytes.subarray(end) };
  }

  /** Returns the step if no bytes are left: a server cannot answer what was not sent yet. */
  #whenEmpty(step: ClientStep): ClientStep {
    this.#expectEmpty();
    return step;
  }

  #expectEmpty(): void {
    if (this.#inbox.bytes.length > 0) {
      throw this.#error('SOCKS5.PROTOCOL', 'The server sent unexpected bytes.');
    }
  }

  #expectVersion(version: number | undefined, expected: number): void {
    if (version === undefined || version === expected) {
      return;
    }
    const protocol = this.#method === undefined ? OTHER_PROTOCOLS.get(version) : undefined;
    const what = protocol === undefined ? `answered with version 0x${hex(version)}, not as` : `speaks ${protocol}, not`;
    throw new Socks5Error('SOCKS5.PROTOCOL', `The server ${what} SOCKS5.`, { phase: this.phase, protocol });
  }

  #error(code: Socks5Error['code'], message: string): Socks5Error {
    return new Socks5Error(code, message, { phase: this.phase });
  }
}

function hex(byte: number): string {
  return byte.toString(16).padStart(2, '0');
}
