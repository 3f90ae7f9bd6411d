import { decodeTarget, type Socks5Target } from '../codec/address.js';
import {
  AUTH_VERSION,
  type AuthMethod,
  encodeConnectRequest,
  encodeCredentials,
  encodeGreeting,
  Method,
  Reply,
  SOCKS_VERSION,
  type Socks5Credentials,
} from '../codec/messages.js';
import { type OtherProtocol, Socks5Error, type Socks5Phase } from '../codec/socks5-error.js';

/** The next action after a feed. */
export type ClientStep =
  /** Wait for more bytes. */
  | { readonly kind: 'wait' }
  /** Send `write`, then wait. */
  | { readonly kind: 'write'; readonly write: Uint8Array }
  /** The server is ready for {@link ClientHandshake.request}. */
  | { readonly kind: 'ready' }
  /** The tunnel is open; `rest` followed the reply and belongs to it. */
  | { readonly kind: 'done'; readonly rest: Buffer };

/**
 * Returns the methods that a client offers by default: user name and password only if it has them, and never alone, since
 * some servers close the connection then.
 */
export function defaultOffer(credentials: Socks5Credentials | undefined): readonly AuthMethod[] {
  return credentials === undefined ? [Method.none] : [Method.none, Method.password];
}

type State = 'method' | 'authentication' | 'request' | 'idle';

/** The first bytes of an SSH server (`SSH-2.0-…`, RFC 4253, section 4.2) and of an HTTP server's error response. */
const OTHER_PROTOCOLS: ReadonlyMap<number, OtherProtocol> = new Map([
  [0x53, 'SSH'],
  [0x48, 'HTTP'],
]);

/**
 * The client side of a SOCKS5 handshake as a state machine without I/O (sans-IO): bytes in, bytes and steps out.
 *
 * Step by step: {@link greet}, feed until `ready`, {@link request}, feed until `done`. In one flight: {@link oneFlight},
 * which offers a single method and sends everything at once, then feed until `done`.
 */
export class ClientHandshake {
  readonly #offer: readonly AuthMethod[];
  readonly #credentials: Uint8Array | undefined;
  /** Bytes that were received and not parsed. */
  #bytes = Buffer.alloc(0);
  /** The message that is expected next; `idle` if none is. */
  #state: State = 'idle';
  #oneFlight = false;
  #method: AuthMethod | undefined;

  /**
   * @param offer - the methods offered, in order of preference
   * @param credentials - required if the offer includes user name and password
   * @throws {@link Socks5Error} `SOCKS5.INVALID_CREDENTIALS`
   */
  constructor(offer: readonly AuthMethod[], credentials?: Socks5Credentials) {
    this.#offer = offer;
    this.#credentials = credentials && encodeCredentials(credentials);
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
    this.#oneFlight = true;
    const withPassword = this.#credentials !== undefined && this.#offer.includes(Method.password);
    const credentials = withPassword ? [this.#credentials] : [];
    return Buffer.concat([this.greet(), ...credentials, encodeConnectRequest(target)]);
  }

  /**
   * Processes bytes from the server. No reference to `chunk` is retained.
   *
   * @throws {@link Socks5Error} `PROTOCOL`, `METHOD_REFUSED`, `METHOD_NOT_OFFERED`, `CREDENTIALS_REFUSED`, `REPLY`
   */
  feed(chunk: Uint8Array): ClientStep {
    this.#bytes = Buffer.concat([this.#bytes, chunk]);
    let step = this.#read();
    while (step === 'next') step = this.#read();
    return step;
  }

  /** Parses one message, if it is complete. */
  #read(): ClientStep | 'next' {
    const [version, status] = this.#bytes;
    if (this.#state === 'idle' && version !== undefined) {
      // A server cannot answer what was not sent yet.
      throw this.#error('SOCKS5.PROTOCOL', 'The server sent unexpected bytes.');
    }
    if (version === undefined) return { kind: 'wait' };
    // Some servers send the SOCKS version in the answer to the credentials.
    if (version !== SOCKS_VERSION && !(this.#state === 'authentication' && version === AUTH_VERSION)) {
      throw this.#wrongVersion(version);
    }
    if (status === undefined) return { kind: 'wait' };
    if (this.#state === 'request') return this.#readReply(status);
    this.#bytes = this.#bytes.subarray(2);
    return this.#state === 'method' ? this.#choose(status) : this.#checkAuthentication(status);
  }

  #choose(method: number): ClientStep | 'next' {
    const chosen = this.#offer.find((offered) => offered === method);
    if (method === Method.noneAcceptable) {
      throw this.#error(
        'SOCKS5.METHOD_REFUSED',
        'The SOCKS5 server accepts none of the offered authentication methods.',
      );
    }
    if (chosen === undefined || (this.#oneFlight && chosen !== this.#offer[0])) {
      throw this.#error(
        'SOCKS5.METHOD_NOT_OFFERED',
        'The SOCKS5 server chose an authentication method that was not offered.',
      );
    }
    this.#method = chosen;
    if (chosen === Method.none || this.#credentials === undefined) return this.#authenticated();
    this.#state = 'authentication';
    return this.#after({ kind: 'write', write: this.#credentials });
  }

  #checkAuthentication(status: number): ClientStep | 'next' {
    if (status !== 0x00) {
      throw this.#error('SOCKS5.CREDENTIALS_REFUSED', 'The SOCKS5 server refused the user name and password.');
    }
    return this.#authenticated();
  }

  #authenticated(): ClientStep | 'next' {
    this.#state = this.#oneFlight ? 'request' : 'idle';
    return this.#after({ kind: 'ready' });
  }

  /** Returns the step after a message, which must be the last one unless everything was sent in one flight. */
  #after(step: ClientStep): ClientStep | 'next' {
    if (this.#oneFlight) return 'next';
    if (this.#bytes.length > 0) throw this.#error('SOCKS5.PROTOCOL', 'The server sent unexpected bytes.');
    return step;
  }

  #readReply(code: number): ClientStep {
    // The code alone decides: servers that fail omit or garble what follows.
    if (code !== Reply.succeeded) {
      throw new Socks5Error('SOCKS5.REPLY', `The SOCKS5 server answered with reply 0x${hex(code)}.`, {
        phase: 'request',
        replyCode: code,
      });
    }
    const read = decodeTarget(this.#bytes, 3);
    if (read === undefined) return { kind: 'wait' };
    if (read === 'unknownType') {
      throw this.#error('SOCKS5.PROTOCOL', 'The reply of the SOCKS5 server contains an unknown address type.');
    }
    this.#state = 'idle';
    return { kind: 'done', rest: this.#bytes.subarray(read.end) };
  }

  #wrongVersion(version: number): Socks5Error {
    const protocol = this.#method === undefined ? OTHER_PROTOCOLS.get(version) : undefined;
    const what = protocol === undefined ? `answered with version 0x${hex(version)}, not as` : `speaks ${protocol}, not`;
    return new Socks5Error('SOCKS5.PROTOCOL', `The server ${what} SOCKS5.`, { phase: this.phase, protocol });
  }

  #error(code: Socks5Error['code'], message: string): Socks5Error {
    return new Socks5Error(code, message, { phase: this.phase });
  }
}

function hex(byte: number): string {
  return byte.toString(16).padStart(2, '0');
}
