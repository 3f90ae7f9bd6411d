import { spawnSync } from 'node:child_process';
import { spareCompilerMemory } from './v8-memory.js';

describe('spareCompilerMemory', () => {
  it('tells the V8 in which it was tried, and no other', () => {
    const told: string[] = [];
    const setFlags = (flags: string): number => told.push(flags);
    expect(spareCompilerMemory('13.6.233.17-node.50', setFlags)).toBe(true);
    expect(spareCompilerMemory('14.1.0-node.1', setFlags)).toBe(false);
    expect(told).toEqual(['--no-maglev-destroy-on-background']);
  });

  it('says what this V8 understands', () => {
    const flags: string[] = [];
    expect(spareCompilerMemory(undefined, (flag) => flags.push(flag))).toBe(true);
    const script = `require('node:v8').setFlagsFromString(${JSON.stringify(flags[0])})`;
    const { status, stderr } = spawnSync(process.execPath, ['-e', script], { encoding: 'utf8' });
    expect([status, stderr]).toEqual([0, '']);
  });
});
