import {
  Catch,
  ForbiddenException,
  HttpException,
  Inject,
  Injectable,
  SetMetadata,
  UnauthorizedException,
  type ArgumentsHost,
  type CanActivate,
  type ExceptionFilter,
  type ExecutionContext,
} from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { AdminRoutes } from './admin-routes.js';
import { isSameOrigin, TOKEN_ID, tokenFault, tokenId, type AccessRules, type TokenFault } from './access-rules.js';

/** The injection token of a function that returns the {@link AccessRules} in force. */
export const ACCESS_RULES = Symbol('AccessRules');

type Openness = 'always' | 'if the PAC file is open';
const OPENNESS = 'openness';

/** A page that needs no admin token. */
export const Open = (when: Openness = 'always'): MethodDecorator & ClassDecorator => SetMetadata(OPENNESS, when);

const READING: ReadonlySet<string> = new Set(['GET', 'HEAD']);

/** Refuses writes of web pages of other origins, and requests without the admin token if one is required. */
@Injectable()
export class AccessGuard implements CanActivate {
  readonly #rules: () => AccessRules;
  readonly #reflector: Reflector;

  constructor(@Inject(ACCESS_RULES) rules: () => AccessRules, @Inject(Reflector) reflector: Reflector) {
    this.#rules = rules;
    this.#reflector = reflector;
  }

  canActivate(context: ExecutionContext): boolean {
    const http = context.switchToHttp();
    const { method, headers } = http.getRequest<FastifyRequest>();
    const rules = this.#rules();
    if (!READING.has(method) && !isSameOrigin(headers)) {
      throw new ForbiddenException('Pages of other origins must not do this.');
    }
    const targets = [context.getHandler(), context.getClass()];
    const openness = this.#reflector.getAllAndOverride<Openness | undefined>(OPENNESS, targets);
    const isOpen = openness === 'always' || (openness !== undefined && rules.isPacOpen);
    if (isOpen) return true;
    const fault = tokenFault(headers, rules);
    if (fault !== undefined) throw new TokenRefusal(fault);
    if (rules.token !== undefined) http.getResponse<FastifyReply>().header(TOKEN_ID, tokenId(rules.token));
    return true;
  }
}

const TOKEN_FAULTS: Readonly<Record<TokenFault, string>> = {
  TOKEN_REQUIRED: 'This page requires the admin token: Authorization: Bearer TOKEN.',
  TOKEN_WRONG: 'The admin token is wrong.',
  TOKEN_CHANGED: 'The admin token has changed since you signed in.',
};

/** A request without the admin token. */
class TokenRefusal extends UnauthorizedException {
  readonly code: string;

  constructor(fault: TokenFault) {
    super(`${TOKEN_FAULTS[fault]} The log names the file that contains it, or it is admin.token.`);
    this.code = `ADMIN.${fault}`;
  }
}

const NO_PAGE = 'There is no such page. /docs lists the pages.';
/** Sends refusals as one line of text. A path without a page is a 404, or a 405 for a method that it does not have. */
@Catch(HttpException)
export class RefusalFilter implements ExceptionFilter {
  readonly #routes: AdminRoutes;

  constructor(@Inject(AdminRoutes) routes: AdminRoutes) {
    this.#routes = routes;
  }

  catch(error: HttpException, host: ArgumentsHost): void {
    const reply = host.switchToHttp().getResponse<FastifyReply>();
    const { method, url } = host.switchToHttp().getRequest<FastifyRequest>();
    let status = error.getStatus();
    let text = error.message;
    if (status === 404) {
      const [path = ''] = url.split('?', 1);
      const methods = this.#routes.methodsOf(path);
      const allowed = methods.length === 0 ? [...READING] : methods;
      status = allowed.includes(method) ? 404 : 405;
      text = status === 404 ? NO_PAGE : `This path accepts only ${allowed.join(' and ')}.`;
      if (status === 405) reply.header('Allow', allowed.join(', '));
    }
    if (error instanceof TokenRefusal) {
      reply.headers({ 'WWW-Authenticate': 'Bearer realm="proxy-client admin"', 'X-Error-Code': error.code });
    }
    sendText(reply, status, text);
  }
}

/** Sends one line of text. */
export function sendText(reply: FastifyReply, status: number, text: string): void {
  void reply.status(status).type('text/plain; charset=utf-8').send(`${text}\n`);
}
