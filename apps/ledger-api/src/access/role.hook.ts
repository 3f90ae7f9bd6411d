import type { FastifyInstance, FastifyRequest } from 'fastify';
import { ApiError } from '../http/errors.js';
import type { Caller } from './access.decorators.js';
import { ROLES, type Role } from './caller-list.js';
import type { ListedFunctions } from './listed-functions.js';

/**
 * Lets callers do what their role may, before their bodies are read: one who may not is told so, whatever the body holds.
 * Behind the login, which names the caller, and behind the limits, so that what is refused here is counted too.
 */
export function useRoles(instance: FastifyInstance, listed: ListedFunctions): void {
  instance.addHook('onRequest', (request, _reply, done) => {
    done(refusal(request, listed));
  });
}

function refusal(request: FastifyRequest, listed: ListedFunctions): Error | undefined {
  const { caller } = request;
  const { isOpen, needs, listedFor } = request.routeOptions.config;
  if (isOpen === true) return undefined;
  if (caller === undefined) return new ApiError('API.LOGIN_NEEDED');
  if (isEnough(caller.role, needs)) return undefined;
  const { chaincode = '' } = request.params as { readonly chaincode?: string };
  if (listed.hasAny(chaincode) && isEnough(caller.role, listedFor)) return undefined;
  return roleNeeded(caller, needs ?? 'none');
}

/** What does not say who may do it, nobody may. */
function isEnough(role: Role, needed: Role | undefined): boolean {
  return needed !== undefined && ROLES.indexOf(role) >= ROLES.indexOf(needed);
}

/** Creates the error for a caller whose role does not allow an operation. */
export function roleNeeded({ name, role }: Caller, needed: string): ApiError {
  const [required, shown, own] = [needed, name, role].map((text) => JSON.stringify(text));
  return new ApiError(
    'API.ROLE_NEEDED',
    `This operation requires the role ${required}; ${shown} is a ${own}. Ask an administrator.`,
  );
}
