import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type AddressInfo, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { FabricRelease } from './find-binaries.js';
import { freePorts, type NetworkPlan } from './network-plan.js';
import { down } from './network-record.js';
import { examplePlan } from './testing/example-plan.js';
import { up } from './up.js';

describe('an `up` that fails', () => {
  let home: string;
  let taken: Server;
  let plan: NetworkPlan;
  beforeEach(async () => {
    home = mkdtempSync(join(tmpdir(), 'fabric-up-'));
    taken = createServer().listen(0, '127.0.0.1');
    await once(taken, 'listening');
    const orderer = (taken.address() as AddressInfo).port;
    plan = examplePlan({ directory: join(home, 'network'), ports: { ...(await freePorts()), orderer } });
  });
  afterEach(() => {
    taken.close();
    rmSync(home, { recursive: true });
  });

  /** A release whose programs are one script. */
  function release(script: string): FabricRelease {
    const program = join(home, 'program');
    writeFileSync(program, `#!/bin/sh\n${script}\n`, { mode: 0o700 });
    const binaries = { peer: program, orderer: program, configtxgen: program, cryptogen: program, osnadmin: program };
    return { binaries, coreYaml: '', ordererYaml: '', ccaasBuilder: home };
  }

  const make = (script: string, it = plan): Promise<unknown> =>
    up(it, {
      release: release(script),
      environment: { PATH: '/usr/bin:/bin' },
      signal: new AbortController().signal,
      progress: () => undefined,
    });

  it.each([
    ['a taken port', 'echo " Version: v2.5.16"', 'PORT_TAKEN'],
    ['a release that is too old', 'echo " Version: v2.4.9"', 'VERSION_UNSUPPORTED'],
    ['a program that cannot run', 'exit 3', 'COMMAND_FAILED'],
  ])('at %s leaves nothing', async (_, script, code) => {
    await expect(make(script)).rejects.toMatchObject({ code });
    expect(existsSync(plan.directory)).toBe(false);
    expect(await down(plan.directory, true)).toBeUndefined();
  });

  it('leaves an empty directory that was there as it was', async () => {
    mkdirSync(plan.directory);
    await expect(make('exit 3')).rejects.toMatchObject({ code: 'COMMAND_FAILED' });
    expect(readdirSync(plan.directory)).toEqual([]);
  });

  it('later leaves processes that `down` finds and can remove', async () => {
    taken.close();
    await once(taken, 'close');
    const script = 'test "$1" = version && echo " Version: v2.5.16"';
    await expect(make(script)).rejects.toMatchObject({ code: 'COMMAND_FAILED' });
    expect(await down(plan.directory, true)).toEqual([]);
    expect(existsSync(plan.directory)).toBe(false);
  });

  it('refuses a directory that holds something else', async () => {
    mkdirSync(plan.directory);
    writeFileSync(join(plan.directory, 'file'), 'kept');
    await expect(make('exit 3')).rejects.toMatchObject({ code: 'DIRECTORY_IN_USE' });
    expect(readdirSync(plan.directory)).toEqual(['file']);
  });
});
