import { ApiParam } from '@nestjs/swagger';
import { ApiError, EXAMPLE_TRANSACTION_ID } from '../http/errors.js';

export const NO_TRANSACTION_ID = new ApiError('API.INVALID_REQUEST', 'A transaction id has 64 hexadecimal characters.');
export const NO_TRANSACTION = new ApiError('API.NOT_FOUND', 'There is no transaction of that id.');

/** Documents the path parameter `txid`. */
export const TransactionIdParam = (): MethodDecorator =>
  ApiParam({
    name: 'txid',
    description: 'The transaction: 64 hexadecimal characters, as X-Transaction-Id of every write has them.',
    schema: { type: 'string', pattern: '^[0-9a-fA-F]{64}$' },
    example: EXAMPLE_TRANSACTION_ID,
  });

/**
 * A transaction id of a path, in lower case.
 * @throws `API.INVALID_REQUEST`
 */
export function requireTransactionId(text: string): string {
  if (!/^[0-9a-f]{64}$/i.test(text)) throw new ApiError('API.INVALID_REQUEST', NO_TRANSACTION_ID.message);
  return text.toLowerCase();
}
