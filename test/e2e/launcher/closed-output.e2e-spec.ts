import { describe, expect, it } from '@jest/globals';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';

const TOOLS: readonly [string, string][] = [
  ['ledger-tool', 'apps/ledger-api/bundle/lib/ledger-tool.js'],
  ['ledger-identity', 'apps/ledger-api/bundle/lib/ledger-identity.js'],
  ['fabric', 'src/fabric.js'],
  ['chaincode', 'src/chaincode.js'],
  ['proxy-client', 'apps/proxy-client/bundle/lib/proxy-client.js'],
];

/** Runs a tool with an output that takes nothing: a descriptor, or a pipe whose reader has gone before it starts. */
async function run(main: string, args: readonly string[], output?: number) {
  const cwd = await mkdtemp(join(tmpdir(), 'closed-output-'));
  const child = spawn(process.execPath, [join(process.cwd(), 'dist', main), ...args], {
    cwd,
    env: { PATH: process.env['PATH'] },
    stdio: ['ignore', output ?? 'pipe', 'pipe'],
  });
  child.stdout?.destroy();
  const stderr = text(child.stderr!);
  const [code] = (await once(child, 'close')) as [number | null];
  await rm(cwd, { recursive: true });
  return { code, stderr: await stderr };
}

describe.each(TOOLS)('%s with a closed output', (name, main) => {
  it('exits quietly when the reader is gone, as with `| head -1`', async () => {
    expect(await run(main, ['--help'])).toEqual({ code: 0, stderr: '' });
  });

  it('ends with one line when the disk is full', async () => {
    const full = openSync('/dev/full', 'w');
    const { code, stderr } = await run(main, ['--help'], full);
    closeSync(full);
    expect([code, stderr]).toEqual([1, `${name}: the output could not be written (ENOSPC).\n`]);
  });
});
