import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { parentPort } from 'node:worker_threads';
import { answerText, pageGate, type PageHandler } from './page-gate.js';
import type { AdminPlace, FromPages, ProxyView, ToPages } from './proxy-view.js';

// The thread of the admin pages. It listens at once, and loads the pages when somebody asks for one.

const SHORT_MS = 10_000;

if (parentPort === null) throw new Error('admin.worker runs as a worker thread only');
const proxy = parentPort;

const asked = new Map<number, PromiseWithResolvers<unknown>>();
let questions = 0;

function say(message: FromPages): void {
  proxy.postMessage(message);
}

async function ask(question: keyof ProxyView): Promise<unknown> {
  const id = (questions += 1);
  const waiting = Promise.withResolvers<unknown>();
  asked.set(id, waiting);
  say({ type: 'ask', id, question });
  return waiting.promise;
}

const view: ProxyView = {
  snapshot: async () => ask('snapshot') as ReturnType<ProxyView['snapshot']>,
  metrics: async () => ask('metrics') as ReturnType<ProxyView['metrics']>,
  upstreams: async () => ask('upstreams') as ReturnType<ProxyView['upstreams']>,
  ready: async () => ask('ready') as ReturnType<ProxyView['ready']>,
};

let pages: Promise<PageHandler> | undefined;

async function loadPages(): Promise<PageHandler> {
  const { createPages } = await import('./admin-application.js');
  return createPages(view, (message, detail) => {
    say({ type: 'fault', message, detail });
  });
}

const serve: PageHandler = (request, response) => {
  pages ??= loadPages();
  pages.then(
    (handle) => {
      handle(request, response);
    },
    (error: unknown) => {
      pages = undefined;
      say({ type: 'fault', message: 'the admin pages cannot be loaded', detail: String(error) });
      answerText(response, 500, 'The pages cannot be loaded. See the log of the proxy.');
    },
  );
};

/** Listens on the first of the ports that can be had. */
function listen({ host, port, orUpTo = port, allowedHosts }: AdminPlace): void {
  const options = { requireHostHeader: false, headersTimeout: SHORT_MS, requestTimeout: SHORT_MS };
  const server = createServer(options, pageGate(allowedHosts, serve));
  let next = port;
  server.on('error', (error: NodeJS.ErrnoException) => {
    if (server.listening) say({ type: 'fault', message: 'the admin listener has failed', detail: String(error) });
    else if (next < orUpTo) server.listen({ host, port: (next += 1) });
    else say({ type: 'refused', code: error.code ?? 'unknown error' });
  });
  server.on('listening', () => {
    const { address, port: bound } = server.address() as AddressInfo;
    say({ type: 'listening', address, port: bound });
  });
  server.listen({ host, port });
}

proxy.on('message', (message: ToPages) => {
  if (message.type === 'listen') {
    listen(message.place);
    return;
  }
  if (message.type === 'answer') asked.get(message.id)?.resolve(message.answer);
  else asked.get(message.id)?.reject(new Error(message.reason));
  asked.delete(message.id);
});
