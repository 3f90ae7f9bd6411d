// CPU time that the list of finished connections costs a request: `node test/bench/micro/finished.mjs`. The least of several rounds.
import { once } from 'node:events';
import { connect, createServer } from 'node:net';
import process from 'node:process';
import '../../../libs/threads/src/run-from-source.mjs';

const activity = new URL('../../../apps/proxy-client/src/activity/', import.meta.url);
const { Connections } = await import(new URL('connections.ts', activity).href);
const { ByteCount } = await import(new URL('active-connection.ts', activity).href);

const ROUNDS = 15;
const RUNS = 100_000;

const server = createServer((socket) => socket.resume()).listen(0, '127.0.0.1');
await once(server, 'listening');
const socket = connect(server.address().port, '127.0.0.1');
await once(socket, 'connect');
socket.write('GET / HTTP/1.1\r\n\r\n');

const connections = new Connections(() => []);
const client = { user: 'ana', remoteAddress: '127.0.0.1' };
class Request {
  method = 'GET';
  authority = 'www.some.example.org:80';
  asked = 'http://www.some.example.org/';
  through = 'work';
  rule = 2;
  client = client;
  startedAt = Date.now();
  bytes = new ByteCount(socket);
}
let least = Infinity;
for (let round = 0; round < ROUNDS; round++) {
  const requests = Array.from({ length: RUNS }, () => new Request());
  const before = process.cpuUsage();
  for (const request of requests) connections.ended(request, { status: 200 });
  const { user, system } = process.cpuUsage(before);
  least = Math.min(least, (user + system) / RUNS);
}
console.log('a finished request', `${least.toFixed(2)} µs`);
socket.destroy();
server.close();
