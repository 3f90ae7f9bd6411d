import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import { RouteConfig } from '@nestjs/platform-fastify';
import { FASTIFY_ROUTE_CONFIG_METADATA } from '@nestjs/platform-fastify/constants.js';
import type { FastifyContextConfig, FastifyRequest } from 'fastify';
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
    /** The role that this route needs, as {@link Needs} says it. */
    needs?: Role | undefined;
    /** The role that is enough for functions of chaincode that LEDGER_CONTRACTS lists, as {@link OrListedFor} says it. */
    listedFor?: Role;
  }
  interface FastifyRequest {
    /** Set when somebody has logged in; never while authentication is off. */
    caller: Caller | undefined;
  }
}

/** The role that an operation needs; on a class, each of its operations that does not name another. */
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
 * The role that is enough for a function of a chaincode that LEDGER_CONTRACTS lists; stands behind {@link Needs}. The hook
 * lets it pass for a chaincode with any function in the list: which one is called stands in the body, and is for the operation
 * to judge.
 */
export function OrListedFor(role: Role): MethodDecorator {
  return (_target, _name, method) => {
    const operation = method.value as object;
    RouteConfig({ ...routeConfigOf(operation), listedFor: role })({}, '', { value: operation });
  };
}

/** What the decorators say of an operation's route. */
export function routeConfigOf(operation: object): FastifyContextConfig | undefined {
  return Reflect.getMetadata(FASTIFY_ROUTE_CONFIG_METADATA, operation) as FastifyContextConfig | undefined;
}

function methodsOf(controller: NewableFunction): object[] {
  return Object.values(Object.getOwnPropertyDescriptors(controller.prototype as object))
    .map(({ value }) => value as unknown)
    .filter((value) => typeof value === 'function');
}

/** An operation for everybody. */
export const Open = (): MethodDecorator => RouteConfig({ isOpen: true });

/** The caller's name or role, as an argument of a handler; undefined while authentication is off. */
export const CurrentCaller = createParamDecorator(
  (property: keyof Caller, context: ExecutionContext): string | undefined =>
    context.switchToHttp().getRequest<FastifyRequest>().caller?.[property],
);
