import type { ContractFunction, FunctionParameter } from './contract.dto.js';

/** The contract that returns the metadata, part of every chaincode on Fabric's contract API. */
const SYSTEM_CONTRACT = 'org.hyperledger.fabric';
const KINDS: Readonly<Record<string, 'evaluate' | 'submit'>> = {
  evaluate: 'evaluate',
  evaluatetx: 'evaluate',
  submit: 'submit',
  submittx: 'submit',
};

/**
 * Parses the result of `org.hyperledger.fabric:GetMetadata` in the forms of the Node, Go and Java contract APIs.
 *
 * @returns undefined for anything else
 */
export function readContractMetadata(text: string): readonly ContractFunction[] | undefined {
  const contracts = member(parsed(text), 'contracts');
  if (!isObject(contracts)) return undefined;
  return Object.entries(contracts)
    .filter(([name]) => name !== SYSTEM_CONTRACT)
    .flatMap(([name, contract]) =>
      listOf(member(contract, 'transactions')).flatMap((transaction) => readFunction(name, transaction)),
    );
}

function readFunction(contract: string, transaction: unknown): readonly ContractFunction[] {
  const name = member(transaction, 'name');
  if (typeof name !== 'string') return [];
  const tags = [member(transaction, 'tag'), member(transaction, 'tags')].flatMap(listOf);
  const kind = tags.map((tag) => KINDS[String(tag).toLowerCase()]).find((found) => found !== undefined);
  const parameters = member(transaction, 'parameters');
  return [
    {
      name,
      contract,
      ...(kind && { kind }),
      ...(Array.isArray(parameters) && { parameters: parameters.flatMap(readParameter) }),
    },
  ];
}

function readParameter(parameter: unknown): readonly FunctionParameter[] {
  const name = member(parameter, 'name');
  if (typeof name !== 'string') return [];
  const type = member(member(parameter, 'schema'), 'type');
  return [{ name, ...(typeof type === 'string' && { type }) }];
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

function member(value: unknown, name: string): unknown {
  return isObject(value) && Object.hasOwn(value, name) ? value[name] : undefined;
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null;
}
