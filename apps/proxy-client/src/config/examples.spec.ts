import { readdirSync, readFileSync } from 'node:fs';
import { listenerKeys } from './listener-setting.js';
import { loadConfig } from './load-config.js';
import type { ProxyClientConfig } from './proxy-client-config.js';
import { serverKeys } from './server-setting.js';

const EXAMPLES = 'docs/examples';
const files = readdirSync(EXAMPLES, { recursive: true, encoding: 'utf8' }).filter((file) =>
  file.endsWith('proxy-client.yaml'),
);

function load(config?: string) {
  return loadConfig({
    options: config === undefined ? {} : { config },
    environment: { PROXY_PASSWORD: 'x' },
    directory: '.',
  }).config;
}

/** What is set, not by what. */
function values({ listeners, ...others }: ProxyClientConfig) {
  return { ...others, listeners: listeners.map((listener) => ({ ...listener, setBy: undefined })) };
}

describe('the examples', () => {
  it.each(files)('%s is read without a fault', (file) => {
    expect(load(`${EXAMPLES}/${file}`).upstreams).toHaveLength(file.startsWith('17.') ? 2 : 1);
  });

  it('the commented one has every key with its default', () => {
    const file = `${EXAMPLES}/10.proxy-configuration/proxy-client.yaml`;
    expect(values(load(file))).toEqual(
      values(loadConfig({ options: {}, environment: {}, directory: '/nowhere' }).config),
    );
    const text = readFileSync(file, 'utf8');
    for (const key of [
      'mode',
      'logLevel',
      'via',
      'admin',
      'log',
      'allowedHosts',
      'headerBytes',
      ...Object.keys(listenerKeys),
      ...Object.keys(serverKeys),
      'url',
    ]) {
      expect(text).toMatch(new RegExp(`^\\s*(# )?${key}:`, 'm'));
    }
    for (const key of ['of', 'pick', 'check', 'every', 'target', 'token'])
      expect(text).toMatch(new RegExp(`[{ ]${key}: `));
    for (const group of ['timeouts', 'limits', 'pool'] as const) {
      for (const key of Object.keys(load()[group])) expect(text).toMatch(new RegExp(`^ {2}${key}: `, 'm'));
    }
  });
});
