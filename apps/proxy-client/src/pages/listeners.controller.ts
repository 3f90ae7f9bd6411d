import { Controller, Get, Inject, Req, Res } from '@nestjs/common';
import {
  ApiInternalServerErrorResponse,
  ApiNotFoundResponse,
  ApiOkResponse,
  ApiOperation,
  ApiTags,
} from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { PAC_TYPE } from '../listener/own-pages.js';
import { ApiAccessChecks, TEXT } from '../api/documentation.js';
import { ListenerList } from '../api/responses.js';
import { Open } from './access.guard.js';
import { PROXY_VIEW, type RemoteView } from './proxy-view.js';

/** The pages about the listeners for clients. */
@ApiAccessChecks()
@Controller()
export class ListenersController {
  readonly #view: RemoteView;

  constructor(@Inject(PROXY_VIEW) view: RemoteView) {
    this.#view = view;
  }

  @Get('listeners')
  @ApiTags('listeners')
  @ApiOperation({ operationId: 'getListeners', summary: 'The listeners for clients' })
  @ApiOkResponse({ type: ListenerList, description: 'OK' })
  async listeners(): Promise<ListenerList> {
    return this.#view.listeners();
  }

  @Get('proxy.pac')
  @Open('if the PAC file is open')
  @ApiTags('browsers')
  @ApiOperation({
    operationId: 'getProxyPac',
    summary: 'The proxy auto-configuration file of the rules',
    description:
      'Names the first listener with pac: true, else the first that accepts HTTP. Returns DIRECT for what the rules connect directly, ' +
      'as far as a browser can evaluate them, else the proxy. A listener with pac: true serves it too, and then no token is required.',
  })
  @ApiOkResponse({ description: 'OK', content: { [PAC_TYPE]: { schema: { type: 'string' } } } })
  @ApiNotFoundResponse({ description: 'No listener accepts HTTP.', content: TEXT })
  @ApiInternalServerErrorResponse({
    description: 'The file would be longer than browsers read (1 MiB).',
    content: TEXT,
  })
  async pac(@Req() { headers }: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const { status, type, text } = await this.#view.pac(headers.host);
    // As bytes: for a string Fastify would add a charset to the type.
    await reply.status(status).header('Content-Type', type).send(Buffer.from(text));
  }
}
