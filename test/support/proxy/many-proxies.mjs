// Creates 50 proxies, uses and closes them, and prints what they have left in the process, as JSON.
import { createHook } from 'node:async_hooks';
import { once } from 'node:events';
import { connect } from 'node:net';
import { createProxy } from 'proxy-client';

const COUNT = 50;
const { UPSTREAM } = process.env;

// Node itself opens them when the first socket is closed.
void [process.stdout, process.stderr];

/** The handles and timers that were created and not destroyed, unreferenced ones included. */
const alive = new Map();
createHook({
  init: (id, type) => {
    if (/^(Timeout|TCP|PIPE|TLS|FS|WORKER|MESSAGEPORT)/.test(type)) alive.set(id, type);
  },
  destroy: (id) => alive.delete(id),
}).enable();

const warnings = [];
process.on('warning', ({ name }) => warnings.push(name));

function listeners() {
  return Object.fromEntries(process.eventNames().map((name) => [String(name), process.listenerCount(name)]));
}

/** Writes a request and waits for the beginning of the answer. */
async function ask(url, text) {
  const { hostname, port } = new URL(url);
  const socket = connect({ host: hostname, port: Number(port) });
  socket.write(text);
  const [answer] = await once(socket, 'data');
  return String(answer).split(' ')[1];
}

const before = { listeners: listeners(), globals: Object.keys(globalThis).length };
const proxies = [];
for (let count = 0; count < COUNT; count += 1) {
  const upstream = count % 10 === 9 ? 'socks5://127.0.0.1:1' : { url: UPSTREAM, warm: count % 5 };
  proxies.push(await createProxy({ upstream, listen: { users: undefined } }, { chooseUpstream: () => undefined }));
}
const statuses = await Promise.all(
  proxies.map(async ({ url }) => {
    const plain = await ask(url, 'GET http://shop.example/ HTTP/1.1\r\nHost: shop.example\r\n\r\n');
    const tunnel = await ask(url, 'CONNECT shop.example:443 HTTP/1.1\r\nHost: shop.example:443\r\n\r\n');
    return `${plain} ${tunnel}`;
  }),
);
await Promise.all(proxies.map((proxy) => proxy.reload({ upstream: UPSTREAM })));
const during = { listeners: listeners(), urls: new Set(proxies.map(({ url }) => url)).size };
await Promise.all(proxies.map((proxy) => proxy.close()));
// Destroyed handles are reported later.
for (let turns = 0; turns < 1000 && alive.size > 0; turns += 1) await new Promise(setImmediate);

const report = {
  statuses: Object.fromEntries([...Map.groupBy(statuses, (each) => each)].map(([key, { length }]) => [key, length])),
  urls: during.urls,
  left: [...alive.values()],
  listeners: [before.listeners, during.listeners, listeners()],
  globals: Object.keys(globalThis).length - before.globals,
  warnings,
};
process.stdout.write(JSON.stringify(report));
