import { readTarget, type Socks5Target } from '../codec/address.js';
import {
  AddressType,
  AUTH_VERSION,
  type AuthMethod,
  Command,
  Method,
  Reply,
  SOCKS_VERSION,
} from '../codec/constants.js';
import { encodeReply, readCredentials, type Socks5Credentials } from '../codec/messages.js';
import { Inbox } from './inbox.js';

export interface ServerHandshakeOptions {
  /** Whether clients must send a user name and password; if not, only clients that offer no authentication are served. */
  readonly requiresPassword: boolean;
}

/** The reason why a client is not served. */
export type ServerFault = 'version' | 'method' | 'credentials' | 'command' | 'address';

/** The next action after a feed. Send `write`, which may be empty, first. */
export type ServerStep =
  | { readonly kind: 'wait'; readonly write: Uint8Array }
  /** Verify the credentials, then call {@link ServerHandshake.admit}; do not feed before. */
  | { readonly kind: 'credentials'; readonly write: Uint8Array; readonly credentials: Socks5Credentials }
  /** Connect to `target`, then send {@link encodeReply}; `rest` followed the request and belongs to the tunnel. */
  | { readonly kind: 'request'; readonly write: Uint8Array; readonly target: Socks5Target; readonly rest: Uint8Array }
  /** Close: the client does not speak SOCKS5, was not authenticated, or requested an unsupported command or address. */
  | { readonly kind: 'close'; readonly write: Uint8Array; readonly fault: ServerFault };

type State = 'greeting' | 'authentication' | 'decision' | 'request' | 'done';
type Verdict =
  | 'missing'
  | 'next'
  | { readonly fault: ServerFault }
  | { readonly credentials: Socks5Credentials }
  | { readonly target: Socks5Target };

const EMPTY = new Uint8Array(0);

/**
 * The server side of a SOCKS5 handshake (CONNECT only) as a state machine without I/O (sans-IO). Clients may send their
 * messages step by step or in one flight.
 */
export class ServerHandshake {
  readonly #method: AuthMethod;
  readonly #inbox = new Inbox();
  #state: State = 'greeting';
  #write: Uint8Array[] = [];

  constructor({ requiresPassword }: ServerHandshakeOptions) {
    this.#method = requiresPassword ? Method.password : Method.none;
  }

  /** Processes bytes from the client. No reference to `chunk` is retained, except for `rest`, which is a part of it. */
  feed(chunk: Uint8Array): ServerStep {
    this.#inbox.add(chunk);
    this.#write = [];
    return this.#advance();
  }

  /** Continues after a step of kind `credentials`. */
  admit(isValid: boolean): ServerStep {
    this.#write = [Uint8Array.of(AUTH_VERSION, isValid ? 0x00 : 0x01)];
    this.#state = isValid ? 'request' : 'done';
    return isValid ? this.#advance() : { kind: 'close', write: this.#written(), fault: 'credentials' };
  }

  #advance(): ServerStep {
    let verdict = this.#read();
    while (verdict === 'next') verdict = this.#read();
    const write = this.#written();
    if (typeof verdict === 'object' && 'target' in verdict) {
      return { kind: 'request', write, target: verdict.target, rest: this.#inbox.bytes };
    }
    this.#inbox.copy();
    if (verdict === 'missing') return { kind: 'wait', write };
    return 'fault' in verdict ? { kind: 'close', write, ...verdict } : { kind: 'credentials', write, ...verdict };
  }

  #written(): Uint8Array {
    return this.#write.length === 0 ? EMPTY : Buffer.concat(this.#write);
  }

  #read(): Verdict {
    switch (this.#state) {
      case 'greeting':
        return this.#readGreeting();
      case 'authentication':
        return this.#readCredentials();
      case 'request':
        return this.#readRequest();
      case 'decision':
        return 'missing';
      case 'done':
        return { fault: 'version' };
    }
  }

  #readGreeting(): Verdict {
    const { bytes } = this.#inbox;
    const [version, count] = bytes;
    if (version !== undefined && version !== SOCKS_VERSION) {
      return this.#close('version');
    }
    if (count === undefined || bytes.length < 2 + count) {
      return 'missing';
    }
    const method = this.#method;
    if (!bytes.subarray(2, 2 + count).includes(method)) {
      return this.#close('method', Uint8Array.of(SOCKS_VERSION, Method.noneAcceptable));
    }
    this.#inbox.drop(2 + count);
    this.#write.push(Uint8Array.of(SOCKS_VERSION, method));
    this.#state = method === Method.none ? 'request' : 'authentication';
    return 'next';
  }

  #readCredentials(): Verdict {
    const { bytes } = this.#inbox;
    if (bytes[0] !== undefined && bytes[0] !== AUTH_VERSION) {
      return this.#close('version', Uint8Array.of(AUTH_VERSION, 0x01));
    }
    const read = readCredentials(bytes);
    if (read === undefined) {
      return 'missing';
    }
    this.#inbox.drop(read.end);
    this.#state = 'decision';
    return { credentials: read.credentials };
  }

  #readRequest(): Verdict {
    const { bytes } = this.#inbox;
    const [version, command] = bytes;
    if (version !== undefined && version !== SOCKS_VERSION) {
      return this.#close('version');
    }
    const read = readTarget(bytes, 3);
    if (read === 'unknownType') {
      return this.#close('address', encodeReply(Reply.addressNotSupported));
    }
    if (read === undefined) {
      return 'missing';
    }
    if (command !== Command.connect) {
      return this.#close('command', encodeReply(Reply.commandNotSupported));
    }
    const { address, port } = read.target;
    if (port === 0 || (address.type === AddressType.domain && address.bytes.length === 0)) {
      return this.#close('address', encodeReply(Reply.generalFailure));
    }
    this.#inbox.drop(read.end);
    this.#state = 'done';
    return { target: read.target };
  }

  #close(fault: ServerFault, answer: Uint8Array = EMPTY): Verdict {
    this.#write.push(answer);
    this.#state = 'done';
    return { fault };
  }
}
