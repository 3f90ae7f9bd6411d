import { randomBytes } from 'node:crypto';
import { Server, ServerCredentials, type ChannelCredentials, type ServerDuplexStream } from '@grpc/grpc-js';
import { common, ledger, msp, peer } from '@hyperledger/fabric-protos';
import { Timestamp } from 'google-protobuf/google/protobuf/timestamp_pb.js';
import { MemoryState } from '#contract-kit/testing';
import type { HistoryEntry, StateEntry, Write } from '#contract-kit';

type Message = InstanceType<typeof peer.ChaincodeMessage>;
type Query = Generator<Uint8Array>;

/** The stream between a peer and a chaincode, whichever of them opened it. */
interface ChaincodeStream {
  write(message: Message): void;
  end(): void;
  on(event: 'data', listener: (message: Message) => void): unknown;
  on(event: 'error', listener: (error: Error) => void): unknown;
  on(event: 'end', listener: () => void): unknown;
}

/** What a chaincode answered. */
export interface ChaincodeAnswer {
  readonly status: number;
  readonly message: string;
  readonly payload: string;
}

/** A real peer sends 100 results at once; a few make a test cross from one such part to the next. */
const RESULTS_AT_ONCE = 3;

const { Type } = peer.ChaincodeMessage;

/**
 * The peer's side of the chaincode protocol (chaincode_shim.proto) on a state in memory: one transaction after the
 * other, its writes stored when the chaincode succeeded.
 */
export class ScriptedPeer {
  readonly state = new MemoryState();
  readonly #certificate: string;
  readonly #registered = Promise.withResolvers<string>();
  #stream: ChaincodeStream | undefined;
  #answer: PromiseWithResolvers<ChaincodeAnswer> | undefined;
  #writes: Write[] = [];
  #queries = new Map<string, Query>();

  /** @param certificate PEM text of who calls */
  constructor(certificate: string) {
    this.#certificate = certificate;
  }

  /** Connects to a chaincode that runs as a service; resolves with the id under which it registers. */
  async connect(address: string, credentials: ChannelCredentials): Promise<string> {
    const client = new peer.ChaincodeClient(address, credentials);
    this.#attach(client.connect());
    return this.#registered.promise;
  }

  /** Listens for chaincode that opens the connection. */
  async listen(): Promise<{ readonly port: number; readonly registered: Promise<string>; close(): void }> {
    const server = new Server();
    server.addService(peer.ChaincodeSupportService, {
      register: (stream: ServerDuplexStream<Message, Message>) => {
        this.#attach(stream);
      },
    });
    const port = await new Promise<number>((resolve, reject) => {
      server.bindAsync('127.0.0.1:0', ServerCredentials.createInsecure(), (error, bound) => {
        if (error) reject(error);
        else resolve(bound);
      });
    });
    return {
      port,
      registered: this.#registered.promise,
      close: () => {
        server.forceShutdown();
      },
    };
  }

  /** Runs a transaction. */
  async call(name: string, ...args: string[]): Promise<ChaincodeAnswer> {
    const input = new peer.ChaincodeInput();
    input.setArgsList([name, ...args].map((arg) => Buffer.from(arg)));
    const bytes = new Uint8Array(input.serializeBinary());
    const answer = Promise.withResolvers<ChaincodeAnswer>();
    this.#answer = answer;
    this.#writes = [];
    const txid = randomBytes(32).toString('hex');
    const message = this.#message(Type.TRANSACTION, bytes, txid);
    message.setProposal(this.#proposal(txid, bytes));
    this.#stream?.write(message);
    return answer.promise;
  }

  close(): void {
    this.#stream?.end();
  }

  #attach(stream: ChaincodeStream): void {
    this.#stream = stream;
    stream.on('data', (message) => {
      this.#take(message);
    });
    stream.on('end', () => {
      stream.end();
    });
    stream.on('error', (error) => {
      this.#registered.reject(error);
      this.#answer?.reject(error);
    });
  }

