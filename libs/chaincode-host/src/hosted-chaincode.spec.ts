import { Server, ServerCredentials, type ServerDuplexStream } from '@grpc/grpc-js';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { peer } from '@hyperledger/fabric-protos';
import { bytesField, integerField, join, messageField, stringField } from '#fabric-codec/messages';
import type { Chaincode, ChaincodeCall, ChaincodeHost, ChaincodeResponse, Simulator } from './chaincode.port.js';
import { openChaincodeHost } from './open-chaincode-host.js';

type Message = peer.ChaincodeMessage;
type Stream = ServerDuplexStream<Buffer, Buffer>;
/** Sends a message of a call. */
type Send = (type: number, payload: Uint8Array) => void;
const Type = peer.ChaincodeMessage.Type;

const response = (payload: Uint8Array): Uint8Array => join([integerField(1, 200), bytesField(3, payload)]);

/** A call as the chaincode sees it. */
interface Served {
  readonly send: Send;
  /** The answer to its only request. */
  readonly answer: Message | undefined;
  readonly stream: Stream;
  /** How often it was started. */
  readonly starts: number;
}

/** The functions of a chaincode that is served here. */
const FUNCTIONS: Readonly<Record<string, (call: Served) => void>> = {
  Echo: ({ send }) => {
    send(Type.COMPLETED, response(Buffer.from('echo')));
  },
  Text: ({ send }) => {
    send(Type.ERROR, Buffer.from('a text of shim 2.2'));
  },
  Garbage: ({ send }) => {
    send(Type.COMPLETED, Buffer.of(0xff));
  },
  Never: () => undefined,
  Again: ({ send, starts }) => {
    if (starts > 1) send(Type.COMPLETED, response(Buffer.from('again')));
  },
  Unparsable: ({ stream }) => stream.write(Buffer.of(0x0a)),
  Unknown: ({ send }) => {
    send(99, new Uint8Array());
  },
  Read: ({ send, answer }) => {
    if (answer === undefined) send(Type.GET_STATE, stringField(1, 'key'));
    else send(Type.COMPLETED, response(answer.getPayload_asU8()));
  },
  /** Invokes what its arguments name, and returns the payload or the error. */
  Invoke: ({ send, answer }) => {
    if (answer === undefined) return;
    const payload = answer.getPayload_asU8();
    if (answer.getType() === Type.ERROR) send(Type.COMPLETED, response(payload));
    else send(Type.COMPLETED, peer.ChaincodeMessage.deserializeBinary(payload).getPayload_asU8());
  },
};

function messageOf(type: number, payload: Uint8Array, id = ''): Buffer {
  return join([integerField(1, type), bytesField(3, payload), stringField(4, id), stringField(7, 'mychannel')]);
}

/** Serves a chaincode for one stream at a time, as fabric-shim does. */
class ScriptedChaincode {
  readonly #server = new Server();
  executions = 0;
  /** By the ids of their transactions. */
  readonly #calls = new Map<string, { name: string; starts: number }>();

  async serve(): Promise<string> {
    const same = (bytes: Buffer) => bytes;
    const connect = { path: '/protos.Chaincode/Connect', requestStream: true, responseStream: true } as const;
    const definition = { ...connect, requestSerialize: same, responseSerialize: same };
    this.#server.addService(
      { connect: { ...definition, requestDeserialize: same, responseDeserialize: same } },
      {
        connect: (stream: Stream) => {
          this.#connect(stream);
        },
      },
    );
    const port = await new Promise<number>((resolve, reject) => {
      this.#server.bindAsync('127.0.0.1:0', ServerCredentials.createInsecure(), (error, bound) => {
        if (error === null) resolve(bound);
        else reject(error);
      });
    });
    return `grpc://127.0.0.1:${port}`;
  }

  stop(): void {
    this.#server.forceShutdown();
  }

  #connect(stream: Stream): void {
    stream.on('data', (bytes: Buffer) => {
      const message = peer.ChaincodeMessage.deserializeBinary(bytes);
      if (message.getTxid() !== '') this.#handle(message, stream);
    });
    stream.on('error', () => undefined);
    stream.write(messageOf(Type.KEEPALIVE, new Uint8Array()));
    stream.write(messageOf(Type.REGISTER, stringField(2, 'any:1')));
  }

  #handle(message: Message, stream: Stream): void {
    const id = message.getTxid();
    const send: Send = (type, payload) => stream.write(messageOf(type, payload, id));
    const isStart = message.getType() === Type.TRANSACTION;
    const call = this.#calls.get(id) ?? { name: '', starts: 0 };
    if (isStart) {
      const [name = '', ...rest] = peer.ChaincodeInput.deserializeBinary(message.getPayload_asU8()).getArgsList_asU8();
      call.name = Buffer.from(name).toString();
      call.starts += 1;
      this.executions += 1;
      this.#calls.set(id, call);
      if (call.name === 'Invoke') send(Type.INVOKE_CHAINCODE, invocation(rest));
    }
    FUNCTIONS[call.name]?.({ send, answer: isStart ? undefined : message, stream, starts: call.starts });
  }
}

