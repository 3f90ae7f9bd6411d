import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { WEAK_CERTIFICATE } from '../../../../test/support/weak-certificate.js';
import { ThrowawayAuthority } from '../../../../test/support/throwaway-certificates.js';
import { ConfigError } from './config-faults.js';
import { loadConfig } from './load-config.js';
import { describeUpstream } from './upstream-setting.js';

let directory: string;
let authority: ThrowawayAuthority;

beforeAll(async () => {
  directory = mkdtempSync(join(tmpdir(), 'proxy-kinds-'));
  authority = await ThrowawayAuthority.create('Test');
  const [own, other] = [await authority.issue('me'), await authority.issue('other')];
  writeFileSync(join(directory, 'ca.pem'), `the authority\n${authority.root.certificate}`);
  writeFileSync(join(directory, 'me.pem'), own.certificate);
  writeFileSync(join(directory, 'me.key'), own.privateKey);
  writeFileSync(join(directory, 'other.key'), other.privateKey);
  writeFileSync(join(directory, 'weak.pem'), WEAK_CERTIFICATE.certificate);
  writeFileSync(join(directory, 'weak.key'), WEAK_CERTIFICATE.key);
  writeFileSync(join(directory, 'broken.pem'), '-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n');
});

afterAll(() => {
  rmSync(directory, { recursive: true });
});

function load(yaml: string, environment: NodeJS.ProcessEnv = {}) {
  writeFileSync(join(directory, 'config.yaml'), yaml);
  return loadConfig({ options: { config: 'config.yaml' }, environment, directory });
}

function faults(yaml: string): string[] {
  try {
    load(yaml);
  } catch (error) {
    if (error instanceof ConfigError) return error.message.split('\n').map((line) => line.replace('config.yaml: ', ''));
    throw error;
  }
  throw new Error('The configuration is valid.');
}

const upstreamOf = (yaml: string) => load(`upstream: ${yaml}`).config.upstreams[0]!;

describe('an upstream', () => {
  it.each([
    ['socks5://h:1', { kind: 'socks5', host: 'h', port: 1, handshake: 'auto', warm: 0 }],
    ['SOCKS5H://h:1', { kind: 'socks5', host: 'h', port: 1, handshake: 'auto', warm: 0 }],
    ['socks5+tls://h:1', { kind: 'socks5', host: 'h', port: 1, tls: {}, handshake: 'auto', warm: 0 }],
    ['http://h:1', { kind: 'http', host: 'h', port: 1, plain: 'forward' }],
    [
      'http://key:@h:1',
      { kind: 'http', host: 'h', port: 1, credentials: { username: 'key', password: '' }, plain: 'forward' },
    ],
    ['https://h:1', { kind: 'http', host: 'h', port: 1, tls: {}, plain: 'forward' }],
  ])('may be %s', (url, expected) => {
    expect(upstreamOf(url)).toEqual({ name: 'upstream', ...expected });
    const { protocol } = new URL(url.toLowerCase().replace('socks5h', 'socks5'));
    expect(describeUpstream(upstreamOf(url))).toBe(`${protocol}//h:1`);
  });

  it('may be set by the environment and by single keys', () => {
    const credentials = { username: 'me', password: 'a:b@c' };
    const { config } = load('logLevel: info', { PROXY_UPSTREAM: 'https://me:a%3Ab%40c@[::1]:3128' });
    expect(config.upstreams).toEqual([
      { name: 'upstream', kind: 'http', host: '::1', port: 3128, credentials, tls: {}, plain: 'forward' },
    ]);
    expect(upstreamOf('{ protocol: http, host: h, port: 3128, plain: connect }')).toMatchObject({ plain: 'connect' });
  });

  it('may have files with an authority, a certificate and its key, whose changes are noticed', () => {
    const { config, files } = load(
      'upstream: { url: "https://h:1", ca: ca.pem, certificate: me.pem, key: me.key, serverName: proxy.example }',
    );
    const { tls } = config.upstreams[0] as { tls: Record<string, string> };
    expect(tls['ca']).toContain(authority.root.certificate);
    expect(tls['serverName']).toBe('proxy.example');
    expect([...files.keys()]).toEqual(
      ['config.yaml', 'ca.pem', 'me.pem', 'me.key'].map((name) => join(directory, name)),
    );
  });

  it.each([
    ['{ url: "https://h:1", ca: missing.pem }', 'upstream.ca: does not exist'],
    ['{ url: "https://h:1", ca: me.key }', 'upstream.ca: must be a PEM file with certificates'],
    ['{ url: "https://h:1", ca: broken.pem }', 'upstream.ca: must be a PEM file with certificates'],
    [
      '{ url: "https://h:1", certificate: me.pem }',
      'upstream.key: is missing: certificate and key are required together',
    ],
    [
      '{ url: "https://h:1", key: me.key }',
      'upstream.certificate: is missing: certificate and key are required together',
    ],
    ['{ url: "https://h:1", certificate: me.pem, key: missing.key }', 'upstream.key: does not exist'],
    ['{ url: "https://h:1", certificate: missing.pem, key: me.key }', 'upstream.certificate: does not exist'],
    ['{ url: "https://h:1", certificate: me.pem, key: other.key }', 'upstream.key: is not the key of the certificate'],
    [
      '{ url: "https://h:1", certificate: me.pem, key: me.pem }',
      'upstream.key: must be a PEM file with a private key without a passphrase',
    ],
    [
      // It ended the process with its first connection.
      '{ url: "socks5+tls://h:1", certificate: weak.pem, key: weak.key }',
      'upstream.key: cannot be used for TLS with the certificate (ERR_SSL_EE_KEY_TOO_SMALL)',
    ],
    ['{ url: "http://h:1", ca: ca.pem }', 'upstream.ca: has no effect with http: omit it'],
    ['{ url: "https://h:1", warm: 2 }', 'upstream.warm: has no effect with https: omit it'],
    ['{ url: "socks5+tls://h:1", plain: connect }', 'upstream.plain: has no effect with socks5+tls: omit it'],
    ['{ url: "https://h:1", protocol: http }', 'upstream.url: cannot be combined with protocol'],
    ['{ url: "http://a%3Ab:c@h:1" }', 'upstream.username: must not contain a colon'],
  ])('%s is a fault', (yaml, fault) => {
    expect(faults(`upstream: ${yaml}`)).toContain(fault);
  });

  it('without a port is a fault that names the forms', () => {
    expect(faults('upstream: https://proxy.example')).toEqual([expect.stringMatching(/^upstream: must be .*https:/)]);
  });
});

