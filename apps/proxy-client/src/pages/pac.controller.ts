import { Controller, Get, Inject, Req, Res } from '@nestjs/common';
import {
  ApiBearerAuth,
  ApiForbiddenResponse,
  ApiInternalServerErrorResponse,
  ApiNotFoundResponse,
  ApiOkResponse,
  ApiOperation,
  ApiTags,
  ApiUnauthorizedResponse,
} from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { PAC_TYPE } from '../listener/pac-page.js';
import { FOREIGN_HOST, NO_TOKEN } from './monitoring.controller.js';
import { PROXY_VIEW, type ProxyView } from './proxy-view.js';

const TEXT = { 'text/plain': { schema: { type: 'string' } } };

/** How browsers find out what goes through the proxy. */
@ApiTags('browsers')
@ApiBearerAuth()
@Controller()
export class PacController {
  readonly #view: ProxyView;

  constructor(@Inject(PROXY_VIEW) view: ProxyView) {
    this.#view = view;
  }

  @Get('proxy.pac')
  @ApiOperation({
    operationId: 'getProxyPac',
    summary: 'The proxy auto-configuration file of the rules',
    description:
      'Of the first listener with pac: true, else of the first that speaks HTTP. DIRECT for what the rules send out directly, as ' +
      'far as a browser can tell; all else goes to the proxy. A listener with pac: true serves it too, and then no token is asked for.',
  })
  @ApiOkResponse({ description: 'OK', content: { [PAC_TYPE]: { schema: { type: 'string' } } } })
  @ApiUnauthorizedResponse(NO_TOKEN)
  @ApiForbiddenResponse(FOREIGN_HOST)
  @ApiNotFoundResponse({ description: 'No listener speaks HTTP.', content: TEXT })
  @ApiInternalServerErrorResponse({
    description: 'The rules make a longer file than browsers read (1 MiB).',
    content: TEXT,
  })
  async pac(@Req() { headers }: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const { status, type, text } = await this.#view.pac(headers.host);
    // Without nosniff a page of any site could run the script, and learn what goes out directly.
    await reply
      .status(status)
      .header('Cache-Control', 'no-store')
      .header('X-Content-Type-Options', 'nosniff')
      .header('Content-Type', type)
      .send(Buffer.from(text));
  }
}
