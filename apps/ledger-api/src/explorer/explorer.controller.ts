import { Controller, Get, Param, Req, Res } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { BuiltPage } from '#page-files';
import { Open } from '../access/access.decorators.js';
import { ApiError } from '../http/errors.js';
import { nothingAt } from '../http/request-hooks.js';

/** The folder of the built explorer, next to the code of this program. */
const BUILT = new URL('../../pages/', import.meta.url);

/** Serves the explorer and its files. They contain no data: the page reads everything from the API. */
@ApiExcludeController()
@Controller()
export class ExplorerController {
  readonly #page = new BuiltPage(BUILT);

  @Get()
  @Open()
  async page(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    if (!(await this.#page.send('/', request, reply))) {
      throw new ApiError(
        'API.NOT_FOUND',
        'The explorer is not built. Run npm run build. The API is documented at /docs.',
      );
    }
  }

  @Get('pages/:name')
  @Open()
  async file(@Param('name') name: string, @Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    if (!(await this.#page.send(`/pages/${name}`, request, reply))) throw nothingAt(request);
  }
}
