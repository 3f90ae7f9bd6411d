import { createServer, Socket } from 'node:net';
import { internals, type Internal } from './internals.js';
import { proveInternals } from './prove-internals.js';

const ALL: readonly Internal[] = ['handOver', 'liveBuffer', 'sharedBuffer', 'writeQueue', 'peerName'];

interface Handle {
  useUserBuffer: (this: unknown, buffer: Uint8Array) => void;
  getpeername: (this: unknown, out: object) => number;
}

/** What all native handles of TCP sockets share: a test puts something else there, as another Node might have it. */
async function sharedHandle(): Promise<Handle> {
  const server = createServer().listen(0, '127.0.0.1');
  const socket = new Socket();
  await new Promise<void>((connected) => {
    server.once('listening', () => socket.connect((server.address() as { port: number }).port, '127.0.0.1', connected));
  });
  const shared = Object.getPrototypeOf((socket as unknown as { _handle: object })._handle) as Handle;
  socket.destroy();
  server.close();
  return shared;
}

let handle: Handle;
let before: Handle;

beforeAll(async () => {
  handle = await sharedHandle();
  before = { useUserBuffer: handle.useUserBuffer, getpeername: handle.getpeername };
});

afterEach(() => {
  Object.assign(handle, before);
  for (const internal of ALL) internals[internal] = true;
});

describe('proveInternals', () => {
  it('finds all of them to work in this Node', async () => {
    expect(await proveInternals()).toEqual([]);
    expect(Object.keys(internals)).toEqual(ALL);
    expect(new Set(Object.values(internals))).toEqual(new Set([true]));
  });

  it('does not take a busy machine for another Node', async () => {
    let isFirst = true;
    handle.useUserBuffer = function (buffer) {
      // Nothing of this process goes on for so long, in the middle of the trial.
      if (isFirst) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1200);
      isFirst = false;
      before.useUserBuffer.call(this, buffer);
    };
    expect(await proveInternals()).toEqual([]);
  });

  it('turns the live buffer off when the bytes go on into the buffer that a socket was made with', async () => {
    const made = new Set<unknown>();
    let ignored = 0;
    handle.useUserBuffer = function (buffer) {
      if (made.has(this)) ignored += 1;
      else before.useUserBuffer.call(this, buffer);
      made.add(this);
    };
    expect(await proveInternals()).toEqual(['liveBuffer']);
    expect([ignored, internals.liveBuffer, internals.handOver]).toEqual([1, false, true]);
  });

  it('turns the shared buffer off when a read is not told before the next one begins', async () => {
    const owners = new Map<Uint8Array, unknown>();
    handle.useUserBuffer = function (buffer) {
      const isOthers = (owners.get(buffer) ?? this) !== this;
      owners.set(buffer, owners.get(buffer) ?? this);
      // What the second socket reads stands behind, by a byte.
      before.useUserBuffer.call(this, isOthers ? buffer.subarray(1) : buffer);
    };
    expect(await proveInternals()).toEqual(['sharedBuffer']);
    expect(internals.sharedBuffer).toBe(false);
  });

  it('turns off all that needs a handed over socket when that does not read into its buffer', async () => {
    handle.useUserBuffer = () => undefined;
    expect(await proveInternals()).toEqual(ALL);
  });

  it('turns the look at the peer off when it does not see that the peer has gone', async () => {
    handle.getpeername = () => 0;
    expect(await proveInternals()).toEqual(['peerName']);
  });

  it('does not believe it of a peer that is there', async () => {
    handle.getpeername = () => -107;
    expect(await proveInternals()).toEqual(['peerName']);
  });
});
