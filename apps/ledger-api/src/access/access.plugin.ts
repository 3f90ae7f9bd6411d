import type { FastifyInstance, FastifyReply, FastifyRequest, RouteOptions } from 'fastify';
import type { Logger } from 'pino';
import type { CallersConfig } from '../config/config.js';
import { clientAddress, networkOf } from '../http/client-address.js';
import { ApiError } from '../http/errors.js';
import type { Caller } from './access.decorators.js';
import { includesRole, type Role } from './caller-entry.js';
import { useLedgerAccess, type Authorize } from './ledger-access.hook.js';
import type { ListedFunctions } from './listed-functions.js';
import { operationOf, type Login } from './login.js';
import type { RequestLimits } from './request-limits.js';

/** The parts of {@link useAccess}. */
export interface AccessParts {
  readonly config: Pick<CallersConfig, 'isOn' | 'hasOpenMetrics'>;
  readonly login: Login;
  readonly listed: ListedFunctions;
  /** Checks that the ledger accepts a caller's identity; undefined where the service signs. */
  readonly authorize?: Authorize | undefined;
  /** Undefined without a request limit. */
  readonly limits?: RequestLimits | undefined;
  readonly logger: Logger;
}

/**
 * Adds the access checks of every request, in their order. They run before the body is read, unlike Nest's guards, so that a
 * caller without the right causes no parsing (ADR 0138). Call it before the first route is registered.
 */
export function useAccess(instance: FastifyInstance, parts: AccessParts): void {
  const { config, login, listed, authorize, limits, logger } = parts;
  instance.decorateRequest('caller', undefined);
  instance.decorateRequest('session', undefined);
  if (config.hasOpenMetrics) openMetrics(instance);
  if (config.isOn) useLogin(instance, login);
  // After the login, whose failures have their own limit. Requests that the role check refuses count too.
  if (limits !== undefined) useLimits(instance, limits);
  if (!config.isOn) return;
  instance.addHook('onRequest', (request, _reply, done) => {
    done(roleError(request, listed));
  });
  if (authorize !== undefined) useLedgerAccess(instance, authorize);
  useSecondCheck(instance, login, listed);
  useAudit(instance, logger);
}

function openMetrics(instance: FastifyInstance): void {
  instance.addHook('onRoute', (route) => {
    if (route.url === '/metrics') route.config = { ...route.config, isOpen: true };
  });
}

/** Authenticates each request, unless its route is open. */
function useLogin(instance: FastifyInstance, login: Login): void {
  const begin = (request: FastifyRequest, session: NonNullable<FastifyRequest['session']>): void => {
    request.session = session;
    request.caller = session.caller;
  };
  instance.addHook('onRequest', (request, _reply, done) => {
    if (request.routeOptions.config.isOpen === true) {
      done();
      return;
    }
    try {
      const session = login.sessionOf(request);
      if (session instanceof Promise) {
        session.then((found) => {
          begin(request, found);
          done();
        }, done);
        return;
      }
      begin(request, session);
    } catch (error) {
      done(error as Error);
      return;
    }
    done();
  });
}

/** The name of the quota in the RateLimit headers. */
const QUOTA = '"requests"';

/**
 * Counts each request of a caller, or of the network of an address without authentication, and states the remaining quota in
 * the response (draft-ietf-httpapi-ratelimit-headers, sections 3 and 4). Open routes, such as health, are not counted.
 */
export function useLimits(instance: FastifyInstance, limits: RequestLimits): void {
  const policy = `${QUOTA};q=${limits.perSecond};w=1`;
  instance.addHook('onRequest', async (request: FastifyRequest, reply: FastifyReply): Promise<void> => {
    const { caller, routeOptions } = request;
    if (routeOptions.config.isOpen === true) return;
    const client = caller === undefined ? `address ${networkOf(clientAddress(request))}` : `caller ${caller.name}`;
    const { isOver, remaining, resetsIn } = await limits.take(client);
    const seconds = Math.ceil(resetsIn / 1000);
    reply.header('ratelimit-policy', policy);
    reply.header('ratelimit', `${QUOTA};r=${remaining};t=${seconds}`);
    if (!isOver) return;
    const message = `More than ${limits.perSecond} requests in one second. Nothing was done. Send this one again later.`;
    throw new ApiError('API.TOO_MANY_REQUESTS', message, { headers: { 'retry-after': String(seconds) } });
  });
  instance.addHook('onClose', () => {
    limits.close();
  });
}

