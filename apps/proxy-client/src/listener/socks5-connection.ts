import {
  encodeReply,
  formatAddress,
  ServerHandshake,
  SOCKS_VERSION,
  type ServerFault,
  type ServerStep,
  type Socks5Target,
} from '#socks5-protocol';
import { failureAnswer } from '../failure/answer-failure.js';
import { ProxyFailure } from '../failure/proxy-failure.js';
import { formatAuthority, parseAuthority, type Target } from '../http/authority.js';
import type { ByteSource, ClientSource } from '../relay/byte-source.js';
import type { Tunnels } from '../tunnel/tunnels.js';
import type { Credentials, Users, Verdict } from '../users/users.js';
import { ClientConnection, refusalOf, type ClientHost, type Front } from './client-connection.js';

const SOCKS4_VERSION = 0x04;
/** "Request rejected or failed", the only refusal that a SOCKS4 client understands. */
const SOCKS4_REJECTED = Uint8Array.of(0, 0x5b, 0, 0, 0, 0, 0, 0);
const SUCCEEDED = encodeReply(0);
/** SOCKS5 has no port that stands for none. */
const NO_DEFAULT_PORT = 0;

const FAULTS: Readonly<Record<ServerFault, string>> = {
  version: 'not SOCKS5',
  method: 'none of the methods that the client offers is possible here',
  credentials: 'wrong user name or password',
  command: 'a command other than CONNECT',
  address: 'no target, or one of an unknown type',
};

/**
 * What a listener does that speaks SOCKS5: CONNECT only (RFC 1928); BIND and UDP ASSOCIATE get the reply 7.
 *
 *     client ── greeting, request ──▶ tunnel
 *     client ◀── reply: the upstream's own code, or that of the failure
 */
export class Socks5Front implements Front {
  readonly #host: ClientHost;
  readonly #tunnels: Tunnels;

  constructor(host: ClientHost, tunnels: Tunnels) {
    this.#host = host;
    this.#tunnels = tunnels;
  }

  meet(source: ClientSource, cameOverLimit: boolean): ClientConnection {
    return new Socks5Connection(source, this.#host, cameOverLimit, this);
  }

  /** @internal */
  connect(target: Socks5Target, client: Socks5Connection): void {
    if (!client.isAdmitted || this.#host.isTooMany(client)) {
      client.refuse(new ProxyFailure(client.isAdmitted ? 'connection_limit' : 'client_not_allowed'));
      return;
    }
    const tunnel = this.#tunnels.open(() => readTarget(target), client);
    if (tunnel !== undefined) client.tunnel(tunnel);
  }
}

/** A client that speaks SOCKS5. */
export class Socks5Connection extends ClientConnection {
  readonly asks = 'SOCKS5';
  readonly #front: Socks5Front;
  /** Those of whom the client has proven to be one; or undefined, and nobody was asked. */
  #users: Users | undefined;
  #credentials: Credentials | undefined;
  readonly #handshake: ServerHandshake;
  #isNew = true;
  #refusal: ProxyFailure | undefined;

  constructor(source: ClientSource, host: ClientHost, cameOverLimit: boolean, front: Socks5Front) {
    super(source, host, cameOverLimit);
    this.#front = front;
    this.#users = host.users;
    this.#handshake = new ServerHandshake({ requiresPassword: host.users !== undefined });
  }

  override opened(): ByteSource {
    this.socket.write(SUCCEEDED);
    return this.leave();
  }

  protected rests(): boolean {
    return this.socket.bytesRead === 0;
  }

  protected take(chunk: Buffer, isOurs: boolean): void {
    if (this.state === 'serving') this.hold(chunk, isOurs);
    else if (this.#isNew && chunk[0] !== SOCKS_VERSION) this.#refuseProtocol(chunk);
    else {
      this.#isNew = false;
      this.#follow(this.#handshake.feed(chunk));
    }
  }

  /** A handshake has a word of its own for what is wrong with it, which was said. */
  protected tell({ facts, row }: ProxyFailure): void {
    if (this.state === 'serving') this.socket.write(encodeReply(facts.replyCode ?? row.reply));
  }

  #follow(step: ServerStep): void {
    if (step.write.length > 0) this.socket.write(step.write);
    switch (step.kind) {
      case 'request':
        if (step.rest.length > 0) this.hold(Buffer.from(step.rest), true);
        this.state = 'serving';
        this.#connect(step.target);
        break;
      case 'credentials':
        this.#authenticate(step.credentials);
        break;
      case 'close':
        this.refuse(this.#failureOf(step.fault));
        break;
      default:
    }
  }

  #authenticate(credentials: Credentials): void {
    const { users } = this.host;
    this.#users = users;
    this.#credentials = credentials;
    // A reload has left the listener without users since the greeting.
    if (users === undefined) this.#follow(this.#handshake.admit(true));
    else if (users.knows(credentials)) this.#judge(credentials, 'right');
    else {
      void this.checkCredentials(users, credentials, (verdict) => {
        this.state = 'reading';
        this.#judge(credentials, verdict);
      });
    }
  }

  /** Asks again if a reload has changed the users since the client was asked. */
  #connect(target: Socks5Target): void {
    const { users } = this.host;
    const credentials = this.#credentials;
    this.#credentials = undefined;
    if (users === undefined || users === this.#users) this.#front.connect(target, this);
    else if (credentials === undefined) this.refuse(new ProxyFailure('authentication_required'));
    else {
      void this.checkCredentials(users, credentials, (verdict) => {
        this.state = 'serving';
        const refusal = refusalOf(verdict);
        if (refusal !== undefined) this.refuse(refusal);
        else {
          this.identify(credentials.username);
          this.#front.connect(target, this);
        }
      });
    }
  }

  #judge({ username }: Credentials, verdict: Verdict): void {
    this.#refusal = refusalOf(verdict);
    if (verdict === 'right') this.identify(username);
    this.#follow(this.#handshake.admit(verdict === 'right'));
  }

  #failureOf(fault: ServerFault): ProxyFailure {
    if (fault === 'method' && this.#users !== undefined) return new ProxyFailure('authentication_required');
    return this.#refusal ?? new ProxyFailure('bad_request', { detail: FAULTS[fault] });
  }

  /** Says it to SOCKS4 and HTTP in their own words; they are what ends up here by a wrong setting. */
  #refuseProtocol(chunk: Buffer): void {
    const [first = 0] = chunk;
    const detail = first === SOCKS4_VERSION ? 'SOCKS4, where SOCKS5 is spoken' : FAULTS.version;
    const failure = new ProxyFailure('bad_request', { detail });
    if (first === SOCKS4_VERSION) this.socket.write(SOCKS4_REJECTED);
    else if (isUpperCase(first)) {
      this.socket.write(failureAnswer(failure, { keepAlive: false, withBody: true }), 'latin1');
    }
    this.refuse(failure);
  }
}

/** The target of a request, as strictly read as that of a CONNECT of HTTP. */
function readTarget({ address, port }: Socks5Target): Target {
  return parseAuthority(formatAuthority({ host: formatAddress(address), port }), NO_DEFAULT_PORT);
}

/** As the first letter of every HTTP method is. */
function isUpperCase(byte: number): boolean {
  return byte >= 0x41 && byte <= 0x5a;
}
