import { createHmac, randomBytes } from 'node:crypto';
import { formatAuthority, parseAuthority, type Target } from '../http/authority.js';
import type { Upstream } from '../upstream/upstream.js';

const HTTP_PORT = 80;
/** Authorities that are remembered; then all are forgotten and learned again. */
const MAX_ORIGINS = 4096;
const TOKEN_LENGTH = 16;

/** Where a request goes out. */
export interface Passage {
  readonly upstream: Upstream;
  /** The upstream's key for the request. */
  readonly upstreamKey: string;
  /** The number of the rule that names the upstream. */
  readonly rule: number | undefined;
  /** Upstream, user and target: what connections are kept by. */
  readonly key: string;
}

/** An origin, as what is known about an authority. */
export interface Origin {
  readonly target: Target;
  /** `host:port` in one spelling: the target's part of a pool key. */
  readonly place: string;
  /** This proxy's name in Via towards that target; absent when Via is off. */
  readonly viaToken: string | undefined;
  /** How the latest request went there: mostly the next one goes the same way. */
  passage: Passage | undefined;
}

/** Authorities that were read before, so that a busy target costs one look-up. */
export class Origins {
  readonly #known = new Map<string, Origin>();
  readonly #tokens: ViaTokens | undefined;

  /** @param via - whether this proxy adds itself to Via */
  constructor(via: boolean) {
    this.#tokens = via ? new ViaTokens() : undefined;
  }

  /**
   * The origin of an authority.
   *
   * @throws {@link FormatError}
   */
  to(authority: string): Origin {
    return this.#known.get(authority) ?? this.#learn(authority);
  }

  /**
   * Checks a Host that is replaced.
   *
   * @throws {@link FormatError}
   */
  check(host: string): void {
    if (!this.#known.has(host)) parseAuthority(host, HTTP_PORT);
  }

  #learn(authority: string): Origin {
    const target = parseAuthority(authority, HTTP_PORT);
    const viaToken = this.#tokens?.tokenFor(target);
    const origin: Origin = { target, place: formatAuthority(target), viaToken, passage: undefined };
    if (this.#known.size >= MAX_ORIGINS) this.#known.clear();
    this.#known.set(authority, origin);
    return origin;
  }
}

/**
 * This proxy's name in Via (RFC 9110, section 7.6.3): another one for each target, made with a secret of the process.
 * We recognise it; to everyone else it neither tells who the proxy is nor links two targets.
 */
export class ViaTokens {
  readonly #secret: Buffer;

  constructor(secret: Buffer = randomBytes(32)) {
    this.#secret = secret;
  }

  tokenFor(target: Target): string {
    return createHmac('sha256', this.#secret).update(formatAuthority(target)).digest('hex').slice(0, TOKEN_LENGTH);
  }
}

/** Whether `via` (values of Via, joined by commas) names `token` as one that the message has passed. */
export function hasPassed(via: string, token: string): boolean {
  if (!via.includes(token)) return false;
  return via.split(',').some((member) => member.trim().split(/[ \t]+/)[1] === token);
}
