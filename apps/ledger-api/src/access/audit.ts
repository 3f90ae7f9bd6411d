import type { FastifyInstance, FastifyReply, FastifyRequest, RouteOptions } from 'fastify';
import type { Logger } from 'pino';
import { clientAddress } from '../http/client-address.js';

/**
 * Writes a line for each write: who, from where, what, which transaction, and how it ended. When the answer is made and not
 * when it is out: a client that has gone meanwhile has written all the same.
 */
export function useAudit(instance: FastifyInstance, logger: Logger): void {
  instance.addHook('onRoute', (route) => {
    if (route.config?.isOpen === true || !isWrite(route)) return;
    const hook = (request: FastifyRequest, reply: FastifyReply, _payload: unknown, done: () => void): void => {
      // Whoever did not log in has a line of its own.
      if (request.caller !== undefined) logger.info(lineOf(request, request.caller.name, reply), 'write');
      done();
    };
    route.onSend = [route.onSend ?? [], hook].flat();
  });
}

function isWrite({ method }: RouteOptions): boolean {
  return [method].flat().some((one) => one !== 'GET' && one !== 'HEAD');
}

/** The operation of a request by its route, as it stands in the log. */
export function operationOf({ method, routeOptions: { url = '' } }: FastifyRequest): string {
  return `${method} ${url}`;
}

function lineOf(request: FastifyRequest, caller: string, reply: FastifyReply): object {
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
  // Errors name a transaction when nobody knows whether it was committed.
  if (hasTransaction) return 'unknown';
  return status < 500 ? 'refused' : 'failed';
}
