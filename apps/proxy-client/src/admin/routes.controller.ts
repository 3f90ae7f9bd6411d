import {
  applyDecorators,
  BadRequestException,
  Controller,
  Get,
  HttpCode,
  HttpStatus,
  Inject,
  Post,
  Query,
  Req,
  Res,
} from '@nestjs/common';
import {
  ApiBadRequestResponse,
  ApiOkResponse,
  ApiOperation,
  ApiProduces,
  ApiQuery,
  ApiTags,
  ApiTooManyRequestsResponse,
  getSchemaPath,
} from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Readable } from 'node:stream';
import { ApiAccessChecks, TEXT } from './api/documentation.js';
import { CheckEnd, CheckStep, RouteExplanation, RuleStatusList } from './api/routes.responses.js';
import { parseTargetOrUndefined } from '../config/value-reader.js';
import type { Target } from '../http/authority.js';
import { sendText } from './access.guard.js';
import { PROXY_VIEW, type RemoteView } from './remote-view.js';

const ApiRouteQuery = (): MethodDecorator =>
  applyDecorators(
    ApiQuery({ name: 'target', description: 'host:port', schema: { type: 'string', example: 'example.com:443' } }),
    ApiQuery({ name: 'user', required: false, description: 'The user of the request.', schema: { type: 'string' } }),
    ApiBadRequestResponse({ description: 'A parameter is missing, unknown or invalid.', content: TEXT }),
  );

interface RouteQuery {
  readonly target: Target;
  readonly user: string | undefined;
}

const MAX_USER = 256;

/** @throws BadRequestException for an unknown, repeated or invalid parameter */
function parseQuery({ target: given, user, ...others }: Readonly<Record<string, unknown>>): RouteQuery {
  const [unknown] = Object.keys(others);
  if (unknown !== undefined) throw new BadRequestException('Known parameters are target, user.');
  const target = typeof given === 'string' ? parseTargetOrUndefined(given) : undefined;
  if (target === undefined) throw new BadRequestException('target must be host:port, such as example.com:443.');
  if (user === undefined || user === '') return { target, user: undefined };
  if (typeof user !== 'string' || user.length > MAX_USER) {
    throw new BadRequestException('user is too long or appears more than once.');
  }
  return { target, user };
}

/** The pages about the rules, and about the way of a request. */
@ApiTags('routes')
@ApiAccessChecks()
@Controller()
export class RoutesController {
  readonly #view: RemoteView;

  constructor(@Inject(PROXY_VIEW) view: RemoteView) {
    this.#view = view;
  }

  @Get('rules')
  @ApiOperation({ operationId: 'getRules', summary: 'The rules in their order, with the number of their requests' })
  @ApiOkResponse({ type: RuleStatusList, description: 'OK' })
  async rules(): Promise<RuleStatusList> {
    return this.#view.rules();
  }

  @Get('explain')
  @ApiOperation({
    operationId: 'explainRoute',
    summary: 'Returns the route of a request for a target, and the rules that decide it',
    description: 'As --explain: no name is resolved, no connection is opened.',
  })
  @ApiRouteQuery()
  @ApiOkResponse({ type: RouteExplanation, description: 'OK' })
  async explain(@Query() query: Readonly<Record<string, unknown>>): Promise<RouteExplanation> {
    const { target, user } = parseQuery(query);
    return this.#view.explain(target, user);
  }

  @Post('check')
  @HttpCode(HttpStatus.OK)
  @ApiOperation({
    operationId: 'checkRoute',
    summary: 'Checks the route of a request for a target, step by step',
    description:
      'As --check, for the upstream that the rules select, or for each member of the group: the TCP connection, the authentication, and a ' +
      'connection to the target, which is closed at once. The response is a stream of server-sent events: `step` (CheckStep) for each step ' +
      'as it finishes, then `end` (CheckEnd). At most 30 s; closing the connection aborts the check. Direct connections are checked as for ' +
      'a client at the address of the caller. Refused to pages of other origins.',
  })
  @ApiRouteQuery()
  @ApiProduces('text/event-stream')
  @ApiOkResponse({
    description: 'Until the check finishes.',
    schema: { anyOf: [CheckStep, CheckEnd].map((it) => ({ $ref: getSchemaPath(it) })) },
  })
  @ApiTooManyRequestsResponse({
    description: 'The caller (its address) has a check in progress, or too many are.',
    content: TEXT,
  })
  async check(
    @Query() query: Readonly<Record<string, unknown>>,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const id = await this.#view.beginCheck({ ...parseQuery(query), caller: request.ip });
    if (id === undefined) {
      reply.header('Retry-After', '1');
      sendText(reply, HttpStatus.TOO_MANY_REQUESTS, 'A check is in progress. Wait until it has ended.');
      return;
    }
    reply.raw.on('close', () => void this.#view.abortCheck(id));
    await reply.type('text/event-stream; charset=utf-8').send(Readable.from(this.#events(id)));
  }

  async *#events(id: number): AsyncGenerator<string> {
    for (;;) {
      const next = await this.#view.nextCheckEvent(id);
      if (next === undefined) return;
      yield `event: ${next.event}\ndata: ${JSON.stringify(next.data)}\n\n`;
    }
  }
}
