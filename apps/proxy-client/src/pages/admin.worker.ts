import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { parentPort } from 'node:worker_threads';
import { answerText, pageGate, type PageHandler } from './page-gate.js';
import { EventStreams } from './event-streams.js';
import type { AdminPlace, FromPages, PageGuard, ProxyView, Question, ToPages } from './proxy-view.js';

// The thread of the admin pages. It listens at once, and loads the pages when somebody asks for one.

const SHORT_MS = 10_000;

if (parentPort === null) throw new Error('admin.worker runs as a worker thread only');
const proxy = parentPort;

const asked = new Map<number, PromiseWithResolvers<unknown>>();
let questions = 0;

function say(message: FromPages): void {
  proxy.postMessage(message);
}

async function ask<Asked extends Question>(
  question: Asked,
  ...about: Parameters<ProxyView[Asked]>
): Promise<Awaited<ReturnType<ProxyView[Asked]>>> {
  const id = (questions += 1);
  const waiting = Promise.withResolvers<unknown>();
  asked.set(id, waiting);
  say({ type: 'ask', id, question, about });
  return waiting.promise as Promise<Awaited<ReturnType<ProxyView[Asked]>>>;
}

const view: ProxyView = {
  snapshot: async () => ask('snapshot'),
  metrics: async () => ask('metrics'),
  upstreams: async () => ask('upstreams'),
  ready: async () => ask('ready'),
  connections: async (query) => ask('connections', query),
  endConnection: async (id) => ask('endConnection', id),
  failures: async () => ask('failures'),
  pac: async (authority) => ask('pac', authority),
  listeners: async () => ask('listeners'),
  reloadedAt: async () => ask('reloadedAt'),
};

const events = new EventStreams(view);
let guard: PageGuard;

let pages: Promise<PageHandler> | undefined;

async function loadPages(): Promise<PageHandler> {
  const { createPages } = await import('./admin-application.js');
  return createPages({ view, events }, (message, detail) => {
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
function listen({ host, port, orUpTo = port, guard: first }: AdminPlace): void {
  guard = first;
  const options = { requireHostHeader: false, headersTimeout: SHORT_MS, requestTimeout: SHORT_MS };
  const server = createServer(
    options,
    pageGate(() => guard, serve),
  );
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
  switch (message.type) {
    case 'listen':
      listen(message.place);
      break;
    case 'guard':
      ({ guard } = message);
      break;
    case 'drain':
      events.end();
      break;
    case 'answer':
      asked.get(message.id)?.resolve(message.answer);
      asked.delete(message.id);
      break;
    case 'failed':
      asked.get(message.id)?.reject(new Error(message.reason));
      asked.delete(message.id);
  }
});
