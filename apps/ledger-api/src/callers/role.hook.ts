import type { FastifyInstance, FastifyRequest } from 'fastify';
import { LoginNeededError, RoleNeededError } from '../http/api.errors.js';
import { ROLES } from './caller-list.js';

/**
 * Lets callers do what their role may, before their bodies are read: one who may not is told so, whatever the body holds.
 * Behind the login, which names the caller, and behind the limits, so that what is refused here is counted too.
 */
export function useRoles(instance: FastifyInstance): void {
  instance.addHook('onRequest', (request, _reply, done) => {
    done(refusal(request));
  });
}

function refusal({ routeOptions: { config }, caller }: FastifyRequest): Error | undefined {
  if (config.isOpen === true) return undefined;
  if (caller === undefined) return new LoginNeededError();
  // What does not say who may do it, nobody may.
  const isEnough = config.needs !== undefined && ROLES.indexOf(caller.role) >= ROLES.indexOf(config.needs);
  return isEnough ? undefined : new RoleNeededError(caller, config.needs ?? 'of nobody');
}
