import { describe, expect, it } from '@jest/globals';
import { readFileSync } from 'node:fs';
import { TlsFront } from '../../../apps/proxy-client/src/upstream/testing/chain-peers.js';
import { granting, replying, ScriptedSocks5Server } from '#socks5-protocol/testing';
import { CLOSED_PORT } from '../../support/closed-port.js';
import { ProxyProgram, type ProxySettings } from '../../support/proxy/proxy-program.js';
import { ThrowawayAuthority } from '../../support/throwaway-certificates.js';

async function run(settings: ProxySettings) {
  await using started = new ProxyProgram(settings);
  return await started.outcome();
}

describe('proxy-client, the command line', () => {
  it('prints a help that helps', async () => {
    const { code, stdout, stderr } = await run({ args: ['--help'] });
    expect([code, stderr]).toEqual([0, '']);
    for (const text of ['--mode <mode>', '--config <file>', '--check [host:port]', 'Examples:', 'curl --proxy']) {
      expect(stdout).toContain(text);
    }
  });

  it('prints its version', async () => {
    const { version } = JSON.parse(readFileSync('package.json', 'utf8')) as { version: string };
    expect(await run({ args: ['--version'] })).toMatchObject({ code: 0, stdout: `${version}\n`, stderr: '' });
  });

  it.each([
    [['--cofnig', 'x'], /unknown option '--cofnig'.*--config/],
    [['--check', 'example.com'], /--check \[host:port\].*such as example\.com:443/],
  ])('refuses %j with one line and exit code 2', async (args, line) => {
    const { code, stdout, stderr } = await run({ args });
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr).toMatch(/^proxy-client: [^\n]+[.?)] See --help\.\n$/);
    expect(stderr).toMatch(line);
  });
});

describe('proxy-client, the configuration', () => {
  it.each<[string, ProxySettings, string]>([
    ['a file that is not there', { args: ['--config', 'none.yaml'] }, 'none.yaml: does not exist\n'],
    [
      'a bad variable in .env',
      { files: { '.env': 'PROXY_LOG_LEVEL=loud\n' } },
      'PROXY_LOG_LEVEL: must be one of debug, info, warn, error\n',
    ],
    [
      'a bad file under its usual name',
      { files: { 'proxy-client.yaml': 'via: 5' } },
      'proxy-client.yaml: via: must be on or off\n',
    ],
    [
      'several faults, a line each',
      { config: 'mode: x\nvia: 5' },
      'config.yaml: mode: must be one of http, socks5, mixed, tunnel\nconfig.yaml: via: must be on or off\n',
    ],
  ])('refuses %s with exit code 1', async (_, settings, stderr) => {
    expect(await run(settings)).toEqual({ code: 1, signal: null, stdout: '', stderr });
  });

  it('never shows the password', async () => {
    const { code, stderr } = await run({ config: 'upstream: {password: "s3cret}' });
    expect([code, stderr.includes('s3cret')]).toEqual([1, false]);
  });
});

/** The working directory differs. */
const asAnywhere = (text: string) => text.replaceAll(/\/\S*\/proxy-client-\w+\//g, '');

describe('proxy-client, --check', () => {
  const check = (upstream: string, ...target: string[]) =>
    run({ args: ['--check', ...target], env: { PROXY_UPSTREAM: upstream } });

  it('ends with 0 when every step succeeds, with and without a target', async () => {
    await using server = await new ScriptedSocks5Server(() => granting()).listen();
    const upstream = `socks5://127.0.0.1:${server.port}`;
    const whole = await check(upstream, 'example.com:443');
    expect(whole).toMatchObject({ code: 0, stderr: '' });
    expect(whole.stdout).toMatch(
      /^configuration +ok .*\ntcp +ok .*\nauthentication +ok .*\nconnect +ok +example.com:443\n$/,
    );
    expect((await check(upstream)).stdout).toMatch(
      /\nconnect +skipped +specify a target to test it: --check HOST:PORT\n$/,
    );
  });

  it('exits with 1 for an invalid configuration, and with 3, 4 or 5 by the step that fails', async () => {
    expect((await check('nothing')).code).toBe(1);
    expect((await check(`socks5://127.0.0.1:${CLOSED_PORT}`)).code).toBe(3);
    await using refusing = await new ScriptedSocks5Server(() => [
      { read: 'greeting' },
      { write: Uint8Array.of(5, 0xff) },
      { then: 'close' },
    ]).listen();
    expect((await check(`socks5://127.0.0.1:${refusing.port}`)).code).toBe(4);
    await using unreachable = await new ScriptedSocks5Server(() => replying(4)).listen();
    const last = await check(`socks5://127.0.0.1:${unreachable.port}`, '[2001:db8::1]:443');
    expect([last.code, last.stdout]).toEqual([5, expect.stringMatching(/\nconnect +failed +.*reply 0x04/)]);
  });

  it.each([
    ['a request log in a directory that does not exist', { log: { requests: 'missing/requests.log' } }],
    ['a request log that is a directory', { log: { requests: '.' } }],
    ['a socket in a directory that does not exist', { listen: { socket: 'missing/proxy.sock' } }],
    ['a socket whose path is a file', { listen: { socket: 'config.yaml' } }],
    ['an address that this machine does not have', { listen: { host: '203.0.113.1', port: 0, open: true } }],
    ['an address of the admin listener', { admin: { host: '203.0.113.1', token: 'of-the-test-of-check' } }],
  ])('refuses %s with the text of the start, and creates nothing', async (_what, settings) => {
    const config = { upstream: 'embedded', admin: 'off', ...settings };
    const [checked, started] = await Promise.all([run({ config, args: ['--check'] }), run({ config })]);
    expect([checked.code, started.code]).toEqual([1, 1]);
    expect(checked.stderr).toMatch(/\(E\w+\)/);
    expect(asAnywhere(checked.stderr)).toBe(asAnywhere(started.stderr));
  });

  it('accepts a listener whose port is in use: the proxy itself may be running', async () => {
    await using running = await ProxyProgram.start();
    const config = { upstream: 'embedded', admin: 'off', listen: { port: Number(new URL(running.url).port) } };
    expect(await run({ config, args: ['--check'] })).toMatchObject({ code: 0, stderr: '' });
  });

  it('verifies the certificate of an upstream also with NODE_TLS_REJECT_UNAUTHORIZED=0', async () => {
    await using server = await new ScriptedSocks5Server(() => granting()).listen();
    const foreign = await ThrowawayAuthority.create('Other');
    await using front = await TlsFront.start(() => server.port, await foreign.issue('localhost'));
    const env = { PROXY_UPSTREAM: `socks5+tls://127.0.0.1:${front.port}`, NODE_TLS_REJECT_UNAUTHORIZED: '0' };
    const { code, stdout } = await run({ args: ['--check'], env });
    expect([code, stdout]).toEqual([
      3,
      expect.stringMatching(/^tls +failed +upstream \(\S+\): The certificate of the upstream server is/m),
    ]);
    expect(stdout).not.toContain('valid');
  });

  it('can be combined with a file, whose name it shows, and starts no listener', async () => {
    await using server = await new ScriptedSocks5Server(() => granting()).listen();
    const config = { upstream: { host: '127.0.0.1', port: server.port, username: 'me', password: 's3cret' } };
    const { code, stdout } = await run({ config, args: ['--mode', 'http', '--check'] });
    expect([code, stdout.split('\n')[0]]).toEqual([0, expect.stringMatching(/^configuration +ok +config\.yaml$/)]);
    expect(stdout).not.toContain('s3cret');
  });
});
