import { All, Controller, Get, NotFoundException, Param, Res } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import type { FastifyReply } from 'fastify';
import { BuiltPage } from '#page-files';
import { Open, sendText } from './access.guard.js';

/** The built dashboard, relative to the code. */
export const DASHBOARD = new BuiltPage(new URL('../../pages/', import.meta.url));
const NOT_BUILT = 'The dashboard is not built. Build it: npm run build. /docs lists the other pages.';

/** The dashboard with its files, which contain no data, and the fallback for unknown paths. */
@ApiExcludeController()
@Controller()
export class DashboardController {
  @Get()
  @Open()
  page(@Res() reply: FastifyReply): void {
    if (!DASHBOARD.sendDocument(reply)) sendText(reply, 404, NOT_BUILT);
  }

  @Get('pages/:name')
  @Open()
  file(@Param('name') name: string, @Res() reply: FastifyReply): void {
    if (!DASHBOARD.sendFile(name, reply)) throw new NotFoundException();
  }

  @All('*')
  fallback(): never {
    throw new NotFoundException();
  }
}
