import { describe, expect, it } from '@jest/globals';
import { LauncherPolicy } from './launcher-policy.js';

const ready = (app: string) => ({ type: 'ready', app, urls: { http: `http://${app}` } }) as const;
const exited = (app: string, code: number | null, signal: NodeJS.Signals | null = null) =>
  ({ type: 'exited', app, code, signal }) as const;

describe('LauncherPolicy', () => {
  it('announces once, when the last program is ready', () => {
    const policy = new LauncherPolicy(['ledger', 'proxy']);
    expect(policy.on(ready('ledger'))).toEqual([]);
    const [action] = policy.on(ready('proxy'));
    expect(action).toEqual({
      type: 'announce',
      urls: new Map([
        ['ledger', { http: 'http://ledger' }],
        ['proxy', { http: 'http://proxy' }],
      ]),
    });
  });

  it('passes a signal on to every program and exits with 0 when all exited with 0', () => {
    const policy = new LauncherPolicy(['ledger', 'proxy']);
    policy.on(ready('ledger'));
    policy.on(ready('proxy'));
    expect(policy.on({ type: 'signal', signal: 'SIGINT' })).toEqual([
      { type: 'end', app: 'ledger', signal: 'SIGINT' },
      { type: 'end', app: 'proxy', signal: 'SIGINT' },
    ]);
    expect(policy.on(exited('proxy', 0))).toEqual([]);
    expect(policy.on(exited('ledger', 0))).toEqual([{ type: 'exit', code: 0 }]);
  });

  it('ends the others when one exits before it is ready, and exits with its code', () => {
    const policy = new LauncherPolicy(['ledger', 'proxy']);
    policy.on(ready('ledger'));
    expect(policy.on(exited('proxy', 3))).toEqual([
      { type: 'report', app: 'proxy', how: 'exited with code 3 before it was ready' },
      { type: 'end', app: 'ledger', signal: 'SIGTERM' },
    ]);
    expect(policy.on(exited('ledger', 0))).toEqual([{ type: 'exit', code: 3 }]);
  });

  it('exits with the code of the program that exited first, here killed by a signal', () => {
    const policy = new LauncherPolicy(['ledger', 'proxy']);
    policy.on(ready('ledger'));
    policy.on(ready('proxy'));
    expect(policy.on(exited('ledger', null, 'SIGKILL'))[0]).toEqual({
      type: 'report',
      app: 'ledger',
      how: 'was killed by SIGKILL',
    });
    expect(policy.on(exited('proxy', 1))).toEqual([{ type: 'exit', code: 137 }]);
  });

  it('announces nothing when a program becomes ready after a signal', () => {
    const policy = new LauncherPolicy(['ledger', 'proxy']);
    policy.on(ready('ledger'));
    policy.on({ type: 'signal', signal: 'SIGTERM' });
    expect(policy.on(ready('proxy'))).toEqual([]);
  });
});
