import type { FastifyRequest } from 'fastify';
import { NotFoundError } from './api.errors.js';

/** The error for a path that is no route: the path as it was sent, without the query, cut to what suits a message. */
export function nothingAt({ method, url }: FastifyRequest): NotFoundError {
  return new NotFoundError(`There is nothing at ${method} ${url.split('?', 1).join('').slice(0, 256)}.`);
}
