import { Inject, Injectable } from '@nestjs/common';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Logger } from 'pino';
import { includesRole, type Role, roleAnywhere, roleOn } from '#ledger-callers';
import type { CallersConfig } from '#ledger-config';
import { isLedgerError } from '#ledger-gateway';
import { callersConfig } from '../config/config.module.js';
import { clientAddress, networkOf } from '../http/client-address.js';
import { ApiError } from '../http/errors.js';
import { traceFields } from '../http/trace-context.js';
import type { Caller } from './access.decorators.js';
import { hasCredential, operationOf, type Login } from './login.js';
import type { RequestLimits } from './request-limits.js';

/**
 * Checks that a channel accepts a caller's identity; rejects with the reason when it does not. Blocks and transactions are
 * read with the service's identity, so the network itself would not refuse callers whose identity it bars.
 */
export type Authorize = (caller: string, channel: string) => Promise<void>;

/** The parts of {@link useAccess}. */
export interface AccessParts {
  readonly config: Pick<CallersConfig, 'isOn' | 'hasOpenMetrics' | 'hasOpenTrees'>;
  readonly login: Login;
  readonly listed: ListedFunctions;
  /** The channel of paths without one. */
  readonly defaultChannel: string;
  /** Undefined where the service signs. */
  readonly authorize?: Authorize | undefined;
  /** Undefined without a request limit. */
  readonly limits?: RequestLimits | undefined;
  readonly logger: Logger;
}

/**
 * Adds the access checks of every request, in their order. They run before the body is read, unlike Nest's guards, so that a
 * caller without the right causes no parsing (ADR 0130). Call it before the first route is registered.
 */
export function useAccess(instance: FastifyInstance, parts: AccessParts): void {
  const { config, login, listed, defaultChannel, authorize, limits, logger } = parts;
  const channelOf = ({ params }: FastifyRequest): string =>
    (params as { readonly channel?: string }).channel ?? defaultChannel;
  instance.decorateRequest('caller', undefined);
  instance.decorateRequest('session', undefined);
  instance.decorateRequest('isEvaluation', undefined);
  instance.decorateRequest('requireAccess', function (this: FastifyRequest) {
    if (this.session === undefined) return;
    login.requireCurrent();
    this.caller = this.session.current();
    if (this.caller === undefined) {
      throw new ApiError('API.LOGIN_REFUSED', 'The key or token has expired or was revoked. Nothing was written.');
    }
    requireRole(this, this.caller, listed, channelOf(this));
  });
  if (!config.isOn && limits === undefined) return;
  instance.addHook('onRequest', async (request, reply) => {
    const { config: route } = request.routeOptions;
    if (needsLogin(request, config)) {
      request.session = await login.sessionOf(request);
      request.caller = request.session.caller;
    }
    if (isOpenRoute(request, config)) return;
    // After the login, whose failures have their own limit. Requests that the role check refuses count too.
    if (limits !== undefined) await consumeQuota(request, reply, limits);
    const { caller } = request;
    if (!config.isOn || caller === undefined) return;
    requireRole(request, caller, listed, channelOf(request));
    if (authorize !== undefined && route.readsNoLedger !== true) {
      // A stream opens while the network is unreachable, and checks access before it sends anything.
      await authorize(caller.name, channelOf(request)).catch((error: unknown) => {
        if (route.isStream !== true || isAccessDenied(error)) throw error;
      });
    }
  });
  instance.addHook('onClose', () => limits?.close());
  if (!config.isOn) return;
  // Again when the body of a write is complete: a slow body may arrive after the caller was revoked.
  instance.addHook('preValidation', (request, _reply, done) => {
    if (isWrite(request)) request.requireAccess();
    done();
  });
  // With the response and not when it has been sent, because a client that has disconnected has written all the same.
  instance.addHook('onSend', (request, reply, _payload, done) => {
    const caller = request.caller ?? request.session?.caller;
    // Failed logins have their own log line.
    if (isWrite(request) && caller !== undefined) {
      const isEvaluation = request.isEvaluation ?? request.routeOptions.config.isEvaluation === true;
      logger.info(auditLine(request, caller.name, reply), isEvaluation ? 'evaluation' : 'write');
    }
    done();
  });
}

function isOpenRoute({ routeOptions }: FastifyRequest, { hasOpenMetrics }: AccessParts['config']): boolean {
  return routeOptions.config.isOpen === true || (hasOpenMetrics && routeOptions.url === '/metrics');
}

function needsLogin(request: FastifyRequest, config: AccessParts['config']): boolean {
  const { isTree, mayLogIn } = request.routeOptions.config;
  if (!config.isOn || (config.hasOpenTrees && isTree === true)) return false;
  return !isOpenRoute(request, config) || (mayLogIn === true && hasCredential(request));
}

/** Characters of a channel's name in a path that an answer repeats. */
const MAX_SHOWN = 64;
/** The name of the quota in the RateLimit headers. */
const QUOTA = '"requests"';

/**
 * Counts a request of a caller, or of the network of an address without authentication, and states the remaining quota in the
 * response (draft-ietf-httpapi-ratelimit-headers, sections 3 and 4).
 */
