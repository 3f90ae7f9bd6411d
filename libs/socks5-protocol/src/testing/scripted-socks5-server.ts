import { once } from 'node:events';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { setImmediate } from 'node:timers/promises';
import { formatAddress, decodeTarget } from '../codec/address.js';
import { readCredentials, type Socks5Credentials } from '../codec/messages.js';

/** What the server does next on a connection. */
export type ScriptStep =
  /** Wait for a whole message. `alone`: throw away what came with it, as microsocks does with the greeting. */
  | { readonly read: 'greeting' | 'credentials' | 'request'; readonly alone?: boolean }
  /**
   * Send bytes. `cuts`: cut at these offsets; `between` then sees to it that the peer has read one piece before the next is
   * sent (default: a turn of the loop, for a peer in this process).
   */
  | { readonly write: Uint8Array; readonly cuts?: readonly number[]; readonly between?: () => Promise<unknown> }
  /** Never answer again, end, reset, send back what comes, or do what the test wants. */
  | { readonly then: 'stall' | 'close' | 'reset' | 'echo' | ((socket: Socket, early: Buffer) => void) };

/** What one connection brought. */
export interface ScriptedConnection {
  readonly socket: Socket;
  /** Everything received until the script was over. */
  received: Buffer;
  methods?: readonly number[];
  credentials?: Socks5Credentials;
  target?: { readonly host: string; readonly port: number; readonly addressType: number };
}

/** A SOCKS5 server that does exactly what the test writes down, right or wrong. */
export class ScriptedSocks5Server {
  /** In the order of arrival. */
  readonly connections: ScriptedConnection[] = [];
  readonly #server: Server;
  #script: (index: number) => readonly ScriptStep[];

  /** @param script - the steps of the connection with this index */
  constructor(script: (index: number) => readonly ScriptStep[]) {
    this.#script = script;
    this.#server = createServer({ allowHalfOpen: true, noDelay: true }, (socket) => {
      const connection: ScriptedConnection = { socket, received: Buffer.alloc(0) };
      this.connections.push(connection);
      void this.#run(connection, this.#script(this.connections.length - 1));
    });
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  /** The script of the connections from now on. */
  set script(script: (index: number) => readonly ScriptStep[]) {
    this.#script = script;
  }

  async listen(port = 0): Promise<this> {
    this.#server.listen(port, '127.0.0.1');
    await once(this.#server, 'listening');
    return this;
  }

  async close(): Promise<void> {
    for (const { socket } of this.connections) {
      socket.destroy();
    }
    await new Promise((resolve) => this.#server.close(resolve));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  async #run(connection: ScriptedConnection, steps: readonly ScriptStep[]): Promise<void> {
    const { socket } = connection;
    let unread = Buffer.alloc(0);
    let wake: (() => void) | undefined;
    const collect = (chunk: Buffer): void => {
      unread = Buffer.concat([unread, chunk]);
      connection.received = Buffer.concat([connection.received, chunk]);
      wake?.();
    };
    socket.on('error', () => undefined).on('data', collect);
    for (const step of steps) {
      if ('read' in step) {
        let length = parse(connection, step.read, unread);
        while (length === undefined) {
          await new Promise<void>((resolve) => (wake = resolve));
          length = parse(connection, step.read, unread);
        }
        unread = unread.subarray(step.alone === true ? unread.length : length);
      } else if ('write' in step) {
        await writePieces(socket, step);
      } else {
        finish(socket, step.then, unread, collect);
      }
    }
  }
}

async function writePieces(
  socket: Socket,
  { write, cuts = [], between = () => setImmediate() }: Extract<ScriptStep, { write: unknown }>,
): Promise<void> {
  for (const [index, start] of [0, ...cuts].entries()) {
    if (index > 0) await between();
    if (socket.destroyed) return;
    await new Promise((resolve) => {
      socket.write(write.subarray(start, cuts[index]), resolve);
    });
  }
}

type Ending = Extract<ScriptStep, { then: unknown }>['then'];

function finish(socket: Socket, ending: Ending, early: Buffer, collect: (chunk: Buffer) => void): void {
  switch (ending) {
    case 'stall':
      return;
    case 'close':
      socket.end();
      return;
    case 'reset':
      socket.resetAndDestroy();
      return;
    case 'echo':
      socket.off('data', collect).write(early);
      socket.pipe(socket);
      return;
    default:
      socket.off('data', collect);
      ending(socket, early);
  }
}

/** The length of the message at the start of `bytes`, noted down; undefined while bytes are missing. */
function parse(
  connection: ScriptedConnection,
  kind: 'greeting' | 'credentials' | 'request',
  bytes: Buffer,
): number | undefined {
  if (kind === 'greeting') {
    const end = 2 + (bytes[1] ?? 0);
    if (bytes.length < 2 || bytes.length < end) return undefined;
    connection.methods = [...bytes.subarray(2, end)];
    return end;
  }
  if (kind === 'credentials') {
    const read = readCredentials(bytes);
    if (read !== undefined) connection.credentials = read.credentials;
    return read?.end;
  }
  const read = decodeTarget(bytes, 3);
  if (read === undefined) return undefined;
  if (read === 'unknownType') throw new Error('The client sent an unknown type of address.');
  const { address, port } = read.target;
  connection.target = { host: formatAddress(address), port, addressType: address.type };
  return read.end;
}
