import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { freePort } from '../support/free-port.js';
import { LedgerApi } from '../support/ledger-api.js';
import { until } from '../support/until.js';

const STEP_MS = 120_000;
const PASSWORD = 'planted-secret';
const AT_ONCE = 10;
/** More than the fastest machine sends. */
const PER_SECOND = 1_000_000;
const COUNTED = 'requests are counted in the shared store';
const ALONE = 'the shared store does not respond: this process counts requests for itself';

const hasRedis = spawnSync('redis-server', ['--version']).status === 0;
if (hasRedis) countTogether();
else {
  describe('replicas that count requests in Redis (skipped: redis-server is not on PATH)', () => {
    it.skip('needs redis-server', () => undefined);
  });
}

function countTogether(): void {
  describe('replicas that count requests in Redis', () => {
    const directory = mkdtempSync(join(tmpdir(), 'redis-'));
    let port: number;
    let redis: ChildProcess;
    let apis: readonly LedgerApi[];

    const startRedis = (): void => {
      const args = ['--port', String(port), '--bind', '127.0.0.1', '--requirepass', PASSWORD, '--dir', directory];
      redis = spawn('redis-server', [...args, '--save', '', '--appendonly', 'no'], { stdio: 'ignore' });
    };
    const startApi = (password: string): Promise<LedgerApi> =>
      LedgerApi.start({
        LEDGER_RATE_LIMIT: String(PER_SECOND),
        LEDGER_RATE_LIMIT_REDIS: `redis://:${password}@127.0.0.1:${port}`,
      });

    beforeAll(async () => {
      port = await freePort();
      startRedis();
      apis = await Promise.all([startApi(PASSWORD), startApi(PASSWORD)]);
    }, STEP_MS);
    afterAll(async () => {
      for (const api of apis) expect(await api.stop()).toEqual({ code: 0, signal: null });
      redis.kill('SIGKILL');
      await once(redis, 'exit');
      rmSync(directory, { recursive: true });
    }, STEP_MS);

    /** What is left behind each of some requests that go to both at once. */
    const left = async (): Promise<number[]> => {
      const answers = await Promise.all(
        Array.from({ length: 2 * AT_ONCE }, (_, index) => apis[index % 2]!.api('GET', '/blockchain/height')),
      );
      return answers.map(({ status, headers }) => {
        expect(status).toBe(200);
        return Number(/r=(\d+)/.exec(String(headers['ratelimit']))?.[1]);
      });
    };
    // A window may end in their midst, and then numbers come again; where each has counted for itself they always do.
    const areShared = async (): Promise<boolean> => new Set(await left()).size === 2 * AT_ONCE;
    const linesWith = (text: string): number[] =>
      apis.map(({ program }) => program.stdout.split('\n').filter((line) => line.includes(text)).length);

    it(
      'count one share for all',
      async () => {
        await until(areShared);
        expect(linesWith(COUNTED)).toEqual([1, 1]);
        expect(linesWith(ALONE)).toEqual([0, 0]);
      },
      STEP_MS,
    );

    it.each(['SIGKILL', 'SIGSTOP'] as const)(
      'refuse no request while it is gone (%s), count for themselves, log it once, and count together when it is back',
      async (signal) => {
        const [alone, counted] = [linesWith(ALONE), linesWith(COUNTED)].map((lines) => lines.map((count) => count + 1));
        redis.kill(signal);
        if (signal === 'SIGKILL') await once(redis, 'exit');
        await until(async () => {
          await left();
          return isDeepStrictEqual(linesWith(ALONE), alone);
        });
        if (signal === 'SIGKILL') startRedis();
        else redis.kill('SIGCONT');
        await until(async () => {
          await left();
          return isDeepStrictEqual(linesWith(COUNTED), counted);
        });
        await until(areShared);
        expect(linesWith(ALONE)).toEqual(alone);
      },
      STEP_MS,
    );

    it(
      'start without waiting for a silent one, and count in it when it answers',
      async () => {
        redis.kill('SIGSTOP');
        const api = await startApi(PASSWORD);
        const hasLogged = (text: string) => async (): Promise<boolean> => {
          expect((await api.api('GET', '/blockchain/height')).status).toBe(200);
          return api.program.stdout.includes(text);
        };
        await until(hasLogged(ALONE));
        redis.kill('SIGCONT');
        await until(hasLogged(COUNTED));
        expect((await api.stop()).code).toBe(0);
      },
      STEP_MS,
    );

    it(
      'work with a wrong password as without the store, and never log one',
      async () => {
        const api = await startApi('wrong-secret');
        await until(() => api.program.stdout.includes(ALONE));
        expect((await api.api('GET', '/blockchain/height')).status).toBe(200);
        expect((await api.stop()).code).toBe(0);
        for (const { program } of [...apis, api]) {
          expect(`${program.stdout}${program.stderr}`).not.toMatch(/planted-secret|wrong-secret/);
        }
      },
      STEP_MS,
    );
  });
}
