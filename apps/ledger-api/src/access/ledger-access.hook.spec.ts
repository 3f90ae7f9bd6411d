import fastify, { type FastifyInstance, type InjectOptions } from 'fastify';
import { LedgerError } from '#ledger-gateway';
import { until } from '../../../../test/support/until.js';
import { answerOf } from '../http/errors.js';
import { accessLease, useLedgerAccess } from './ledger-access.hook.js';

let app: FastifyInstance;
let failure: LedgerError | undefined;
const authorize = (): Promise<void> => (failure === undefined ? Promise.resolve() : Promise.reject(failure));

beforeEach(() => {
  failure = undefined;
  app = fastify();
  app.addHook('onRequest', (request, _reply, done) => {
    if (request.headers['x-caller'] !== undefined) request.caller = { name: 'alice', role: 'reader' };
    done();
  });
  useLedgerAccess(app, authorize);
  app.setErrorHandler((error, _request, reply) => {
    const { status, headers, body } = answerOf(error);
    return reply.code(status).headers(headers).send(body);
  });
  app.get('/blocks', () => 'blocks');
  app.get('/events', { config: { isStream: true } }, () => 'events');
  app.get('/metrics', { config: { readsNoLedger: true } }, () => 'metrics');
});
afterEach(() => app.close());

const get = (url: string, options: InjectOptions = { headers: { 'x-caller': 'alice' } }) =>
  app.inject({ method: 'GET', url, ...options });

describe('useLedgerAccess', () => {
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

  it('admits callers without an identity to operations that read nothing of the ledger, and unauthenticated requests', async () => {
    failure = new LedgerError('LEDGER.UNKNOWN_CALLER', 'no identity');
    expect((await get('/metrics')).body).toBe('metrics');
    expect((await get('/blocks', {})).body).toBe('blocks');
  });

  it('opens a stream while the network cannot be reached, and refuses other reads', async () => {
    failure = new LedgerError('LEDGER.UNAVAILABLE', 'unreachable');
    expect((await get('/events')).body).toBe('events');
    expect((await get('/blocks')).headers['x-error-code']).toBe('LEDGER.UNAVAILABLE');
  });
});

describe('accessLease', () => {
  it('ends when the network refuses the caller, and not when it cannot be reached', async () => {
    const lease = accessLease('alice', authorize);
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
