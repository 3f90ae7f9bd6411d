import { Controller, Get, Inject, Req, Res } from '@nestjs/common';
import {
  ApiInternalServerErrorResponse,
  ApiNotFoundResponse,
  ApiOkResponse,
  ApiOperation,
  ApiProperty,
  ApiTags,
} from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { PAC_TYPE } from '../listener/own-pages.js';
import { ApiAccessChecks, Open, TEXT } from './access.guard.js';
import { PROXY_VIEW, type ListenerSnapshot, type ProxyView } from './proxy-view.js';

/** A listener for clients. */
export class ListenerStatus {
  @ApiProperty({ type: 'string', enum: ['http', 'socks5', 'mixed', 'tunnel'] })
  readonly mode!: ListenerSnapshot['mode'];

  @ApiProperty({
    description: 'The bound address; 0.0.0.0 and :: mean all addresses.',
    example: '127.0.0.1',
  })
  readonly host!: string;

  @ApiProperty({ type: 'integer', minimum: 1, maximum: 65_535, example: 8080 })
  readonly port!: number;

  @ApiProperty({
    type: 'string',
    nullable: true,
    description: 'The host:port that a tunnel leads to; null for other modes.',
    example: null,
  })
  readonly to!: string | null;

  @ApiProperty({ description: 'Whether clients must log in.', example: false })
  readonly asks_for_password!: boolean;
}

/** The response of /listeners. */
export class ListenerList {
  @ApiProperty({ type: [ListenerStatus], description: 'In the order of the configuration.' })
  readonly listeners!: readonly ListenerStatus[];
}

/** The pages about the listeners for clients. */
@ApiAccessChecks()
@Controller()
export class ListenersController {
  readonly #view: ProxyView;

  constructor(@Inject(PROXY_VIEW) view: ProxyView) {
    this.#view = view;
  }

  @Get('listeners')
  @ApiTags('listeners')
  @ApiOperation({ operationId: 'getListeners', summary: 'The listeners for clients' })
  @ApiOkResponse({ type: ListenerList, description: 'OK' })
  async listeners(): Promise<ListenerList> {
    const listeners = await this.#view.listeners();
    return {
      listeners: listeners.map(({ mode, host, port, to = null, asksForPassword }) => ({
        ...{ mode, host, port, to },
        asks_for_password: asksForPassword,
      })),
    };
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
