import { once } from 'node:events';
import type { Socket } from 'node:net';
import { RawOrigin } from '../../../../test/support/raw-origin.js';
import { BufferPool } from '../relay/buffer-pool.js';
import { PooledSource } from '../relay/pooled-source.js';
import { server, upstreamsOf } from '../upstream/testing/upstreams-of.js';
import { OriginConnection, type ConnectionUser } from './origin-connection.js';

const MAIN = upstreamsOf({ upstreams: [server('main', 1)] }).upstreams.byName.get('main')!;
const OK = 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi';

/** Sends a request, and stops reading when the whole answer is there, as for a client that does not take it. */
async function stopped(origin: RawOrigin): Promise<OriginConnection> {
  const source = PooledSource.connect(new BufferPool(), { host: '127.0.0.1', port: origin.port });
  const connection = new OriginConnection(
    source,
    { key: 'key', upstream: MAIN, forwarding: undefined },
    1024,
    () => undefined,
  );
  await new Promise<void>((resolve, reject) => {
    const user: ConnectionUser = {
      responseFailed: reject,
      loginRefused: reject,
      onDefect: reject,
      received: () => {
        resolve();
        return false;
      },
    };
    connection.socket.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n');
    connection.serve(user, { method: 'GET' });
  });
  return connection;
}

describe('OriginConnection, after its response was held back by the client', () => {
  it('is reused if nothing else was received', async () => {
    await using origin = await RawOrigin.answering(OK);
    const connection = await stopped(origin);
    connection.resume();
    await new Promise<void>((keep) => {
      connection.free(keep);
    });
    expect(connection.isUsable).toBe(true);
    connection.close();
  });

  it('closes if something was', async () => {
    await using origin = await RawOrigin.answering(OK);
    const connection = await stopped(origin);
    const { socket } = await origin.side(0);
    await new Promise((sent) => socket.write(OK, sent));
    connection.resume();
    let kept = false;
    connection.free(() => (kept = true));
    await once(connection.socket as Socket, 'close');
    expect(kept).toBe(false);
  });
});
