import type { Socket } from 'node:net';
import type { Socks5Target } from '../codec/address.js';
import type { AuthMethod } from '../codec/constants.js';
import type { Socks5Credentials } from '../codec/credentials.js';
import { Socks5Error, type Socks5ErrorCode, type Socks5Phase } from '../codec/socks5-error.js';
import { ClientHandshake, type ClientStep } from '../handshake/client-handshake.js';
import { type Deadline, Deadlines } from './deadlines.js';
import type { Transport, TransportReader } from './transport.js';

/** Milliseconds; 0 means no limit. */
export interface Socks5Timeouts {
  /** Until the TCP connection stands. */
  readonly connect: number;
  /** From then on until the reply; time that a greeted connection waits for its request is not counted. */
  readonly handshake: number;
}

export interface Socks5SessionListener {
  /** The server is greeted and has let us in: {@link Socks5Session.request} may be called. Only without a target. */
  ready?(): void;
  /** The server is greeted and has let us in, before anything else is told. Not if its reply comes with that and is an error. */
  letIn?(): void;
  /**
   * The tunnel is open. `rest` came behind the reply and is the tunnel's.
   *
   * @returns `true` when somebody else reads the transport already; otherwise reading stops
   */
  established(rest: Buffer): boolean | undefined;
  /** It failed and the socket is destroyed; called once, and nothing after it. */
  failed(error: Socks5Error): void;
}

export interface Socks5SessionOptions {
  /** Begins the connection; called once, and not at all when the credentials cannot be sent. */
  readonly open: () => Transport;
  readonly offer: readonly AuthMethod[];
  readonly credentials?: Socks5Credentials | undefined;
  /** Absent: greet and wait for {@link Socks5Session.request}. */
  readonly target?: Socks5Target | undefined;
  /** Everything in the first write; needs a target and a single offered method. */
  readonly oneFlight?: boolean;
  readonly timeouts: Socks5Timeouts;
  readonly listener: Socks5SessionListener;
}

const NOTHING = Buffer.alloc(0);

/** Runs one client handshake over one connection: dial, deadlines, and every way it can end. */
export class Socks5Session implements TransportReader, Deadline {
  readonly #socket: Socket;
  readonly #handshake: ClientHandshake;
  readonly #timeouts: Socks5Timeouts;
  readonly #listener: Socks5SessionListener;
  readonly #oneFlight: boolean;
  #target: Socks5Target | undefined;
  #connected = false;
  #isLetIn = false;
  #over = false;

  /** @internal its place among the deadlines */
  next: Deadline | undefined;
  /** @internal */
  previous: Deadline | undefined;
  /** @internal */
  list: Deadlines | undefined;
  /** @internal */
  due = 0;

  /** @throws {@link Socks5Error} `INVALID_CREDENTIALS`, before anything is opened */
  constructor({ open, offer, credentials, target, oneFlight, timeouts, listener }: Socks5SessionOptions) {
    this.#handshake = new ClientHandshake({ offer, credentials });
    const transport = open();
    this.#socket = transport.socket;
    this.#timeouts = timeouts;
    this.#listener = listener;
    this.#oneFlight = oneFlight === true && target !== undefined;
    this.#target = target;
    transport.start(this);
    if (this.#socket.connecting) {
      this.#arm(timeouts.connect);
      this.#socket.on('connect', this.#onConnect);
    } else {
      this.#onConnect();
    }
  }

  get socket(): Socket {
    return this.#socket;
  }

  /** The method the server chose, once it has. */
  get method(): AuthMethod | undefined {
    return this.#handshake.method;
  }

  /** Whether the server has answered the greeting: what fails later is not the greeting's fault. */
  get greeted(): boolean {
    return this.#handshake.method !== undefined;
  }

  /** Asks for `target` on a session that said `ready`. */
  request(target: Socks5Target): void {
    this.#arm(this.#timeouts.handshake);
    this.#socket.write(this.#handshake.request(target));
  }

  /** Gives up: `failed` is called with `SOCKS5.ABORTED`, unless the session is over. */
  cancel(): void {
    this.#fail('SOCKS5.ABORTED', 'The connection attempt was given up.');
  }

  /** @internal the reader of the transport */
  read(chunk: Buffer): boolean {
    let step: ClientStep;
    if (this.#over) {
      return false;
    }
    try {
      step = this.#handshake.feed(chunk);
    } catch (error) {
      this.#end(error as Socks5Error);
      return false;
    }
    if (!this.#isLetIn && this.#handshake.phase === 'request') {
      this.#isLetIn = true;
      this.#listener.letIn?.();
    }
    return this.#take(step);
  }

  #take(step: ClientStep): boolean {
    switch (step.kind) {
      case 'wait':
        return true;
      case 'write':
        this.#socket.write(step.write);
        return true;
      case 'ready':
        this.#ready();
        return !this.#over;
      case 'done': {
        const { rest } = step;
        this.#release();
        return this.#listener.established(rest.length === 0 ? NOTHING : Buffer.from(rest)) === true;
      }
    }
  }

  #ready(): void {
    if (this.#target === undefined) {
      Deadlines.end(this);
      this.#listener.ready?.();
    } else {
      this.#socket.write(this.#handshake.request(this.#target));
    }
  }

  readonly #onConnect = (): void => {
    this.#connected = true;
    this.#arm(this.#timeouts.handshake);
    const first =
      this.#oneFlight && this.#target !== undefined ? this.#handshake.oneFlight(this.#target) : this.#handshake.greet();
    this.#socket.write(first);
  };

  /** @internal */
  onEnd(): void {
    this.#fail('SOCKS5.CLOSED', 'The SOCKS5 server closed the connection during the handshake.');
  }

  /** @internal */
  onClose(): void {
    const cause = this.#socket.errored ?? undefined;
    if (this.#connected) {
      this.#fail('SOCKS5.CLOSED', 'The connection to the SOCKS5 server broke during the handshake.', cause);
    } else {
      this.#fail('SOCKS5.UNREACHABLE', 'The SOCKS5 server cannot be reached.', cause);
    }
  }

  /** @internal */
  expire(): void {
    const what = this.#connected ? 'finish the handshake' : 'accept the connection';
    this.#fail('SOCKS5.TIMEOUT', `The SOCKS5 server did not ${what} in time.`);
  }

  get #phase(): Socks5Phase {
    return this.#connected ? this.#handshake.phase : 'connect';
  }

  #fail(code: Socks5ErrorCode, message: string, cause?: unknown): void {
    if (!this.#over) {
      this.#end(new Socks5Error(code, message, { phase: this.#phase, cause }));
    }
  }

  #end(error: Socks5Error): void {
    this.#release();
    this.#socket.destroy();
    this.#listener.failed(error);
  }

  #release(): void {
    this.#over = true;
    Deadlines.end(this);
    this.#socket.off('connect', this.#onConnect);
  }

  #arm(milliseconds: number): void {
    if (milliseconds > 0) {
      Deadlines.of(milliseconds).begin(this);
    } else {
      Deadlines.end(this);
    }
  }
}
