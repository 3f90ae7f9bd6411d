import { Catch, NotFoundException, type ArgumentsHost, type ExceptionFilter } from '@nestjs/common';
import type { FastifyReply } from 'fastify';

/** A path without a page gets one line of text, as the refusals in front of the pages do, not Nest's JSON. */
@Catch(NotFoundException)
export class NothingHereFilter implements ExceptionFilter {
  catch(_error: NotFoundException, host: ArgumentsHost): void {
    void host
      .switchToHttp()
      .getResponse<FastifyReply>()
      .code(404)
      .header('cache-control', 'no-store')
      .header('x-content-type-options', 'nosniff')
      .type('text/plain; charset=utf-8')
      .send('There is no such page. /docs lists those that there are.\n');
  }
}
