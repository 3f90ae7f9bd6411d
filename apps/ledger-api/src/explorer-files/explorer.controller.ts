import { Controller, Get, Module, Param, Req, Res } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { BuiltPage } from '#page-files';
import { Open } from '../access/access.decorators.js';
import { ApiError } from '../http/errors.js';
import { nothingAt } from '../http/request-hooks.js';

/** The built explorer, next to the code of this program. */
export const EXPLORER = new BuiltPage(new URL('../../pages/', import.meta.url));
const NOT_BUILT = 'The explorer is not built. Run npm run build. The API is documented at /docs.';

/** Serves the explorer and its files. They contain no data: the page reads everything from the API. */
@ApiExcludeController()
@Controller()
export class ExplorerController {
  @Get()
  @Open()
  page(@Res() reply: FastifyReply): void {
    if (!EXPLORER.sendDocument(reply)) throw new ApiError('API.NOT_FOUND', NOT_BUILT);
  }

  @Get('pages/:name')
  @Open()
  file(@Param('name') name: string, @Req() request: FastifyRequest, @Res() reply: FastifyReply): void {
    if (!EXPLORER.sendFile(name, reply)) throw nothingAt(request);
  }
}

/** The pages of the explorer. */
@Module({ controllers: [ExplorerController] })
export class ExplorerModule {}
