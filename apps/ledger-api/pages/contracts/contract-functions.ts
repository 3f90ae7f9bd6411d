import type { components } from '../../../../docs/openapi/ledger-api.js';
import { jsonOf, pointerTo, type FormValue } from '../records/document-form.ts';
import type { FormField } from '../records/schema-form.ts';

export type ContractFunction = components['schemas']['ContractFunction'];
type FunctionName = Pick<ContractFunction, 'name' | 'contract'>;
export type ContractResult = components['schemas']['ContractResult'];

/** A way to call a function. */
export type Way = ContractFunction['allowed'][number];

/**
 * Returns the ways in which a caller may call a function, the usual one first. Readers may evaluate at most; the API decides which
 * functions a caller may call.
 * @param isQuery - whether the function only reads, so that a transaction would be useless
 * @param allowed - undefined if they are not known
 */
export function waysFor(role: string | undefined, isQuery: boolean, allowed?: readonly Way[]): readonly Way[] {
  const usual: readonly Way[] = isQuery ? ['evaluate', 'submit'] : ['submit', 'evaluate'];
  const possible: readonly Way[] = role === 'reader' ? ['evaluate'] : usual;
  return possible.filter((way) => allowed?.includes(way) ?? true);
}

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

/**
 * Returns the JSON text of the arguments in a form. Every parameter needs an argument, so an empty text field is an empty text;
 * other empty fields are omitted, which the API refuses by their names.
 * @param faults - receives the error of each field that is not valid
 */
export function argumentsText(form: FormField, value: FormValue, faults: Map<string, string>): string {
  if (form.kind !== 'object' || typeof value === 'string') return '{}';
  const given = form.members.flatMap(({ name, field }, index) => {
    const empty = field.kind === 'text' || field.kind === 'long-text' ? '""' : undefined;
    const text = jsonOf(field, value[index] ?? '', faults, pointerTo('', name)) ?? empty;
    return text === undefined ? [] : [`${JSON.stringify(name)}:${text}`];
  });
  return `{${given.join(',')}}`;
}