async function consumeQuota(request: FastifyRequest, reply: FastifyReply, limits: RequestLimits): Promise<void> {
  const { caller } = request;
  const client = caller === undefined ? `address ${networkOf(clientAddress(request))}` : `caller ${caller.name}`;
  const { isOver, remaining, resetsIn } = await limits.take(client);
  const seconds = Math.ceil(resetsIn / 1000);
  void reply.header('ratelimit-policy', `${QUOTA};q=${limits.perSecond};w=1`);
  void reply.header('ratelimit', `${QUOTA};r=${remaining};t=${seconds}`);
  if (!isOver) return;
  const message = `More than ${limits.perSecond} requests in one second. Nothing was done. Send this one again later.`;
  throw new ApiError('API.TOO_MANY_REQUESTS', message, { headers: { 'retry-after': String(seconds) } });
}

/** Refuses a caller whose role on the channel does not allow the operation. An operation without a role admits no caller. */
function requireRole(
  { params, routeOptions }: FastifyRequest,
  caller: Caller,
  listed: ListedFunctions,
  channel: string,
): void {
  const { needs, listedFor, roleOn: place = channel } = routeOptions.config;
  const { chaincode = '' } = params as { readonly chaincode?: string };
  const role = roleAt(caller, place);
  const isEnough = (needed?: Role): boolean => needed !== undefined && includesRole(role, needed);
  if (isEnough(needs) || (listed.hasAny(chaincode) && isEnough(listedFor))) return;
  throw roleNeeded(caller, needs ?? 'none', place);
}

/** Returns the role of a caller on a channel, on any channel or on every channel. */
function roleAt({ role }: Caller, place: string): Role | undefined {
  if (place === 'any channel') return roleAnywhere(role);
  return roleOn(role, place === 'every channel' ? undefined : place);
}

/** Checks the role of a caller for a part of an operation. @throws `API.ROLE_NEEDED` */
export function requireRoleOn(caller: Caller | undefined, needed: Role, channel: string): void {
  if (caller !== undefined && !includesRole(roleAt(caller, channel), needed)) throw roleNeeded(caller, needed, channel);
}

/** Creates the error for a caller whose role on a channel does not allow an operation. */
export function roleNeeded(caller: Caller, needed: string, channel: string): ApiError {
  const role = roleAt(caller, channel);
  const has = role === undefined ? `has no role on ${channel.slice(0, MAX_SHOWN)}` : `is a "${role}"`;
  const message = `This operation requires the role "${needed}"; "${caller.name}" ${has}. Ask an administrator.`;
  return new ApiError('API.ROLE_NEEDED', message);
}

/** The functions of chaincode that LEDGER_CONTRACTS lists, each by its exact name. */
@Injectable()
export class ListedFunctions {
  readonly #functions: ReadonlySet<string>;
  /** The chaincodes with a listed function. */
  readonly chaincodes: ReadonlySet<string>;

  constructor(@Inject(callersConfig.KEY) { listedFunctions }: Pick<CallersConfig, 'listedFunctions'>) {
    this.#functions = new Set(listedFunctions);
    // A name of a chaincode contains no colon; one of a function may.
    this.chaincodes = new Set(listedFunctions.map((entry) => entry.slice(0, entry.indexOf(':'))));
  }

  has(chaincode: string, name: string): boolean {
    return this.#functions.has(`${chaincode}:${name}`) && this.chaincodes.has(chaincode);
  }

  hasAny(chaincode: string): boolean {
    return this.chaincodes.has(chaincode);
  }
}

/** Whether an error means that the ledger does not accept a caller. */
export function isAccessDenied(error: unknown): boolean {
  return isLedgerError(error, 'LEDGER.CALLER_REFUSED') || isLedgerError(error, 'LEDGER.UNKNOWN_CALLER');
}

/**
 * Returns a function that reports whether the ledger still accepts a caller, for a response that continues. Each call
 * starts a check, whose result counts from the next call on; a network that cannot be reached changes nothing.
 */
export function accessLease(authorize: () => Promise<void>): () => boolean {
  let isRefused = false;
  return () => {
    authorize().catch((error: unknown) => {
      isRefused ||= isAccessDenied(error);
    });
    return !isRefused;
  };
}

function isWrite({ method }: FastifyRequest): boolean {
  return method !== 'GET' && method !== 'HEAD';
}

/** Returns the log line of a write or an evaluation: the caller, the address, the operation, the transaction and the outcome. */
function auditLine(request: FastifyRequest, caller: string, reply: FastifyReply): object {
  const transactionId = reply.getHeader('x-transaction-id');
  const { channel } = request.params as { readonly channel?: string };
  return {
    caller,
    address: clientAddress(request),
    operation: operationOf(request),
    ...(channel !== undefined && { channel }),
    ...(transactionId !== undefined && { transactionId }),
    outcome: outcomeOf(reply.statusCode, transactionId !== undefined),
    status: reply.statusCode,
    requestId: request.id,
    ...traceFields(request),
  };
}

function outcomeOf(status: number, hasTransaction: boolean): string {
  if (status === 202) return 'accepted';
  if (status < 400) return 'done';
  // An error names a transaction if it is unknown whether it was committed.
  if (hasTransaction) return 'unknown';
  return status < 500 ? 'refused' : 'failed';
}
