import type { Socket } from 'node:net';
import type { SecureContext, TLSSocket } from 'node:tls';
import { contain } from '#socks5-protocol';
import type { CertificateConfig } from '../config/certificate-setting.js';
import { serverContext } from '../config/secure-contexts.js';
import { failureAnswer } from '../failure/answer-failure.js';
import { ProxyFailure } from '../failure/proxy-failure.js';
import { closeOnTlsError } from '../node-internals/tls-errors.js';
import type { ByteSource } from '../relay/byte-source.js';
import { TlsSource } from '../relay/tls-source.js';
import { ClientConnection, type AcceptedClient } from './client-connection.js';
import type { ClientFactory } from './client-modes.js';

/** A TLS connection begins with a record of type handshake (RFC 8446, section 5.1). */
const HANDSHAKE = 0x16;

/** TLS on a listener. The module is loaded on demand, since most proxies do not need it. */
export class TlsClients {
  /** The certificate, to find out whether a reload has changed it. */
  readonly config: CertificateConfig;
  readonly #context: SecureContext;

  constructor(config: CertificateConfig) {
    this.config = config;
    this.#context = serverContext(config);
  }

  /** Starts a TLS connection over an accepted one that was paused and whose first bytes were put back. */
  open(socket: Socket): TLSSocket {
    const tls = process.getBuiltinModule('node:tls');
    const options = { isServer: true, secureContext: this.#context, ALPNProtocols: ['http/1.1'], allowHalfOpen: true };
    const secured = new tls.TLSSocket(socket, options);
    closeOnTlsError(secured);
    return secured;
  }
}

/** How the connections of a listener with a certificate continue after their first byte. */
export interface TlsChoice {
  readonly tls: TlsClients;
  /** Whether clients without TLS are refused. */
  readonly isRequired: boolean;
  /** Creates the connection of the listener's mode. */
  readonly create: ClientFactory;
  /** Creates a source over the socket of a client without TLS. */
  readonly adopt: (socket: Socket) => ByteSource;
}

/**
 * The connection of a client that may use TLS, until its protocol is known:
 *
 *     0x16 ──▶ TLS handshake ──▶ the mode of the listener, on the decrypted bytes
 *     else ──▶ the mode of the listener, or a refusal
 */
export class UndecidedConnection extends ClientConnection {
  readonly tunnelMethod = '';
  readonly #socket: Socket;
  readonly #choice: TlsChoice;
  #first: Buffer | undefined;
  /** The connection whose handshake is in progress. */
  #tls: TLSSocket | undefined;

  /** @param socket - the accepted one, which the source reads */
  constructor(accepted: AcceptedClient, socket: Socket, choice: TlsChoice) {
    super(accepted);
    this.#socket = socket;
    this.#choice = choice;
  }

  override read(chunk: Buffer): boolean {
    // TLS reads the first bytes again from the socket, which are delivered here too.
    if (!this.isReading() || this.#first !== undefined) return super.read(chunk);
    this.#socket.pause();
    this.#first = chunk;
    if (chunk[0] === HANDSHAKE) this.#secure(chunk);
    else if (this.#choice.isRequired) this.refuse(new ProxyFailure('client_tls_required'));
    else this.#continuePlain(chunk);
    return false;
  }

  override onEnd(): void {
    if (this.state.name !== 'handed over') super.onEnd();
  }

  /** A handshake that has begun is completed, even while the proxy shuts down: a request follows. */
  protected isIdle(): boolean {
    return this.#tls === undefined;
  }

  protected consume(): void {
    // The first byte decides.
  }

  /** Answers HTTP clients in their own protocol: no other one has a refusal that says why. */
  protected writeFailure(failure: ProxyFailure): void {
    const [first = 0] = this.#first ?? [];
    if (first < 0x41 || first > 0x5a) return;
    this.socket.write(failureAnswer(failure, { keepAlive: false, withBody: true }), 'latin1');
  }

  protected override sweepOpen(now: number): void {
    const { read } = this.host.services.config.timeouts;
    if (this.#tls === undefined) super.sweepOpen(now);
    else if (this.hasWaited(now, 'request', read)) this.#failHandshake('it was not complete within timeouts.read');
  }

  #secure(first: Buffer): void {
    const socket = this.#socket;
    socket.unshift(first);
    const tls = this.#choice.tls.open(socket);
    const source = new TlsSource(tls, socket);
    this.#tls = tls;
    tls.once('secure', () => {
      this.#tls = undefined;
      contain(this, () => {
        this.#continue(source);
      });
    });
    const onFailed = (detail: string): void => {
      contain(this, () => {
        this.#failHandshake(detail);
      });
    };
    tls.on('error', ({ code = 'unknown error' }: NodeJS.ErrnoException) => {
      onFailed(code);
    });
    tls.on('end', () => {
      onFailed('the client closed the connection');
    });
  }

  /** Counts a handshake that failed, and closes the connection. */
  #failHandshake(detail: string): void {
    const tls = this.#tls;
    if (tls === undefined) return;
    this.#tls = undefined;
    const failure = new ProxyFailure('client_tls_failed', { detail });
    this.host.services.reporter.report(failure, { client: this.remoteAddress });
    tls.destroy();
    this.socket.destroy();
  }

  #continuePlain(first: Buffer): void {
    const rest = this.#socket.read() as Buffer | null;
    const source = this.#choice.adopt(this.#socket);
    source.putBack(rest === null ? first : Buffer.concat([first, rest]));
    this.#continue(source);
  }

  #continue(source: ByteSource): void {
    const client = this.#choice.create({ ...this.accepted, source });
    this.state = { name: 'handed over', work: undefined };
    this.host.replace(this, client);
    client.start();
  }
}
