import { Controller, Get, Param, Req, Res } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { BuiltPage } from '#page-files';
import { Open } from '../access/access.decorators.js';
import { ApiError } from '../http/errors.js';
import { nothingAt } from '../http/request-hooks.js';

/** Where the build puts the explorer: beside the code of this program. */
const BUILT = new URL('../../pages/', import.meta.url);

/** The page for people, and the files that it loads. They tell nothing; all that the page shows it asks the API for. */
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
        'The explorer is not built: npm run build makes it. The API is described at /docs.',
      );
    }
  }

  @Get('pages/:name')
  @Open()
  async file(@Param('name') name: string, @Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    if (!(await this.#page.send(`/pages/${name}`, request, reply))) throw nothingAt(request);
  }
}
