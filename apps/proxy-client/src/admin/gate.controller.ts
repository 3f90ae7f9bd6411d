import {
  BadRequestException,
  Body,
  ConflictException,
  Controller,
  Delete,
  Get,
  HttpCode,
  HttpStatus,
  Inject,
  Param,
  Post,
  Req,
  Res,
} from '@nestjs/common';
import {
  ApiBadRequestResponse,
  ApiBody,
  ApiConflictResponse,
  ApiCreatedResponse,
  ApiNoContentResponse,
  ApiNotFoundResponse,
  ApiOkResponse,
  ApiOperation,
  ApiParam,
  ApiTags,
} from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { ApiAccessChecks, TEXT } from './api/documentation.js';
import { DenialList, Grant, GrantList, GrantRequest } from './api/gate.responses.js';
import { parseDuration } from '../config/value-reader.js';
import { formatAuthority } from '../http/authority.js';
import { isGrantDuration, MAX_GRANTS, parseGrantTarget, type GrantTarget } from '../routing/gate/grants.js';
import { sendText } from './access.guard.js';
import { parseJsonBody } from './json-body.js';
import { PROXY_VIEW, type RemoteView } from './remote-view.js';

const CONFLICTS = {
  'no gate': 'The rules of this proxy do not end with a refusal, so there is nothing to grant: set default: reject.',
  'too many': `There are ${MAX_GRANTS} grants. End one first.`,
} as const;

/** @throws BadRequestException for a body that is no {@link GrantRequest} */
function parseRequest(body: unknown): { readonly grantTarget: GrantTarget; readonly milliseconds: number } {
  const { target, for: time } = parseJsonBody(body, ['target', 'for'], '{"target": "HOST:PORT", "for": "1h"}');
  const grantTarget = typeof target === 'string' ? parseGrantTarget(target) : undefined;
  if (grantTarget === undefined) {
    throw new BadRequestException('target must be HOST:PORT, such as example.com:443, *.example.com:443 or [::1]:443.');
  }
  const milliseconds = typeof time === 'string' ? parseDuration(time) : undefined;
  if (milliseconds === undefined || !isGrantDuration(milliseconds)) {
    throw new BadRequestException('for must be a duration from 1s to 24h, such as 30m.');
  }
  return { grantTarget, milliseconds };
}

/** The pages of the egress gate: refused targets, and permissions with an end. */
@ApiTags('gate')
@ApiAccessChecks()
@Controller()
export class GateController {
  readonly #view: RemoteView;

  constructor(@Inject(PROXY_VIEW) view: RemoteView) {
    this.#view = view;
  }

  @Get('denials')
  @ApiOperation({
    operationId: 'getDenials',
    summary: 'The targets that the rules refused last, each with what would allow it',
  })
  @ApiOkResponse({ type: DenialList, description: 'OK' })
  async denials(): Promise<DenialList> {
    return this.#view.denials();
  }

  @Get('grants')
  @ApiOperation({ operationId: 'getGrants', summary: 'The grants in force' })
  @ApiOkResponse({ type: GrantList, description: 'OK' })
  async grants(): Promise<GrantList> {
    return this.#view.grants();
  }

  @Post('grants')
  @ApiOperation({
    operationId: 'addGrant',
    summary: 'Allows a host and port for a time',
    description:
      'As `proxy-client allow`. It applies to every client, for requests that match no rule under `default: reject`; rules to reject ' +
      'still apply. One for the same host and port is replaced. It is in memory only. Refused to pages of other origins.',
  })
  @ApiBody({ type: GrantRequest })
  @ApiCreatedResponse({ type: Grant, description: 'The grant.' })
  @ApiBadRequestResponse({ description: 'The body is invalid.', content: TEXT })
  @ApiConflictResponse({
    description: 'The configuration has no `default: reject`, a rule rejects the target, or there are too many grants.',
    content: TEXT,
  })
  async grant(@Body() body: unknown, @Req() request: FastifyRequest): Promise<Grant> {
    const { grantTarget, milliseconds } = parseRequest(body);
    const result = await this.#view.grant(grantTarget, milliseconds, request.ip);
    if (typeof result === 'string') throw new ConflictException(CONFLICTS[result]);
    if ('rejected' in result) {
      throw new ConflictException(`A grant for ${formatAuthority(grantTarget)} has no effect: ${result.rejected}.`);
    }
    return result;
  }

  @Delete('grants/:id')
  @HttpCode(HttpStatus.NO_CONTENT)
  @ApiOperation({
    operationId: 'endGrant',
    summary: 'Ends a grant, and the connections that only it allowed',
    description: 'Refused to pages of other origins.',
  })
  @ApiParam({ name: 'id', description: 'The id of GET /grants.' })
  @ApiNoContentResponse({ description: 'It was ended.' })
  @ApiNotFoundResponse({ description: 'No grant has this id; it may have ended.', content: TEXT })
  async endGrant(@Param('id') id: string, @Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    if (await this.#view.endGrant(id, request.ip)) await reply.send();
    else sendText(reply, HttpStatus.NOT_FOUND, 'There is no such grant; it may have ended.');
  }
}
