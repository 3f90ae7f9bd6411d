import { Controller, Get, Header, Inject } from '@nestjs/common';
import {
  ApiBearerAuth,
  ApiForbiddenResponse,
  ApiOkResponse,
  ApiOperation,
  ApiProperty,
  ApiTags,
  ApiUnauthorizedResponse,
} from '@nestjs/swagger';
import { FOREIGN_HOST, NO_STORE, NO_TOKEN } from './monitoring.controller.js';
import { PROXY_VIEW, type ListenerSnapshot, type ProxyView } from './proxy-view.js';

/** Where clients connect to. */
export class ListenerStatus {
  @ApiProperty({ type: 'string', enum: ['http', 'socks5', 'mixed', 'tunnel'] })
  readonly mode!: ListenerSnapshot['mode'];

  @ApiProperty({
    description: 'The address that it is bound to; 0.0.0.0 and :: are all of them.',
    example: '127.0.0.1',
  })
  readonly host!: string;

  @ApiProperty({ type: 'integer', minimum: 1, maximum: 65_535, example: 8080 })
  readonly port!: number;

  @ApiProperty({
    type: 'string',
    nullable: true,
    description: 'host:port where a tunnel leads; null for other modes.',
    example: null,
  })
  readonly to!: string | null;

  @ApiProperty({ description: 'Whether clients have to log in.', example: false })
  readonly asks_for_password!: boolean;
}

/** What /listeners shows. */
export class ListenerList {
  @ApiProperty({ type: [ListenerStatus], description: 'In the order of the configuration.' })
  readonly listeners!: readonly ListenerStatus[];
}

/** Where the proxy can be used. */
@ApiTags('listeners')
@ApiBearerAuth()
@ApiUnauthorizedResponse(NO_TOKEN)
@ApiForbiddenResponse(FOREIGN_HOST)
@Controller()
export class ListenersController {
  readonly #view: ProxyView;

  constructor(@Inject(PROXY_VIEW) view: ProxyView) {
    this.#view = view;
  }

  @Get('listeners')
  @Header(...NO_STORE)
  @ApiOperation({ operationId: 'getListeners', summary: 'Where the proxy listens for clients, and for what' })
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
}
