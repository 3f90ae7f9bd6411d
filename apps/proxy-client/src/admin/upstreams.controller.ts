import {
  BadRequestException,
  Body,
  Controller,
  Get,
  HttpCode,
  HttpStatus,
  Inject,
  Param,
  Post,
  Put,
  Res,
} from '@nestjs/common';
import {
  ApiBadRequestResponse,
  ApiBody,
  ApiNotFoundResponse,
  ApiOkResponse,
  ApiOperation,
  ApiParam,
  ApiTags,
} from '@nestjs/swagger';
import type { FastifyReply } from 'fastify';
import { ApiAccessChecks, TEXT } from './api/documentation.js';
import { MemberSelection, UpstreamList, UpstreamTestList } from './api/upstreams.responses.js';
import { sendText } from './access.guard.js';
import { parseJsonBody } from './json-body.js';
import { PROXY_VIEW, type RemoteView } from './remote-view.js';

/** @throws BadRequestException for a body that is no {@link MemberSelection} */
function parseSelection(body: unknown): string | null {
  const { member } = parseJsonBody(body, ['member'], '{"member": NAME}');
  if ((typeof member === 'string' && member !== '') || member === null) return member;
  throw new BadRequestException('member must be the name of a member, or null for automatic.');
}

/** The pages about upstreams and groups. */
@ApiTags('upstreams')
@ApiAccessChecks()
@Controller('upstreams')
export class UpstreamsController {
  readonly #view: RemoteView;

  constructor(@Inject(PROXY_VIEW) view: RemoteView) {
    this.#view = view;
  }

  @Get()
  @ApiOperation({
    operationId: 'getUpstreams',
    summary: 'The upstreams and groups of the configuration, with their state',
  })
  @ApiOkResponse({ type: UpstreamList, description: 'OK' })
  async upstreams(): Promise<UpstreamList> {
    return this.#view.upstreams();
  }

  @Put(':group/member')
  @HttpCode(HttpStatus.OK)
  @ApiOperation({
    operationId: 'selectMember',
    summary: 'Selects the member that a group tries first',
    description:
      'Until a restart, or until the selection is null (automatic). A member that is down is tried last nevertheless; it is tested at ' +
      'once. Open connections stay where they are. Refused to pages of other origins.',
  })
  @ApiParam({ name: 'group', description: 'The name of a group.' })
  @ApiBody({ type: MemberSelection })
  @ApiOkResponse({ type: UpstreamList, description: 'The state after the selection.' })
  @ApiBadRequestResponse({ description: 'The body is invalid.', content: TEXT })
  @ApiNotFoundResponse({ description: 'There is no such group, or it has no such member.', content: TEXT })
  async selectMember(@Param('group') group: string, @Body() body: unknown, @Res() reply: FastifyReply): Promise<void> {
    const member = parseSelection(body);
    if (await this.#view.selectMember(group, member)) await reply.send(await this.#view.upstreams());
    else sendText(reply, HttpStatus.NOT_FOUND, 'There is no such group, or it has no such member.');
  }

  @Post(':name/test')
  @HttpCode(HttpStatus.OK)
  @ApiOperation({
    operationId: 'testUpstream',
    summary: 'Measures the latency of an upstream, or of each member of a group, now',
    description: 'It counts as a health check. A test in progress is shared. Refused to pages of other origins.',
  })
  @ApiParam({ name: 'name', description: 'The name of an upstream or group.' })
  @ApiOkResponse({ type: UpstreamTestList, description: 'OK' })
  @ApiNotFoundResponse({ description: 'There is no such upstream or group.', content: TEXT })
  async test(@Param('name') name: string, @Res() reply: FastifyReply): Promise<void> {
    const tests = await this.#view.testUpstream(name);
    if (tests === undefined) sendText(reply, HttpStatus.NOT_FOUND, 'There is no such upstream or group.');
    else await reply.send(tests);
  }
}