/** Encodes a `protos.ChaincodeSpec`. */
function invocation([name = new Uint8Array(), ...args]: readonly Uint8Array[]): Uint8Array {
  const input = args.map((argument) => bytesField(1, argument));
  return join([messageField(2, bytesField(2, name)), messageField(3, ...input)]);
}

/** The ledger's own contract. */
const OWN: Chaincode = {
  name: 'basic',
  invoke: ({ arguments: args }) => Promise.resolve({ status: 200, message: '', payload: Buffer.concat([...args]) }),
};

describe('a chaincode that is served', () => {
  const chaincode = new ScriptedChaincode();
  let host: ChaincodeHost;
  let address: string;
  let newestId = 0;
  const open = async (timeout: number) => {
    const chaincodes = {
      sources: [{ name: 'cars', source: address }],
      timeout,
      checksDeterminism: false,
      isWatched: false,
      hasQueries: false,
    };
    const opened = openChaincodeHost({ mspId: 'Org1MSP', dataDir: 'data', chaincodes });
    await opened.start(OWN);
    return opened;
  };
  beforeAll(async () => {
    address = await chaincode.serve();
    host = await open(60_000);
  });
  afterAll(async () => {
    await host.close();
    chaincode.stop();
  });
  const callOf = (name: string, ...args: readonly string[]): ChaincodeCall => ({
    channel: 'mychannel',
    transactionId: String((newestId += 1)),
    timestamp: 0,
    arguments: [name, ...args].map((text) => Buffer.from(text)),
    creator: new Uint8Array(),
    transient: new Map(),
    signedProposal: new Uint8Array(),
  });
  const simulator = (more: Partial<Simulator> = {}) => ({ reset: () => undefined, ...more }) as Simulator;
  const invoke = (name: string, ...args: readonly string[]) =>
    host.get('cars')!.invoke(callOf(name, ...args), simulator());
  const payloadOf = async (response: Promise<ChaincodeResponse>) => Buffer.from((await response).payload).toString();

  it('returns its response', async () => {
    expect(host.names).toEqual(['cars']);
    expect(await payloadOf(invoke('Echo'))).toBe('echo');
  });

  it('fails a call with a plain text of the shim, or with a response that cannot be decoded', async () => {
    expect(await invoke('Text')).toMatchObject({
      status: 500,
      message: 'error in simulation: transaction returned with failure: a text of shim 2.2',
    });
    expect((await invoke('Garbage')).message).toMatch('failed to unmarshal response for transaction');
  });

  it('fails a call with what the simulator throws, after the chaincode has finished', async () => {
    const failure = new Error('the store failed');
    const getState = () => {
      throw failure;
    };
    const reading = host.get('cars')!.invoke(callOf('Read'), simulator({ getState }));
    await expect(reading).rejects.toBe(failure);
  });

  it('invokes the contract of the ledger, and no other channel, unknown chaincode or running transaction', async () => {
    expect(await payloadOf(invoke('Invoke', 'basic:1/mychannel', 'a', 'b'))).toBe('ab');
    const failed = 'INVOKE_CHAINCODE failed: transaction ID:';
    for (const [name, text] of [
      ['basic/other', 'failed to find ledger for channel: other'],
      [
        'none',
        'execute failed: invalid invocation: [channel mychannel] failed to get chaincode container info for none',
      ],
      ['cars', 'execute failed: error sending: txid: '],
    ] as const) {
      const payload = await payloadOf(invoke('Invoke', name, 'Echo'));
      expect(payload).toMatch(failed);
      expect(payload).toContain(text);
    }
  });

  it.each(['Unparsable', 'Unknown'])('fails no other call after the message "%s", and connects again', async (name) => {
    const [other, broken] = await Promise.allSettled([invoke('Again'), invoke(name)]);
    expect(broken).toMatchObject({ status: 'rejected', reason: { code: 'LEDGER.UNAVAILABLE' } });
    expect(other).toMatchObject({ status: 'fulfilled', value: { payload: Buffer.from('again') } });
    expect(await payloadOf(invoke('Echo'))).toBe('echo');
  });

  it('fails a call after the timeout, and no other one that waited meanwhile', async () => {
    const short = await open(1000);
    const calls = ['Again', 'Never', 'Again'].map((name) => short.get('cars')!.invoke(callOf(name), simulator()));
    const [first, never, last] = await Promise.allSettled(calls);
    expect([first?.status, last?.status]).toEqual(['fulfilled', 'fulfilled']);
    expect(never).toMatchObject({ status: 'rejected', reason: { code: 'LEDGER.TIMEOUT' } });
    const executions = chaincode.executions;
    const hung = await Promise.allSettled(
      Array.from({ length: 20 }, () => short.get('cars')!.invoke(callOf('Never'), simulator())),
    );
    expect(hung.map((each) => (each as PromiseRejectedResult).reason as object)).toEqual(
      Array(20).fill(expect.objectContaining({ code: 'LEDGER.TIMEOUT' })),
    );
    // The first executions, and those alone within three timeouts.
    expect(chaincode.executions - executions).toBeLessThanOrEqual(20 + 2);
    const waiting = short.get('cars')!.invoke(callOf('Never'), simulator());
    await short.close();
    await expect(waiting).rejects.toMatchObject({ code: 'LEDGER.UNAVAILABLE' });
  });
});
