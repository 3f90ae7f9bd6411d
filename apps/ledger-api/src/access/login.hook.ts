import { TLSSocket } from 'node:tls';
import { Inject, Injectable } from '@nestjs/common';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Logger } from 'pino';
import { PROGRAM_LOG, type ProgramLog } from '#logging';
import { callersConfig } from '../config/config.module.js';
import type { CallersConfig } from '../config/config.js';
import { ApiError } from '../http/errors.js';
import { clientAddress } from '../http/client-address.js';
import { TWO_CREDENTIALS } from '../http/operation-errors.js';
import type { Caller } from './access.decorators.js';
import { operationOf } from './audit.js';
import { CallerRegistry, type KeyFinding } from './caller-registry.js';
import { FailedLogins } from './failed-logins.js';
import type { TokenFinding, TokenLogin } from './token-login.js';

/** Finds callers by tokens; undefined where none are taken. */
export const TOKEN_LOGIN = Symbol('token login');

/** Finds out who calls. */
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
    this.#tokens = tokens;
    this.#config = config;
    this.#registry = registry;
    this.#logger = logger;
  }

  /**
   * The caller of a request by what it brings to log in; undefined where nobody needs to.
   * @throws an ApiError for a request that lets nobody in
   */
  callerOf(request: FastifyRequest): Caller | undefined | Promise<Caller> {
    if (request.routeOptions.config.isOpen === true) return undefined;
    if (this.#config.needsTls && !(request.raw.socket instanceof TLSSocket)) throw new ApiError('API.TLS_NEEDED');
    const credential = credentialOf(request);
    if (credential === undefined) throw new ApiError('API.LOGIN_NEEDED');
    if (!this.#registry.isCurrent()) throw new ApiError('API.CALLERS_UNAVAILABLE');
    const finding = this.#registry.findByKey(credential);
    if (finding.outcome === 'known') return finding.caller;
    if (finding.outcome === 'no key' && this.#tokens !== undefined)
      return this.#callerOf(request, credential, this.#tokens);
    throw this.#refusal(request, finding);
  }

  /**
   * Tells, whenever it is asked, whether who was let in with a request still would be: for an answer that goes on. A key ends
   * when it expires, is replaced or its caller revoked, a token at its exp.
   */
  async leaseOf(request: FastifyRequest): Promise<() => boolean> {
    const credential = credentialOf(request) ?? '';
    const registry = this.#registry;
    const { keyId } = registry.findByKey(credential);
    if (keyId !== undefined) return () => registry.isCurrent() && registry.hasKey(keyId);
    const isGood = await this.#tokens?.leaseOf(credential);
    return () => registry.isCurrent() && isGood?.() === true;
  }

  async #callerOf(request: FastifyRequest, token: string, tokens: TokenLogin): Promise<Caller> {
    const finding = await tokens.find(token);
    if (finding.outcome === 'known') return finding.caller;
    throw this.#refusal(request, finding);
  }

  #refusal(request: FastifyRequest, finding: Exclude<KeyFinding | TokenFinding, { outcome: 'known' }>): Error {
    const address = clientAddress(request);
    const { caller, ...named } = { caller: undefined, ...finding };
    const facts = { caller: caller?.name, address, operation: operationOf(request), ...named, requestId: request.id };
    if (finding.outcome === 'no caller') {
      this.#logger.warn(facts, 'login refused');
      return new ApiError('API.NO_CALLER');
    }
    const { retryAfter, isTold } = this.#failed.add(address);
    if (isTold) this.#logger.warn(facts, 'login refused');
    if (retryAfter !== undefined) return tooManyLogins(retryAfter);
    return loginRefused(finding.outcome === 'bad token' ? 'token' : 'key');
  }
}

/**
 * Has each request say who calls, before its body is read: a guard of Nest's would run behind that, and a stranger could
 * have 1 MiB of JSON parsed.
 */
export function useLogin(instance: FastifyInstance, login: Login, { hasOpenMetrics }: CallersConfig): void {
  instance.decorateRequest('caller', undefined);
  instance.addHook('onRoute', (route) => {
    if (hasOpenMetrics && route.url === '/metrics') route.config = { ...route.config, isOpen: true };
  });
  instance.addHook('onRequest', (request, _reply, done) => {
    try {
      const caller = login.callerOf(request);
      if (caller instanceof Promise) {
        caller.then((found) => {
          request.caller = found;
          done();
        }, done);
        return;
      }
      request.caller = caller;
    } catch (error) {
      done(error as Error);
      return;
    }
    done();
  });
}

/** The key or token of a request. Another scheme than Bearer is meant for somebody in front of this API. */
function credentialOf({ raw: { headers } }: FastifyRequest): string | undefined {
  const key = headers['x-api-key'];
  const token = /^bearer(?: +(.*))?$/i.exec(headers.authorization ?? '');
  if (key !== undefined && token !== null) {
    throw new ApiError('API.INVALID_REQUEST', TWO_CREDENTIALS);
  }
  return key === undefined ? (token === null ? undefined : (token[1] ?? '')) : String(key);
}

function tooManyLogins(retryAfter: number): ApiError {
  const message = `Too many failed logins from your address. Try again in ${retryAfter} s. A valid key works at once.`;
  return new ApiError('API.TOO_MANY_LOGINS', message, { headers: { 'retry-after': String(retryAfter) } });
}

/** The message is the same whatever the reason, which only the log states. */
function loginRefused(what: 'key' | 'token'): ApiError {
  return new ApiError('API.LOGIN_REFUSED', `The ${what} is invalid: it is unknown, expired or revoked.`);
}
