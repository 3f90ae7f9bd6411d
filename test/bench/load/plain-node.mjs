// An HTTP proxy in front of SOCKS5 as one would write it with node:http: the floor of what Node needs for a tunnel and a GET.
//
//     node plain-node.mjs PORT SOCKS_PORT
import { Agent, createServer, request as sendRequest } from 'node:http';
import { connect } from 'node:net';
import process from 'node:process';

const [port, socksPort] = process.argv.slice(2).map(Number);
const HOP_BY_HOP = new Set(['connection', 'keep-alive', 'proxy-authorization', 'proxy-connection', 'te', 'upgrade']);

/** Connects to a target through the SOCKS5 server; no authentication. */
function connectThroughSocks(host, targetPort, done) {
  const socket = connect({ port: socksPort, host: '127.0.0.1', noDelay: true });
  const name = Buffer.from(host);
  const target = [3, name.length, ...name, targetPort >> 8, targetPort & 0xff];
  socket.on('error', () => socket.destroy());
  socket.once('data', () => {
    socket.write(Uint8Array.of(5, 1, 0, ...target));
    socket.once('data', (reply) => {
      if (reply[1] === 0) done(null, socket);
      else done(new Error(`reply ${reply[1]}`));
    });
  });
  socket.write(Uint8Array.of(5, 1, 0));
}

class SocksAgent extends Agent {
  createConnection(options, done) {
    connectThroughSocks(options.host, options.port, done);
  }
}

const agent = new SocksAgent({ keepAlive: true, maxFreeSockets: 256 });
const server = createServer((request, response) => {
  const { hostname, port: targetPort, pathname, search } = new URL(request.url);
  const headers = Object.fromEntries(Object.entries(request.headers).filter(([name]) => !HOP_BY_HOP.has(name)));
  const options = { agent, method: request.method, host: hostname, port: targetPort || 80, path: pathname + search };
  const upstream = sendRequest({ ...options, headers }, (answer) => {
    response.writeHead(answer.statusCode, answer.statusMessage, answer.headers);
    answer.pipe(response);
  });
  upstream.on('error', () => response.destroy());
  request.pipe(upstream);
});
server.on('connect', ({ url }, client, head) => {
  const colon = url.lastIndexOf(':');
  client.on('error', () => client.destroy());
  connectThroughSocks(url.slice(0, colon), Number(url.slice(colon + 1)), (error, upstream) => {
    if (error !== null) {
      client.end('HTTP/1.1 502 Bad Gateway\r\n\r\n');
      return;
    }
    client.write('HTTP/1.1 200 OK\r\n\r\n');
    if (head.length > 0) upstream.write(head);
    client.pipe(upstream).pipe(client);
    client.on('close', () => upstream.destroy());
    upstream.on('close', () => client.destroy());
  });
});
server.listen(port, '127.0.0.1');
