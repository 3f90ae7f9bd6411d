import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { X509Certificate } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect } from 'node:tls';
import { freePort } from '../../support/free-port.js';
import { addCaller } from '../../support/ledger-callers.js';
import { call, LedgerApi } from '../../support/ledger-api.js';
import { LogLines } from '../../support/proxy/log-lines.js';
import { ThrowawayAuthority } from '../../support/throwaway-certificates.js';
import { until } from '../../support/until.js';

const RELOADED = 'reloaded: the certificate and the callers are those of the files';
const REPLACED = 'The certificate was replaced; new connections use the new one.';

let directory: string;
let authority: ThrowawayAuthority;
let running: LedgerApi | undefined;

beforeEach(async () => {
  directory = mkdtempSync(join(tmpdir(), 'ledger-reload-'));
  authority = await ThrowawayAuthority.create('root');
});
afterEach(async () => {
  await running?.stop();
  running = undefined;
  rmSync(directory, { recursive: true });
});

const path = (name: string) => join(directory, name);

/** Writes a new certificate into a folder, and returns its fingerprint. */
async function issue(name: string): Promise<string> {
  const { certificate, privateKey } = await authority.issue(name);
  writeFileSync(path(`${name}.pem`), certificate);
  writeFileSync(path(`${name}.key`), privateKey);
  return new X509Certificate(certificate).fingerprint256;
}

async function start(env: Readonly<Record<string, string>> = {}): Promise<LedgerApi> {
  running = await LedgerApi.start({
    LEDGER_API_HTTPS_PORT: String(await freePort()),
    LEDGER_API_TLS_CERT: path('live.pem'),
    LEDGER_API_TLS_KEY: path('live.key'),
    ...env,
  });
  return running;
}

/** Puts files in the place of the ones in use, one after the other, as certbot does. */
function replace(name: string): void {
  for (const type of ['pem', 'key']) {
    symlinkSync(path(`${name}.${type}`), path(`next.${type}`));
    renameSync(path(`next.${type}`), path(`live.${type}`));
  }
}

/** The fingerprint of the certificate that a new connection gets. */
async function served(api: LedgerApi): Promise<string> {
  const { port } = new URL(api.secureOrigin!);
  const socket = connect({ port: Number(port), host: '127.0.0.1', rejectUnauthorized: false });
  await once(socket, 'secureConnect');
  const { fingerprint256 } = socket.getPeerCertificate();
  socket.destroy();
  return fingerprint256;
}

describe('a certificate that is replaced', () => {
  it('is used without a signal and without a restart', async () => {
    const [first, second] = [await issue('first'), await issue('second')];
    replace('first');
    const api = await start();
    expect(await served(api)).toBe(first);
    replace('second');
    await until(async () => (await served(api)) === second);
    expect(await new LogLines(api.program).next(REPLACED)).toMatchObject({ level: 'info', fingerprint: second });
  });

  it('stays in use when the next one is unusable, which is logged once', async () => {
    const first = await issue('first');
    replace('first');
    const api = await start();
    const log = new LogLines(api.program);
    await issue('second');
    writeFileSync(path('second.key'), 'cut');
    replace('second');
    const problem = `LEDGER_API_TLS_KEY: ${path('live.key')} is not a PEM private key without a passphrase.`;
    expect(await log.next(`${problem} The previous certificate stays in use.`)).toMatchObject({ level: 'error' });
    api.program.process.kill('SIGHUP');
    expect(await log.next('not reloaded: what was valid before is used')).toEqual({
      level: 'error',
      msg: 'not reloaded: what was valid before is used',
      reason: 'SIGHUP',
      faults: [problem],
    });
    expect(await served(api)).toBe(first);
    replace('first');
    api.program.process.kill('SIGHUP');
    expect(await log.next(RELOADED)).toMatchObject({ reason: 'SIGHUP' });
  });
});

describe('SIGHUP', () => {
  it('reads the certificate and the callers again, and ends nothing', async () => {
    const second = await issue('second');
    await issue('first');
    replace('first');
    const api = await start({ LEDGER_AUTH: 'on' });
    const log = new LogLines(api.program);
    replace('second');
    const key = await addCaller(api.dataDir, 'ana', '--role', 'admin');
    api.program.process.kill('SIGHUP');
    expect(await log.next(RELOADED)).toMatchObject({ level: 'info', reason: 'SIGHUP' });
    expect(await served(api)).toBe(second);
    const answer = await call(api.origin, 'GET', '/api/v1/callers/me', { headers: { 'x-api-key': key } });
    expect(answer.json).toMatchObject({ data: { name: 'ana', role: 'admin' } });
    writeFileSync(join(api.dataDir, 'callers.json'), '{');
    api.program.process.kill('SIGHUP');
    expect(await log.next('not reloaded: what was valid before is used')).toMatchObject({
      faults: [expect.stringContaining('callers.json cannot be used: it is not valid JSON.')],
    });
  });

  it('ends nothing either while nothing is configured that could be reloaded', async () => {
    running = await LedgerApi.start();
    running.program.process.kill('SIGHUP');
    expect(await new LogLines(running.program).next(RELOADED)).toMatchObject({ reason: 'SIGHUP' });
    expect(await running.api('GET', '/health')).toMatchObject({ status: 200 });
  });
});
