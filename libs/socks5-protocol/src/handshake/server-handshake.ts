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
import { readCredentials, type Socks5Credentials } from '../codec/credentials.js';
import { encodeReply, joinBytes } from '../codec/messages.js';
import { Inbox } from './inbox.js';

export interface ServerHandshakeOptions {
  /** Whether clients have to name a user and a password; if not, only those that offer no authentication are served. */
  readonly wantsPassword?: boolean | undefined;
}

/** Why a client is not served: its version, its methods, its credentials, its command, its address. */
export type ServerFault = 'version' | 'method' | 'credentials' | 'command' | 'address';

/** What to do after a feed. Send `write`, which may be empty, first. */
export type ServerStep =
  | { readonly kind: 'wait'; readonly write: Uint8Array }
  /** Find out whether the credentials are right, then call {@link ServerHandshake.admit}; feed nothing before. */
  | { readonly kind: 'credentials'; readonly write: Uint8Array; readonly credentials: Socks5Credentials }
  /** Connect to `target`, then send {@link encodeReply}; `rest` came behind the request and belongs to the tunnel. */
  | { readonly kind: 'request'; readonly write: Uint8Array; readonly target: Socks5Target; readonly rest: Uint8Array }
  /** Close: the client does not speak SOCKS5, was not let in, or asked for what is not offered. */
  | { readonly kind: 'close'; readonly write: Uint8Array; readonly fault: ServerFault };

type State = 'greeting' | 'authentication' | 'decision' | 'request' | 'done';
type Verdict =
  | 'missing'
  | 'next'
  | { readonly fault: ServerFault }
  | { readonly credentials: Socks5Credentials }
  | { readonly target: Socks5Target };

const EMPTY = new Uint8Array(0);

/** The server's side of a SOCKS5 handshake (CONNECT only) as a machine without I/O; it takes one flight as well as steps. */
export class ServerHandshake {
  readonly #method: AuthMethod;
  readonly #inbox = new Inbox();
  #state: State = 'greeting';
  #write: Uint8Array[] = [];

  constructor({ wantsPassword = false }: ServerHandshakeOptions = {}) {
    this.#method = wantsPassword ? Method.password : Method.none;
  }

  /** Takes bytes from the client; they are not kept by reference, except for `rest`, which is a part of `chunk`. */
  feed(chunk: Uint8Array): ServerStep {
    this.#inbox.add(chunk);
    this.#write = [];
    return this.#advance();
  }

  /** Goes on behind a step of kind `credentials`. */
  admit(isRight: boolean): ServerStep {
    this.#write = [Uint8Array.of(AUTH_VERSION, isRight ? 0x00 : 0x01)];
    this.#state = isRight ? 'request' : 'done';
    return isRight ? this.#advance() : { kind: 'close', write: this.#written(), fault: 'credentials' };
  }

  #advance(): ServerStep {
    let verdict = this.#read();
    while (verdict === 'next') verdict = this.#read();
    const write = this.#written();
    if (typeof verdict === 'object' && 'target' in verdict) {
      return { kind: 'request', write, target: verdict.target, rest: this.#inbox.bytes };
    }
    this.#inbox.settle();
    if (verdict === 'missing') return { kind: 'wait', write };
    return 'fault' in verdict ? { kind: 'close', write, ...verdict } : { kind: 'credentials', write, ...verdict };
  }

  #written(): Uint8Array {
    return this.#write.length === 0 ? EMPTY : joinBytes(this.#write);
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
