import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { parentPort, workerData } from 'node:worker_threads';
import { collectGarbage } from '../node-internals/idle-collection.js';
import type { BoundAddress } from '../routing/rules/own-addresses.js';
import { tokenFault, type AccessRules } from './access-rules.js';
import { EventStreams } from './event-streams.js';
import type { ProxyView } from './proxy-view.js';
import type { AdminAddress, PagesThread } from './remote-view.js';
import { connectThreads } from './thread-rpc.js';

// The thread of the admin pages. It listens at once, and loads Nest when the first request arrives.

type RequestHandler = (request: IncomingMessage, response: ServerResponse) => void;

const REQUEST_TIMEOUT_MS = 10_000;
const COLLECT_DELAY_MS = 1000;

if (parentPort === null) throw new Error('admin.worker must be started as a worker thread.');
const pagesThread: PagesThread = {
  listen,
  setAccess: (rules) => {
    access = rules;
    events.closeUnless((request) => tokenFault(request.headers, rules) === undefined);
  },
  drain: async () => events.close(),
};
const main = connectThreads<ProxyView>(parentPort, pagesThread, workerData as (keyof ProxyView)[]);
const events = new EventStreams(main);
let access: AccessRules;
let pages: Promise<RequestHandler> | undefined;

async function loadPages(): Promise<RequestHandler> {
  const { createPages } = await import('./admin-application.js');
  const handler = await createPages({ view: main, events, access: () => access });
  // The few requests for pages would not cause V8 to collect what loading them has left.
  setTimeout(collectGarbage, COLLECT_DELAY_MS).unref();
  return handler;
}

function handle(request: IncomingMessage, response: ServerResponse): void {
  pages ??= loadPages();
  pages.then(
    (handler) => {
      handler(request, response);
    },
    (error: unknown) => {
      pages = undefined;
      void main.report('the admin pages could not be loaded', String(error));
      response.writeHead(500, { 'Content-Type': 'text/plain; charset=utf-8', 'Cache-Control': 'no-store' });
      response.end('The pages could not be loaded. See the log of the proxy.\n');
    },
  );
}

async function listen(
  { host, port, orUpTo = port }: AdminAddress,
  rules: AccessRules,
): Promise<BoundAddress | { readonly code: string }> {
  access = rules;
  const timeouts = { headersTimeout: REQUEST_TIMEOUT_MS, requestTimeout: REQUEST_TIMEOUT_MS };
  // The pages check the Host header themselves.
  const server = createServer({ requireHostHeader: false, ...timeouts }, handle);
  return new Promise((resolve) => {
    let next = port;
    server.on('error', (error: NodeJS.ErrnoException) => {
      if (server.listening) void main.report('the admin listener has failed', String(error));
      else if (next < orUpTo) server.listen({ host, port: (next += 1) });
      else resolve({ code: error.code ?? 'unknown error' });
    });
    server.on('listening', () => {
      const { address, port: bound } = server.address() as AddressInfo;
      resolve({ address, port: bound });
    });
    server.listen({ host, port });
  });
}
