import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net';

/** The behaviour of a connection through the proxy; each finishes automatically. */
export type ChaosKind =
  /** Sends, gets everything back, closes. */
  | 'polite'
  /** The same, but half-closes the connection before it receives anything. */
  | 'half-close'
  /** Sends its bytes right after the CONNECT. */
  | 'early'
  /** Gets everything back, then resets. */
  | 'reset-after'
  /** Opens a tunnel, sends nothing, leaves. */
  | 'silent'
  /** Disconnects before the tunnel is open. */
  | 'impatient'
  /** Leaves in the middle of its request. */
  | 'unfinished'
  /** Asks for a target that refuses. */
  | 'refused'
  /** No request that could be served. */
  | 'malformed'
  /** Resets while bytes are in flight in both directions. */
  | 'reset-during'
  /** Is reset by the target while bytes are in flight in both directions. */
  | 'reset-by-target'
  /** Never reads what comes. */
  | 'stall';

/** Kinds whose bytes all arrive before the end, so that they can be counted on both sides. */
export const COUNTABLE: readonly ChaosKind[] = [
  'polite',
  'half-close',
  'early',
  'reset-after',
  'silent',
  'impatient',
  'refused',
  'malformed',
];

export const RUDE: readonly ChaosKind[] = ['reset-during', 'reset-by-target', 'stall'];

/** A target that sends everything back, and counts. A first byte `R` makes it reset, `S` makes it flood. */
export class EchoTarget implements AsyncDisposable {
  received = 0;
  sent = 0;
  readonly #server: Server;

  constructor() {
    this.#server = createServer({ allowHalfOpen: true, noDelay: true }, (socket) => {
      this.#serve(socket);
    });
  }

  static async start(): Promise<EchoTarget> {
    const target = new EchoTarget();
    target.#server.listen({ port: 0, host: '127.0.0.1', backlog: 2048 });
    await once(target.#server, 'listening');
    return target;
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await new Promise((resolve) => this.#server.close(resolve));
  }

  #serve(socket: Socket): void {
    let first = true;
    socket.on('error', () => undefined);
    socket.on('data', (chunk: Buffer) => {
      this.received += chunk.length;
      if (first && chunk[0] === 0x52) setImmediate(() => socket.resetAndDestroy());
      if (first && chunk[0] === 0x53) socket.write(Buffer.alloc(16 * 1_048_576));
      first = false;
      this.sent += chunk.length;
      if (!socket.write(chunk)) {
        socket.pause();
        socket.once('drain', () => socket.resume());
      }
    });
    socket.on('end', () => socket.end());
  }
}

const KNOCK_MS = 100;
const NOTHING = Buffer.alloc(0);

interface ChaosPorts {
  readonly proxyPort: number;
  readonly targetPort: number;
  /** A port without a listener. */
  readonly closedPort: number;
  /** What the proxy is asked in; HTTP, if not named. */
  readonly protocol?: ChaosProtocol;
}

/** How a tunnel is asked for. */
export interface ChaosProtocol {
  request(port: number): Buffer;
  /** A request that cannot be served. */
  readonly malformed: Buffer;
  /** Whether the complete answer was received, and nothing after it. */
  isWhole(answer: Buffer): boolean;
}

const HTTP: ChaosProtocol = {
  request: (port) =>
    Buffer.from(`CONNECT 127.0.0.1:${String(port)} HTTP/1.1\r\nHost: 127.0.0.1:${String(port)}\r\n\r\n`),
  malformed: Buffer.from('CONNECT 127.0.0.1:70000 HTTP/1.1\r\nHost: 127.0.0.1:70000\r\n\r\n'),
  isWhole: (answer) => answer.includes('\r\n\r\n'),
};

async function closed(socket: Socket): Promise<void> {
  if (socket.destroyed) return;
  await new Promise((resolve) => socket.once('close', resolve));
}

