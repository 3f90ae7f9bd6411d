import { Buffer } from 'node:buffer';
import { Client, credentials, type ClientDuplexStream } from '@grpc/grpc-js';
import { decodeMessage } from '#fabric-codec/messages';
import { LedgerError } from '#ledger-gateway';
import { SimulationError, type ChaincodeCall, type Simulator } from './chaincode.port.js';
import type { Collections } from './collections/collections.js';
import {
  ChaincodeMessage,
  ChaincodeSpec,
  encodeMessage,
  encodeTransaction,
  MAX_MESSAGE_BYTES,
  MessageType,
} from './messages.js';
import { type DialedStream, registeredId } from './register-server.js';
import type { ChaincodeIndexes } from './launch/index-files.js';
import { StateRequests, unmarshal } from './state-requests.js';

/** The path of `protos.Chaincode.Connect`. */
const CONNECT = '/protos.Chaincode/Connect';
const CHANNEL_OPTIONS = {
  'grpc.max_receive_message_length': MAX_MESSAGE_BYTES,
  'grpc.max_send_message_length': -1,
  // A server that has just been started is tried again soon.
  'grpc.initial_reconnect_backoff_ms': 25,
  'grpc.max_reconnect_backoff_ms': 500,
  'grpc.enable_http_proxy': 0,
  'grpc.use_local_subchannel_pool': 1,
};

/** The last message of a call: COMPLETED, whose payload is a `protos.Response`, or ERROR, whose payload is a text. */
export type Outcome = Pick<ChaincodeMessage, 'type' | 'payload' | 'chaincodeEvent'>;

/** The stream ended, so that calls have no outcome. They can be executed again. */
export class StreamEnded extends Error {
  override readonly name = 'StreamEnded';

  constructor() {
    super('chaincode stream terminated');
  }
}

/** Options of {@link ChaincodeStream}. */
export interface StreamOptions {
  /** The namespace of the chaincode in the state. */
  readonly name: string;
  /** The id with which the chaincode must register, if we have started it. */
  readonly id?: string | undefined;
  /** Its private collections. */
  readonly collections: Collections;
  /** The indexes of the chaincode; undefined where queries of CouchDB are refused. */
  readonly indexes?: ChaincodeIndexes | undefined;
  /** Milliseconds after which a call fails and the stream ends. */
  readonly timeout: number;
  /** Executes another chaincode of the channel. */
  readonly invoke: (name: string, call: ChaincodeCall, simulator: Simulator) => Promise<Outcome>;
}

/** A gRPC stream of serialized messages, whichever side has connected. */
type MessageStream = DialedStream | ClientDuplexStream<Buffer, Buffer>;

interface ActiveCall {
  readonly call: ChaincodeCall;
  readonly simulator: Simulator;
  readonly requests: StateRequests;
  readonly outcome: PromiseWithResolvers<Outcome>;
  /** Whether it waits for another chaincode, or results of a query; the chaincode must not send requests meanwhile. */
  isWaiting: boolean;
  /** With which the call fails, whatever the chaincode returns. */
  failure: unknown;
}

/**
 * The peer's side of a stream to a chaincode that is served (`protos.Chaincode`) or has dialed us (`protos.ChaincodeSupport`):
 *
 *     chaincode: REGISTER ──▶ peer: REGISTERED, READY, then for each call
 *     peer: TRANSACTION ──▶ chaincode: GET_STATE … ──▶ peer: RESPONSE or ERROR ──▶ … ──▶ chaincode: COMPLETED or ERROR
 */
export class ChaincodeStream {
  /** Resolves when the stream has ended, with whether calls had no outcome. */
  readonly ended: Promise<boolean>;
  readonly #options: StreamOptions;
  readonly #stream: MessageStream;
  readonly #close: () => void;
  readonly #active = new Map<string, ActiveCall>();
  readonly #ready = Promise.withResolvers<undefined>();
  readonly #end = Promise.withResolvers<boolean>();
  #isReady = false;
  #hasEnded = false;