/** Returns the error for a caller whose role does not allow the operation. An operation without a role admits no caller. */
function roleError(request: FastifyRequest, listed: ListedFunctions): ApiError | undefined {
  const { caller } = request;
  const { isOpen, needs, listedFor } = request.routeOptions.config;
  if (isOpen === true) return undefined;
  if (caller === undefined) return new ApiError('API.LOGIN_NEEDED');
  if (isEnough(caller.role, needs)) return undefined;
  const { chaincode = '' } = request.params as { readonly chaincode?: string };
  if (listed.hasAny(chaincode) && isEnough(caller.role, listedFor)) return undefined;
  return roleNeeded(caller, needs ?? 'none');
}

function isEnough(role: Role, needed: Role | undefined): boolean {
  return needed !== undefined && includesRole(role, needed);
}

/** Creates the error for a caller whose role does not allow an operation. */
export function roleNeeded({ name, role }: Caller, needed: string): ApiError {
  const [required, caller, own] = [needed, name, role].map((text) => JSON.stringify(text));
  const message = `This operation requires the role ${required}; ${caller} is a ${own}. Ask an administrator.`;
  return new ApiError('API.ROLE_NEEDED', message);
}

/** Checks the caller of a write again when the body is complete: a slow body may arrive after the caller was revoked. */
function useSecondCheck(instance: FastifyInstance, login: Login, listed: ListedFunctions): void {
  const check = (request: FastifyRequest): ApiError | undefined => {
    const { session } = request;
    if (session === undefined) return undefined;
    login.requireCurrent();
    request.caller = session.current();
    if (request.caller !== undefined) return roleError(request, listed);
    return new ApiError('API.LOGIN_REFUSED', 'The key or token has expired or was revoked. Nothing was written.');
  };
  const hook = (request: FastifyRequest, _reply: FastifyReply, done: (error?: Error) => void): void => {
    try {
      done(check(request));
    } catch (error) {
      done(error as Error);
    }
  };
  instance.addHook('onRoute', (route) => {
    if (isWrite(route)) route.preValidation = [route.preValidation ?? [], hook].flat();
  });
}

/**
 * Logs each write: the caller, the address, the operation, the transaction and the outcome. The line is written with the
 * response and not when it has been sent, because a client that has disconnected has written all the same.
 */
function useAudit(instance: FastifyInstance, logger: Logger): void {
  instance.addHook('onRoute', (route) => {
    if (route.config?.isOpen === true || !isWrite(route)) return;
    const hook = (request: FastifyRequest, reply: FastifyReply, _payload: unknown, done: () => void): void => {
      // Failed logins have their own log line.
      const name = request.caller?.name ?? request.session?.caller.name;
      if (name !== undefined) logger.info(auditLine(request, name, reply), 'write');
      done();
    };
    route.onSend = [route.onSend ?? [], hook].flat();
  });
}

function isWrite({ method }: RouteOptions): boolean {
  return [method].flat().some((one) => one !== 'GET' && one !== 'HEAD');
}

function auditLine(request: FastifyRequest, caller: string, reply: FastifyReply): object {
  const transactionId = reply.getHeader('x-transaction-id');
  return {
    caller,
    address: clientAddress(request),
    operation: operationOf(request),
    ...(transactionId !== undefined && { transactionId }),
    outcome: outcomeOf(reply.statusCode, transactionId !== undefined),
    status: reply.statusCode,
    requestId: request.id,
  };
}

function outcomeOf(status: number, hasTransaction: boolean): string {
  if (status < 400) return 'done';
  // An error names a transaction if it is unknown whether it was committed.
  if (hasTransaction) return 'unknown';
  return status < 500 ? 'refused' : 'failed';
}