/** Reads until the complete answer and that number of bytes after it were received, or until the end. */
async function readBack(socket: Socket, protocol: ChaosProtocol, payload: Buffer): Promise<void> {
  let got = Buffer.alloc(0);
  await new Promise<void>((resolve) => {
    const collect = (chunk: Buffer): void => {
      got = Buffer.concat([got, chunk]);
      const isBack = payload.equals(got.subarray(Math.max(0, got.length - payload.length)));
      if (isBack && protocol.isWhole(got.subarray(0, got.length - payload.length))) done();
    };
    const done = (): void => {
      socket.off('data', collect).off('close', done);
      resolve();
    };
    socket.on('data', collect).once('close', done);
  });
}

/** Runs one connection of a kind; resolves when it is over. `index` makes it differ from the others. */
export async function misbehave(kind: ChaosKind, index: number, ports: ChaosPorts): Promise<void> {
  const socket = connect({ host: '127.0.0.1', port: ports.proxyPort, allowHalfOpen: true, noDelay: true });
  socket.on('error', () => undefined);
  const { protocol = HTTP } = ports;
  const port = kind === 'refused' ? ports.closedPort : ports.targetPort;
  const request = kind === 'malformed' ? protocol.malformed : protocol.request(port);
  const payload = Buffer.alloc(1 + ((index * 7919) % 60_000), 0x61);
  if (kind === 'early') {
    socket.write(Buffer.concat([request, payload]));
    await readBack(socket, protocol, payload);
    socket.end();
    await closed(socket);
    return;
  }
  socket.write(kind === 'unfinished' ? request.subarray(0, 1 + (index % (request.length - 1))) : request);
  if (kind === 'impatient' || kind === 'unfinished') {
    if (index % 2 === 0) socket.resetAndDestroy();
    else socket.end(() => socket.destroy());
    await closed(socket);
    return;
  }
  if (kind === 'refused' || kind === 'malformed') {
    socket.resume().once('end', () => socket.end());
    await closed(socket);
    return;
  }
  await readBack(socket, protocol, NOTHING);
  inTunnel(kind, socket, payload);
  await closed(socket);
}

function inTunnel(kind: ChaosKind, socket: Socket, payload: Buffer): void {
  switch (kind) {
    case 'silent':
      socket.end();
      socket.resume();
      return;
    case 'stall':
      socket.pause();
      socket.write('S');
      untilCut(socket);
      return;
    case 'reset-during':
      socket.write(payload);
      socket.once('data', () => socket.resetAndDestroy());
      return;
    case 'reset-by-target':
      socket.resume();
      socket.write(Buffer.concat([Buffer.from('R'), payload]));
      socket.once('end', () => socket.end());
      return;
    default: {
      let left = payload.length;
      socket.on('data', (chunk: Buffer) => {
        left -= chunk.length;
        if (left > 0) return;
        if (kind === 'reset-after') socket.resetAndDestroy();
        else socket.end();
      });
      if (kind === 'half-close') socket.end(payload);
      else socket.write(payload);
    }
  }
}

/** The end of a connection that is not read goes unnoticed: it writes now and then, until the proxy has cut it for that. */
function untilCut(socket: Socket): void {
  const knock = setInterval(() => socket.write('?'), KNOCK_MS);
  socket.once('close', () => {
    clearInterval(knock);
  });
}

/** SOCKS5 in one flight. */
export const SOCKS5: ChaosProtocol = {
  request: (port) => Buffer.of(5, 1, 0, 5, 1, 0, 1, 127, 0, 0, 1, port >> 8, port & 0xff),
  malformed: Buffer.of(5, 1, 0, 5, 1, 0, 9, 127, 0, 0, 1, 0, 80),
  isWhole: (answer) => answer.length >= 12,
};

/** Runs many tasks with limited concurrency. */
export async function chaos(
  kinds: readonly ChaosKind[],
  count: number,
  atOnce: number,
  ports: ChaosPorts,
): Promise<void> {
  let next = 0;
  const worker = async (): Promise<void> => {
    while (next < count) {
      const index = next;
      next += 1;
      await misbehave(kinds[index % kinds.length]!, index, ports);
    }
  };
  await Promise.all(Array.from({ length: atOnce }, worker));
}
