import { hash } from 'node:crypto';
import { createRemoteJWKSet, customFetch, errors, jwtVerify, type JWTPayload } from 'jose';
import type { Logger } from 'pino';
import { type Role, type Roles, rolesIn } from '#ledger-callers';
import { issuerUrlError, type TokenOptions } from '#ledger-config';
import { ApiError } from '../http/errors.js';

/** Scopes with the permissions of a role. */
const SCOPES: Readonly<Record<string, Role>> = {
  'ledger:admin': 'admin',
  'ledger:write': 'writer',
  'ledger:read': 'reader',
};

/** The facts of a valid token. */
export interface TokenFacts {
  readonly subject: string;
  /** The roles that the token names. Undefined if it names none: then it does not limit its caller. */
  readonly role: Roles | undefined;
  /** Milliseconds since the epoch from which on it is refused: its expiry, and the time by which clocks may differ. */
  readonly endsAt: number;
}

/** The error of an invalid token. The message states the reason, without content of the token. */
export class InvalidTokenError extends Error {}

/** RSA with PKCS #1 v1.5, ECDSA on P-256, and Ed25519 or Ed448: all with keys that only the issuer has (RFC 8725, 3.1). */
const ALGORITHMS = ['RS256', 'ES256', 'EdDSA'];
/** Seconds by which clocks may differ. */
const SKEW = 30;
/** Valid tokens that are cached. */
const MAX_CACHED = 10_000;
/** Bytes of the longest document that an issuer may return. */
const MAX_DOCUMENT = 64 * 1024;

/** How requests to an issuer are paced, in milliseconds. */
export const ISSUER_PACE = {
  /** The timeout for discovery and keys together. */
  timeout: 5_000,
  /** The minimum time between two fetches for unknown keys. */
  cooldown: 30_000,
  /** The time after a failure without further requests. */
  retryAfter: 2_000,
};
/** The age in milliseconds at which keys are fetched again. */
const MAX_KEY_AGE = 600_000;

/**
 * Verifies tokens (RFC 7519, as RFC 8725 advises) with the keys of an OpenID Connect issuer. A valid token is cached by its
 * hash until it expires. The keys are found by discovery, cached for minutes, and fetched again for an unknown key, as after a
 * rotation. No address is taken from a token: the only ones are the issuer's and its `jwks_uri`.
 */
export class TokenVerifier {
  readonly #keys: ReturnType<typeof createRemoteJWKSet>;
  readonly #cache = new Map<string, TokenFacts>();
  #error: string | undefined;
  #failedAt = -Infinity;

