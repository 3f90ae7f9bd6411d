import { hash } from 'node:crypto';
import { errors, jwtVerify, type JWTPayload } from 'jose';
import type { TokenOptions } from '../config/config.js';
import { ApiError } from '../http/errors.js';
import { ROLES, type Role } from './caller-list.js';
import { ISSUER_PACE, IssuerKeys } from './issuer-keys.js';

/** Scopes with the permissions of a role. */
const SCOPES: Readonly<Record<string, Role>> = {
  'ledger:admin': 'admin',
  'ledger:write': 'writer',
  'ledger:read': 'reader',
};

/** The facts of a valid token. */
export interface TokenFacts {
  readonly subject: string;
  /** The highest role that the token names. Undefined if it names none: then it does not limit its caller. */
  readonly role: Role | undefined;
  /** Milliseconds since the epoch at which it expires. */
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

/** Verifies tokens (RFC 7519, as RFC 8725 advises). A valid token is cached by its hash until it expires. */
export class TokenVerifier {
  readonly #keys: IssuerKeys;
  readonly #cache = new Map<string, TokenFacts>();

  constructor(
    private readonly options: TokenOptions,
    pace = ISSUER_PACE,
  ) {
    this.#keys = new IssuerKeys(options.issuer, pace);
  }

  /** The reason why the last request to the issuer failed; undefined if it succeeded. */
  get error(): string | undefined {
    return this.#keys.error;
  }

  /** Fetches the issuer's keys before the first token arrives. @throws `API.ISSUER_UNAVAILABLE` */
  prepare(): Promise<void> {
    return this.#keys.prepare();
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
      return (await jwtVerify(token, this.#keys.find, rules)).payload;
    } catch (error) {
      if (error instanceof errors.JOSEError) throw new InvalidTokenError(textOf(error));
      // Other errors of jose mean that a key of the issuer is unusable, such as one of RSA that is too short.
      throw error instanceof ApiError ? error : new ApiError('API.ISSUER_UNAVAILABLE', undefined, { cause: error });
    }
  }

  #factsOf(payload: JWTPayload): TokenFacts {
    const { callerClaim, rolesClaim } = this.options;
    const subject = claimOf(payload, callerClaim);
    if (typeof subject !== 'string' || subject === '') {
      throw new InvalidTokenError(`The token has no text in the claim ${callerClaim}.`);
    }
    const named = [...wordsOf(claimOf(payload, rolesClaim)), ...wordsOf(payload['scope'])];
    const role = ROLES.findLast((one) => named.some((word) => word === one || SCOPES[word] === one));
    return { subject, role, endsAt: (payload.exp ?? 0) * 1000 };
  }
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

function textOf(error: errors.JOSEError): string {
  if (error instanceof errors.JWTExpired) return 'The token has expired.';
  if (error instanceof errors.JWTClaimValidationFailed) return `The claim ${error.claim} of the token does not fit.`;
  if (error instanceof errors.JOSEAlgNotAllowed) return `The token must be signed with ${ALGORITHMS.join(', ')}.`;
  if (error instanceof errors.JWKSNoMatchingKey) return "The token is signed with a key that is not its issuer's.";
  if (error instanceof errors.JWSSignatureVerificationFailed) return 'The signature of the token is invalid.';
  return 'The token is malformed.';
}
