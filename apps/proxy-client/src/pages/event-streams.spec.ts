import { once } from 'node:events';
import { createServer, get, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { ProxyStats } from '#metrics';
import { until } from '../../../../test/support/until.js';
import type { ServerSnapshot } from '../upstream/upstreams.js';
import { EventStreams } from './event-streams.js';
import type { ProxyView } from './proxy-view.js';

const stats = new ProxyStats();
let servers: ServerSnapshot[] = [];
let reloadedAt: Date | undefined;
const nothing = async (): Promise<never> => Promise.reject(new Error('is not asked for'));
const view: ProxyView = {
  snapshot: async () => Promise.resolve(stats.snapshot()),
  upstreams: async () => Promise.resolve({ servers, groups: [] }),
  reloadedAt: async () => Promise.resolve(reloadedAt),
  ...{
    metrics: nothing,
    ready: nothing,
    connections: nothing,
    endConnection: nothing,
    failures: nothing,
    pac: nothing,
    listeners: nothing,
  },
};

const server = createServer();
let streams: EventStreams;
let refused = 0;
beforeAll(async () => {
  server.on('request', (_request, response) => {
    if (!streams.add(response)) {
      refused += 1;
      response.writeHead(503).end();
    }
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
});
beforeEach(() => {
  streams = new EventStreams(view, 5);
  servers = [];
});
afterAll(() => {
  server.close();
  server.closeAllConnections();
});

async function follow(): Promise<IncomingMessage> {
  const { port } = server.address() as AddressInfo;
  const [response] = (await once(get({ port, host: '127.0.0.1', agent: false }), 'response')) as [IncomingMessage];
  response.on('error', () => undefined);
  return response;
}

function up(name: string, state: ServerSnapshot['state'] = 'up'): ServerSnapshot {
  return { name, state, since: new Date(), opened: 0, failed: 0 };
}

describe('EventStreams', () => {
  it('tells counters all the time, and what has changed', async () => {
    servers = [up('work'), up('old')];
    const response = await follow();
    let text = '';
    response.setEncoding('utf8').on('data', (part: string) => (text += part));
    await until(() => text.split('event: stats').length > 2);
    expect(text).not.toContain('event: upstream');
    servers = [up('work', 'down'), up('new')];
    reloadedAt = new Date('2026-01-31T08:30:00Z');
    await until(() => text.includes('event: reload'));
    streams.end();
    await once(response, 'end');
    const events = text.split('\n\n').filter((event) => !event.includes('event: stats') && event !== '');
    expect(events.map((event) => event.split('\n').slice(1))).toEqual([
      ['event: upstream', 'data: {"name":"work","from":"up","to":"down"}'],
      ['event: upstream', 'data: {"name":"new","from":null,"to":"up"}'],
      ['event: upstream', 'data: {"name":"old","from":"up","to":null}'],
      ['event: reload', 'data: {"at":"2026-01-31T08:30:00.000Z"}'],
      ['event: end', 'data: {}'],
    ]);
    await until(() => streams.size === 0);
    expect((await follow()).statusCode).toBe(503);
  });

  it('cuts whoever does not read, and nobody else', async () => {
    // Each look tells of a new name, which is long: soon more than the kernel takes for a reader.
    const name = 'x'.repeat(20_000);
    let look = 0;
    streams = new EventStreams(
      { ...view, upstreams: async () => Promise.resolve({ servers: [up(`${(look += 1)}${name}`)], groups: [] }) },
      5,
    );
    const deaf = await follow();
    const reader = await follow();
    let read = 0;
    reader.on('data', (part: Buffer) => (read += part.length));
    await until(() => streams.size === 1);
    const before = read;
    await until(() => read > before);
    deaf.destroy();
    reader.destroy();
    await until(() => streams.size === 0);
  });

  it('goes on when the proxy cannot say for once, and takes only so many', async () => {
    let looks = 0;
    const faltering = { ...view, snapshot: async () => ((looks += 1) === 1 ? nothing() : view.snapshot()) };
    streams = new EventStreams(faltering, 5);
    const [first] = await Promise.all(Array.from({ length: 32 }, follow));
    expect([streams.size, refused > 0]).toEqual([32, true]);
    const before = refused;
    expect((await follow()).statusCode).toBe(503);
    expect(refused).toBe(before + 1);
    const [part] = (await once(first!, 'data')) as [Buffer];
    expect(part.toString()).toContain('event: stats');
    streams.end();
  });
});