  private constructor(stream: MessageStream, close: () => void, options: StreamOptions) {
    this.#options = options;
    this.#stream = stream;
    this.#close = close;
    this.ended = this.#end.promise;
    this.#ready.promise.catch(() => undefined);
    this.#stream.on('data', (bytes: Buffer) => {
      this.#receive(bytes);
    });
    for (const event of ['error', 'end', 'close', 'cancelled']) {
      this.#stream.on(event, () => {
        this.terminate();
      });
    }
  }

  /**
   * Connects to a chaincode and waits until it has registered.
   * @param address - as gRPC names it: `unix:/path` or `host:port`
   * @param timeout - milliseconds
   * @throws an Error when it is not reachable, or does not register
   */
  static async open(address: string, options: StreamOptions, timeout: number): Promise<ChaincodeStream> {
    const client = new Client(address, credentials.createInsecure(), CHANNEL_OPTIONS);
    const deadline = Date.now() + timeout;
    try {
      await new Promise<void>((resolve, reject) => {
        client.waitForReady(deadline, (error) => {
          if (error === undefined) resolve();
          else reject(new Error(`no chaincode answers at ${address}`));
        });
      });
    } catch (error) {
      client.close();
      throw error;
    }
    const same = (bytes: Buffer): Buffer => bytes;
    const connected = client.makeBidiStreamRequest(CONNECT, same, same);
    const close = (): void => {
      connected.cancel();
      client.close();
    };
    const stream = new ChaincodeStream(connected, close, options);
    const timer = setTimeout(() => {
      stream.terminate();
    }, deadline - Date.now());
    await stream.#ready.promise.finally(() => {
      clearTimeout(timer);
    });
    return stream;
  }

  /** Adopts the stream of a chaincode that has dialed us. @param register - its first message */
  static adopt(dialed: DialedStream, register: Buffer, options: StreamOptions): ChaincodeStream {
    const stream = new ChaincodeStream(dialed, () => dialed.end(), options);
    stream.#receive(register);
    return stream;
  }

  /** Waits for the outcomes of all calls. */
  async drain(): Promise<void> {
    await Promise.allSettled(Array.from(this.#active.values(), ({ outcome }) => outcome.promise));
  }

  /**
   * Executes a call.
   * @param notePrivate - called with private values that the chaincode reads
   * @throws {@link StreamEnded}, also after the timeout of one of several calls; `LEDGER.TIMEOUT`, after which the stream has
   * ended; what the simulator throws
   */
  async execute(
    call: ChaincodeCall,
    simulator: Simulator,
    notePrivate?: (value: Uint8Array) => void,
  ): Promise<Outcome> {
    if (this.#hasEnded) throw new StreamEnded();
    const { transactionId, channel } = call;
    if (this.#active.has(transactionId)) {
      throw new SimulationError(`error sending: txid: ${transactionId}(${channel}) exists`);
    }
    const requests = new StateRequests(channel, simulator, { ...this.#options, notePrivate });
    const outcome = Promise.withResolvers<Outcome>();
    this.#active.set(transactionId, { call, simulator, requests, outcome, isWaiting: false, failure: undefined });
    const timer = setTimeout(() => {
      this.#timeOut(outcome);
    }, this.#options.timeout);
    this.#stream.write(encodeTransaction(call));
    try {
      return await outcome.promise;
    } finally {
      clearTimeout(timer);
      this.#active.delete(transactionId);
    }
  }

  /** Ends the stream. Calls without an outcome fail with {@link StreamEnded}. */
  terminate(): void {
    if (this.#hasEnded) return;
    this.#hasEnded = true;
    this.#close();
    this.#ready.reject(new Error('the chaincode did not register'));
    this.#end.resolve(this.#active.size > 0);
    // The newest first: the oldest one is the likeliest cause.
    for (const { outcome } of [...this.#active.values()].reverse()) outcome.reject(new StreamEnded());
  }

  /** Fails a call that is alone. Among several, another one may have blocked the process. */
  #timeOut(outcome: PromiseWithResolvers<Outcome>): void {
    const { name, timeout } = this.#options;
    const text = `The chaincode "${name}" did not respond within ${timeout} ms.`;
    if (this.#active.size === 1) outcome.reject(new LedgerError('LEDGER.TIMEOUT', text));
    this.terminate();
  }

  /** As a peer does, ends the stream after a message that is not part of the protocol. */
  #receive(bytes: Buffer): void {
    try {
      const message = decodeMessage(ChaincodeMessage, bytes);
      if (message.type === MessageType.KEEPALIVE) return;
      if (this.#isReady) this.#handle(message);
      else this.#register(message, bytes);
    } catch {
      this.terminate();
    }
  }

  #register({ type }: ChaincodeMessage, bytes: Buffer): void {
    if (type !== MessageType.REGISTER) throw new Error('the chaincode sent a message before it registered');
    const { id } = this.#options;
    if (id !== undefined && registeredId(bytes) !== id) throw new Error('another chaincode registered');
    this.#stream.write(encodeMessage({ type: MessageType.REGISTERED }));
    this.#stream.write(encodeMessage({ type: MessageType.READY }));
    this.#isReady = true;
    this.#ready.resolve(undefined);
  }

  #handle(message: ChaincodeMessage): void {
    const active = this.#active.get(message.txid);
    const isLast = message.type === MessageType.COMPLETED || message.type === MessageType.ERROR;
    if (active === undefined) {
      // Of a call that has failed meanwhile. Its chaincode gets an error, so that it finishes.
      if (!isLast) this.#answerError(message, 'no ledger context');
    } else if (isLast) this.#complete(active, message);
    else if (active.isWaiting) return;
    else if (message.type === MessageType.INVOKE_CHAINCODE) void this.#invoke(active, message);
    else this.#answer(active, message);
  }

  #complete({ failure, outcome }: ActiveCall, message: ChaincodeMessage): void {
    if (failure === undefined) outcome.resolve(message);
    else outcome.reject(failure);
  }

  #answer(active: ActiveCall, message: ChaincodeMessage): void {
    let payload: Uint8Array | Promise<Uint8Array> | undefined;
    try {
      payload = active.requests.handle(message.type, message.payload);
    } catch (error) {
      this.#refuse(active, message, error);
      return;
    }
    if (payload === undefined) throw new Error(`the message type ${message.type} is unknown`);
    if (payload instanceof Promise) void this.#answerLater(active, message, payload);
    else this.#respond(active, payload);
  }

  async #answerLater(active: ActiveCall, message: ChaincodeMessage, payload: Promise<Uint8Array>): Promise<void> {
    active.isWaiting = true;
    try {
      this.#respond(active, await payload);
    } catch (error) {
      this.#refuse(active, message, error);
    } finally {
      active.isWaiting = false;
    }
  }

  async #invoke(active: ActiveCall, message: ChaincodeMessage): Promise<void> {
    active.isWaiting = true;
    try {
      const { type, payload } = await this.#executeOther(active, message.payload);
      this.#respond(active, encodeMessage({ type, payload, call: active.call }));
    } catch (error) {
      this.#refuse(active, message, error);
    } finally {
      active.isWaiting = false;
    }
  }

  async #executeOther({ call, simulator }: ActiveCall, payload: Uint8Array): Promise<Outcome> {
    const { chaincodeId, input } = unmarshal(ChaincodeSpec, payload);
    const { name, channel } = parseName(chaincodeId?.name ?? '');
    if (channel !== '' && channel !== call.channel) {
      throw new SimulationError(`failed to find ledger for channel: ${channel}`);
    }
    try {
      return await this.#options.invoke(name, { ...call, arguments: input?.args ?? [] }, simulator);
    } catch (error) {
      throw error instanceof SimulationError ? new SimulationError(`execute failed: ${error.message}`) : error;
    }
  }

  /** Answers with an error. One that is not part of the simulation also fails the call. */
  #refuse(active: ActiveCall, message: ChaincodeMessage, error: unknown): void {
    if (!(error instanceof SimulationError)) active.failure ??= error;
    this.#answerError(message, error instanceof Error ? error.message : String(error));
  }

  #answerError({ type, txid, channelId }: ChaincodeMessage, text: string): void {
    const payload = Buffer.from(`${typeName(type)} failed: transaction ID: ${txid}: ${text}`);
    this.#send(encodeMessage({ type: MessageType.ERROR, payload, call: { transactionId: txid, channel: channelId } }));
  }

  #respond({ call }: ActiveCall, payload: Uint8Array): void {
    this.#send(encodeMessage({ type: MessageType.RESPONSE, payload, call }));
  }

  #send(message: Buffer): void {
    if (!this.#hasEnded) this.#stream.write(message);
  }
}

/** Parses `name:version/channel`, of which all but the name may be missing. */
function parseName(text: string): { readonly name: string; readonly channel: string } {
  const [chaincode = '', channel = ''] = text.split('/', 2);
  const [name = ''] = chaincode.split(':', 1);
  return { name, channel };
}

function typeName(type: number): string {
  return Object.entries(MessageType).find(([, number]) => number === type)?.[0] ?? String(type);
}
