import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Server, ServerCredentials, type ServerDuplexStream } from '@grpc/grpc-js';
import { decodeMessage } from '#fabric-codec/messages';
import { ChaincodeID, ChaincodeMessage, MAX_MESSAGE_BYTES, MessageType } from './messages.js';
import { socketPrefix } from './chaincode-process.js';

/** The path of `protos.ChaincodeSupport.Register`. */
const REGISTER = '/protos.ChaincodeSupport/Register';
const SOCKET = 'peer';
/** Milliseconds until a stream must have registered, and most streams that have not. */
const REGISTER_TIMEOUT = 10_000;
const MAX_UNREGISTERED = 100;

/** The stream of a chaincode that has dialed us. */
export type DialedStream = ServerDuplexStream<Buffer, Buffer>;

/** Receives the stream of a chaincode, and its first message, which registers it. */
export type AcceptStream = (stream: DialedStream, register: Buffer) => void;

/**
 * The peer's server for chaincodes that dial their peer (`protos.ChaincodeSupport`), on a Unix socket and on a port of loopback.
 * A stream is accepted only with the id of a start that is expected, which is random and known to its process alone.
 */
export class RegisterServer {
  /**
   * As gRPC names them. That of the socket is relative to {@link directory}, which is the working directory of the chaincode:
   * gRPC for Go before 1.34 (fabric-chaincode-go before v2) sends it as `:authority`, which contains no slash in HTTP/2.
   */
  readonly addresses: { readonly unix: string; readonly tcp: string };
  /** The directory of the socket, which a confined process must be able to read. */
  readonly directory: string;
  readonly #server: Server;
  readonly #expected = new Map<string, AcceptStream>();
  #unregistered = 0;

  private constructor(server: Server, directory: string, port: number) {
    this.#server = server;
    this.directory = directory;
    this.addresses = { unix: `unix:${SOCKET}`, tcp: `127.0.0.1:${port}` };
    const same = (bytes: Buffer): Buffer => bytes;
    const serialization = {
      requestSerialize: same,
      requestDeserialize: same,
      responseSerialize: same,
      responseDeserialize: same,
    };
    const register = { path: REGISTER, requestStream: true, responseStream: true, ...serialization };
    server.addService(
      { register },
      {
        register: (stream: DialedStream) => {
          this.#receive(stream);
        },
      },
    );
  }

  /** Opens the server. @param dataDir - the ledger's directory, which identifies its sockets */
  static async open(dataDir: string): Promise<RegisterServer> {
    const server = new Server({
      'grpc.max_receive_message_length': MAX_MESSAGE_BYTES,
      'grpc.max_send_message_length': -1,
    });
    const directory = mkdtempSync(join(tmpdir(), socketPrefix(dataDir)));
    try {
      const port = await bound(server, '127.0.0.1:0');
      await bound(server, socketIn(directory));
      return new RegisterServer(server, directory, port);
    } catch (error) {
      server.forceShutdown();
      rmSync(directory, { recursive: true, force: true });
      throw error;
    }
  }

  /** Accepts one stream with an id. @returns stops waiting for it */
  expect(id: string, accept: AcceptStream): () => void {
    this.#expected.set(id, accept);
    return () => this.#expected.delete(id);
  }

  /** Ends every stream and the server. */
  close(): void {
    this.#server.forceShutdown();
    rmSync(this.directory, { recursive: true, force: true });
  }

  #receive(stream: DialedStream): void {
    stream.on('error', () => undefined);
    if (this.#unregistered >= MAX_UNREGISTERED) {
      stream.end();
      return;
    }
    this.#unregistered += 1;
    const timer = setTimeout(() => stream.end(), REGISTER_TIMEOUT);
    let isRegistered = false;
    const finish = (): void => {
      if (isRegistered) return;
      isRegistered = true;
      clearTimeout(timer);
      this.#unregistered -= 1;
    };
    stream.on('close', finish);
    stream.on('cancelled', finish);
    stream.once('data', (first: Buffer) => {
      const id = registeredId(first);
      const accept = id === undefined ? undefined : this.#expected.get(id);
      if (id === undefined || accept === undefined) {
        stream.end();
        return;
      }
      this.#expected.delete(id);
      finish();
      accept(stream, first);
    });
    stream.on('end', () => {
      finish();
      stream.end();
    });
  }
}

/** Returns the id in a REGISTER message; undefined for another message. */
export function registeredId(bytes: Uint8Array): string | undefined {
  try {
    const { type, payload } = decodeMessage(ChaincodeMessage, bytes);
    return type === MessageType.REGISTER ? decodeMessage(ChaincodeID, payload).name : undefined;
  } catch {
    return undefined;
  }
}

function socketIn(directory: string): string {
  return `unix:${join(directory, SOCKET)}`;
}

function bound(server: Server, address: string): Promise<number> {
  return new Promise((resolve, reject) => {
    server.bindAsync(address, ServerCredentials.createInsecure(), (error, port) => {
      if (error === null) resolve(port);
      else reject(error);
    });
  });
}
