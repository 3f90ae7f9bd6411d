import { ContractError, idFault } from '#contract-kit';

/** The reasons of a refusal. `NOT_AN_ASSET`: something else wrote the record under that id, and it is not an asset. */
export const ASSET_ERROR_CODES = [
  'ASSET_NOT_FOUND',
  'ASSET_EXISTS',
  'ASSET_CHANGED',
  'INVALID_ARGUMENT',
  'FUNCTION_UNKNOWN',
  'NOT_AN_ASSET',
] as const;

/** Creates the refusal for an id that names no asset. */
export function notFound(id: string): ContractError {
  // An invalid id may have any length and content: it is not repeated.
  const name = idFault(id) === undefined ? `asset ${id}` : 'asset of that id';
  return new ContractError('ASSET_NOT_FOUND', `the ${name} does not exist`);
}

/** Creates the refusal for an id in use. */
export function alreadyExists(id: string): ContractError {
  return new ContractError('ASSET_EXISTS', `the asset ${id} already exists`);
}
