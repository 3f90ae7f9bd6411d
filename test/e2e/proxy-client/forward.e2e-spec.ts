import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import { Agent, request, type IncomingMessage, type RequestListener } from 'node:http';
import { text } from 'node:stream/consumers';
import { once } from 'node:events';
import { NodeOrigin } from '../../support/node-origin.js';
import { ProxyProgram, type RunningProxy } from '../../support/proxy/proxy-program.js';
import { exchange } from '../../support/raw-http.js';

const ORIGINS = 5;
const CLIENTS = 48;
const REQUESTS_EACH = 40;

/** Answers with its own number and the token of the request, in one of the ways an answer can end. */
const tokenOrigin =
  (index: number): RequestListener =>
  (incoming, response) => {
    const token = String(incoming.headers['x-token']);
    const body = `${index}:${incoming.headers.host}:${token}:`;
    void text(incoming).then((sent) => {
      const way = Number(new URL(incoming.url!, 'http://x').searchParams.get('way'));
      const answer = body + sent;
      const fields = { 'X-Token': token };
      switch (way) {
        case 0:
          response.writeHead(200, { ...fields, 'Content-Length': Buffer.byteLength(answer) }).end(answer);
          break;
        case 1:
          response.writeHead(200, fields).write(answer.slice(0, 10));
          setImmediate(() => response.end(answer.slice(10)));
          break;
        case 2:
          response.writeHead(200, { ...fields, Connection: 'close' }).end(answer);
          break;
        case 3:
          response.writeEarlyHints({ link: `</${token}>; rel=preload` });
          response.writeHead(200, fields).end(answer);
          break;
        default:
          response.writeHead(304, { ...fields, ETag: `"${token}"` }).end();
      }
    });
  };

let origins: NodeOrigin[];
let proxy: RunningProxy;

beforeAll(async () => {
  origins = await Promise.all(Array.from({ length: ORIGINS }, (_, index) => NodeOrigin.start(tokenOrigin(index))));
  proxy = await ProxyProgram.start({ pool: { perTarget: 8 } });
});

afterAll(async () => {
  await proxy[Symbol.asyncDispose]();
  await Promise.all(origins.map((origin) => origin[Symbol.asyncDispose]()));
});

async function stats(): Promise<Record<string, number>> {
  const answer = await exchange(proxy.url, 'GET /stats HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n');
  return JSON.parse(answer.slice(answer.indexOf('\r\n\r\n'))) as Record<string, number>;
}

interface Asked {
  readonly agent: Agent;
  readonly index: number;
  readonly way: number;
  readonly body: string | undefined;
}

/** Sends one request with its own token through the proxy and checks that the answer is the one to it. */
async function ask({ agent, index, way, body }: Asked): Promise<void> {
  const origin = origins[index]!;
  const token = randomUUID();
  const { hostname, port } = new URL(proxy.url);
  const outgoing = request({
    ...{ agent, host: hostname, port, path: `${origin.url}/?way=${way}`, method: body === undefined ? 'GET' : 'PUT' },
    headers: {
      host: origin.authority,
      'x-token': token,
      ...(body !== undefined && { 'transfer-encoding': 'chunked' }),
    },
  });
  outgoing.end(body);
  const [response] = (await once(outgoing, 'response')) as [IncomingMessage];
  const expected = way === 4 ? '' : `${index}:${origin.authority}:${token}:${body ?? ''}`;
  expect([response.headers['x-token'], await text(response)]).toEqual([token, expected]);
}

describe('plain HTTP through the built proxy', () => {
  it('never returns the answer of another request or origin (benoitc/hackney#797)', async () => {
    const before = await stats();
    const agents = Array.from({ length: CLIENTS }, () => new Agent({ keepAlive: true, maxSockets: 1 }));
    await Promise.all(
      agents.map(async (agent, client) => {
        for (let turn = 0; turn < REQUESTS_EACH; turn += 1) {
          const random = (client * 7919 + turn * 104_729) % 9973;
          const body = random % 3 === 0 ? 'b'.repeat(random) : undefined;
          await ask({ agent, index: random % ORIGINS, way: random % 5, body });
        }
        agent.destroy();
      }),
    );
    const after = await stats();
    expect(after['successful_requests']! - before['successful_requests']!).toBe(CLIENTS * REQUESTS_EACH);
    expect(after['failed_requests']).toBe(before['failed_requests']);
  });

  it('still has the right answers when every other client leaves in the middle', async () => {
    await Promise.all(
      Array.from({ length: CLIENTS }, async (_, client) => {
        const agent = new Agent({ keepAlive: true, maxSockets: 1 });
        for (let turn = 0; turn < 10; turn += 1) {
          if (client % 2 === 0) await ask({ agent, index: turn % ORIGINS, way: turn % 4, body: undefined });
          else await leave(turn);
        }
        agent.destroy();
      }),
    );
    const { successful_requests: succeeded = 0 } = await stats();
    expect(succeeded).toBeGreaterThanOrEqual((CLIENTS / 2) * 10);
  });

  it('uses few connections for many requests', async () => {
    let opened = 0;
    await using origin = await NodeOrigin.start((_incoming, response) => response.end('hi'));
    origin.server.on('connection', () => (opened += 1));
    const agent = new Agent({ keepAlive: true, maxSockets: 4 });
    const { hostname, port } = new URL(proxy.url);
    for (let turn = 0; turn < 50; turn += 1) {
      await Promise.all(
        Array.from({ length: 4 }, async () => {
          const outgoing = request({
            agent,
            host: hostname,
            port,
            path: origin.url,
            headers: { host: origin.authority },
          });
          outgoing.end();
          const [response] = (await once(outgoing, 'response')) as [IncomingMessage];
          expect(await text(response)).toBe('hi');
        }),
      );
    }
    expect(opened).toBeLessThanOrEqual(4);
    agent.destroy();
  });
});

/** A client that goes away as soon as the first bytes of its answer are there. */
async function leave(turn: number): Promise<void> {
  const origin = origins[turn % ORIGINS]!;
  const { hostname, port } = new URL(proxy.url);
  const outgoing = request({
    ...{ agent: false, host: hostname, port, path: `${origin.url}/?way=1` },
    headers: { host: origin.authority, 'x-token': 'nobody' },
  });
  outgoing.on('error', () => undefined);
  outgoing.end();
  if (turn % 2 === 0) await once(outgoing, 'response');
  else await once(outgoing, 'finish');
  outgoing.destroy();
}
