import { TLSSocket } from 'node:tls';
import { Inject, Injectable } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import type { CallersConfig } from '#ledger-config';
import { PROGRAM_LOG, type ProgramLog } from '#logging';
import { callersConfig } from '../config/config.module.js';
import { clientAddress, networkOf } from '../http/client-address.js';
import { ApiError, invalidRequest, TWO_CREDENTIALS } from '../http/errors.js';
import type { Session } from './access.decorators.js';
import { CallerRegistry, type FailedLookup, type Lookup } from './caller-registry.js';
import type { TokenLogin } from './token-login.js';

/** Finds callers by their tokens; undefined if tokens are not accepted. */
export const TOKEN_LOGIN = Symbol('token login');

/** Authenticates the callers of requests. */
@Injectable()
export class Login {
  readonly #failed = new FailedLogins();

  constructor(
    @Inject(callersConfig.KEY) private readonly config: CallersConfig,
    private readonly registry: CallerRegistry,
    @Inject(PROGRAM_LOG) private readonly log: ProgramLog,
    @Inject(TOKEN_LOGIN) private readonly tokens: TokenLogin | undefined,
  ) {}

  /**
   * Returns the session of a request by its key or token.
   * @throws an ApiError if the request cannot be authenticated
   */
  async sessionOf(request: FastifyRequest): Promise<Session> {
    if (this.config.needsTls && !(request.raw.socket instanceof TLSSocket)) throw new ApiError('API.TLS_NEEDED');
    const credential = credentialOf(request);
    if (credential === undefined) throw new ApiError('API.LOGIN_NEEDED');
    this.requireCurrent();
    const { text, isBearer } = credential;
    let lookup: Lookup = this.registry.findByKey(text);
    if (lookup.outcome === 'no key' && isBearer && this.tokens !== undefined) lookup = await this.tokens.find(text);
    if (lookup.outcome === 'known') return lookup.session;
    throw this.#refusal(request, lookup);
  }

  /** @throws `API.CALLERS_UNAVAILABLE` if the callers file has not been readable for a while */
  requireCurrent(): void {
    if (!this.registry.isCurrent()) throw new ApiError('API.CALLERS_UNAVAILABLE');
  }

  /** Checks whether the caller of a request is still authenticated, for a response that continues. */
  isValid({ session }: FastifyRequest): boolean {
    return this.registry.isCurrent() && session?.current() !== undefined;
  }

  /** Counts a failed login and returns its error. Only the log states the reason. */
  #refusal(request: FastifyRequest, lookup: FailedLookup): ApiError {
    const address = clientAddress(request);
    const { retryAfter, isLogged } = this.#failed.add(address);
    if (isLogged) {
      const facts = { address, operation: operationOf(request), ...lookup, requestId: request.id };
      this.log.logger.warn(facts, 'login refused');
    }
    if (retryAfter !== undefined) {
      const message = `Too many failed logins from your address. Try again in ${retryAfter} s. A valid key works at once.`;
      return new ApiError('API.TOO_MANY_LOGINS', message, { headers: { 'retry-after': String(retryAfter) } });
    }
    if (lookup.outcome === 'no caller') return new ApiError('API.NO_CALLER');
    const what = lookup.outcome === 'bad token' ? 'token' : 'key';
    return new ApiError('API.LOGIN_REFUSED', `The ${what} is invalid: it is unknown, expired or revoked.`);
  }
}

/** Returns the operation of a request by its route, for the log. */
export function operationOf({ method, routeOptions: { url = '' } }: FastifyRequest): string {
  return `${method} ${url}`;
}

const BEARER = /^bearer(?= |$)/i;

/** Returns the key or token of a request. Another scheme than Bearer is meant for a proxy in front of this API. */
function credentialOf({ raw: { headers } }: FastifyRequest): { text: string; isBearer: boolean } | undefined {
  const { 'x-api-key': key, authorization = '' } = headers;
  const isBearer = BEARER.test(authorization);
  if (key !== undefined && isBearer) throw invalidRequest(TWO_CREDENTIALS);
  if (isBearer) return { text: authorization.replace(BEARER, '').trimStart(), isBearer };
  return key === undefined ? undefined : { text: String(key), isBearer };
}

/** Returns whether a request has a key or a token. @throws `API.INVALID_REQUEST` when it has both */
export function hasCredential(request: FastifyRequest): boolean {
  return credentialOf(request) !== undefined;
}

/** Logins of one address that may fail in a row, and the milliseconds after which one more may. */
const BURST = 20;
const REFILL_MS = 3000;
/** Addresses that are remembered; those that failed longest ago are forgotten first. */
const MAX_ADDRESSES = 10_000;

/**
 * Token buckets of failed logins by address: an address that fails too often must wait, and fills no log. Valid keys from the
 * same address are not limited. A bucket is stored as the time at which it is full again (GCRA).
 */
export class FailedLogins {
  readonly #buckets = new Map<string, { readonly fullAt: number; readonly isOver: boolean }>();

  constructor(private readonly now: () => number = () => performance.now()) {}

  /**
   * Counts a failed login.
   * @returns the seconds until the address may try again, undefined while it may; and whether to log it: all within the limit,
   * and the first one beyond it
   */
  add(address: string): { readonly retryAfter: number | undefined; readonly isLogged: boolean } {
    const network = networkOf(address);
    const bucket = this.#buckets.get(network);
    const now = this.now();
    const fullAt = Math.max(bucket?.fullAt ?? 0, now);
    const wait = fullAt - now - (BURST - 1) * REFILL_MS;
    const isOver = wait > 0;
    // Moved to the end: the first are forgotten.
    this.#buckets.delete(network);
    this.#buckets.set(network, { fullAt: isOver ? fullAt : fullAt + REFILL_MS, isOver });
    const [oldest = ''] = this.#buckets.keys();
    if (this.#buckets.size > MAX_ADDRESSES) this.#buckets.delete(oldest);
    return { retryAfter: isOver ? Math.ceil(wait / 1000) : undefined, isLogged: !isOver || bucket?.isOver !== true };
  }
}
