// The memory of a proxy while many clients, or the origins of their requests, send the largest allowed header and then nothing.
//
//     npm run build && node test/bench/load/section-memory.mjs [--place heads|finished|trailers|responses]
//         [--connections 9900] [--limit 300]
//
// It prints the resident memory of the proxy in MiB for each place, and fails if the highest is over the limit. With
// `responses` and `finished` the proxy needs two descriptors for each connection.
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
const FIELD = `X-Large: ${'x'.repeat(SECTION)}`;
/** What each client sends. */
const SENT = {
  heads: (url) => `GET ${url} HTTP/1.1\r\n${HOST}${FIELD}`,
  finished: (url) => `GET ${url} HTTP/1.1\r\n${HOST}${FIELD}\r\n\r\n`,
  trailers: (url) => `POST ${url} HTTP/1.1\r\n${HOST}Transfer-Encoding: chunked\r\n\r\n0\r\n${FIELD}`,
  responses: (url) => `GET ${url} HTTP/1.1\r\n${HOST}\r\n`,
};

/** An origin that is silent, or sends a response head that does not end. */
function serveAsOrigin(place) {
  const answer = Buffer.from(`HTTP/1.1 200 OK\r\n${FIELD}`);
  const server = createServer((socket) => {
    socket.on('error', () => {});
    socket.on('data', () => {
      if (place === 'responses' && socket.bytesWritten === 0) socket.write(answer);
    });
  }).listen({ port: 0, host: '127.0.0.1', backlog: 1024 }, () => process.send(server.address().port));
}

/** Sends on all connections, a few at a time, and leaves them open. */
async function sendAsClients(place, count, proxyPort, originPort) {
  const bytes = Buffer.from(SENT[place](`http://127.0.0.1:${originPort}/`));
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

async function measure(place, count, limit) {
  const directory = mkdtempSync(join(tmpdir(), 'section-memory-'));
  const self = (role, ...args) => fork(import.meta.filename, ['--role', role, '--place', place, ...args.map(String)]);
  const origin = self('origin');
  const [originPort] = await once(origin, 'message');
  const port = await freePort();
  const file = join(directory, 'proxy.json');
  const limits = { connections: 20_000 };
  writeFileSync(
    file,
    JSON.stringify({ logLevel: 'error', admin: 'off', listen: { port }, rules: [{ to: 'direct' }], limits }),
  );
  const proxy = spawn(process.execPath, [PROXY, '--config', file], { stdio: ['ignore', 'ignore', 'inherit'] });
  await untilAccepts(port, proxy);
  const start = status(proxy.pid, 'VmRSS');
  const clients = self('clients', '--connections', count, '--proxy', port, '--origin', originPort);
  const [totals] = await once(clients, 'message');
  await untilQuiet(proxy.pid);
  const [quiet, peak] = [status(proxy.pid, 'VmRSS'), status(proxy.pid, 'VmHWM')];
  await Promise.all([clients, origin, proxy].map((child) => end(child, 'SIGKILL')));
  rmSync(directory, { recursive: true });
  console.log(JSON.stringify({ place, ...totals, start, quiet, peak }));
  return peak <= limit;
}

const { values } = parseArgs({
  options: {
    role: { type: 'string' },
    place: { type: 'string' },
    connections: { type: 'string', default: '9900' },
    limit: { type: 'string', default: '300' },
    proxy: { type: 'string' },
    origin: { type: 'string' },
  },
});
const { role, place } = values;
const count = Number(values.connections);
if (role === 'origin') serveAsOrigin(place);
else if (role === 'clients') await sendAsClients(place, count, Number(values.proxy), Number(values.origin));
else {
  for (const each of place === undefined ? Object.keys(SENT) : [place]) {
    if (!(await measure(each, count, Number(values.limit)))) process.exitCode = 1;
  }
}
