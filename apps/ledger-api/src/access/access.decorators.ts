import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import { RouteConfig } from '@nestjs/platform-fastify';
import { FASTIFY_ROUTE_CONFIG_METADATA } from '@nestjs/platform-fastify/constants.js';
import type { FastifyContextConfig, FastifyRequest } from 'fastify';
import type { Role, Roles } from '#ledger-callers';

/** An authenticated caller. */
export interface Caller {
  readonly name: string;
  readonly role: Roles;
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
    /** Whether an open route shows more to a caller who authenticates. */
    mayLogIn?: boolean;
    /** The role that the route requires ({@link Needs}). */
    needs?: Role | undefined;
    /** The role that is enough for functions that LEDGER_CONTRACTS lists ({@link OrListedFor}). */
    listedFor?: Role;
    /** Whether the operation writes nothing although its method is POST. */
    isEvaluation?: boolean;
    /** Whether LEDGER_TREE_READERS may open the route to everyone. */
    isTree?: boolean;
    /** Set for operations that belong to no single channel: where the caller must have the role. */
    roleOn?: 'any channel' | 'every channel';
    /** Set for operations that return nothing of the ledger; they need no identity on the network. */
    readsNoLedger?: boolean;
  }
  interface FastifyRequest {
    /** Undefined without authentication. */
    caller: Caller | undefined;
    /** Undefined without authentication. */
    session: Session | undefined;
    /** Set by an operation that evaluates some of its calls: whether this one writes nothing, for the log. */
    isEvaluation: boolean | undefined;
    /** Checks again that the caller may perform the operation, with the role that the callers file has now. */
    requireAccess(): void;
  }
}

/** Declares the role that an operation requires; on a class, for each of its operations without its own. */
export function Needs(role: Role) {
  return (target: object, _name?: string | symbol, method?: PropertyDescriptor): void => {
    const ofClass = (target as NewableFunction).prototype as object;
    const methods = method === undefined ? Object.values(Object.getOwnPropertyDescriptors(ofClass)) : [method];
    for (const { value } of methods as { readonly value: unknown }[]) {
      // Methods are decorated before their class.
      if (typeof value === 'function' && routeConfigOf(value)?.needs === undefined) declare(value, { needs: role });
    }
  };
}

/**
 * Declares the role that is enough for a function that LEDGER_CONTRACTS lists; write it below {@link Needs}. The access check
 * accepts any chaincode with a listed function. The name of the function is in the body, so that the operation checks it.
 */
export function OrListedFor(role: Role): MethodDecorator {
  return (_target, _name, method) => {
    declare(method.value as object, { listedFor: role });
  };
}

/** Declares an operation that evaluates a call and writes nothing, for the log. */
export const Evaluates = (): MethodDecorator => (_target, _name, method) => {
  declare(method.value as object, { isEvaluation: true });
};

function declare(operation: object, config: FastifyContextConfig): void {
  RouteConfig({ ...routeConfigOf(operation), ...config })({}, '', { value: operation });
}

/** Returns the route configuration that the decorators have declared. */
export function routeConfigOf(operation: object): FastifyContextConfig | undefined {
  return Reflect.getMetadata(FASTIFY_ROUTE_CONFIG_METADATA, operation) as FastifyContextConfig | undefined;
}

/** Declares an operation without authentication. */
export const Open = (): MethodDecorator => RouteConfig({ isOpen: true });

/** Injects the caller's name or roles; undefined without authentication. */
export const CurrentCaller = createParamDecorator(
  (property: keyof Caller, context: ExecutionContext): string | undefined =>
    context.switchToHttp().getRequest<FastifyRequest>().caller?.[property],
);
