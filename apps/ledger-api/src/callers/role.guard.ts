import { Injectable, type CanActivate, type ExecutionContext } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import type { FastifyRequest } from 'fastify';
import { LoginNeededError, RoleNeededError } from '../http/api.errors.js';
import { Needs } from './access.decorators.js';
import { ROLES, type Role } from './caller-list.js';

/**
 * Lets callers do what their role may. Used only while authentication is on. Who calls is known by then: that is found out
 * before a body is read (login.hook.ts), and a guard runs behind it.
 */
@Injectable()
export class RoleGuard implements CanActivate {
  readonly #reflector: Reflector;

  constructor(reflector: Reflector) {
    this.#reflector = reflector;
  }

  canActivate(context: ExecutionContext): boolean {
    const { routeOptions, caller } = context.switchToHttp().getRequest<FastifyRequest>();
    if (routeOptions.config.isOpen === true) return true;
    if (caller === undefined) throw new LoginNeededError();
    const needed = this.#reflector.getAllAndOverride(Needs, [context.getHandler(), context.getClass()]) as
      Role | undefined;
    // What does not say who may do it, nobody may.
    if (needed === undefined) return false;
    if (ROLES.indexOf(caller.role) >= ROLES.indexOf(needed)) return true;
    throw new RoleNeededError(caller, needed);
  }
}
