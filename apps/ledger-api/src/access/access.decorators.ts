import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import { RouteConfig } from '@nestjs/platform-fastify';
import { FASTIFY_ROUTE_CONFIG_METADATA } from '@nestjs/platform-fastify/constants.js';
import type { FastifyContextConfig, FastifyRequest } from 'fastify';
import type { Role } from './caller-entry.js';

/** An authenticated caller. */
export interface Caller {
  readonly name: string;
  readonly role: Role;
}

/** The authentication of a request. */
export interface Session {
  readonly caller: Caller;
  /** Returns the caller as the callers file has it now; undefined if the key or token is no longer valid. */
  current(): Caller | undefined;
}

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Whether the route needs no authentication. */
    isOpen?: boolean;
    /** The role that the route requires ({@link Needs}). */
    needs?: Role | undefined;
    /** The role that is enough for functions that LEDGER_CONTRACTS lists ({@link OrListedFor}). */
    listedFor?: Role;
  }
  interface FastifyRequest {
    /** Undefined without authentication. */
    caller: Caller | undefined;
    /** Undefined without authentication. */
    session: Session | undefined;
  }
}

/** Declares the role that an operation requires; on a class, for each of its operations without its own. */
export function Needs(role: Role) {
  return (target: object, _name?: string | symbol, method?: PropertyDescriptor): void => {
    const operations = method === undefined ? methodsOf(target as NewableFunction) : [method.value as object];
    for (const operation of operations) {
      const config = routeConfigOf(operation);
      // Methods are decorated before their class.
      if (config?.needs === undefined) RouteConfig({ ...config, needs: role })({}, '', { value: operation });
    }
  };
}

/**
 * Declares the role that is enough for a function that LEDGER_CONTRACTS lists; write it below {@link Needs}. The access check
 * accepts any chaincode with a listed function. The name of the function is in the body, so that the operation checks it.
 */
export function OrListedFor(role: Role): MethodDecorator {
  return (_target, _name, method) => {
    const operation = method.value as object;
    RouteConfig({ ...routeConfigOf(operation), listedFor: role })({}, '', { value: operation });
  };
}

/** Returns the route configuration that the decorators have declared. */
export function routeConfigOf(operation: object): FastifyContextConfig | undefined {
  return Reflect.getMetadata(FASTIFY_ROUTE_CONFIG_METADATA, operation) as FastifyContextConfig | undefined;
}

function methodsOf(controller: NewableFunction): object[] {
  return Object.values(Object.getOwnPropertyDescriptors(controller.prototype as object))
    .map(({ value }) => value as unknown)
    .filter((value) => typeof value === 'function');
}

/** Declares an operation without authentication. */
export const Open = (): MethodDecorator => RouteConfig({ isOpen: true });

/** Injects the caller's name or role; undefined without authentication. */
export const CurrentCaller = createParamDecorator(
  (property: keyof Caller, context: ExecutionContext): string | undefined =>
    context.switchToHttp().getRequest<FastifyRequest>().caller?.[property],
);
