import { createRemoteJWKSet, customFetch, errors, type JWTVerifyGetKey } from 'jose';
import { ApiError } from '../http/errors.js';
import { issuerUrlError } from '../config/config.js';

/** How an issuer is asked, in milliseconds and bytes. */
export interface IssuerPace {
  /** Discovery and keys together have to be there within this. */
  readonly timeout: number;
  /** The minimum time between two fetches for unknown keys. */
  readonly cooldown: number;
  /** The age at which keys are fetched again. */
  readonly maxAge: number;
  /** After a failure the issuer is left alone for this long. */
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

/** What an issuer says of itself (OpenID Connect Discovery 1.0, section 3). */
interface Discovery {
  readonly issuer?: unknown;
  readonly jwks_uri?: unknown;
}

const WELL_KNOWN = '/.well-known/openid-configuration';

/**
 * The keys of an OpenID Connect issuer: found by discovery, cached for minutes, and fetched again for a key that is not among
 * them, as after a rotation. Nothing that a token says leads anywhere: the only addresses are the issuer's and the one that
 * it names for its keys.
 */
export class IssuerKeys {
  readonly #issuer: string;
  readonly #pace: IssuerPace;
  readonly #keys: ReturnType<typeof createRemoteJWKSet>;
  #fault: string | undefined;
  #failedAt = -Infinity;

  constructor(issuer: string, pace: IssuerPace = ISSUER_PACE) {
    this.#issuer = issuer;
    this.#pace = pace;
    this.#keys = createRemoteJWKSet(new URL(`${issuer.replace(/\/$/, '')}${WELL_KNOWN}`), {
      timeoutDuration: pace.timeout,
      cooldownDuration: pace.cooldown,
      cacheMaxAge: pace.maxAge,
      [customFetch]: (discovery, { signal }) => this.#fetchKeys(discovery, signal),
    });
  }

  /** Why the issuer could not be asked the last time it was; undefined when it could. */
  get fault(): string | undefined {
    return this.#fault;
  }

  /** Asks for the keys, unless they are there. @throws `API.ISSUER_UNAVAILABLE` */
  async prepare(): Promise<void> {
    if (this.#fault === undefined && this.#keys.fresh) return;
    await asIssuer(() => this.#keys.reload());
  }

  /**
   * Finds the key of a token's header.
   * @throws `API.ISSUER_UNAVAILABLE`, an error of jose when there is none or it does not fit
   */
  readonly find: JWTVerifyGetKey = (header, token) => asIssuer(() => this.#keys(header, token));

  async #fetchKeys(discovery: string, signal: AbortSignal): Promise<Response> {
    if (performance.now() < this.#failedAt + this.#pace.retryAfter) throw new Error(this.#fault);
    try {
      const { issuer, jwks_uri: keys } = (await this.#fetch(discovery, signal)) as Discovery;
      if (issuer !== this.#issuer) throw new Error(`${discovery} is of another issuer: ${shown(issuer)}`);
      if (typeof keys !== 'string') throw new Error(`${discovery} names no jwks_uri`);
      const found = Response.json(await this.#fetch(keys, signal));
      this.#fault = undefined;
      return found;
    } catch (error) {
      this.#fault = reasonOf(error);
      this.#failedAt = performance.now();
      throw error;
    }
  }

  async #fetch(url: string, signal: AbortSignal): Promise<object> {
    const fault = issuerUrlError(url);
    if (fault !== undefined) throw new Error(`${shown(url)} is not asked: ${fault}`);
    // A redirect is an answer like another here: it is not 200.
    const response = await fetch(url, { signal, redirect: 'manual', headers: { accept: 'application/json' } });
    if (response.status !== 200) {
      await response.body?.cancel();
      throw new Error(`${url} answered ${response.status}`);
    }
    const document: unknown = JSON.parse(await this.#text(url, response));
    if (typeof document !== 'object' || document === null) throw new Error(`${url} is no JSON object`);
    return document;
  }

  async #text(url: string, { body }: Response): Promise<string> {
    const chunks: Uint8Array[] = [];
    let length = 0;
    for await (const chunk of (body ?? []) as AsyncIterable<Uint8Array>) {
      length += chunk.length;
      if (length > this.#pace.largestDocument)
        throw new Error(`${url} is longer than ${this.#pace.largestDocument} bytes`);
      chunks.push(chunk);
    }
    return Buffer.concat(chunks).toString();
  }
}

/** Distinguishes an unknown or unsuitable key, which is the token's fault, from a failed lookup. */
async function asIssuer<T>(ask: () => Promise<T>): Promise<T> {
  try {
    return await ask();
  } catch (error) {
    const isOfToken = [errors.JWKSNoMatchingKey, errors.JWKSMultipleMatchingKeys, errors.JOSENotSupported].some(
      (type) => error instanceof type,
    );
    throw isOfToken ? error : new ApiError('API.ISSUER_UNAVAILABLE', undefined, { cause: error });
  }
}

/** What went wrong, with the system's word on it where fetch only says that it failed. */
function reasonOf(error: unknown): string {
  const { message, cause } = error as Error & { readonly cause?: Partial<Error> };
  return cause?.message === undefined ? message : `${message}: ${cause.message}`;
}

function shown(value: unknown): string {
  return (typeof value === 'string' ? JSON.stringify(value) : typeof value).slice(0, 200);
}
