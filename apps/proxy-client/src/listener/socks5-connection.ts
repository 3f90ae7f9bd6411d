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
import { formatAuthority, parseTarget, type Target } from '../http/authority.js';
import type { ByteSource } from '../relay/byte-source.js';
import type { Credentials, Users } from '../users/users.js';
import { ClientConnection, type AcceptedClient } from './client-connection.js';

const SOCKS4_VERSION = 0x04;
/** "Request rejected or failed": the only refusal that SOCKS4 clients understand. */
const SOCKS4_REJECTED = Uint8Array.of(0, 0x5b, 0, 0, 0, 0, 0, 0);
const SUCCEEDED = encodeReply(0);

/**
 * The connection of a client that speaks SOCKS5: CONNECT only (RFC 1928); BIND and UDP ASSOCIATE get reply 7.
 *
 *     client ── greeting, request ──▶ tunnel
 *     client ◀── reply: the upstream's own code, or that of the failure
 */
export class Socks5Connection extends ClientConnection {
  readonly tunnelMethod = 'SOCKS5';
  /** The users that the client was authenticated against; undefined if there was no authentication. */
  #users: Users | undefined;
  #credentials: Credentials | undefined;
  readonly #handshake: ServerHandshake;
  #isNew = true;
  /** Why the credentials were not accepted. */
  #refusal: ProxyFailure | undefined;

  constructor(accepted: AcceptedClient) {
    super(accepted);
    this.#users = this.host.users;
    this.#handshake = new ServerHandshake(this.#users !== undefined);
  }

  override acceptTunnel(): ByteSource {
    this.socket.write(SUCCEEDED);
    return super.acceptTunnel();
  }

  protected isIdle(): boolean {
    return this.socket.bytesRead === 0;
  }

  protected consume(chunk: Buffer, isOwned: boolean): void {
    if (this.state.name === 'opening') this.hold(chunk, isOwned);
    else if (this.#isNew && chunk[0] !== SOCKS_VERSION) this.#refuseProtocol(chunk);
    else {
      this.#isNew = false;
      this.#handle(this.#handshake.feed(chunk));
    }
  }

  /** Sends the reply to a request. A failed handshake has its own reply, which was sent. */
  protected writeFailure({ facts, row }: ProxyFailure): void {
    if (this.state.name === 'opening') this.socket.write(encodeReply(facts.replyCode ?? row.reply));
    else if (this.state.name === 'checking') this.socket.write(this.#handshake.admit(false).write);
  }

  #handle(step: ServerStep): void {
    if (step.write.length > 0) this.socket.write(step.write);
    switch (step.kind) {
      case 'request':
        if (step.rest.length > 0) this.hold(step.rest, true);
        this.state = { name: 'opening' };
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
    // A reload may have removed the users since the greeting.
    if (users === undefined) this.#handle(this.#handshake.admit(true));
    else {
      this.verify(users, credentials, (refusal) => {
        this.#refusal = refusal;
        this.#handle(this.#handshake.admit(refusal === undefined));
      });
    }
  }

  /** Opens the tunnel; authenticates again if a reload has changed the users meanwhile. */
  #connect(target: Socks5Target): void {
    const { users } = this.host;
    const credentials = this.#credentials;
    this.#credentials = undefined;
    if (users === undefined || users === this.#users) this.#open(target);
    else if (credentials === undefined) this.refuse(new ProxyFailure('authentication_required'));
    else {
      this.verify(users, credentials, (refusal) => {
        if (refusal === undefined) this.#open(target);
        else this.refuse(refusal);
      });
    }
  }

  #open(target: Socks5Target): void {
    if (!this.isAdmitted || this.host.isTooMany(this)) {
      this.refuse(new ProxyFailure(this.isAdmitted ? 'connection_limit' : 'client_not_allowed'));
    } else this.openTunnel(() => socksTarget(target));
  }

  #failureOf(fault: ServerFault): ProxyFailure {
    if (fault === 'no acceptable authentication method' && this.#users !== undefined)
      return new ProxyFailure('authentication_required');
    return this.#refusal ?? new ProxyFailure('bad_request', { detail: fault });
  }

  /** Refuses SOCKS4 and HTTP clients, which connect here because of a wrong setting, in their own protocol. */
  #refuseProtocol(chunk: Buffer): void {
    const [first = 0] = chunk;
    const detail = first === SOCKS4_VERSION ? 'SOCKS4 instead of SOCKS5' : 'not SOCKS5';
    const failure = new ProxyFailure('bad_request', { detail });
    if (first === SOCKS4_VERSION) this.socket.write(SOCKS4_REJECTED);
    else if (isUpperCase(first)) {
      this.socket.write(failureAnswer(failure, { keepAlive: false, withBody: true }), 'latin1');
    }
    this.refuse(failure);
  }
}

/** Parses the target of a request as strictly as that of an HTTP CONNECT. */
function socksTarget({ address, port }: Socks5Target): Target {
  return parseTarget(formatAuthority({ host: formatAddress(address), port }));
}

/** Whether a byte can be the first letter of an HTTP method. */
function isUpperCase(byte: number): boolean {
  return byte >= 0x41 && byte <= 0x5a;
}
