import { setImmediate as turnOver } from 'node:timers/promises';
import { Turns } from './turns.js';

describe('Turns', () => {
  it('runs a few continuations a turn, in their order, and what they add after all others', async () => {
    const turns = new Turns();
    const run: string[] = [];
    for (let index = 0; index < 100; index++) {
      turns.add(() => {
        run.push(`first ${index}`);
        turns.add(() => run.push(`second ${index}`));
      });
    }
    const counts: number[] = [];
    for (let before = -1; run.length !== before;) {
      before = run.length;
      await turnOver();
      counts.push(run.length - before);
    }
    expect(run).toEqual(['first', 'second'].flatMap((name) => Array.from({ length: 100 }, (_, i) => `${name} ${i}`)));
    expect(Math.max(...counts)).toBe(32);
  });
});
