import { Controller, Get, Req, Res } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { PageFiles } from '#page-files';
import { Open } from '../callers/access.decorators.js';
import { NotFoundError } from '../http/api.errors.js';
import { nothingAt } from '../http/request-hooks.js';

/** Where the build puts the explorer: beside the code of this program. */
const BUILT = new URL('../../pages/', import.meta.url);

/** The page for people, and the files that it loads. They tell nothing; all that the page shows it asks the API for. */
@ApiExcludeController()
@Controller()
export class ExplorerController {
  #files: PageFiles | undefined;

  @Open()
  @Get(['/', 'pages/:name'])
  async file(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    this.#files ??= PageFiles.load(BUILT);
    const path = request.url.split('?', 1).join('');
    const answer = this.#files?.answer(path, request.headers);
    if (answer !== undefined) await reply.status(answer.status).headers(answer.headers).send(answer.body);
    else if (this.#files !== undefined || path !== '/') throw nothingAt(request);
    else throw new NotFoundError('The explorer is not built: npm run build makes it. The API is described at /docs.');
  }
}
