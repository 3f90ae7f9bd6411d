import { createServer, Socket } from 'node:net';
import { proveInternals } from './prove-internals.js';
import { internals, type Internal } from './socket-handle.js';

const ALL: readonly Internal[] = ['handOver', 'liveBuffer', 'writeQueue', 'detectReset'];

interface Handle {
  useUserBuffer: (this: unknown, buffer: Uint8Array) => void;
  getpeername: (this: unknown, out: object) => number;
}

/** Returns the prototype of all native handles of TCP sockets, in which a test can replace methods. */
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
  it('proves all features in this version of Node', async () => {
    expect(await proveInternals()).toEqual([]);
    expect(Object.keys(internals)).toEqual(ALL);
    expect(new Set(Object.values(internals))).toEqual(new Set([true]));
  });

  it('does not turn a feature off because the machine is busy', async () => {
    let isFirst = true;
    handle.useUserBuffer = function (buffer) {
      // Blocks the process in the middle of the trial.
      if (isFirst) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1200);
      isFirst = false;
      before.useUserBuffer.call(this, buffer);
    };
    expect(await proveInternals()).toEqual([]);
  });

  it('turns liveBuffer off when bytes still arrive in the first buffer of a socket', async () => {
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

  it('turns all features off when a socket that was handed over does not read into its buffer', async () => {
    handle.useUserBuffer = () => undefined;
    expect(await proveInternals()).toEqual(ALL);
  });

  it('turns detectReset off when it does not detect a reset', async () => {
    handle.getpeername = () => 0;
    expect(await proveInternals()).toEqual(['detectReset']);
  });

  it('turns detectReset off when it reports a reset of an open connection', async () => {
    handle.getpeername = () => -107;
    expect(await proveInternals()).toEqual(['detectReset']);
  });
});
