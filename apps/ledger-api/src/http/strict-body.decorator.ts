import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { StrictBodyPipe } from './strict-body.pipe.js';

/**
 * The body of a request as an instance of its DTO class, by {@link StrictBodyPipe}. The pipe runs here while Nest gathers
 * the arguments: given to `@Body` it would run behind four promises, though it waits for nothing.
 */
export function StrictBody(type: new () => object): ParameterDecorator {
  const pipe = new StrictBodyPipe(type);
  const read = (_data: unknown, context: ExecutionContext): object =>
    pipe.transform(context.switchToHttp().getRequest<FastifyRequest>().body);
  return createParamDecorator(read)();
}
