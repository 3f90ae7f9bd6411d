import { Controller, Get, NotFoundException, Param, Req, Res } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { BuiltPage } from '#page-files';

/** Where the build puts the dashboard: beside the code of this program. */
const BUILT = new URL('../../pages/', import.meta.url);
const NOT_BUILT = 'The dashboard is not built: npm run build makes it. /docs lists the pages that there are.\n';

/** The page for people, and the files that it loads. They tell nothing; all that the page shows it asks for. */
@ApiExcludeController()
@Controller()
export class DashboardController {
  readonly #page = new BuiltPage(BUILT);

  @Get()
  async page(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    if (await this.#page.send('/', request, reply)) return;
    await reply
      .status(404)
      .headers({ 'Cache-Control': 'no-store', 'X-Content-Type-Options': 'nosniff' })
      .send(NOT_BUILT);
  }

  @Get('pages/:name')
  async file(@Param('name') name: string, @Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    if (!(await this.#page.send(`/pages/${name}`, request, reply))) throw new NotFoundException();
  }
}
