import { createRemoteJWKSet, customFetch, errors, type JWTVerifyGetKey } from 'jose';
import { issuerUrlError } from '../config/config.js';
import { ApiError } from '../http/errors.js';

/** Limits of the requests to an issuer, in milliseconds and bytes. */
export interface IssuerPace {
  /** The timeout for discovery and keys together. */
  readonly timeout: number;
  /** The minimum time between two fetches for unknown keys. */
  readonly cooldown: number;
  /** The age at which keys are fetched again. */
  readonly maxAge: number;
  /** The time after a failure without further requests. */
  readonly retryAfter: number;
  readonly largestDocument: number;
}

export const ISSUER_PACE: IssuerPace = {
  timeout: 5_000,
  cooldown: 30_000,
  maxAge: 600_000,
  retryAfter: 2_000,
  largestDocument: 64 * 1024,
};

/**
 * The keys of an OpenID Connect issuer: found by discovery, cached for minutes, and fetched again for an unknown key, as after
 * a rotation. No address is taken from a token: the only ones are the issuer's and its `jwks_uri`.
 */
export class IssuerKeys {
  readonly #keys: ReturnType<typeof createRemoteJWKSet>;
  #error: string | undefined;
  #failedAt = -Infinity;

  constructor(
    private readonly issuer: string,
    private readonly pace: IssuerPace,
  ) {
    this.#keys = createRemoteJWKSet(new URL(`${issuer.replace(/\/$/, '')}/.well-known/openid-configuration`), {
      timeoutDuration: pace.timeout,
      cooldownDuration: pace.cooldown,
      cacheMaxAge: pace.maxAge,
      [customFetch]: (discovery, { signal }) => this.#fetchKeys(discovery, signal),
    });
  }

  /** The reason why the last request to the issuer failed; undefined if it succeeded. */
  get error(): string | undefined {
    return this.#error;
  }

  /** Fetches the keys, unless they are cached. @throws `API.ISSUER_UNAVAILABLE` */
  async prepare(): Promise<void> {
    if (this.#error === undefined && this.#keys.fresh) return;
    await asIssuer(() => this.#keys.reload());
  }

  /**
   * Finds the key for a token's header.
   * @throws `API.ISSUER_UNAVAILABLE`, an error of jose when there is none or it does not fit
   */
  readonly find: JWTVerifyGetKey = (header, token) => asIssuer(() => this.#keys(header, token));

  async #fetchKeys(discovery: string, signal: AbortSignal): Promise<Response> {
    if (performance.now() < this.#failedAt + this.pace.retryAfter) throw new Error(this.#error);
    try {
      // OpenID Connect Discovery 1.0, section 3.
      const { issuer, jwks_uri: keys } = await this.#fetch(discovery, signal);
      if (issuer !== this.issuer) throw new Error(`${discovery} is of another issuer: ${shown(issuer)}`);
      if (typeof keys !== 'string') throw new Error(`${discovery} names no jwks_uri`);
      const found = Response.json(await this.#fetch(keys, signal));
      this.#error = undefined;
      return found;
    } catch (error) {
      // fetch states the reason in the cause.
      const { message, cause } = error as Error & { readonly cause?: Partial<Error> };
      this.#error = cause?.message === undefined ? message : `${message}: ${cause.message}`;
      this.#failedAt = performance.now();
      throw error;
    }
  }

  async #fetch(url: string, signal: AbortSignal): Promise<Readonly<Record<string, unknown>>> {
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
      if (length > this.pace.largestDocument)
        throw new Error(`${url} is longer than ${this.pace.largestDocument} bytes`);
      chunks.push(chunk);
    }
    const document: unknown = JSON.parse(Buffer.concat(chunks).toString());
    if (typeof document !== 'object' || document === null) throw new Error(`${url} is not a JSON object`);
    return document as Readonly<Record<string, unknown>>;
  }
}

/** Distinguishes an unknown or unsuitable key, which is the token's fault, from a failed lookup. */
async function asIssuer<T>(request: () => Promise<T>): Promise<T> {
  try {
    return await request();
  } catch (error) {
    const isOfToken = [errors.JWKSNoMatchingKey, errors.JWKSMultipleMatchingKeys, errors.JOSENotSupported].some(
      (type) => error instanceof type,
    );
    throw isOfToken ? error : new ApiError('API.ISSUER_UNAVAILABLE', undefined, { cause: error });
  }
}

function shown(value: unknown): string {
  return (typeof value === 'string' ? JSON.stringify(value) : typeof value).slice(0, 200);
}
