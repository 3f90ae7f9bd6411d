import { ApiQuery } from '@nestjs/swagger';
import { isLedgerError } from '#ledger-gateway';
import { ApiError, invalidRequest } from './errors.js';
import type { OperationPart } from './operation.decorator.js';

const invalidBlock = (): ApiError => invalidRequest('The query parameter at must be the number of one block.');
const noSuchBlock = (reason: string): ApiError =>
  new ApiError('LEDGER.INVALID_ARGUMENT', `The query parameter at is refused: ${reason}.`);

/** A read that also returns the state after a block. @param answer - what the parameter selects, for the document */
export function atBlock(answer: string): OperationPart {
  return {
    parameters: [
      ApiQuery({
        name: 'at',
        required: false,
        description: `The number of a block. The answer is ${answer}.`,
        schema: { type: 'integer', minimum: 0 },
      }),
    ],
    errors: [invalidBlock(), noSuchBlock('there is no block 12, and the newest one is 7')],
  };
}

/** @throws `API.INVALID_REQUEST` for anything but one block number */
export function parseBlock(at: unknown): number {
  if (typeof at === 'string' && /^[0-9]{1,15}$/.test(at)) return Number(at);
  throw invalidBlock();
}

/** Reads a state after a block. @throws the refusal of a block beyond the chain as one of the query parameter */
export async function readAtBlock<T>(read: () => Promise<T>): Promise<T> {
  try {
    return await read();
  } catch (error) {
    throw isLedgerError(error, 'LEDGER.INVALID_ARGUMENT') ? noSuchBlock(error.message) : error;
  }
}
