import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { LocalSocks5Server } from '#socks5-protocol/testing';
import { freePort } from '../support/free-port.js';
import { Program } from '../support/program.js';
import { ProxyProgram, type RunningProxy } from '../support/proxy/proxy-program.js';
import { withTools } from '../support/proxy/with-tool.js';
import { exchange } from '../support/raw-http.js';
import { until } from '../support/until.js';

const SLOW_MS = 120_000;
const PROMETHEUS = { name: 'prometheus', variable: 'PROMETHEUS', names: ['prometheus'] };
const DASHBOARDS = ['proxy-client', 'ledger-api'];

interface Rule {
  readonly name: string;
  readonly health: string;
  readonly state: string;
  readonly query: string;
}

/** What the panels of a dashboard ask for. */
function panelQueries(name: string): readonly string[] {
  const { panels } = JSON.parse(readFileSync(`deploy/grafana/${name}.json`, 'utf8')) as {
    readonly panels: readonly { readonly targets: readonly { readonly expr: string }[] }[];
  };
  return panels.flatMap(({ targets }) => targets.map(({ expr }) => expr));
}

/** The names of metrics in an expression: all of them have an underscore, which no function but these has. */
function metricsIn(query: string): readonly string[] {
  return (query.replaceAll(/"[^"]*"/g, '').match(/\b[a-z]+(?:_[a-z0-9]+)+\b(?!\()/g) ?? []).filter(
    (word) => word !== 'group_left',
  );
}

withTools('Prometheus', [PROMETHEUS], (prometheus) => {
  const directory = mkdtempSync(join(tmpdir(), 'monitoring-'));
  const socks = new LocalSocks5Server();
  let proxy: RunningProxy;
  let api: Program;
  let server: ChildProcess;
  let url: string;

  const ask = async (path: string): Promise<unknown> => {
    const answer = (await (await fetch(`${url}/api/v1/${path}`)).json()) as { readonly data: unknown };
    return answer.data;
  };
  const query = async (expression: string) =>
    (await ask(`query?query=${encodeURIComponent(expression)}`)) as { readonly result: readonly unknown[] } | undefined;

  beforeAll(async () => {
    await socks.listen();
    proxy = await ProxyProgram.start({
      upstream: undefined,
      upstreams: { both: { of: ['out', 'gone'], pick: 'failover' }, out: socks.address, gone: 'socks5://127.0.0.1:1' },
      mode: 'http',
      listen: { port: 0, users: [{ name: 'ann', password: 'secret' }] },
      admin: { port: 0 },
    });
    const env = { LEDGER_API_PORT: '0', LEDGER_API_HTTPS_PORT: '0', LEDGER_DATA_DIR: join(directory, 'ledger') };
    api = new Program({ main: 'apps/ledger-api/bundle/lib/ledger-api.js', env });
    const { http = '' } = await api.ready();
    const body = JSON.stringify({ appraisedValue: '1', color: 'red', owner: 'Ann', size: '5' });
    await fetch(`${http}/assets`, { method: 'POST', headers: { 'Content-Type': 'application/json' }, body });
    const login = `Proxy-Authorization: Basic ${Buffer.from('ann:secret').toString('base64')}\r\n`;
    const { host } = new URL(http);
    await exchange(proxy.url, `GET ${http}/health HTTP/1.1\r\nHost: ${host}\r\n${login}Connection: close\r\n\r\n`);

    cpSync('deploy/prometheus', directory, { recursive: true });
    const config = readFileSync(join(directory, 'prometheus.yml'), 'utf8')
      .replace('127.0.0.1:9090', new URL(proxy.admin!).host)
      .replace('127.0.0.1:3000', new URL(http).host);
    const file = join(directory, 'prometheus.yml');
    writeFileSync(file, `global: { scrape_interval: 1s, evaluation_interval: 1s }\n${config}`);
    const port = await freePort();
    url = `http://127.0.0.1:${port}`;
    const args = [`--config.file=${file}`, `--storage.tsdb.path=${join(directory, 'tsdb')}`];
    server = spawn(prometheus, [...args, `--web.listen-address=127.0.0.1:${port}`], { stdio: 'ignore' });
    await until(async () => ((await query('count(up == 1)').catch(() => undefined))?.result.length ?? 0) > 0, SLOW_MS);
    await until(async () => JSON.stringify((await query('count(up == 1)'))?.result).includes('"2"'), SLOW_MS);
  }, 2 * SLOW_MS);

  afterAll(async () => {
    server.kill('SIGTERM');
    await once(server, 'exit');
    await api.end();
    await proxy[Symbol.asyncDispose]();
    await socks.close();
    rmSync(directory, { recursive: true, force: true });
  });

  it('has every figure that the rules and the dashboards ask for', async () => {
    const known = new Set((await ask('label/__name__/values')) as readonly string[]);
    const { groups } = (await ask('rules')) as { readonly groups: readonly { readonly rules: readonly Rule[] }[] };
    const queries = [
      ...groups.flatMap(({ rules }) => rules.map((rule) => rule.query)),
      ...DASHBOARDS.flatMap(panelQueries),
    ];
    const labels = ['__name__', 'instance', 'job', 'le', 'outcome', 'status', 'upstream', 'user', 'category', 'group'];
    const asked = new Set(queries.flatMap(metricsIn).filter((name) => !labels.includes(name)));
    expect(asked.size).toBeGreaterThan(20);
    expect([...asked].filter((name) => !known.has(name))).toEqual([]);
  });

  it.each(DASHBOARDS)('answers every panel of the dashboard %s', async (name) => {
    expect(panelQueries(name).length).toBeGreaterThan(10);
    for (const expression of panelQueries(name)) {
      const answer = await query(expression);
      expect([expression, Array.isArray(answer?.result)]).toEqual([expression, true]);
    }
  });

  it('evaluates every rule, and finds a program that is gone', async () => {
    const rules = async () =>
      ((await ask('rules')) as { readonly groups: readonly { readonly rules: readonly Rule[] }[] }).groups.flatMap(
        (group) => group.rules,
      );
    await until(async () => (await rules()).every(({ health }) => health === 'ok'), SLOW_MS);
    const pending = async () => (await rules()).filter(({ state }) => state !== 'inactive').map(({ name }) => name);
    await until(async () => (await pending()).join() === 'ProxyClientUpstreamDown', SLOW_MS);
    await api.end();
    await until(async () => (await pending()).includes('LedgerApiDown'), SLOW_MS);
  });
});
