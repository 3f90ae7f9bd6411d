import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { internals } from './internals.js';
import { isGone, unsentBytes } from './socket-handle.js';

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
  Object.assign(internals, { writeQueue: true, peerName: true });
  socket.destroy();
  peer.destroy();
});

/** Writes until the kernel takes no more of one piece. */
function fill(): number {
  const piece = Buffer.alloc(16 * 1_048_576);
  peer.pause();
  socket.write(piece);
  return piece.length;
}

describe('unsentBytes', () => {
  it('counts what is left of a piece', () => {
    const length = fill();
    expect(unsentBytes(socket)).toBeGreaterThan(0);
    expect(unsentBytes(socket)).toBeLessThan(length);
  });

  it('counts the piece as a whole where the handle does not tell', () => {
    internals.writeQueue = false;
    const length = fill();
    expect(unsentBytes(socket)).toBe(length);
    expect(unsentBytes(peer)).toBe(0);
  });
});

describe('isGone', () => {
  it('sees a peer that has reset, on a socket that nobody reads', async () => {
    expect(isGone(socket)).toBe(false);
    peer.resetAndDestroy();
    await once(peer, 'close');
    expect(isGone(socket)).toBe(true);
    internals.peerName = false;
    expect(isGone(socket)).toBe(false);
  });
});
