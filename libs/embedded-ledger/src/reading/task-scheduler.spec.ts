import { setImmediate as nextTurn } from 'node:timers/promises';
import { until } from '../../../../test/support/until.js';
import { TaskScheduler } from './task-scheduler.js';

/** Clients that ask for the next page as soon as they have one. */
const CLIENTS = 8;
const STEPS_PER_PAGE = 200;

describe('TaskScheduler', () => {
  it('serves each waiting page once per round, so that clients that page on and on do not starve another', async () => {
    let clock = 0;
    const served: string[] = [];
    const turns = new TaskScheduler(() => clock);
    const page = (name: string, steps: number): Promise<void> =>
      turns.run(async (pause) => {
        for (let step = 0; step < steps; step++) {
          served.push(name);
          clock += 1;
          await pause();
        }
      });
    let isDone = false;
    const clients = Array.from({ length: CLIENTS }, async (_, n) => {
      while (!isDone) await page(`client ${n}`, STEPS_PER_PAGE);
    });
    await nextTurn();
    await page('other', 25);
    isDone = true;
    await Promise.all(clients);

    const first = served.indexOf('other');
    const last = served.lastIndexOf('other');
    // A slice has two steps here: between two slices of the other page, each client has at most one.
    const slices = Math.ceil(25 / 2);
    expect(last - first + 1).toBeLessThanOrEqual(25 + (slices - 1) * CLIENTS * 2);
    for (let n = 0; n < CLIENTS; n++) {
      const steps = served.slice(first, last).filter((name) => name === `client ${n}`).length;
      expect(steps).toBeLessThanOrEqual(slices * 2);
    }
  });

  it('runs a page that is shorter than the others every second time, instead of each of the others as often', async () => {
    let clock = 0;
    const served: string[] = [];
    const turns = new TaskScheduler(() => clock);
    const page = (name: string, isFinished: () => boolean): Promise<void> =>
      turns.run(async (pause) => {
        while (!isFinished()) {
          served.push(name);
          clock += 1;
          await pause();
        }
      });
    let isDone = false;
    const clients = Array.from({ length: CLIENTS }, () => page('client', () => isDone));
    await until(() => served.length >= CLIENTS * STEPS_PER_PAGE);
    const before = served.length;
    await page('other', () => served.filter((name) => name === 'other').length === STEPS_PER_PAGE / 2);
    isDone = true;
    const steps = served.length - before;
    await Promise.all(clients);
    expect(steps).toBeLessThanOrEqual(STEPS_PER_PAGE + 2 * 2);
  });

  it('starts a new page after at most two slices, while long pages of others continue', async () => {
    let clock = 0;
    const served: string[] = [];
    const turns = new TaskScheduler(() => clock);
    let isDone = false;
    const clients = Array.from({ length: CLIENTS }, (_, n) =>
      turns.run(async (pause) => {
        while (!isDone) {
          served.push(`client ${n}`);
          clock += 1;
          await pause();
        }
      }),
    );
    await until(() => served.includes(`client ${CLIENTS - 1}`));
    const before = served.length;
    await turns.run(() => Promise.resolve(served.push('new')));
    isDone = true;
    await Promise.all(clients);
    // A slice has two steps here.
    expect(served.indexOf('new') - before).toBeLessThanOrEqual(2 * 2);
  });

  it('continues long pages while new ones arrive on and on', async () => {
    const turns = new TaskScheduler(() => Infinity);
    let isDone = false;
    let started = 0;
    const clients = Array.from({ length: CLIENTS }, async () => {
      while (!isDone) await turns.run(() => Promise.resolve((started += 1)));
    });
    const before = started;
    const steps = 20;
    await turns.run(async (pause) => {
      for (let step = 0; step < steps; step++) await pause();
    });
    isDone = true;
    await Promise.all(clients);
    expect(started - before).toBeLessThanOrEqual(steps + 2 * CLIENTS);
  });

  it('runs one page alone without waiting for a turn between its steps', async () => {
    const turns = new TaskScheduler(() => 0);
    let steps = 0;
    const result = await turns.run(async (pause) => {
      for (; steps < 1000; steps++) await pause();
      return 'done';
    });
    expect([result, steps]).toEqual(['done', 1000]);
  });

  it('continues with the others after a page that failed', async () => {
    const turns = new TaskScheduler();
    const failed = turns.run(() => Promise.reject(new Error('damaged')));
    const next = turns.run(() => Promise.resolve('next'));
    await expect(failed).rejects.toThrow('damaged');
    await expect(next).resolves.toBe('next');
  });
});