  constructor(
    private readonly options: TokenOptions,
    private readonly logger: Logger,
    private readonly pace = ISSUER_PACE,
  ) {
    const discovery = new URL(`${options.issuer.replace(/\/$/, '')}/.well-known/openid-configuration`);
    this.#keys = createRemoteJWKSet(discovery, {
      timeoutDuration: pace.timeout,
      cooldownDuration: pace.cooldown,
      cacheMaxAge: MAX_KEY_AGE,
      [customFetch]: (url, { signal }) => this.#fetchKeys(url, signal),
    });
  }

  /** The reason why the last request to the issuer failed; undefined if it succeeded. */
  get error(): string | undefined {
    return this.#error;
  }

  /** Fetches the issuer's keys, unless they are cached. A failure is logged, and is the {@link error}. */
  async prepare(): Promise<void> {
    if (this.#error !== undefined || !this.#keys.fresh) await this.#keys.reload().catch(() => undefined);
  }

  /** @throws {@link InvalidTokenError}, `API.ISSUER_UNAVAILABLE` */
  async verify(token: string): Promise<TokenFacts> {
    const id = hash('sha256', token, 'base64');
    const cached = this.#cache.get(id);
    if (cached !== undefined && cached.endsAt > Date.now()) return cached;
    this.#cache.delete(id);
    const facts = this.#factsOf(await this.#payloadOf(token));
    if (facts.endsAt > Date.now()) this.#cache.set(id, facts);
    const [oldest = ''] = this.#cache.keys();
    if (this.#cache.size > MAX_CACHED) this.#cache.delete(oldest);
    return facts;
  }

  async #payloadOf(token: string): Promise<JWTPayload> {
    const { issuer, audience } = this.options;
    const rules = { issuer, audience, algorithms: ALGORITHMS, clockTolerance: SKEW, requiredClaims: ['exp'] };
    try {
      return (await jwtVerify(token, this.#keys, rules)).payload;
    } catch (error) {
      if (isOfToken(error)) throw new InvalidTokenError(textOf(error));
      throw new ApiError('API.ISSUER_UNAVAILABLE', undefined, { cause: error });
    }
  }

  #factsOf(payload: JWTPayload): TokenFacts {
    const { callerClaim, rolesClaim } = this.options;
    const subject = claimOf(payload, callerClaim);
    if (typeof subject !== 'string' || subject === '') {
      throw new InvalidTokenError(`The token has no text in the claim ${callerClaim}.`);
    }
    const named = [...wordsOf(claimOf(payload, rolesClaim)), ...wordsOf(payload['scope'])];
    return { subject, role: rolesIn(named.map(roleOfScope)), endsAt: ((payload.exp ?? 0) + SKEW) * 1000 };
  }

  async #fetchKeys(discovery: string, signal: AbortSignal): Promise<Response> {
    if (performance.now() < this.#failedAt + this.pace.retryAfter) throw new Error(this.#error);
    try {
      // OpenID Connect Discovery 1.0, section 3.
      const { issuer, jwks_uri: keys } = await fetchObject(discovery, signal);
      if (issuer !== this.options.issuer) throw new Error(`${discovery} is of another issuer: ${shown(issuer)}`);
      if (typeof keys !== 'string') throw new Error(`${discovery} names no jwks_uri`);
      const found = Response.json(await fetchObject(keys, signal));
      this.#report(undefined);
      return found;
    } catch (error) {
      // fetch states the reason in the cause.
      const { message, cause } = error as Error & { readonly cause?: Partial<Error> };
      this.#failedAt = performance.now();
      this.#report(cause?.message === undefined ? message : `${message}: ${cause.message}`);
      throw error;
    }
  }

  /** Logs once that the issuer is unavailable, and once that it is available again. */
  #report(reason: string | undefined): void {
    if (reason === this.#error) return;
    this.#error = reason;
    const facts = { issuer: this.options.issuer, reason };
    if (reason === undefined) this.logger.info(facts, 'the issuer of tokens is available again');
    else this.logger.warn(facts, 'the issuer of tokens is unavailable: callers with new tokens receive 503');
  }
}

/** Returns the role of a scope, which may name a channel; any other word as it is. */
function roleOfScope(word: string): string {
  const [scope = '', ...channel] = word.split('@');
  return [SCOPES[scope] ?? scope, ...channel].join('@');
}

/** Fetches a JSON object from an issuer. */
async function fetchObject(url: string, signal: AbortSignal): Promise<Readonly<Record<string, unknown>>> {
  const error = issuerUrlError(url);
  if (error !== undefined) throw new Error(`${shown(url)} is not used: ${error}`);
  const response = await fetch(url, { signal, redirect: 'manual', headers: { accept: 'application/json' } });
  if (response.status !== 200) {
    await response.body?.cancel();
    throw new Error(`${url} answered ${response.status}`);
  }
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of (response.body ?? []) as AsyncIterable<Uint8Array>) {
    length += chunk.length;
    if (length > MAX_DOCUMENT) throw new Error(`${url} is longer than ${MAX_DOCUMENT} bytes`);
    chunks.push(chunk);
  }
  const document: unknown = JSON.parse(Buffer.concat(chunks).toString());
  if (!isObject(document)) throw new Error(`${url} is not a JSON object`);
  return document;
}

function shown(value: unknown): string {
  return (typeof value === 'string' ? JSON.stringify(value) : typeof value).slice(0, 200);
}

/** Returns a claim by its name or, if there is none, by its path in objects. */
function claimOf(payload: JWTPayload, name: string): unknown {
  if (Object.hasOwn(payload, name)) return payload[name];
  return name.split('.').reduce<unknown>((value, key) => (isObject(value) ? value[key] : undefined), payload);
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null;
}

/** Returns the words of a text, or the texts of a list. */
function wordsOf(value: unknown): string[] {
  if (typeof value === 'string') return value.split(' ');
  return Array.isArray(value) ? value.filter((item) => typeof item === 'string') : [];
}

/**
 * Distinguishes an error of the token from one of the issuer: keys that cannot be fetched, or that are unusable, such as one of
 * RSA that is too short.
 */
function isOfToken(error: unknown): error is errors.JOSEError {
  return (
    error instanceof errors.JOSEError && ![errors.JWKSTimeout, errors.JWKSInvalid].some((of) => error instanceof of)
  );
}

function textOf(error: errors.JOSEError): string {
  if (error instanceof errors.JWTExpired) return 'The token has expired.';
  if (error instanceof errors.JWTClaimValidationFailed) return `The claim ${error.claim} of the token does not fit.`;
  if (error instanceof errors.JOSEAlgNotAllowed) return `The token must be signed with ${ALGORITHMS.join(', ')}.`;
  if (error instanceof errors.JWKSNoMatchingKey) return "The token is signed with a key that is not its issuer's.";
  if (error instanceof errors.JWSSignatureVerificationFailed) return 'The signature of the token is invalid.';
  return 'The token is malformed.';
}
