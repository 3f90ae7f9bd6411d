import { createHmac, randomBytes } from 'node:crypto';
import { formatAuthority, parseAuthority, type Target } from '../http/authority.js';
import type { Upstream } from '../upstream/upstream.js';

const HTTP_PORT = 80;
/** The size of the cache; when it is full, it is cleared. */
const MAX_ORIGINS = 4096;
const TOKEN_LENGTH = 16;

/** The route of a request to its origin. */
export interface OriginRoute {
  readonly upstream: Upstream;
  /** The upstream's key for the request. */
  readonly upstreamKey: string;
  /** The number of the rule that selected the upstream. */
  readonly rule: number | undefined;
  /** Upstream, user and target: the key of pooled connections. */
  readonly key: string;
}

/** A parsed authority with everything that is derived from it. */
export interface Origin {
  readonly target: Target;
  /** `host:port` in lower case: the target's part of a pool key. */
  readonly place: string;
  /** This proxy's name in Via towards that target; undefined if Via is off. */
  readonly viaToken: string | undefined;
  /** The route of the latest request: usually the next one has the same. */
  route: OriginRoute | undefined;
}

/** A cache of parsed authorities, so that a busy target costs one look-up per request. */
export class Origins {
  readonly #cache = new Map<string, Origin>();
  readonly #tokens: ViaTokens | undefined;

  /** @param via - whether this proxy adds itself to Via */
  constructor(via: boolean) {
    this.#tokens = via ? new ViaTokens() : undefined;
  }

  /**
   * Returns the origin of an authority.
   *
   * @throws {@link FormatError}
   */
  of(authority: string): Origin {
    return this.#cache.get(authority) ?? this.#add(authority);
  }

  /**
   * Validates a Host that is replaced.
   *
   * @throws {@link FormatError}
   */
  check(host: string): void {
    if (!this.#cache.has(host)) parseAuthority(host, HTTP_PORT);
  }

  #add(authority: string): Origin {
    const target = parseAuthority(authority, HTTP_PORT);
    const place = formatAuthority(target).toLowerCase();
    const origin: Origin = { target, place, viaToken: this.#tokens?.tokenFor(place), route: undefined };
    if (this.#cache.size >= MAX_ORIGINS) this.#cache.clear();
    this.#cache.set(authority, origin);
    return origin;
  }
}

/**
 * This proxy's names in Via (RFC 9110, section 7.6.3): one per target, an HMAC with a secret of the process. The proxy
 * recognizes them; for others they neither identify the proxy nor link two targets.
 */
export class ViaTokens {
  readonly #secret: Buffer;

  constructor(secret: Buffer = randomBytes(32)) {
    this.#secret = secret;
  }

  /** @param place - `host:port` of the target, in lower case */
  tokenFor(place: string): string {
    return createHmac('sha256', this.#secret).update(place).digest('hex').slice(0, TOKEN_LENGTH);
  }
}

/** Whether `via` (the values of Via, joined by commas) contains `token`. */
export function hasPassed(via: string, token: string): boolean {
  if (!via.includes(token)) return false;
  return via.split(',').some((member) => member.trim().split(/[ \t]+/)[1] === token);
}