  #take(message: Message): void {
    const payload = message.getPayload_asU8();
    switch (message.getType()) {
      case Type.REGISTER:
        this.#stream?.write(this.#message(Type.REGISTERED));
        this.#stream?.write(this.#message(Type.READY));
        this.#registered.resolve(peer.ChaincodeID.deserializeBinary(payload).getName());
        return;
      case Type.COMPLETED:
        this.#complete(peer.Response.deserializeBinary(payload));
        return;
      case Type.ERROR:
        this.#answer?.reject(new Error(Buffer.from(payload).toString()));
        return;
      default:
        this.#respond(message, payload);
    }
  }

  #respond(message: Message, payload: Uint8Array): void {
    const response = this.#run(message.getType(), payload);
    this.#stream?.write(this.#message(Type.RESPONSE, response, message.getTxid()));
  }

  #run(type: number, payload: Uint8Array): Uint8Array {
    switch (type) {
      case Type.GET_STATE: {
        const { key } = peer.GetState.deserializeBinary(payload).toObject();
        return this.state.value(key) ?? new Uint8Array();
      }
      case Type.PUT_STATE: {
        const put = peer.PutState.deserializeBinary(payload);
        this.#writes.push({ key: put.getKey(), value: put.getValue_asU8() });
        return new Uint8Array();
      }
      case Type.DEL_STATE: {
        const { key } = peer.DelState.deserializeBinary(payload).toObject();
        this.#writes.push({ key, value: undefined });
        return new Uint8Array();
      }
      case Type.GET_STATE_BY_RANGE: {
        const { startkey, endkey } = peer.GetStateByRange.deserializeBinary(payload).toObject();
        return this.#begin(stateResults(this.state.range({ start: startkey, end: endkey, limit: 1_000_000 })));
      }
      case Type.GET_HISTORY_FOR_KEY: {
        const { key } = peer.GetHistoryForKey.deserializeBinary(payload).toObject();
        return this.#begin(historyResults(this.state.history(key)));
      }
      case Type.QUERY_STATE_NEXT:
        return this.#next(peer.QueryStateNext.deserializeBinary(payload).getId());
      case Type.QUERY_STATE_CLOSE: {
        const id = peer.QueryStateClose.deserializeBinary(payload).getId();
        this.#queries.delete(id);
        return new peer.QueryResponse().serializeBinary();
      }
      default:
        throw new Error(`message type ${type} is not scripted`);
    }
  }

  /** How many queries the chaincode left open. */
  get openQueries(): number {
    return this.#queries.size;
  }

  #begin(results: readonly Uint8Array[]): Uint8Array {
    const id = randomBytes(4).toString('hex');
    this.#queries.set(id, parts(id, results));
    return this.#next(id);
  }

  #next(id: string): Uint8Array {
    const next = this.#queries.get(id)?.next();
    return next?.done === false ? next.value : new peer.QueryResponse().serializeBinary();
  }

  #complete(response: InstanceType<typeof peer.Response>): void {
    if (response.getStatus() === 200) for (const write of this.#writes) this.state.write(write);
    this.#answer?.resolve({
      status: response.getStatus(),
      message: response.getMessage(),
      payload: Buffer.from(response.getPayload_asU8()).toString(),
    });
  }

  #message(type: number, payload: Uint8Array = new Uint8Array(), txid = ''): Message {
    const message = new peer.ChaincodeMessage();
    message.setType(type as Parameters<Message['setType']>[0]);
    message.setPayload(payload);
    message.setTxid(txid);
    message.setChannelId('mychannel');
    return message;
  }

  #proposal(txid: string, input: Uint8Array): InstanceType<typeof peer.SignedProposal> {
    const channelHeader = new common.ChannelHeader();
    channelHeader.setType(common.HeaderType.ENDORSER_TRANSACTION);
    channelHeader.setTxId(txid);
    channelHeader.setChannelId('mychannel');
    channelHeader.setTimestamp(timestamp('2026-01-02T03:04:05.678Z'));
    const identity = new msp.SerializedIdentity();
    identity.setMspid('Org1MSP');
    identity.setIdBytes(Buffer.from(this.#certificate));
    const signatureHeader = new common.SignatureHeader();
    signatureHeader.setCreator(identity.serializeBinary());
    const header = new common.Header();
    header.setChannelHeader(channelHeader.serializeBinary());
    header.setSignatureHeader(signatureHeader.serializeBinary());
    const payload = new peer.ChaincodeProposalPayload();
    payload.setInput(input);
    const proposal = new peer.Proposal();
    proposal.setHeader(header.serializeBinary());
    proposal.setPayload(payload.serializeBinary());
    const signed = new peer.SignedProposal();
    signed.setProposalBytes(proposal.serializeBinary());
    return signed;
  }
}

function* parts(id: string, results: readonly Uint8Array[]): Query {
  for (let start = 0; start === 0 || start < results.length; start += RESULTS_AT_ONCE) {
    const response = new peer.QueryResponse();
    response.setId(id);
    response.setHasMore(start + RESULTS_AT_ONCE < results.length);
    response.setResultsList(
      results.slice(start, start + RESULTS_AT_ONCE).map((bytes) => {
        const result = new peer.QueryResultBytes();
        result.setResultbytes(bytes);
        return result;
      }),
    );
    yield response.serializeBinary();
  }
}

function stateResults(entries: readonly StateEntry[]): Uint8Array[] {
  return entries.map(({ key, value }) => {
    const result = new ledger.queryresult.KV();
    result.setKey(key);
    result.setValue(value);
    return result.serializeBinary();
  });
}

function historyResults(entries: readonly HistoryEntry[]): Uint8Array[] {
  return entries.map(({ transactionId, timestamp: time, value }) => {
    const result = new ledger.queryresult.KeyModification();
    result.setTxId(transactionId);
    result.setTimestamp(timestamp(time));
    result.setIsDelete(value === undefined);
    result.setValue(value ?? new Uint8Array());
    return result.serializeBinary();
  });
}

function timestamp(text: string): Timestamp {
  return Timestamp.fromDate(new Date(text));
}
