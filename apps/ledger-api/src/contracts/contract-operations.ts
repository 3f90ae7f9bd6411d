import { ApiParam } from '@nestjs/swagger';
import { LedgerError } from '#ledger-gateway';
import type { OperationPart } from '../http/operation.decorator.js';

/** An operation with the name of a chaincode in its path. */
export const CHAINCODE: OperationPart = {
  parameters: [
    ApiParam({
      name: 'chaincode',
      description: 'The name of a chaincode of the channel.',
      schema: { type: 'string', minLength: 1, example: 'basic' },
    }),
  ],
  errors: ['LEDGER.CHAINCODE_UNKNOWN', 'API.NOT_LISTED', 'API.PATH_TOO_LONG'],
};
/** The error of an operation that needs the metadata of a chaincode. */
export const NO_METADATA = new LedgerError('LEDGER.NOT_SUPPORTED', 'the chaincode cars publishes no metadata');
