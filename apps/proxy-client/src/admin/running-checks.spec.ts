import { granting, greeted, ScriptedSocks5Server, type ScriptStep } from '#socks5-protocol/testing';
import { CLOSED_PORT } from '../../../../test/support/closed-port.js';
import { until } from '../../../../test/support/until.js';
import { loadConfig } from '../config/load-config.js';
import type { NamedUpstream, ProxyClientConfig } from '../config/proxy-client-config.js';
import { testGate } from '../routing/gate/testing/gate.js';
import { HostNames } from '../routing/rules/host-names.js';
import { OwnAddresses } from '../routing/rules/own-addresses.js';
import { RunningChecks, type CheckedProxy, type CheckEvent, type CheckQuery } from './running-checks.js';

const { config: defaults } = loadConfig({ options: {}, environment: {}, directory: '/nowhere' });
const query: CheckQuery = { target: { host: 'example.com', port: 443 }, user: undefined, caller: '127.0.0.1' };
const stalling: readonly ScriptStep[] = [...greeted(), { then: 'stall' }];

const socks = (name: string, port: number): NamedUpstream => ({
  ...{ kind: 'socks5', name, host: '127.0.0.1', port, handshake: 'auto', warm: 0 },
});

function proxy(upstreams: readonly NamedUpstream[], rules: ProxyClientConfig['rules'] = []): CheckedProxy {
  const own = new OwnAddresses([{ address: '127.0.0.1', port: 9090 }], []);
  return { config: { ...defaults, upstreams, rules }, own, gate: testGate() };
}

async function eventsOf(checks: RunningChecks, id: number | undefined): Promise<CheckEvent[]> {
  const events: CheckEvent[] = [];
  for (;;) {
    const event = await checks.next(id ?? -1);
    if (event === undefined) return events;
    events.push(event);
  }
}

/** The steps as text, without their times, and the result. */
async function run(checked: CheckedProxy, more: Partial<CheckQuery> = {}): Promise<string[]> {
  const checks = new RunningChecks();
  const events = await eventsOf(checks, checks.begin({ ...query, ...more }, checked));
  return events.map((each) =>
    each.event === 'end' ? each.data.result : `${each.data.upstream ?? '-'} ${each.data.step} ${each.data.result}`,
  );
}

describe('RunningChecks', () => {
  it('check each hop of the upstream that the rules select', async () => {
    await using server = await new ScriptedSocks5Server(() => granting()).listen();
    const upstreams = [socks('gone', CLOSED_PORT), socks('work', server.port)];
    const rules = [{ hosts: new HostNames(['example.com']), to: 'work' }];
    expect(await run(proxy(upstreams, rules))).toEqual([
      '- route ok',
      'work tcp ok',
      'work authentication ok',
      'work connect ok',
      'ok',
    ]);
    expect(await run(proxy(upstreams, rules), { target: { host: 'other.example', port: 443 } })).toEqual([
      '- route ok',
      'gone tcp failed',
      'failed',
    ]);
  });

  it('check every member of a group; one that works is sufficient', async () => {
    await using server = await new ScriptedSocks5Server(() => granting()).listen();
    const group: NamedUpstream = { kind: 'group', name: 'any', of: ['gone', 'work'], pick: 'failover' };
    expect(await run(proxy([group, socks('gone', CLOSED_PORT), socks('work', server.port)]))).toEqual([
      ...['- route ok', 'gone tcp failed', 'work tcp ok', 'work authentication ok', 'work connect ok', 'ok'],
    ]);
  });

  it('connect to nothing if the request would be refused', async () => {
    const rules = [{ hosts: new HostNames(['example.com']), to: 'reject' }];
    expect(await run(proxy([socks('work', CLOSED_PORT)], rules))).toEqual(['- route failed', 'failed']);
    const own = { target: { host: 'localhost', port: 9090 } };
    expect(await run(proxy([socks('work', CLOSED_PORT)]), own)).toEqual(['- route failed', 'failed']);
  });

  it('connect directly only where a request of the caller might', async () => {
    await using server = await new ScriptedSocks5Server(() => granting()).listen();
    const rules = [{ hosts: new HostNames(['localhost']), to: 'direct' }];
    const direct = proxy([socks('work', CLOSED_PORT)], rules);
    const target = { host: 'localhost', port: server.port };
    expect(await run(direct, { target })).toEqual(['- route ok', 'direct connect ok', 'ok']);
    expect(await run(direct, { target, caller: '192.0.2.7' })).toEqual([
      '- route ok',
      'direct connect failed',
      'failed',
    ]);
  });

  it('run one at a time for each caller, until it ends or its caller has left', async () => {
    await using server = await new ScriptedSocks5Server(() => stalling).listen();
    const checks = new RunningChecks();
    const checked = proxy([socks('work', server.port)]);
    const first = checks.begin(query, checked);
    const other = checks.begin({ ...query, caller: '192.0.2.7' }, checked);
    expect(checks.begin(query, checked)).toBeUndefined();
    await until(() => server.connections.length === 2);
    checks.abort(first!);
    checks.abort(other!);
    const events = await eventsOf(checks, first);
    expect(events.at(-1)).toMatchObject({ event: 'end', data: { result: 'failed' } });
    await eventsOf(checks, other);
    const next = checks.begin(query, checked);
    expect(next).toBeDefined();
    checks.abort(next!);
    await eventsOf(checks, next);
    expect(await checks.next(12_345)).toBeUndefined();
  });

  it('run a bounded number at a time', async () => {
    await using server = await new ScriptedSocks5Server(() => stalling).listen();
    const checks = new RunningChecks();
    const checked = proxy([socks('work', server.port)]);
    const ids = Array.from({ length: 12 }, (_, index) =>
      checks.begin({ ...query, caller: `10.0.0.${index}` }, checked),
    );
    expect(ids.filter((id) => id !== undefined)).toHaveLength(8);
    for (const id of ids) if (id !== undefined) checks.abort(id);
    for (const id of ids) if (id !== undefined) await eventsOf(checks, id);
  });
});
