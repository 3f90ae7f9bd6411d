import { TLSSocket } from 'node:tls';
import { Inject, Injectable } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import type { Logger } from 'pino';
import { PROGRAM_LOG, type ProgramLog } from '#logging';
import { callersConfig } from '../config/config.module.js';
import type { CallersConfig } from '../config/config.js';
import { clientAddress } from '../http/client-address.js';
import { ApiError } from '../http/errors.js';
import { TWO_CREDENTIALS } from '../http/operation-errors.js';
import type { Session } from './access.decorators.js';
import { CallerRegistry, type KeyFinding } from './caller-registry.js';
import { FailedLogins } from './failed-logins.js';
import type { TokenFinding, TokenLogin } from './token-login.js';

/** Finds callers by their tokens; undefined if tokens are not accepted. */
export const TOKEN_LOGIN = Symbol('token login');

/** Authenticates the callers of requests. */
@Injectable()
export class Login {
  readonly #config: CallersConfig;
  readonly #registry: CallerRegistry;
  readonly #logger: Logger;
  readonly #failed = new FailedLogins();
  readonly #tokens: TokenLogin | undefined;

  constructor(
    @Inject(callersConfig.KEY) config: CallersConfig,
    registry: CallerRegistry,
    @Inject(PROGRAM_LOG) { logger }: ProgramLog,
    @Inject(TOKEN_LOGIN) tokens: TokenLogin | undefined,
  ) {
    this.#config = config;
    this.#registry = registry;
    this.#logger = logger;
    this.#tokens = tokens;
  }

  /**
   * Returns the session of a request by its key or token.
   * @throws an ApiError if the request cannot be authenticated
   */
  sessionOf(request: FastifyRequest): Session | Promise<Session> {
    if (this.#config.needsTls && !(request.raw.socket instanceof TLSSocket)) throw new ApiError('API.TLS_NEEDED');
    const credential = credentialOf(request);
    if (credential === undefined) throw new ApiError('API.LOGIN_NEEDED');
    this.requireCurrent();
    const { text, isBearer } = credential;
    const finding = this.#registry.findByKey(text);
    if (finding.outcome === 'known') return finding.session;
    if (finding.outcome === 'no key' && isBearer && this.#tokens !== undefined) {
      return this.#sessionOfToken(request, text, this.#tokens);
    }
    throw this.#refusal(request, finding);
  }

  /** @throws `API.CALLERS_UNAVAILABLE` if the callers file has not been readable for a while */
  requireCurrent(): void {
    if (!this.#registry.isCurrent()) throw new ApiError('API.CALLERS_UNAVAILABLE');
  }

  /** Checks whether the caller of a request is still authenticated, for a response that continues. */
  isValid({ session }: FastifyRequest): boolean {
    return this.#registry.isCurrent() && session?.current() !== undefined;
  }

  async #sessionOfToken(request: FastifyRequest, token: string, tokens: TokenLogin): Promise<Session> {
    const finding = await tokens.find(token);
    if (finding.outcome === 'known') return finding.session;
    throw this.#refusal(request, finding);
  }

  /** Counts a failed login and returns its error. Only the log states the reason. */
  #refusal(request: FastifyRequest, finding: Exclude<KeyFinding | TokenFinding, { outcome: 'known' }>): ApiError {
    const address = clientAddress(request);
    const { retryAfter, isTold: isLogged } = this.#failed.add(address);
    if (isLogged) {
      const facts = { address, operation: operationOf(request), ...finding, requestId: request.id };
      this.#logger.warn(facts, 'login refused');
    }
    if (retryAfter !== undefined) return tooManyLogins(retryAfter);
    if (finding.outcome === 'no caller') return new ApiError('API.NO_CALLER');
    const what = finding.outcome === 'bad token' ? 'token' : 'key';
    return new ApiError('API.LOGIN_REFUSED', `The ${what} is invalid: it is unknown, expired or revoked.`);
  }
}

/** Returns the operation of a request by its route, for the log. */
export function operationOf({ method, routeOptions: { url = '' } }: FastifyRequest): string {
  return `${method} ${url}`;
}

function tooManyLogins(retryAfter: number): ApiError {
  const message = `Too many failed logins from your address. Try again in ${retryAfter} s. A valid key works at once.`;
  return new ApiError('API.TOO_MANY_LOGINS', message, { headers: { 'retry-after': String(retryAfter) } });
}

const BEARER = /^bearer(?= |$)/i;

/** Returns the key or token of a request. Another scheme than Bearer is meant for a proxy in front of this API. */
function credentialOf({ raw: { headers } }: FastifyRequest): { text: string; isBearer: boolean } | undefined {
  const { 'x-api-key': key, authorization = '' } = headers;
  const isBearer = BEARER.test(authorization);
  if (key !== undefined && isBearer) throw new ApiError('API.INVALID_REQUEST', TWO_CREDENTIALS);
  if (isBearer) return { text: authorization.replace(BEARER, '').trimStart(), isBearer };
  return key === undefined ? undefined : { text: String(key), isBearer };
}
