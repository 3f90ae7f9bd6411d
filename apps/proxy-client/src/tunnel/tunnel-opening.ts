import type { Socket } from 'node:net';
import { answerFailure } from '../failure/answer-failure.js';
import { ProxyFailure } from '../failure/proxy-failure.js';
import { DISCARD, type ByteSource, type SocketReader } from '../relay/byte-source.js';
import { CancelToken, ConnectCancelled } from '../upstream/cancel-token.js';
import type { ConnectOutcome, Target, UpstreamConnection } from '../upstream/upstream.js';
import type { RelayEnd } from './relay.js';
import { formatTarget } from './format-target.js';
import type { TunnelOptions } from './tunnel-options.js';

const ESTABLISHED = Buffer.from('HTTP/1.1 200 Connection established\r\n\r\n');

/** What a client may send ahead; beyond it, its bytes wait in the kernel. */
const MAX_EARLY = 65_536;

const NOTHING = Buffer.alloc(0);

/** A tunnel from its CONNECT until both sides are joined, or until it has failed. */
export class TunnelOpening implements SocketReader, ConnectOutcome {
  readonly #options: TunnelOptions;
  readonly #target: Target;
  readonly #client: ByteSource;
  readonly #cancel = new CancelToken();
  /** Bytes from behind the CONNECT: they belong to the target, once there is one. */
  #early: Buffer = NOTHING;

  constructor(options: TunnelOptions, target: Target, socket: Socket) {
    this.#options = options;
    this.#target = target;
    this.#client = options.relays.adopt(socket);
  }

  start(): void {
    const { socket } = this.#client;
    this.#client.start(this);
    this.#options.select(this.#target, socket).begin(this.#target, this, { cancel: this.#cancel });
  }

  /** What the client sends before there is a tunnel. */
  read(chunk: Buffer): boolean {
    // The chunk's buffer is about to be used again.
    this.#early = Buffer.concat([this.#early, chunk]);
    return this.#early.length < MAX_EARLY;
  }

  /** The client has finished sending: without a byte for the target it has left, for it can never send one. */
  onEnd(): void {
    if (this.#early.length === 0) {
      this.#cancel.cancel();
    }
  }

  onClose(): void {
    this.#cancel.cancel();
  }

  /** @internal */
  connected(upstream: UpstreamConnection): void {
    const { socket } = this.#client;
    if (this.#cancel.cancelled || socket.destroyed) {
      this.#leave();
      upstream.socket.destroy();
      return;
    }
    const { relays, stats, debug } = this.#options;
    socket.write(upstream.rest.length === 0 ? ESTABLISHED : Buffer.concat([ESTABLISHED, upstream.rest]));
    if (this.#early.length > 0) {
      upstream.socket.write(this.#early);
    }
    stats.requestSucceeded();
    relays.join(this.#client, upstream, debug === undefined ? undefined : this.#tellEnd(upstream));
  }

  /** @internal */
  failed(error: Error): void {
    const { socket } = this.#client;
    if (error instanceof ConnectCancelled || socket.destroyed) {
      this.#leave();
      return;
    }
    const failure = ProxyFailure.from(error);
    this.#options.reporter.report(failure, {
      method: 'CONNECT',
      target: formatTarget(this.#target),
      client: socket.remoteAddress,
    });
    this.#client.start(DISCARD);
    answerFailure(socket, failure);
  }

  /** The client left early: neither a success nor a failure. */
  #leave(): void {
    this.#client.socket.destroy();
  }

  #tellEnd(upstream: UpstreamConnection): (end: RelayEnd) => void {
    const { debug } = this.#options;
    const target = formatTarget(this.#target);
    const started = performance.now();
    debug?.({ target }, 'tunnel opened');
    return (end) => {
      const sent = this.#client.socket.bytesRead;
      const received = upstream.socket.bytesRead;
      debug?.({ target, end, sent, received, ms: Math.round(performance.now() - started) }, 'tunnel ended');
    };
  }
}
