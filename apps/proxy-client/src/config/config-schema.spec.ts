import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { Ajv, type ValidateFunction } from 'ajv';
import { parse } from 'yaml';
import { loadConfig } from './load-config.js';
import type { JsonSchema } from './setting.js';

const SCHEMA = 'docs/proxy-client.schema.json';
const schema = JSON.parse(readFileSync(SCHEMA, 'utf8')) as JsonSchema;
const ajv = new Ajv({ strict: true, allowUnionTypes: true });
const matches: ValidateFunction = ajv.compile(schema);

let directory: string;

beforeAll(() => {
  directory = mkdtempSync(join(tmpdir(), 'schema-'));
  writeFileSync(join(directory, 'names.txt'), 'a.example\n');
  writeFileSync(join(directory, 'password.txt'), 's3cret');
});

afterAll(() => {
  rmSync(directory, { recursive: true, force: true });
});

/** Returns whether the program accepts a configuration file. */
function isAccepted(text: string): boolean {
  const config = join(directory, 'proxy-client.yaml');
  writeFileSync(config, text);
  try {
    loadConfig({
      options: { config },
      environment: { PORT: '1', NAME: 'a', MODE: 'mixed', FLAG: 'on', TIME: '3' },
      directory,
    });
    return true;
  } catch {
    return false;
  }
}

/** Returns all schemas of keys, with their paths. */
function keysOf(json: JsonSchema, path = ''): (readonly [path: string, json: JsonSchema])[] {
  const { properties = {}, anyOf = [], items, additionalProperties } = json;
  const below = [...anyOf, ...(items ? [items] : []), ...(additionalProperties ? [additionalProperties] : [])];
  return [
    ...below.flatMap((each) => keysOf(each, path)),
    ...Object.entries(properties).flatMap(([name, each]) => [
      [`${path}.${name}`, each] as const,
      ...keysOf(each, `${path}.${name}`),
    ]),
  ];
}

describe('the JSON schema of the configuration file', () => {
  const examples = readdirSync('docs/examples', { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('proxy-client.yaml'))
    .map((file) => join('docs/examples', file));

  it.each(examples)('is named in the first line of %s, which it describes', (file) => {
    const text = readFileSync(file, 'utf8');
    const [, named = ''] = /^# yaml-language-server: \$schema=(\S+)\n/.exec(text) ?? [];
    expect(resolve(dirname(file), named)).toBe(resolve(SCHEMA));
    expect([matches(parse(text)), matches.errors]).toEqual([true, null]);
  });

  it('has a line of meaning for each key', () => {
    const keys = keysOf(schema);
    expect(keys.length).toBeGreaterThan(80);
    expect(keys.filter(([, { description = '' }]) => !/^\S.*[.)]$/.test(description))).toEqual([]);
  });

  it('accepts each default as written', () => {
    const defaulted = keysOf(schema).filter(([, json]) => json.default !== undefined);
    expect(defaulted.length).toBeGreaterThan(25);
    expect(defaulted.filter(([, json]) => !ajv.compile(json)(json.default))).toEqual([]);
  });

  it.each([
    'mode: mixed',
    'mode: ${MODE}',
    'listen: { host: "::1", port: 0, allowedHosts: [a.test], open: on, pac: true }',
    'listen: { port: "${PORT}" }',
    'listen: { users: [{ name: a, password: b }, { name: c, password: { file: password.txt } }], clients: [10.0.0.0/8] }',
    'listen: { socket: { path: a.sock, mode: "0660", owner: 0, group: root } }',
    'listen: { systemd: proxy }',
    'listeners: [{ port: 1 }, { mode: socks5, socket: a.sock }]',
    'upstream: embedded',
    'upstream: socks5://${NAME}:b@h:1',
    'upstream: { url: "http://h:1", plain: connect }',
    'upstream: { host: h, port: 1, protocol: http, username: a, password: "", plain: connect }',
    'upstream: { host: h, port: 1, handshake: oneflight, warm: 3, isolate: user }',
    'upstreams: { a: socks5://h:1, b: { host: h, port: 2, via: a }, c: { of: [a, b], pick: fastest, check: off } }',
    'upstreams: { a: { of: [direct2], check: { every: 250ms, target: "a.test:1" } }, direct2: socks5://h:1 }',
    'rules: [{ hosts: [a, "*.b", 10.0.0.1], networks: [10.0.0.0/8], ports: [1, 2-3, "4"], users: [a], to: direct }]',
    'rules: [{ hosts: { file: names.txt }, to: reject }]',
    'default: reject',
    'timeouts: { read: 0, write: 1m30s, idle: "${TIME}s", drain: 1.5s }',
    'limits: { headerBytes: 64KiB, connections: 5 }',
    'pool: { idle: 0s, perTarget: "${PORT}", total: 1 }',
    'via: ${FLAG}',
    'log: { requests: stdout, format: common, queries: on }',
    'admin: off',
    'admin: { host: 127.0.0.1, port: 0, token: 0123456789abcdef }',
  ])('accepts, as the program does, %s', (text) => {
    expect([matches(parse(text)), isAccepted(text)]).toEqual([true, true]);
  });

  it.each([
    'mode: https',
    'modes: http',
    'listen: []',
    'listen: { prot: 1 }',
    'listen: { port: 70000 }',
    'listen: { port: "1" }',
    'listen: { users: [] }',
    'listen: { users: [{ name: a }] }',
    'listen: { pac: maybe }',
    'listeners: []',
    'upstream: 1080',
    'upstream: { host: h, port: 1, protocol: socks4 }',
    'upstreams: {}',
    'upstreams: { A: socks5://h:1 }',
    'upstreams: { a: { of: [] } }',
    'rules: [{ hosts: [a] }]',
    'rules: [{ hosts: a, to: direct }]',
    'rules: [{ ports: [70000], to: direct }]',
    'default: allow',
    'timeouts: { read: 30 }',
    'timeouts: { read: 1d }',
    'limits: { headerBytes: 1 }',
    'pool: { total: 0 }',
    'via: 1',
    'log: { format: xml, requests: stdout }',
    'admin: on',
  ])('refuses, as the program does, %s', (text) => {
    expect([matches(parse(text)), isAccepted(text)]).toEqual([false, false]);
  });
});
