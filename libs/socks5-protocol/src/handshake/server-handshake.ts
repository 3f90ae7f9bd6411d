import { AddressType, decodeTarget, type Socks5Target } from '../codec/address.js';
import {
  AUTH_VERSION,
  type AuthMethod,
  CONNECT,
  encodeReply,
  Method,
  readCredentials,
  Reply,
  SOCKS_VERSION,
  type Socks5Credentials,
} from '../codec/messages.js';

/** The reason why a client is not served. */
export type ServerFault =
  | 'not SOCKS5'
  | 'no acceptable authentication method'
  | 'wrong user name or password'
  | 'a command other than CONNECT'
  | 'no target, or one of an unknown type';

/** The next action after a feed. Send `write`, which may be empty, first. */
export type ServerStep =
  | { readonly kind: 'wait'; readonly write: Uint8Array }
  /** Verify the credentials, then call {@link ServerHandshake.admit}; do not feed before. */
  | { readonly kind: 'credentials'; readonly write: Uint8Array; readonly credentials: Socks5Credentials }
  /** Connect to `target`, then send {@link encodeReply}; `rest` followed the request and belongs to the tunnel. */
  | { readonly kind: 'request'; readonly write: Uint8Array; readonly target: Socks5Target; readonly rest: Buffer }
  /** Close: the client does not speak SOCKS5, was not authenticated, or requested an unsupported command or address. */
  | { readonly kind: 'close'; readonly write: Uint8Array; readonly fault: ServerFault };

type State = 'greeting' | 'authentication' | 'decision' | 'request' | 'done';

const EMPTY = new Uint8Array(0);

/**
 * The server side of a SOCKS5 handshake (CONNECT only) as a state machine without I/O (sans-IO). Clients may send their
 * messages step by step or in one flight.
 */
export class ServerHandshake {
  readonly #method: AuthMethod;
  /** Bytes that were received and not parsed. */
  #bytes = Buffer.alloc(0);
  #state: State = 'greeting';
  readonly #write: Uint8Array[] = [];

  /** @param requiresPassword - if not, only clients that offer no authentication are served */
  constructor(requiresPassword: boolean) {
    this.#method = requiresPassword ? Method.password : Method.none;
  }

  /** Processes bytes from the client. No reference to `chunk` is retained. */
  feed(chunk: Uint8Array): ServerStep {
    this.#bytes = Buffer.concat([this.#bytes, chunk]);
    return this.#advance();
  }

  /** Continues after a step of kind `credentials`. */
  admit(isValid: boolean): ServerStep {
    if (!isValid) return this.#close('wrong user name or password', Uint8Array.of(AUTH_VERSION, 0x01));
    this.#write.push(Uint8Array.of(AUTH_VERSION, 0x00));
    this.#state = 'request';
    return this.#advance();
  }

  #advance(): ServerStep {
    let step = this.#read();
    while (step === 'next') step = this.#read();
    return step;
  }

  #read(): ServerStep | 'next' {
    switch (this.#state) {
      case 'greeting':
        return this.#readGreeting();
      case 'authentication':
        return this.#readCredentials();
      case 'request':
        return this.#readRequest();
      case 'decision':
        return this.#wait();
      case 'done':
        return this.#close('not SOCKS5');
    }
  }

  #readGreeting(): ServerStep | 'next' {
    const bytes = this.#bytes;
    const [version, count] = bytes;
    if (version !== undefined && version !== SOCKS_VERSION) return this.#close('not SOCKS5');
    if (count === undefined || bytes.length < 2 + count) return this.#wait();
    const method = this.#method;
    if (!bytes.subarray(2, 2 + count).includes(method)) {
      return this.#close('no acceptable authentication method', Uint8Array.of(SOCKS_VERSION, Method.noneAcceptable));
    }
    this.#bytes = bytes.subarray(2 + count);
    this.#write.push(Uint8Array.of(SOCKS_VERSION, method));
    this.#state = method === Method.none ? 'request' : 'authentication';
    return 'next';
  }

  #readCredentials(): ServerStep {
    const bytes = this.#bytes;
    if (bytes[0] !== undefined && bytes[0] !== AUTH_VERSION) {
      return this.#close('not SOCKS5', Uint8Array.of(AUTH_VERSION, 0x01));
    }
    const read = readCredentials(bytes);
    if (read === undefined) return this.#wait();
    this.#bytes = bytes.subarray(read.end);
    this.#state = 'decision';
    return { kind: 'credentials', write: this.#written(), credentials: read.credentials };
  }

  #readRequest(): ServerStep {
    const bytes = this.#bytes;
    const [version, command] = bytes;
    if (version !== undefined && version !== SOCKS_VERSION) return this.#close('not SOCKS5');
    const read = decodeTarget(bytes, 3);
    if (read === undefined) return this.#wait();
    if (read === 'unknownType')
      return this.#close('no target, or one of an unknown type', encodeReply(Reply.addressNotSupported));
    if (command !== CONNECT) return this.#close('a command other than CONNECT', encodeReply(Reply.commandNotSupported));
    const { target, end } = read;
    if (target.port === 0 || (target.address.type === AddressType.domain && target.address.bytes.length === 0)) {
      return this.#close('no target, or one of an unknown type', encodeReply(Reply.generalFailure));
    }
    this.#state = 'done';
    return { kind: 'request', write: this.#written(), target, rest: bytes.subarray(end) };
  }

  #wait(): ServerStep {
    return { kind: 'wait', write: this.#written() };
  }

  #close(fault: ServerFault, answer: Uint8Array = EMPTY): ServerStep {
    this.#write.push(answer);
    this.#state = 'done';
    return { kind: 'close', write: this.#written(), fault };
  }

  /** Returns what must be sent since the last step. */
  #written(): Uint8Array {
    return Buffer.concat(this.#write.splice(0));
  }
}
