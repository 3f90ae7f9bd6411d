import { hash } from 'node:crypto';
import { errors, jwtVerify, type JWTPayload } from 'jose';
import type { TokenOptions } from '../config/config.js';
import { ApiError } from '../http/errors.js';
import { ROLES, type Role } from './caller-entry.js';
import { IssuerKeys, type IssuerPace } from './issuer-keys.js';

/** Roles from the highest: the highest that a token names counts. */
const HIGHEST_FIRST = ROLES.toReversed();

/** Scopes that allow as much as a role. */
const SCOPES: Readonly<Record<string, Role>> = {
  'ledger:admin': 'admin',
  'ledger:write': 'writer',
  'ledger:read': 'reader',
};

/** What a good token says. */
export interface TokenFacts {
  /** Who calls, as the issuer knows them. */
  readonly subject: string;
  /** undefined where it names none of ours: then it does not limit what its caller may do. */
  readonly role: Role | undefined;
  /** Milliseconds since the epoch after which it is good no more. */
  readonly endsAt: number;
}

/** A token that is not good; the message says why, and nothing of the token. */
export class InvalidTokenError extends Error {}

/** RSA with PKCS #1 v1.5, ECDSA on P-256, and Ed25519 or Ed448: all with keys that only the issuer has (RFC 8725, 3.1). */
const ALGORITHMS = ['RS256', 'ES256', 'EdDSA'];
/** Seconds by which clocks may differ. */
const SKEW = 30;
/** Good tokens that are remembered; the one that was first seen longest ago is forgotten first. */
const MOST_KNOWN = 10_000;

/** Checks tokens (RFC 7519, with what RFC 8725 advises). One that was good is known by its hash until it ends. */
export class TokenVerifier {
  readonly #options: TokenOptions;
  readonly #keys: IssuerKeys;
  readonly #known = new Map<string, TokenFacts>();

  constructor(options: TokenOptions, pace?: IssuerPace) {
    this.#options = options;
    this.#keys = new IssuerKeys(options.issuer, pace);
  }

  /** Why the issuer cannot be asked; undefined when it could be the last time. */
  get fault(): string | undefined {
    return this.#keys.fault;
  }

  /** Asks the issuer for its keys before anybody waits for them. @throws `API.ISSUER_UNAVAILABLE` */
  prepare(): Promise<void> {
    return this.#keys.prepare();
  }

  /** @throws {@link InvalidTokenError}, `API.ISSUER_UNAVAILABLE` */
  async verify(token: string): Promise<TokenFacts> {
    const id = hash('sha256', token, 'base64');
    const known = this.#known.get(id);
    if (known !== undefined && known.endsAt > Date.now()) return known;
    this.#known.delete(id);
    const facts = this.#factsOf(await this.#payloadOf(token));
    if (facts.endsAt > Date.now()) this.#remember(id, facts);
    return facts;
  }

  async #payloadOf(token: string): Promise<JWTPayload> {
    const { issuer, audience } = this.#options;
    try {
      const { payload } = await jwtVerify(token, this.#keys.find, {
        issuer,
        audience,
        algorithms: ALGORITHMS,
        clockTolerance: SKEW,
        requiredClaims: ['exp'],
      });
      return payload;
    } catch (error) {
      if (error instanceof errors.JOSEError) throw new InvalidTokenError(faultOf(error));
      // What else jose throws says that a key of the issuer cannot be used, such as one of RSA that is too short.
      throw error instanceof ApiError ? error : new ApiError('API.ISSUER_UNAVAILABLE', undefined, { cause: error });
    }
  }

  #factsOf(payload: JWTPayload): TokenFacts {
    const { callerClaim, rolesClaim } = this.#options;
    const subject = claimOf(payload, callerClaim);
    if (typeof subject !== 'string' || subject === '') {
      throw new InvalidTokenError(`The token has no text in the claim ${callerClaim}.`);
    }
    const named = [...wordsOf(claimOf(payload, rolesClaim)), ...wordsOf(payload['scope'])];
    const role = HIGHEST_FIRST.find((one) => named.some((word) => word === one || SCOPES[word] === one));
    return { subject, role, endsAt: (payload.exp ?? 0) * 1000 };
  }

  #remember(id: string, facts: TokenFacts): void {
    this.#known.set(id, facts);
    if (this.#known.size <= MOST_KNOWN) return;
    const [first] = this.#known.keys();
    if (first !== undefined) this.#known.delete(first);
  }
}

/** A claim by its name or, where none has it, by the names of objects on the way to it. */
function claimOf(payload: JWTPayload, name: string): unknown {
  if (Object.hasOwn(payload, name)) return payload[name];
  return name.split('.').reduce<unknown>((value, key) => (isObject(value) ? value[key] : undefined), payload);
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null;
}

/** The words of a text, or the texts of a list. */
function wordsOf(value: unknown): string[] {
  if (typeof value === 'string') return value.split(' ');
  return Array.isArray(value) ? value.filter((it) => typeof it === 'string') : [];
}

function faultOf(error: errors.JOSEError): string {
  if (error instanceof errors.JWTExpired) return 'The token has expired.';
  if (error instanceof errors.JWTClaimValidationFailed) return `The claim ${error.claim} of the token does not fit.`;
  if (error instanceof errors.JOSEAlgNotAllowed) return `The token must be signed with ${ALGORITHMS.join(', ')}.`;
  if (error instanceof errors.JWKSNoMatchingKey) return 'The token is signed with a key that is not its issuer’s.';
  if (error instanceof errors.JWSSignatureVerificationFailed) return 'The signature of the token is wrong.';
  return 'The token cannot be read.';
}
