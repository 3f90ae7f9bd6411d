import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { acceptedBytes, internals, isReset } from './socket-handle.js';

let socket: Socket;
let peer: Socket;

beforeEach(async () => {
  const server = createServer({ pauseOnConnect: true }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  peer = connect((server.address() as AddressInfo).port, '127.0.0.1').on('error', () => undefined);
  [socket] = (await once(server, 'connection')) as [Socket];
  socket.on('error', () => undefined);
  server.close();
});

afterEach(() => {
  Object.assign(internals, { writeQueue: true, detectReset: true });
  socket.destroy();
  peer.destroy();
});

/** Writes a piece that the kernel cannot accept as a whole. */
function fill(): number {
  const piece = Buffer.alloc(16 * 1_048_576);
  peer.pause();
  socket.write(piece);
  return piece.length;
}

describe('acceptedBytes', () => {
  it('counts the part of a write that the kernel has accepted', () => {
    const length = fill();
    expect(acceptedBytes(socket)).toBeGreaterThan(0);
    expect(acceptedBytes(socket)).toBeLessThan(length);
  });

  it('counts a write when all of it was accepted, without the queue size of the handle', () => {
    internals.writeQueue = false;
    fill();
    expect(acceptedBytes(socket)).toBe(0);
    expect(acceptedBytes(peer)).toBe(0);
  });
});

describe('isGone', () => {
  it('detects that the peer has reset a socket that is not read', async () => {
    expect(isReset(socket)).toBe(false);
    peer.resetAndDestroy();
    await once(peer, 'close');
    expect(isReset(socket)).toBe(true);
    internals.detectReset = false;
    expect(isReset(socket)).toBe(false);
  });
});
