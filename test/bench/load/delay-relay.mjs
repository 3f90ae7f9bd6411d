// A link with a delay: each piece arrives `delayMs` later, and a new connection is open only after two delays, since a TCP
// handshake takes a round trip. For low rates; run in the benchmark's own process.
import { once } from 'node:events';
import { connect, createServer } from 'node:net';
import { freePort } from './processes.mjs';

function carry(from, to, delayMs) {
  from.on('data', (bytes) => setTimeout(() => to.write(bytes), delayMs));
  from.on('end', () => setTimeout(() => to.end(), delayMs));
  from.on('error', () => to.destroy());
  from.on('close', () => setTimeout(() => to.destroySoon(), delayMs));
}

/** Listens on a free port and relays to `targetPort`; close() ends it with its connections. */
export async function delayRelay(targetPort, delayMs) {
  const sockets = new Set();
  const server = createServer({ noDelay: true, allowHalfOpen: true, pauseOnConnect: true }, (client) => {
    setTimeout(() => {
      const target = connect({ port: targetPort, host: '127.0.0.1', noDelay: true, allowHalfOpen: true });
      for (const socket of [client, target]) {
        sockets.add(socket);
        socket.once('close', () => sockets.delete(socket));
      }
      carry(client, target, delayMs);
      carry(target, client, delayMs);
      client.resume();
    }, 2 * delayMs);
  });
  server.listen(await freePort(), '127.0.0.1');
  await once(server, 'listening');
  return {
    port: server.address().port,
    close: () => {
      server.close();
      for (const socket of sockets) socket.destroy();
    },
  };
}
