import type { components } from '../../../../docs/openapi/ledger-api.js';

export type ContractFunction = components['schemas']['ContractFunction'];
type FunctionName = Pick<ContractFunction, 'name' | 'contract'>;
export type ContractResult = components['schemas']['ContractResult'];

/** Returns a function as in code, `ReadAsset(id: string)`; with an ellipsis if its parameters are unknown. */
export function signatureOf({ name, parameters }: Pick<ContractFunction, 'name' | 'parameters'>): string {
  const shown = parameters?.map(({ name: parameter, type }) =>
    type === undefined ? parameter : `${parameter}: ${type}`,
  );
  return `${name}(${shown?.join(', ') ?? '…'})`;
}

/** Returns the name by which a function is called: with that of its contract if the chaincode has several contracts. */
export function callNameOf({ name, contract }: FunctionName, functions: readonly FunctionName[]): string {
  return functions.every((other) => other.contract === contract) ? name : `${contract}:${name}`;
}

/** Returns a result in one line: bytes that are no text are base64. */
export function shownLine({ payload, encoding }: ContractResult): string {
  return encoding === 'base64' ? `base64(${payload})` : payload;
}

/** Returns a result as it is shown: JSON is indented, and bytes that are no text are base64. */
export function shownPayload({ payload, encoding }: ContractResult): string {
  if (encoding === 'base64' || !/^\s*[[{]/.test(payload)) return shownLine({ payload, encoding });
  try {
    // Parsing would change numbers with many digits, so text that would differ is shown as it is.
    const value: unknown = JSON.parse(payload);
    return JSON.stringify(value) === payload.trim() ? JSON.stringify(value, null, 2) : payload;
  } catch {
    return payload;
  }
}
