import { Writable } from 'node:stream';
import Fastify from 'fastify';
import { pino } from 'pino';
import { LedgerError } from '#ledger-gateway';
import type { ProgramLog } from '#logging';
import { ApiError } from './errors.js';
import { ErrorsFilter } from './error-answers.js';

const LEVELS = { debug: 20, warn: 40, error: 50 };

describe('ErrorsFilter', () => {
  it.each([
    ['a function that another chaincode lacks', new LedgerError('LEDGER.NOT_SUPPORTED', 'no history'), 501, 'debug'],
    ['a ledger that is unavailable', new LedgerError('LEDGER.UNAVAILABLE', 'the peer is down'), 500, 'warn'],
    ['a damaged ledger', new LedgerError('LEDGER.DAMAGED', 'block 3'), 500, 'error'],
    ['an unexpected error', new TypeError('x is undefined'), 500, 'error'],
    ['an error of the API', new ApiError('API.CALLERS_UNAVAILABLE'), 503, undefined],
    ['an error of the request', new LedgerError('LEDGER.ASSET_NOT_FOUND', 'no asset car-7'), 404, undefined],
  ] as const)('logs %s once at its level', async (_, error, status, level) => {
    const lines: { level: number; url: string }[] = [];
    const stream = new Writable({
      write(line: Buffer, _encoding, done) {
        lines.push(JSON.parse(line.toString()) as (typeof lines)[number]);
        done();
      },
    });
    const filter = new ErrorsFilter({ logger: pino({ level: 'debug' }, stream) } as unknown as ProgramLog);
    const server = Fastify();
    server.setErrorHandler((thrown, request, reply) => {
      filter.answer(thrown, request, reply);
    });
    server.get('/assets', () => Promise.reject(error));
    const { statusCode } = await server.inject('/assets');
    expect(statusCode).toBe(status);
    expect(lines.map((line) => [line.level, line.url])).toEqual(
      level === undefined ? [] : [[LEVELS[level], '/assets']],
    );
  });
});
