import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readCaOfProfile } from './connection-profile.js';
import { caError } from './fabric-ca.js';

const CA1 = { url: 'https://localhost:7054', caName: 'ca-org1', tlsCACerts: { pem: ['one', 'two'] } };
const CA2 = { url: 'http://localhost:8054', caName: 'ca-org2' };

describe('the certificate authority of a connection profile', () => {
  let directory: string;
  let file: string;
  beforeEach(() => {
    directory = mkdtempSync(join(tmpdir(), 'ca-of-profile-'));
    file = join(directory, 'profile.json');
  });
  afterEach(() => {
    rmSync(directory, { recursive: true });
  });
  const read = (certificateAuthorities: object | undefined, caName?: string) => {
    writeFileSync(file, JSON.stringify({ peers: { peer0: {} }, certificateAuthorities }));
    return readCaOfProfile(file, caName);
  };

  it('is the only one, or the one that is named by its key or its own name', async () => {
    const first = { url: CA1.url, caName: 'ca-org1', tlsRoots: ['one', 'two'] };
    expect(await read({ 'ca.org1': CA1 })).toEqual(first);
    expect(await read({ 'ca.org1': CA1, 'ca.org2': CA2 }, 'ca.org1')).toEqual(first);
    expect(await read({ 'ca.org1': CA1, 'ca.org2': CA2 }, 'ca-org2')).toEqual({ url: CA2.url, caName: 'ca-org2' });
    expect(await read({ ca: { ...CA2, tlsCACerts: { pem: 'one' } } })).toMatchObject({ tlsRoots: ['one'] });
    expect(await read({ ca: { ...CA2, tlsCACerts: {} } })).toMatchObject({ tlsRoots: undefined });
  });

  it('is trusted by the file that the profile names, which was passed over once', async () => {
    const path = join(directory, 'root.pem');
    writeFileSync(path, 'one');
    expect(await read({ ca: { ...CA2, tlsCACerts: { path } } })).toMatchObject({ tlsRoots: ['one'] });
    const none = join(directory, 'none.pem');
    await expect(read({ ca: { ...CA2, tlsCACerts: { path: none } } })).rejects.toMatchObject({
      code: 'LEDGER.MISCONFIGURED',
      message: expect.stringContaining(none) as string,
    });
  });

  it.each([
    ['none is there', undefined, undefined, 'has no certificate authority: use --url.'],
    ['several are there', { a: CA1, b: CA2 }, undefined, 'choose one of a, b with --ca-name'],
    ['another is named', { a: CA1 }, 'ca-org3', 'choose one of a with --ca-name'],
    ['it has no address', { a: { caName: 'a' } }, undefined, 'choose one of a with --ca-name'],
  ])('is asked for when %s', async (_, authorities, name, message) => {
    await expect(read(authorities, name)).rejects.toMatchObject({
      code: 'LEDGER.MISCONFIGURED',
      message: expect.stringContaining(message) as string,
    });
  });
});

describe('what a certificate authority refuses', () => {
  const refusal = (code: number) => Object.assign(new Error('SDK text'), { errors: [{ code, message: 'CA text' }] });
  const url = 'https://localhost:7054';

  it.each([
    [19, 'check FABRIC_CA_NAME or --ca-name'],
    [20, 'the id or the secret is wrong'],
    [71, 'the registrar may not do that'],
    [74, 'registered already'],
    [99, 'CA text (code 99)'],
  ])('with code %i states the reason', (code, text) => {
    const error = caError(refusal(code), url);
    expect(error).toMatchObject({ code: 'LEDGER.MISCONFIGURED', endpoint: url });
    expect(error.message).toContain(text);
    expect(error.message).not.toContain('SDK text');
  });

  it('is distinguished from an unreachable one', () => {
    expect(caError(new Error('connect ECONNREFUSED'), url)).toMatchObject({
      code: 'LEDGER.UNAVAILABLE',
      endpoint: url,
      message: `The certificate authority ${url} could not serve the request: connect ECONNREFUSED`,
    });
  });
});
