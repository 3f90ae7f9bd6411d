import { readTarget, type Socks5Target } from '../codec/address.js';
import { AddressType, AUTH_VERSION, Command, Method, Reply, SOCKS_VERSION } from '../codec/constants.js';
import { readCredentials, type Socks5Credentials } from '../codec/credentials.js';
import { encodeReply, joinBytes } from '../codec/messages.js';
import { Inbox } from './inbox.js';

export interface ServerHandshakeOptions {
  /** Whether the user name and password are right. Without it only clients that offer no authentication are served. */
  readonly authenticate?: ((credentials: Socks5Credentials) => boolean) | undefined;
}

/** What to do after a feed. Send `write`, which may be empty, first. */
export type ServerStep =
  | { readonly kind: 'wait'; readonly write: Uint8Array }
  /** Connect to `target`, then send {@link encodeReply}; `rest` came behind the request and belongs to the tunnel. */
  | { readonly kind: 'request'; readonly write: Uint8Array; readonly target: Socks5Target; readonly rest: Uint8Array }
  /** Close: the client does not speak SOCKS5, was not let in, or asked for what is not offered. */
  | { readonly kind: 'close'; readonly write: Uint8Array };

type State = 'greeting' | 'authentication' | 'request' | 'done';
type Verdict = 'missing' | 'next' | 'close' | { readonly target: Socks5Target };

const EMPTY = new Uint8Array(0);

/** The server's side of a SOCKS5 handshake (CONNECT only) as a machine without I/O; it takes one flight as well as steps. */
export class ServerHandshake {
  readonly #authenticate: ServerHandshakeOptions['authenticate'];
  readonly #inbox = new Inbox();
  #state: State = 'greeting';
  #write: Uint8Array[] = [];

  constructor({ authenticate }: ServerHandshakeOptions = {}) {
    this.#authenticate = authenticate;
  }

  /** Takes bytes from the client; they are not kept by reference, except for `rest`, which is a part of `chunk`. */
  feed(chunk: Uint8Array): ServerStep {
    this.#inbox.add(chunk);
    this.#write = [];
    let verdict = this.#read();
    while (verdict === 'next') {
      verdict = this.#read();
    }
    const write = this.#write.length === 0 ? EMPTY : joinBytes(this.#write);
    if (typeof verdict === 'object') {
      return { kind: 'request', write, target: verdict.target, rest: this.#inbox.bytes };
    }
    this.#inbox.settle();
    return { kind: verdict === 'close' ? 'close' : 'wait', write };
  }

  #read(): Verdict {
    switch (this.#state) {
      case 'greeting':
        return this.#readGreeting();
      case 'authentication':
        return this.#readCredentials();
      case 'request':
        return this.#readRequest();
      case 'done':
        return 'close';
    }
  }

  #readGreeting(): Verdict {
    const { bytes } = this.#inbox;
    const [version, count] = bytes;
    if (version !== undefined && version !== SOCKS_VERSION) {
      return this.#close();
    }
    if (count === undefined || bytes.length < 2 + count) {
      return 'missing';
    }
    const method = this.#authenticate === undefined ? Method.none : Method.password;
    if (!bytes.subarray(2, 2 + count).includes(method)) {
      return this.#close(Uint8Array.of(SOCKS_VERSION, Method.noneAcceptable));
    }
    this.#inbox.drop(2 + count);
    this.#write.push(Uint8Array.of(SOCKS_VERSION, method));
    this.#state = method === Method.none ? 'request' : 'authentication';
    return 'next';
  }

  #readCredentials(): Verdict {
    const { bytes } = this.#inbox;
    if (bytes[0] !== undefined && bytes[0] !== AUTH_VERSION) {
      return this.#close(Uint8Array.of(AUTH_VERSION, 0x01));
    }
    const read = readCredentials(bytes);
    if (read === undefined) {
      return 'missing';
    }
    if (this.#authenticate?.(read.credentials) !== true) {
      return this.#close(Uint8Array.of(AUTH_VERSION, 0x01));
    }
    this.#inbox.drop(read.end);
    this.#write.push(Uint8Array.of(AUTH_VERSION, 0x00));
    this.#state = 'request';
    return 'next';
  }

  #readRequest(): Verdict {
    const { bytes } = this.#inbox;
    const [version, command] = bytes;
    if (version !== undefined && version !== SOCKS_VERSION) {
      return this.#close();
    }
    const read = readTarget(bytes, 3);
    if (read === 'unknownType') {
      return this.#close(encodeReply(Reply.addressNotSupported));
    }
    if (read === undefined) {
      return 'missing';
    }
    if (command !== Command.connect) {
      return this.#close(encodeReply(Reply.commandNotSupported));
    }
    const { address, port } = read.target;
    if (port === 0 || (address.type === AddressType.domain && address.bytes.length === 0)) {
      return this.#close(encodeReply(Reply.generalFailure));
    }
    this.#inbox.drop(read.end);
    this.#state = 'done';
    return { target: read.target };
  }

  #close(answer: Uint8Array = EMPTY): Verdict {
    this.#write.push(answer);
    this.#state = 'done';
    return 'close';
  }
}
