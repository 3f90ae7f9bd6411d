import fastify, { type FastifyInstance } from 'fastify';
import { pino } from 'pino';
import { LedgerError } from '#ledger-gateway';
import { until } from '../../../../test/support/until.js';
import { answerOf } from '../http/error-answers.js';
import { accessLease, ListedFunctions, useAccess } from './access.plugin.js';
import type { Login } from './login.js';

let app: FastifyInstance;
let failure: LedgerError | undefined;
const authorize = (): Promise<void> => (failure === undefined ? Promise.resolve() : Promise.reject(failure));

beforeEach(() => {
  failure = undefined;
  app = fastify();
  const caller = { name: 'alice', role: 'reader' } as const;
  const login = { sessionOf: () => Promise.resolve({ caller, current: () => caller }) } as unknown as Login;
  const listed = new ListedFunctions({ listedFunctions: [] });
  const config = { isOn: true, hasOpenMetrics: false, hasOpenTrees: false };
  useAccess(app, { defaultChannel: 'mychannel', config, login, listed, authorize, logger: pino({ enabled: false }) });
  app.setErrorHandler((error, _request, reply) => {
    const { status, headers, body } = answerOf(error);
    return reply.code(status).headers(headers).send(body);
  });
  app.get('/blocks', { config: { needs: 'reader' } }, () => 'blocks');
  app.get('/events', { config: { needs: 'reader', isStream: true } }, () => 'events');
  app.get('/metrics', { config: { needs: 'reader', readsNoLedger: true } }, () => 'metrics');
});
afterEach(() => app.close());

const get = (url: string) => app.inject({ method: 'GET', url });

describe('the check of access to the ledger', () => {
  it.each([
    new LedgerError('LEDGER.CALLER_REFUSED', 'revoked'),
    new LedgerError('LEDGER.UNKNOWN_CALLER', 'no identity'),
  ])(
    'refuses reads of a caller that the network bars, which are made with the identity of the service: $code',
    async (error) => {
      expect((await get('/blocks')).body).toBe('blocks');
      failure = error;
      for (const url of ['/blocks', '/events']) {
        const { statusCode, headers } = await get(url);
        expect([statusCode, headers['x-error-code']]).toEqual([403, error.code]);
      }
    },
  );

  it('admits callers without an identity to operations that read nothing of the ledger', async () => {
    failure = new LedgerError('LEDGER.UNKNOWN_CALLER', 'no identity');
    expect((await get('/metrics')).body).toBe('metrics');
  });

  it('opens a stream while the network cannot be reached, and refuses other reads', async () => {
    failure = new LedgerError('LEDGER.UNAVAILABLE', 'unreachable');
    expect((await get('/events')).body).toBe('events');
    expect((await get('/blocks')).headers['x-error-code']).toBe('LEDGER.UNAVAILABLE');
  });
});

describe('accessLease', () => {
  it('ends when the network refuses the caller, and not when it cannot be reached', async () => {
    const lease = accessLease(authorize);
    failure = new LedgerError('LEDGER.UNAVAILABLE', 'unreachable');
    expect(lease()).toBe(true);
    await Promise.resolve();
    expect(lease()).toBe(true);
    failure = new LedgerError('LEDGER.CALLER_REFUSED', 'revoked');
    await until(() => !lease());
    failure = undefined;
    expect(lease()).toBe(false);
  });
});
