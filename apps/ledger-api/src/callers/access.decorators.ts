import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import { RouteConfig } from '@nestjs/platform-fastify';
import type { FastifyRequest } from 'fastify';
import type { Role } from './caller-list.js';

/** Who calls: an entry of the callers file that has logged in. */
export interface Caller {
  readonly name: string;
  readonly role: Role;
}

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Everybody may call this route, without logging in. Routes that do not say so need a caller. */
    isOpen?: boolean;
  }
  interface FastifyRequest {
    /** Set when somebody has logged in; never while authentication is off. */
    caller: Caller | undefined;
  }
}

/** The role that an operation needs; on a class, each of its operations that does not name another. */
export const Needs = Reflector.createDecorator<Role>();

/** An operation for everybody. */
export const Open = (): MethodDecorator => RouteConfig({ isOpen: true });

/** The caller's name or role, as an argument of a handler; undefined while authentication is off. */
export const CurrentCaller = createParamDecorator(
  (property: keyof Caller, context: ExecutionContext): string | undefined =>
    context.switchToHttp().getRequest<FastifyRequest>().caller?.[property],
);