describe('via', () => {
  const chain = (...entries: string[]) => `upstreams: { ${entries.join(', ')} }`;
  const hop = (name: string, via?: string, more = '') =>
    `${name}: { url: "socks5://h:1"${via === undefined ? '' : `, via: ${via}`}${more} }`;

  it('may lead over four hops and groups', () => {
    const four = chain(hop('a', 'b'), hop('b', 'any'), 'any: { of: [c, e] }', hop('c', 'd'), hop('d'), hop('e'));
    expect(load(four).config.upstreams.map((each) => ('via' in each ? each.via : undefined))).toEqual([
      ...['b', 'any', undefined, 'd', undefined, undefined],
    ]);
  });

  it.each([
    [[hop('a', 'a')], ['upstreams.a.via: leads back to this upstream: end the chain at another one']],
    [
      [hop('a', 'g'), 'g: { of: [b] }', hop('b', 'a')],
      ['a', 'b'].map((name) => `upstreams.${name}.via: leads back to this upstream: end the chain at another one`),
    ],
    [
      [hop('a', 'b'), hop('b', 'c'), hop('c', 'd'), hop('d', 'e'), hop('e')],
      ['upstreams.a.via: makes a chain of 5 hops: at most 4 are possible'],
    ],
    [
      [hop('aa', 'bbb'), hop('bbbb')],
      ['upstreams.aa.via: is not the name of an upstream that is allowed here; did you mean "bbbb"?'],
    ],
    [
      [hop('a', 'g'), 'g: { of: [b, direct] }', hop('b')],
      ['upstreams.a.via: leads to direct connections: name an upstream with a server, or a group of such'],
    ],
    [
      [hop('a', 'b'), 'b: embedded'],
      ['upstreams.a.via: leads to direct connections: name an upstream with a server, or a group of such'],
    ],
    [
      [hop('a', 'g', ', warm: 2'), 'g: { of: [b] }', hop('b', undefined, ', isolate: user')],
      ['upstreams.a.warm: would share connections of users that an upstream before it isolates: omit it'],
    ],
  ])('%j is a fault', (entries, expected) => {
    expect(faults(chain(...entries))).toEqual(expected);
  });
});
