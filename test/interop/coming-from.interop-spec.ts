import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { promisify } from 'node:util';
import { FabricNetwork } from '../support/fabric-network.js';
import { fabricRelease } from '../support/fabric-release.js';
import { LedgerApi } from '../support/ledger-api.js';
import { until } from '../support/until.js';

const release = fabricRelease();
const UP_MS = 240_000;
const page = readFileSync('docs/coming-from.md', 'utf8');
const [, commands = ''] = /^```sh\n(.*?)^```$/ms.exec(page) ?? [];

/** Our calls in the tables: `GET /path`. */
const calls = [...page.matchAll(/^\|[^|]*\|([^|]*)\|$/gm)].flatMap(([, ours = '']) =>
  [...ours.matchAll(/`(GET|POST|PUT) (\/[^`?]*)/g)].map(([, method = '', path = '']) => ({ method, path })),
);

describe('the page for users of another service', () => {
  const { paths } = JSON.parse(readFileSync('docs/openapi/ledger-api.json', 'utf8')) as {
    paths: Record<string, Record<string, unknown>>;
  };

  it('names calls that exist', () => {
    expect(calls.length).toBeGreaterThan(20);
    for (const { method, path } of calls)
      expect([path, Object.keys(paths[path] ?? {})]).toEqual([path, expect.arrayContaining([method.toLowerCase()])]);
  });

  it('has a command for each of them', () => {
    const sent = commands.replaceAll('\\\n', '').replaceAll('$ON', '$API/channels/mychannel').split('\n');
    for (const { method, path } of calls) {
      const pattern = path.replaceAll(/\{\w+\}/g, '[^/ "?]+');
      const matching = sent.filter((line) => new RegExp(`\\$API${pattern}["? ]|\\$API${pattern}$`).test(line));
      const isSent = matching.some((line) => (/ -X (\w+)/.exec(line)?.[1] ?? 'GET') === method);
      expect([`${method} ${path}`, isSent]).toEqual([`${method} ${path}`, true]);
    }
  });
});

if ('missing' in release) {
  describe(`its commands on a real network (skipped: ${release.missing})`, () => {
    it.skip('needs the binaries of a Fabric release', () => undefined);
  });
}

('missing' in release ? describe.skip : describe)('its commands on a real network', () => {
  let network: FabricNetwork;
  beforeAll(async () => {
    if (!('missing' in release)) network = await FabricNetwork.up(release.env, '--batch-timeout', '200ms');
  }, UP_MS);
  afterAll(async () => {
    await network.down();
  }, UP_MS);

  it.each(['fabric-gateway', 'fabric'])(
    'succeed with the driver %s',
    async (driver) => {
      const api = await LedgerApi.start({ ...network.env, LEDGER_DRIVER: driver });
      try {
        await until(async () => (await api.create(`ready-${driver}`)).status === 201, 60_000);
        const script = `set -ex\n${commands}`
          .replaceAll('http://127.0.0.1:3000', api.origin)
          .replaceAll(/car-(\d)/g, `$1-${driver}`);
        const { stdout } = await promisify(execFile)('bash', ['-c', script]);
        expect(stdout.match(/"success":true/g)).toHaveLength(14);
      } finally {
        await api.stop();
      }
    },
    UP_MS,
  );
});
