import { Controller, Get, NotFoundException, Req, Res } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { PageFiles } from '#page-files';

/** Where the build puts the dashboard: beside the code of this program. */
const BUILT = new URL('../../pages/', import.meta.url);
const NOT_BUILT = 'The dashboard is not built: npm run build makes it. /docs lists the pages that there are.\n';

/** The page for people, and the files that it loads. They tell nothing; all that the page shows it asks for. */
@ApiExcludeController()
@Controller()
export class DashboardController {
  #files: PageFiles | undefined;

  @Get(['/', 'pages/:name'])
  async file(@Req() { url, headers }: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    this.#files ??= PageFiles.load(BUILT);
    const path = url.split('?', 1).join('');
    const answer = this.#files?.answer(path, headers);
    if (answer !== undefined) {
      await reply.status(answer.status).headers(answer.headers).send(answer.body);
    } else if (this.#files === undefined && path === '/') {
      await reply
        .status(404)
        .headers({ 'Cache-Control': 'no-store', 'X-Content-Type-Options': 'nosniff' })
        .send(NOT_BUILT);
    } else throw new NotFoundException();
  }
}
