import { once } from 'node:events';
import { createServer, get, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { ProxyStats } from '../stats/proxy-stats.js';
import { until } from '../../../../test/support/until.js';
import { EventStreams } from './event-streams.js';
import { presentStats } from '../listener/own-pages.js';
import { ProxyFailure } from '../failure/proxy-failure.js';
import { RecentFailures } from '../failure/recent-failures.js';
import type { Problems } from './api/activity.responses.js';
import type { Question } from './api/gate.responses.js';
import type { UpstreamStatus } from './api/upstreams.responses.js';

const stats = new ProxyStats();
const AT = '2026-01-31T08:30:00.000Z';
let upstreams: UpstreamStatus[] = [];
let reloadedAt: Date | undefined;
let asks: readonly Question[] = [];
let watching = 0;
const failing = async (): Promise<never> => Promise.reject(new Error('no answer'));
const view = {
  stats: async () => Promise.resolve(presentStats(stats.snapshot())),
  upstreams: async () => Promise.resolve({ upstreams, groups: [], scripts: [] }),
  failures: async () =>
    Promise.resolve({
      failures: [],
      rejections: [],
      last_minute: { failures: 0, rejections: 0, categories: [] },
      latest: 0,
    }),
  reloadedAt: async () => Promise.resolve(reloadedAt),
  asks: async () => Promise.resolve({ asks }),
  watched: async (readers: number) => {
    watching = readers;
    return Promise.resolve();
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
  upstreams = [];
});
afterAll(() => {
  server.close();
  server.closeAllConnections();
});

async function follow(authorization = ''): Promise<IncomingMessage> {
  const { port } = server.address() as AddressInfo;
  const options = { port, host: '127.0.0.1', headers: { authorization }, agent: false };
  const [response] = (await once(get(options), 'response')) as [IncomingMessage];
  response.on('error', () => undefined);
  return response;
}

function up(name: string, state: UpstreamStatus['state'] = 'up'): UpstreamStatus {
  return { name, state, down_since: state === 'down' ? AT : null } as UpstreamStatus;
}

describe('EventStreams', () => {
  it('sends counters regularly, and every change', async () => {
    upstreams = [up('work'), up('old')];
    const response = await follow();
    let text = '';
    response.setEncoding('utf8').on('data', (part: string) => (text += part));
    await until(() => text.split('event: stats').length > 2);
    expect(text).not.toContain('event: upstream');
    upstreams = [up('work', 'down'), up('new')];
    reloadedAt = new Date('2026-01-31T08:30:00Z');
    await until(() => text.includes('event: reload'));
    await Promise.all([streams.close(), once(response, 'end')]);
    const events = text.split('\n\n').filter((event) => !/event: (?:stats|problems)/.test(event) && event !== '');
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

  it('sends which upstreams are down, and the failures since the last event, with upstream and rule', async () => {
    upstreams = [up('work'), up('attic', 'down')];
    const recent = new RecentFailures();
    recent.add(new ProxyFailure('loop'), {});
    streams = new EventStreams({ ...view, failures: async (after) => Promise.resolve(recent.since(after)) }, 5);
    const response = await follow();
    let text = '';
    response.setEncoding('utf8').on('data', (part: string) => (text += part));
    await until(() => text.includes('event: problems'));
    recent.add(new ProxyFailure('timeout'), { target: 'a.example:443', upstream: 'attic', rule: 2 });
    recent.add(new ProxyFailure('rejected', { rule: 1, ruleText: 'hosts ads.example to reject' }), {
      target: 'ads.example:80',
    });
    await until(() => text.includes('a.example:443') && text.includes('ads.example:80'));
    await Promise.all([streams.close(), once(response, 'end')]);
    const problems = text
      .split('\n\n')
      .filter((event) => event.includes('event: problems'))
      .map((event) => JSON.parse(event.slice(event.indexOf('data: ') + 6)) as Problems);
    expect(problems[0]).toMatchObject({ down: [{ name: 'attic', since: AT }], failures: [], rejections: [] });
    const failures = problems.flatMap((event) => event.failures);
    expect(failures).toEqual([expect.objectContaining({ category: 'timeout', upstream: 'attic', rule: 2, number: 2 })]);
    expect(problems.flatMap((event) => event.rejections)).toMatchObject([
      { rule: 1, rule_text: 'hosts ads.example to reject', target: 'ads.example:80' },
    ]);
    expect(problems.at(-1)?.last_minute).toMatchObject({ failures: 2, rejections: 1 });
  });

  it('sends questions and their ends, and reports that someone watches', async () => {
    const question = { id: '7', target: 'a.example:443' } as Question;
    asks = [question];
    const response = await follow();
    let text = '';
    response.setEncoding('utf8').on('data', (part: string) => (text += part));
    await until(() => text.includes('event: ask\ndata: {"id":"7"'));
    expect(watching).toBe(1);
    asks = [];
    await until(() => text.includes('event: answered\ndata: {"id":"7","target":"a.example:443"}'));
    response.destroy();
    await until(() => watching === 0);
  });

  it('disconnects a reader that does not read, and no other', async () => {
    // Each query reports a new long name, so that the kernel's buffers are soon full.
    const name = 'x'.repeat(20_000);
    let look = 0;
    streams = new EventStreams(
      {
        ...view,
        upstreams: async () => Promise.resolve({ upstreams: [up(`${(look += 1)}${name}`)], groups: [], scripts: [] }),
      },
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

  it('continues after a query that fails, and limits the number of readers', async () => {
    let looks = 0;
    const faltering = { ...view, stats: async () => ((looks += 1) === 1 ? failing() : view.stats()) };
    streams = new EventStreams(faltering, 5);
    const [first] = await Promise.all(Array.from({ length: 32 }, async () => follow()));
    expect([streams.size, refused > 0]).toEqual([32, true]);
    const before = refused;
    expect((await follow()).statusCode).toBe(503);
    expect(refused).toBe(before + 1);
    const [part] = (await once(first!, 'data')) as [Buffer];
    expect(part.toString()).toContain('event: stats');
    await streams.close();
  });

  it('closes the streams that a reload no longer allows', async () => {
    const [allowed, refused] = await Promise.all([follow('right'), follow('wrong')]);
    allowed.resume();
    refused.resume();
    streams.closeUnless(({ headers }) => headers.authorization === 'right');
    await once(refused, 'end');
    await until(() => streams.size === 1);
    await streams.close();
  });

  it('has sent the last event to every reader when it has ended', async () => {
    const texts = await Promise.all(
      Array.from({ length: 8 }, async () => {
        const response = await follow();
        return response.setEncoding('utf8').reduce((all: string, part: string) => all + part, '');
      }).concat(
        (async () => {
          await until(() => streams.size === 8);
          await streams.close();
          expect(streams.size).toBe(0);
          return 'event: end\n';
        })(),
      ),
    );
    for (const text of texts) expect(text).toContain('event: end\n');
  });
});
