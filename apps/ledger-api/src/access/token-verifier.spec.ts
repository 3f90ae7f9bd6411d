import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { jest } from '@jest/globals';
import { pino } from 'pino';
import { exportJWK, exportSPKI, generateKeyPair, SignJWT, UnsecuredJWT, type CryptoKey, type JWK } from 'jose';
import { issuerUrlError, type TokenOptions } from '#ledger-config';
import { AUDIENCE, OidcIssuer, type SigningAlgorithm } from '../../../../test/support/oidc-issuer.js';
import { InvalidTokenError, ISSUER_PACE, TokenVerifier } from './token-verifier.js';

beforeAll(() => {
  // The provider warns that it is for development only.
  jest.spyOn(console, 'warn').mockImplementation(() => undefined);
});
afterAll(() => {
  jest.restoreAllMocks();
});

/** An issuer on a busy machine takes its time. */
const PATIENT = { ...ISSUER_PACE, timeout: 60_000 };
const QUIET = pino({ enabled: false });
const HASTY = { ...PATIENT, cooldown: 0, retryAfter: 0 };
const optionsFor = (issuer: string, others: Partial<TokenOptions> = {}): TokenOptions => ({
  issuer,
  audience: AUDIENCE,
  callerClaim: 'sub',
  rolesClaim: 'roles',
  enrol: false,
  ...others,
});

describe('tokens of a real issuer', () => {
  let issuer: OidcIssuer;
  afterEach(async () => {
    await issuer.stop();
  });

  it.each<SigningAlgorithm>(['RS256', 'ES256', 'EdDSA'])(
    'signed with %s identify the caller, its role and the expiry',
    async (algorithm) => {
      issuer = await OidcIssuer.start({ algorithm, lifetime: 600 });
      const verifier = new TokenVerifier(optionsFor(issuer.url), QUIET, PATIENT);
      const began = Math.floor(Date.now() / 1000) * 1000;
      const facts = await verifier.verify(await issuer.token('alice', 'ledger:read ledger:write'));
      expect(facts).toEqual({ subject: 'alice', role: 'writer', endsAt: expect.any(Number) as number });
      // With the skew of clocks.
      expect(facts.endsAt).toBeGreaterThanOrEqual(began + 630_000);
      expect(facts.endsAt).toBeLessThanOrEqual(Date.now() + 630_000);
      expect((await verifier.verify(await issuer.token('bob'))).role).toBeUndefined();
    },
  );

  it('have their role in a claim by its name or path, and their caller in another claim', async () => {
    const claims = {
      alice: { roles: ['reader', 'admin', 7] },
      bob: { realm_access: { roles: ['offline_access', 'writer'] }, preferred_username: 'bob the builder' },
      ci: { roles: { admin: true }, preferred_username: 7 },
    };
    issuer = await OidcIssuer.start({ claims });
    const plain = new TokenVerifier(optionsFor(issuer.url), QUIET, PATIENT);
    expect(await plain.verify(await issuer.token('alice', 'ledger:read'))).toMatchObject({ role: 'admin' });
    expect(await plain.verify(await issuer.token('ci', 'ledger:read'))).toMatchObject({ role: 'reader' });
    const others = { callerClaim: 'preferred_username', rolesClaim: 'realm_access.roles' };
    const keycloak = new TokenVerifier(optionsFor(issuer.url, others), QUIET, PATIENT);
    expect(await keycloak.verify(await issuer.token('bob'))).toMatchObject({
      subject: 'bob the builder',
      role: 'writer',
    });
    await expect(keycloak.verify(await issuer.token('ci'))).rejects.toThrow('no text in the claim preferred_username');
    await expect(keycloak.verify(await issuer.token('alice'))).rejects.toThrow(InvalidTokenError);
  });

  it('are taken after a rotation of its keys, and those of a forgotten key no longer', async () => {
    issuer = await OidcIssuer.start();
    const verifier = new TokenVerifier(optionsFor(issuer.url), QUIET, HASTY);
    const before = await issuer.token('alice');
    await issuer.rotate();
    const between = await issuer.token('alice');
    for (const token of [before, between]) expect(await verifier.verify(token)).toMatchObject({ subject: 'alice' });
    const unseen = await issuer.token('bob');
    await issuer.rotate({ forget: true });
    expect(await verifier.verify(await issuer.token('bob'))).toMatchObject({ subject: 'bob' });
    await expect(verifier.verify(unseen)).rejects.toThrow("a key that is not its issuer's");
    // It was good, and stays so until it ends.
    expect(await verifier.verify(before)).toMatchObject({ subject: 'alice' });
  });

  it('are known by their hash until they end, whether the issuer is there or not', async () => {
    issuer = await OidcIssuer.start();
    const verifier = new TokenVerifier(optionsFor(issuer.url), QUIET, HASTY);
    const [known, unknown] = [await issuer.token('alice'), await issuer.token('bob')];
    const facts = await verifier.verify(known);
    const port = Number(new URL(issuer.url).port);
    await issuer.stop();
    const later = new TokenVerifier(optionsFor(issuer.url), QUIET, HASTY);
    expect(await verifier.verify(known)).toBe(facts);
    await expect(later.verify(unknown)).rejects.toThrow(
      expect.objectContaining({ code: 'API.ISSUER_UNAVAILABLE' }) as Error,
    );
    await later.prepare();
    expect(later.error).toContain('ECONNREFUSED');

    issuer = await OidcIssuer.start({ port });
    await later.prepare();
    expect(later.error).toBeUndefined();
    expect(await later.verify(await issuer.token('bob'))).toMatchObject({ subject: 'bob' });
  });
});

