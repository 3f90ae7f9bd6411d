import { All, Controller, Get, NotFoundException, Param, Req, Res } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { BuiltPage } from '#page-files';
import { Open, sendText } from './access.guard.js';

/** The folder of the built dashboard, relative to the code. */
const BUILT = new URL('../../pages/', import.meta.url);
const NOT_BUILT = 'The dashboard is not built. Build it: npm run build. /docs lists the other pages.';

/** The dashboard with its files, which contain no data, and the fallback for unknown paths. */
@ApiExcludeController()
@Controller()
export class DashboardController {
  readonly #page = new BuiltPage(BUILT);

  @Get()
  @Open()
  async page(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    if (!(await this.#page.send('/', request, reply))) sendText(reply, 404, NOT_BUILT);
  }

  @Get('pages/:name')
  @Open()
  async file(@Param('name') name: string, @Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    if (!(await this.#page.send(`/pages/${name}`, request, reply))) throw new NotFoundException();
  }

  @All('*')
  fallback(): never {
    throw new NotFoundException();
  }
}
