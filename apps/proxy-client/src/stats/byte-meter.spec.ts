import { once } from 'node:events';
import { createServer, connect, type AddressInfo } from 'node:net';
import { ByteMeter } from './byte-meter.js';

const counters = (bytesRead: number, bytesWritten: number) => ({ bytesRead, bytesWritten });

describe('ByteMeter', () => {
  it('starts at zero', () => {
    expect(new ByteMeter().totals()).toEqual({ sent: 0, received: 0 });
  });

  it('sums live sockets, each from its baseline', () => {
    const meter = new ByteMeter();
    const first = counters(12, 20);
    meter.track(first, counters(12, 20));
    meter.track(counters(5, 7));
    first.bytesRead += 100;
    first.bytesWritten += 1000;
    expect(meter.totals()).toEqual({ sent: 1007, received: 105 });
  });

  it('keeps the bytes of closed sockets and counts them once', () => {
    const meter = new ByteMeter();
    const socket = counters(3, 4);
    const metered = meter.track(socket);
    metered.end();
    metered.end();
    socket.bytesRead = 500;
    expect(meter.totals()).toEqual({ sent: 4, received: 3 });
  });

  it('copies the baseline, so that the socket itself can be passed', () => {
    const meter = new ByteMeter();
    const socket = counters(10, 10);
    meter.track(socket, socket);
    socket.bytesRead = 11;
    expect(meter.totals()).toEqual({ sent: 0, received: 1 });
  });

  it('never decreases when a socket loses its queue, and catches up with what is sent later', () => {
    const meter = new ByteMeter();
    const dropped = counters(0, 1000);
    const metered = meter.track(dropped);
    expect(meter.totals().sent).toBe(1000);
    dropped.bytesWritten = 400;
    metered.end();
    expect(meter.totals().sent).toBe(1000);
    const next = counters(0, 500);
    meter.track(next);
    expect(meter.totals().sent).toBe(1000);
    next.bytesWritten = 700;
    expect(meter.totals().sent).toBe(1100);
  });

  it('counts a value below its baseline as zero', () => {
    const meter = new ByteMeter();
    meter.track(counters(0, 0), counters(10, 10));
    expect(meter.totals()).toEqual({ sent: 0, received: 0 });
  });

  it('reads real sockets', async () => {
    const server = createServer((socket) => socket.pipe(socket)).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
    await once(socket, 'connect');
    const meter = new ByteMeter();
    const metered = meter.track(socket);
    socket.write('hello');
    await once(socket, 'data');
    expect(meter.totals()).toEqual({ sent: 5, received: 5 });
    socket.end();
    await once(socket, 'close');
    metered.end();
    expect(meter.totals()).toEqual({ sent: 5, received: 5 });
    server.close();
  });
});
