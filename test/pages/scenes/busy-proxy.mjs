// A busy proxy for pictures and benchmarks: upstreams that send bytes, clients with tunnels, and failures. Everything runs on
// loopback; plain JavaScript that uses dist.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';

const REPLY = { opened: 0, refused: 5, unreachable: 4 };
const EVERY_MS = 250;

/** Starts a SOCKS5 server that accepts most targets, and sends `bytesFor(host)` bytes four times a second. */
export async function startUpstream(bytesFor, port = 0) {
  const server = createServer((socket) => {
    socket.on('error', () => undefined);
    socket.once('data', () => {
      socket.write(Buffer.from([5, 0]));
      socket.once('data', (request) => answer(socket, request));
    });
  });
  function answer(socket, request) {
    const host = request.toString('latin1', 5, 5 + (request[4] ?? 0));
    const code = host.startsWith('old.')
      ? REPLY.unreachable
      : host.startsWith('closed.')
        ? REPLY.refused
        : REPLY.opened;
    socket.write(Buffer.from([5, code, 0, 1, 127, 0, 0, 1, 0, 80]));
    if (code !== REPLY.opened) {
      socket.end();
      return;
    }
    const timer = setInterval(() => {
      const bytes = bytesFor(host);
      if (bytes > 0 && socket.writableLength === 0) socket.write(Buffer.alloc(bytes, 'x'));
    }, EVERY_MS);
    socket.once('close', () => clearInterval(timer));
    socket.resume();
  }
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  return server;
}

/** Starts the built proxy. @returns its URLs, and a function that stops it */
export async function startProxy(config) {
  const folder = mkdtempSync(join(tmpdir(), 'busy-proxy-'));
  writeFileSync(join(folder, 'config.yaml'), JSON.stringify(config));
  const main = join(process.cwd(), 'dist/apps/proxy-client/bundle/lib/proxy-client.js');
  const child = spawn(process.execPath, [main, '--config', 'config.yaml'], {
    cwd: folder,
    env: { PATH: process.env['PATH'] },
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
  const [{ urls }] = await once(child, 'message');
  const end = async () => {
    child.kill('SIGKILL');
    await once(child, 'exit');
    rmSync(folder, { recursive: true });
  };
  return { ...urls, child, end };
}

/** Requests a tunnel. @returns the client's socket after the response */
export async function openTunnel(proxy, target, user) {
  const { hostname, port } = new URL(proxy);
  const socket = connect(Number(port), hostname).on('error', () => undefined);
  const login = user === undefined ? '' : `Proxy-Authorization: Basic ${Buffer.from(user).toString('base64')}\r\n`;
  socket.write(`CONNECT ${target} HTTP/1.1\r\nHost: ${target}\r\n${login}\r\n`);
  await once(socket, 'data');
  socket.resume();
  return socket;
}
