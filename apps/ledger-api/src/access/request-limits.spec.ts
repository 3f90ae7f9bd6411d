import { createServer, type AddressInfo } from 'node:net';
import { jest } from '@jest/globals';
import Fastify, { type FastifyInstance } from 'fastify';
import pino, { type Logger } from 'pino';
import { until } from '../../../../test/support/until.js';
import { answerOf } from '../http/error-answers.js';
import { ListedFunctions, useAccess } from './access.plugin.js';
import type { Login } from './login.js';
import { RequestLimits } from './request-limits.js';

const logged: string[] = [];
const logger: Logger = pino({ base: null, timestamp: false }, { write: (line: string) => logged.push(line) });
const stillThere = ({
  isOver,
  remaining,
}: {
  readonly isOver: boolean;
  readonly remaining: number;
}): readonly [boolean, number] => [isOver, remaining];

beforeEach(() => {
  logged.length = 0;
});

describe('RequestLimits', () => {
  it('allows each caller a number of requests per second, and refills it', async () => {
    const limits = await RequestLimits.open({ perSecond: 3, redis: undefined }, logger);
    const take = async (caller: string, times: number) =>
      (await Promise.all(Array.from({ length: times }, () => limits.take(caller)))).map(stillThere);
    expect(await take('alice', 4)).toEqual([
      [false, 2],
      [false, 1],
      [false, 0],
      [true, 0],
    ]);
    expect(await take('bob', 1)).toEqual([[false, 2]]);
    const { resetsIn } = await limits.take('alice');
    expect(resetsIn).toBeGreaterThan(0);
    expect(resetsIn).toBeLessThanOrEqual(1000);
    await until(async () => !(await limits.take('alice')).isOver);
  });

  it('counts locally while a store is unreachable, and logs that once and without its URL', async () => {
    const gone = createServer();
    await new Promise<void>((resolve) => {
      gone.listen(0, '127.0.0.1', resolve);
    });
    const { port } = gone.address() as AddressInfo;
    await new Promise((resolve) => gone.close(resolve));
    const limits = await RequestLimits.open(
      { perSecond: 2, redis: `redis://me:planted-secret@127.0.0.1:${port}` },
      logger,
    );
    try {
      await until(() => logged.length > 0);
      expect(
        [await limits.take('a'), await limits.take('a'), await limits.take('a')].map(({ isOver }) => isOver),
      ).toEqual([false, false, true]);
      expect(logged).toEqual([expect.stringContaining('this process counts requests for itself')]);
      expect(logged.join()).not.toContain('planted-secret');
    } finally {
      limits.close();
    }
  });
});

describe('answers', () => {
  let app: FastifyInstance;
  beforeEach(() => {
    // The second of a share lasts as long as the test wants.
    jest.useFakeTimers({ doNotFake: ['nextTick', 'setImmediate', 'queueMicrotask'] });
  });
  afterEach(async () => {
    await app.close();
    jest.useRealTimers();
  });
  const serve = async (perSecond: number): Promise<void> => {
    app = Fastify();
    app.setErrorHandler((error, _, reply) => {
      const { status, headers, body } = answerOf(error);
      void reply.code(status).headers(headers).send(body);
    });
    const limits = await RequestLimits.open({ perSecond, redis: undefined }, logger);
    app.addHook('onRequest', (request, _, done) => {
      const name = request.headers['x-who'] as string | undefined;
      if (name !== undefined) request.caller = { name, role: 'reader' };
      done();
    });
    const config = { isOn: false, hasOpenMetrics: false, hasOpenTrees: false };
    const listed = new ListedFunctions({ listedFunctions: [] });
    useAccess(app, { defaultChannel: 'mychannel', config, login: {} as Login, listed, limits, logger });
    app.get('/', () => 'here');
    app.get('/health', { config: { isOpen: true } }, () => 'well');
  };
  const get = (who?: string, remoteAddress = '127.0.0.1', url = '/') =>
    app.inject({ url, remoteAddress, headers: who === undefined ? {} : { 'x-who': who } });

  it('state the remaining quota in the fields of the draft, and answer 429 when it is used up', async () => {
    await serve(2);
    const [first, , third] = [await get('a'), await get('a'), await get('a')];
    expect(first.statusCode).toBe(200);
    expect(first.headers).toMatchObject({ 'ratelimit-policy': '"requests";q=2;w=1', ratelimit: '"requests";r=1;t=1' });
    expect(third.statusCode).toBe(429);
    expect(third.headers).toMatchObject({
      'retry-after': '1',
      'x-error-code': 'API.TOO_MANY_REQUESTS',
      ratelimit: '"requests";r=0;t=1',
    });
    expect(third.json()).toEqual({
      success: false,
      message: expect.stringContaining('More than 2 requests') as string,
    });
    expect((await get('b')).statusCode).toBe(200);
  });

  it('count by address without authentication, and by network for IPv6', async () => {
    await serve(1);
    const statuses = [];
    for (const address of [
      '10.0.0.1',
      '::ffff:10.0.0.1',
      '10.0.0.2',
      '2001:db8::1',
      '2001:db8::2',
      '2001:db8:0:1::1',
    ]) {
      statuses.push((await get(undefined, address)).statusCode);
    }
    expect(statuses).toEqual([200, 429, 200, 200, 429, 200]);
    expect((await get('10.0.0.1')).statusCode).toBe(200);
  });

  it('are not reported for open routes', async () => {
    await serve(1);
    for (let n = 0; n < 3; n++) {
      const { statusCode, headers } = await get(undefined, undefined, '/health');
      expect([statusCode, headers['ratelimit']]).toEqual([200, undefined]);
    }
  });
});
