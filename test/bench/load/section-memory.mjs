// The memory of a proxy while many clients, or the origins of their requests, send the largest allowed header and then nothing.
//
//     npm run build && node test/bench/load/section-memory.mjs [--place NAME]
//         [--lines one|long|short|tiny|options|refused] [--connections 9900] [--limit 300]
//
// It prints the resident memory of the proxy in MiB for each place and each length of the lines, and fails if the highest is
// over the limit. Most places need two descriptors of the proxy for each connection.
import { fork, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { parseArgs } from 'node:util';
import { end, freePort, untilAccepts, untilQuiet } from './processes.mjs';

const PROXY = join(process.cwd(), 'dist/apps/proxy-client/bundle/lib/proxy-client.js');
const MIB = 1_048_576;
/** The bytes of a section in this test: a little less than the limit of 1 MiB. */
const SECTION = MIB - 512;
/** Clients that send at the same time. */
const SENDERS = 64;
/** The time in which clients send. */
const SEND_MS = 60_000;

const HOST = 'Host: origin.example\r\n';
/** The field lines of a section. The last line is not terminated. */
const FIELDS = {
  one: () => `X-Large: ${'x'.repeat(SECTION)}`,
  long: () => linesOf(10_000),
  // Nearly as many lines as a section may have.
  short: () => linesOf(106),
  tiny: () => 'a:b\r\n'.repeat(9990) + 'a:b',
  options: () => `Connection: ${'a,'.repeat(SECTION / 2)}a`,
  // More lines than a section may have.
  refused: () => 'a:b\r\n'.repeat(250_000) + 'a:b',
};

/** Lines of the same length, with the terminator. */
function linesOf(length) {
  const line = `X-Field: ${'x'.repeat(length - 'X-Field: \r\n'.length)}\r\n`;
  return line.repeat(Math.floor(SECTION / length)).slice(0, -2);
}

/** What each client sends. */
const SENT = {
  heads: (url, fields) => `GET ${url} HTTP/1.1\r\n${HOST}${fields}`,
  finished: (url, fields) => `GET ${url} HTTP/1.1\r\n${HOST}${fields}\r\n\r\n`,
  trailers: (url, fields) => `POST ${url} HTTP/1.1\r\n${HOST}Transfer-Encoding: chunked\r\n\r\n0\r\n${fields}`,
  trailed: (url, fields) => `POST ${url} HTTP/1.1\r\n${HOST}Transfer-Encoding: chunked\r\n\r\n0\r\n${fields}\r\n\r\n`,
  // The connection is idle after the answer of the proxy itself.
  idle: (url, fields, proxy) => `GET /health HTTP/1.1\r\nHost: 127.0.0.1:${proxy}\r\n${fields}\r\n\r\n`,
  tunnels: (url, fields) => `CONNECT ${new URL(url).host} HTTP/1.1\r\n${HOST}${fields}\r\n\r\n`,
  responses: (url) => `GET ${url} HTTP/1.1\r\n${HOST}\r\n`,
  answered: (url) => `GET ${url} HTTP/1.1\r\n${HOST}\r\n`,
  // A body of many small chunks, while the connection is being opened.
  chunks: (url) => `POST ${url} HTTP/1.1\r\n${HOST}Transfer-Encoding: chunked\r\n\r\n${'1\r\na\r\n'.repeat(11_000)}`,
  // Idle connections of clients and to the origin, after the response.
  pooled: (url, fields) => `GET ${url} HTTP/1.1\r\n${HOST}${fields}\r\n\r\n`,
};
/** What an origin answers; in the other places it is silent. */
const ANSWERS = {
  responses: (fields) => `HTTP/1.1 200 OK\r\n${fields}`,
  answered: (fields) => `HTTP/1.1 200 OK\r\nContent-Length: 5\r\n${fields}\r\n\r\n`,
  pooled: (fields) => `HTTP/1.1 200 OK\r\nContent-Length: 0\r\n${fields}\r\n\r\n`,
};

/** An origin that is silent, or sends a response that does not end. */
function serveAsOrigin(place, lines) {
  const answer = ANSWERS[place] && Buffer.from(ANSWERS[place](FIELDS[lines]()));
  const server = createServer((socket) => {
    socket.on('error', () => {});
    socket.on('data', () => {
      if (answer !== undefined && socket.bytesWritten === 0) socket.write(answer);
    });
  }).listen({ port: 0, host: '127.0.0.1', backlog: 1024 }, () => process.send(server.address().port));
}

/** Sends on all connections, a few at a time, and leaves them open. */
async function sendAsClients(place, lines, count, proxyPort, originPort) {
  const bytes = Buffer.from(SENT[place](`http://127.0.0.1:${originPort}/`, FIELDS[lines](), proxyPort));
  const stopAt = Date.now() + SEND_MS;
  const open = [];
  let closed = 0;
  async function sender() {
    while (open.length < count && Date.now() < stopAt) {
      const socket = connect(proxyPort, '127.0.0.1');
      open.push(socket);
      await new Promise((resolve) => {
        socket.on('error', resolve).on('close', resolve).resume();
        socket.once('close', () => (closed += 1));
        socket.write(bytes, resolve);
      });
    }
  }
  await Promise.all(Array.from({ length: SENDERS }, sender));
  process.send({ connections: open.length, closed });
}

function status(pid, name) {
  const text = readFileSync(`/proc/${pid}/status`, 'utf8');
  return Math.round(Number(new RegExp(`${name}:\\s+(\\d+)`).exec(text)[1]) / 1024);
}

async function measure(place, lines, count, limit) {
  const directory = mkdtempSync(join(tmpdir(), 'section-memory-'));
  const self = (role, ...args) =>
    fork(import.meta.filename, ['--role', role, '--place', place, '--lines', lines, ...args.map(String)]);
  const origin = self('origin');
  const [originPort] = await once(origin, 'message');
  const port = await freePort();
  const file = join(directory, 'proxy.json');
  const limits = { connections: 20_000 };
  // A SOCKS5 server that is silent.
  const upstream = { host: '127.0.0.1', port: originPort };
  const route = place === 'chunks' ? { upstream } : { rules: [{ to: 'direct' }] };
  writeFileSync(file, JSON.stringify({ logLevel: 'error', admin: 'off', listen: { port }, ...route, limits }));
  const proxy = spawn(process.execPath, [PROXY, '--config', file], { stdio: ['ignore', 'ignore', 'inherit'] });
  await untilAccepts(port, proxy);
  const start = status(proxy.pid, 'VmRSS');
  const clients = self('clients', '--connections', count, '--proxy', port, '--origin', originPort);
  const [totals] = await once(clients, 'message');
  await untilQuiet(proxy.pid);
  const [quiet, peak] = [status(proxy.pid, 'VmRSS'), status(proxy.pid, 'VmHWM')];
  await Promise.all([clients, origin, proxy].map((child) => end(child, 'SIGKILL')));
  rmSync(directory, { recursive: true });
  console.log(JSON.stringify({ place, lines, ...totals, start, quiet, peak }));
  return peak <= limit;
}

const { values } = parseArgs({
  options: {
    role: { type: 'string' },
    place: { type: 'string' },
    lines: { type: 'string' },
    connections: { type: 'string', default: '9900' },
    limit: { type: 'string', default: '300' },
    proxy: { type: 'string' },
    origin: { type: 'string' },
  },
});
const { role, place, lines } = values;
const count = Number(values.connections);
if (role === 'origin') serveAsOrigin(place, lines);
else if (role === 'clients') await sendAsClients(place, lines, count, Number(values.proxy), Number(values.origin));
else {
  for (const eachPlace of place === undefined ? Object.keys(SENT) : [place]) {
    for (const eachLines of lines === undefined ? Object.keys(FIELDS) : [lines]) {
      if (!(await measure(eachPlace, eachLines, count, Number(values.limit)))) process.exitCode = 1;
    }
  }
}