describe('tokens of an issuer that lies', () => {
  let server: Server;
  let url: string;
  let keys: { readonly privateKey: CryptoKey; readonly publicKey: CryptoKey };
  let jwks: JWK[];
  let asked: string[];
  let answers: Readonly<Record<string, RequestListener>>;
  let verifier: TokenVerifier;
  const json =
    (document: unknown): RequestListener =>
    (_, response) =>
      response.end(JSON.stringify(document));

  beforeAll(async () => {
    keys = await generateKeyPair('RS256', { extractable: true });
  });
  beforeEach(async () => {
    jwks = [{ ...(await exportJWK(keys.publicKey)), kid: 'one', alg: 'RS256', use: 'sig' }];
    asked = [];
    server = createServer((request, response) => {
      asked.push(request.url!);
      answers[request.url!]!(request, response);
    });
    await new Promise<void>((resolve) => {
      server.listen(0, '127.0.0.1', resolve);
    });
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    answers = {
      '/.well-known/openid-configuration': json({ issuer: url, jwks_uri: `${url}/keys` }),
      '/keys': (_, response) => response.end(JSON.stringify({ keys: jwks })),
      '/stolen': json({ keys: [] }),
    };
    verifier = new TokenVerifier(optionsFor(url), QUIET, HASTY);
  });
  afterEach(async () => {
    await new Promise((resolve) => {
      server.close(resolve);
      server.closeAllConnections();
    });
  });

  const claims = (others: object = {}): Record<string, unknown> => {
    const now = Math.floor(Date.now() / 1000);
    return { iss: url, aud: AUDIENCE, sub: 'alice', exp: now + 60, ...others };
  };
  const token = (
    payload: object = {},
    header: object = {},
    key: CryptoKey | Uint8Array = keys.privateKey,
  ): Promise<string> =>
    new SignJWT(claims(payload)).setProtectedHeader({ alg: 'RS256', kid: 'one', ...header }).sign(key);
  const faultOf = async (text: string): Promise<string> => {
    const error: unknown = await verifier.verify(text).then(
      () => new Error('was taken'),
      (reason: unknown) => reason,
    );
    if (!(error instanceof InvalidTokenError)) throw error as Error;
    return error.message;
  };

  it('are taken as long as it does not', async () => {
    expect(await verifier.verify(await token())).toMatchObject({ subject: 'alice' });
    expect(asked).toEqual(['/.well-known/openid-configuration', '/keys']);
  });

  it('are refused with another algorithm, or none', async () => {
    const must = 'The token must be signed with RS256, ES256, EdDSA.';
    const spki = Buffer.from(await exportSPKI(keys.publicKey));
    expect(await faultOf(await token({}, { alg: 'HS256' }, spki))).toBe(must);
    const { privateKey } = await generateKeyPair('PS256');
    expect(await faultOf(await token({}, { alg: 'PS256' }, privateKey))).toBe(must);
    expect(await faultOf(new UnsecuredJWT(claims()).encode())).not.toBe('was taken');
    const [, payload] = (await token()).split('.');
    for (const alg of ['none', 'None', 'nOnE', '']) {
      const header = Buffer.from(JSON.stringify({ alg, kid: 'one' })).toString('base64url');
      for (const signature of ['', 'AAAA'])
        expect(await faultOf(`${header}.${payload!}.${signature}`)).not.toBe('was taken');
    }
  });

  it.each([
    ['another audience', { aud: 'https://other.example' }, 'The claim aud of the token does not fit.'],
    ['no audience', { aud: undefined }, 'The claim aud of the token does not fit.'],
    ['another issuer', { iss: 'https://issuer.example' }, 'The claim iss of the token does not fit.'],
    ['an end that has passed', { exp: 1 }, 'The token has expired.'],
    ['an end just before the skew', { exp: Math.floor(Date.now() / 1000) - 31 }, 'The token has expired.'],
    ['no end', { exp: undefined }, 'The claim exp of the token does not fit.'],
    ['an end that is no number', { exp: '2999-01-01' }, 'The claim exp of the token does not fit.'],
    ['a beginning to come', { nbf: Math.floor(Date.now() / 1000) + 300 }, 'The claim nbf of the token does not fit.'],
    ['no subject', { sub: undefined }, 'The token has no text in the claim sub.'],
    ['an empty subject', { sub: '' }, 'The token has no text in the claim sub.'],
  ])('are refused with %s', async (_, payload, fault) => {
    expect(await faultOf(await token(payload))).toBe(fault);
  });

  it('defect: within the skew of clocks they were neither cached nor accepted for writes', async () => {
    const now = Math.floor(Date.now() / 1000);
    const late = await token({ exp: now - 10, nbf: now + 10 });
    const facts = await verifier.verify(late);
    // A session, which a write checks once more after its body, lasts as long.
    expect(facts).toMatchObject({ subject: 'alice', endsAt: (now + 20) * 1000 });
    expect(await verifier.verify(late)).toBe(facts);
  });

  it('lead to no key that they bring or name themselves', async () => {
    const own = await generateKeyPair('RS256', { extractable: true });
    const jwk = await exportJWK(own.publicKey);
    for (const header of [{ jwk }, { jku: `${url}/stolen` }, { x5u: `${url}/stolen` }, { kid: undefined, jwk }]) {
      expect(await faultOf(await token({}, header, own.privateKey))).toBe('The signature of the token is invalid.');
    }
    for (const kid of ['../../stolen', 'one\u0000', `${url}/stolen`, "' or 1=1 --", '__proto__', 'x'.repeat(4000)]) {
      expect(await faultOf(await token({}, { kid }, own.privateKey))).toContain("a key that is not its issuer's");
    }
    expect(asked).not.toContain('/stolen');
  });

  it('are refused when they are changed, cut or none', async () => {
    const good = await token();
    const [header, payload, signature] = good.split('.') as [string, string, string];
    const other = Buffer.from(JSON.stringify(claims({ sub: 'admin' }))).toString('base64url');
    expect(await faultOf(`${header}.${other}.${signature}`)).toBe('The signature of the token is invalid.');
    for (const text of ['', '.', '..', 'a.b.c', `${header}.${payload}`, `${good}.`, good.slice(0, -20)]) {
      expect(await faultOf(text)).toMatch(/^The (token is malformed|signature of the token is invalid|token must)/);
    }
  });

  it('make it be asked for keys once in a while, however many name one that is not there', async () => {
    verifier = new TokenVerifier(optionsFor(url), QUIET, { ...PATIENT, retryAfter: 0 });
    await verifier.verify(await token());
    const before = asked.length;
    const foreign = await Promise.all(Array.from({ length: 50 }, (_, n) => token({}, { kid: `kid-${n}` })));
    for (const text of foreign) expect(await faultOf(text)).toContain("a key that is not its issuer's");
    expect(asked).toHaveLength(before);
    jwks = jwks.map((key) => ({ ...key, kid: 'two' }));
    const rotated = await token({}, { kid: 'two' });
    expect(await faultOf(rotated)).toContain("a key that is not its issuer's");
    const later = Date.now() + 2 * ISSUER_PACE.cooldown;
    const clock = jest.spyOn(Date, 'now').mockImplementation(() => later);
    await verifier.verify(rotated);
    clock.mockRestore();
  });

  const fails = async (what: string): Promise<void> => {
    await expect(verifier.verify(await token())).rejects.toThrow(
      expect.objectContaining({ code: 'API.ISSUER_UNAVAILABLE' }) as Error,
    );
    expect(verifier.error).toContain(what);
  };
  const discovery = '/.well-known/openid-configuration';

  it.each<readonly [string, () => Record<string, RequestListener>, string]>([
    [
      'redirects',
      () => ({ [discovery]: (_, response) => response.writeHead(302, { location: '/keys' }).end() }),
      'answered 302',
    ],
    [
      'redirects from its keys',
      () => ({ '/keys': (_, response) => response.writeHead(307, { location: '/stolen' }).end() }),
      'answered 307',
    ],
    ['fails', () => ({ '/keys': (_, response) => response.writeHead(500).end() }), 'answered 500'],
    [
      'is of another type',
      () => ({ [discovery]: json({ issuer: 'https://other.example', jwks_uri: `${url}/keys` }) }),
      'of another issuer',
    ],
    ['names no keys', () => ({ [discovery]: json({ issuer: url }) }), 'names no jwks_uri'],
    [
      'names keys that are not on https',
      () => ({ [discovery]: json({ issuer: url, jwks_uri: 'http://192.0.2.1/keys' }) }),
      'it must use https',
    ],
    [
      'names keys in a file',
      () => ({ [discovery]: json({ issuer: url, jwks_uri: 'file:///etc/passwd' }) }),
      'it must use https',
    ],
    ['is no JSON', () => ({ [discovery]: (_, response) => response.end('<html>') }), 'JSON'],
    ['is an array', () => ({ [discovery]: json([]) }), 'of another issuer'],
    [
      'has endless documents',
      () => ({
        '/keys': (_, response) => {
          endless(response);
        },
      }),
      'is longer than 65536 bytes',
    ],
    ['never ends an answer', () => ({ '/keys': (_, response) => response.write('{') }), 'aborted'],
    ['never answers', () => ({ [discovery]: () => undefined }), 'aborted'],
  ])('are not taken while it %s', async (_, changed, what) => {
    answers = { ...answers, ...changed() };
    // Only what never ends may be ended by a short limit.
    verifier = new TokenVerifier(optionsFor(url), QUIET, what === 'aborted' ? { ...HASTY, timeout: 300 } : HASTY);
    await fails(what);
    expect(asked).not.toContain('/stolen');
  });

  function endless(response: Parameters<RequestListener>[1]): void {
    const more = (): void => {
      while (!response.destroyed && response.write('['.repeat(16_384)));
    };
    response.on('drain', more);
    more();
  }

  it('are not taken while its keys are none that can be used', async () => {
    const weak = await exportJWK((await generateKeyPair('RS256', { extractable: true })).publicKey);
    jwks = [{ ...weak, kid: 'one', n: weak.n!.slice(0, 100) }];
    await expect(verifier.verify(await token())).rejects.toThrow(
      expect.objectContaining({ code: 'API.ISSUER_UNAVAILABLE' }) as Error,
    );
    jwks = [{ kty: 'oct', k: 'c2VjcmV0', kid: 'one' }];
    verifier = new TokenVerifier(optionsFor(url), QUIET, HASTY);
    expect(await faultOf(await token())).toContain("a key that is not its issuer's");
  });

  it('leave it alone for a while after it failed', async () => {
    answers = { ...answers, '/keys': (_, response) => response.writeHead(500).end() };
    verifier = new TokenVerifier(optionsFor(url), QUIET, { ...PATIENT, retryAfter: 60_000 });
    for (let n = 0; n < 5; n++) await fails('answered 500');
    expect(asked).toHaveLength(2);
  });
});

describe('the URL of an issuer', () => {
  it.each(['https://login.example/realms/main', 'http://127.0.0.1:8080', 'http://localhost/x', 'http://[::1]:9'])(
    'may be %s',
    (url) => {
      expect(issuerUrlError(url)).toBeUndefined();
    },
  );

  it.each([
    'http://login.example',
    'http://10.0.0.1',
    'http://localhost.example',
    'http://127.0.0.1.example',
    'ftp://localhost',
    'https://me:secret@login.example',
    'login.example',
    '',
  ])('may not be %j', (url) => {
    expect(issuerUrlError(url)).toBeDefined();
  });
});
