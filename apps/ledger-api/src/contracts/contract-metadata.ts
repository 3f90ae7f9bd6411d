import { isJsonObject } from '#json';
import type { CallKind, ContractMetadata } from './contract.dto.js';

/** The contract that returns the metadata, part of every chaincode on Fabric's contract API. */
const SYSTEM_CONTRACT = 'org.hyperledger.fabric';
/** Tags of functions, in lower case: `evaluate` or `evaluateTx`. */
const KIND_TAG = /^(evaluate|submit)(tx)?$/;

/** A parameter in metadata, with its schema as the chaincode publishes it. */
export interface PublishedParameter {
  readonly name: string;
  readonly schema: unknown;
}

/** A function in metadata. */
export interface PublishedFunction {
  readonly name: string;
  readonly contract: string;
  /** The intended way to call it, if the metadata specify it. */
  readonly kind?: CallKind;
  /** Absent if the metadata do not specify them. */
  readonly parameters?: readonly PublishedParameter[];
  /** The schema of its result; undefined if the metadata do not specify it. */
  readonly returns: unknown;
}

/**
 * Parses the result of `org.hyperledger.fabric:GetMetadata`.
 *
 * @returns undefined for anything else
 */
export function parseContractMetadata(text: string): ContractMetadata | undefined {
  try {
    const metadata: unknown = JSON.parse(text);
    const contracts = member(metadata, 'contracts');
    return typeof contracts === 'object' && contracts !== null ? { metadata: metadata as object } : undefined;
  } catch {
    return undefined;
  }
}

/** Returns the functions in metadata in the forms of the Node, Go, Java and Python contract APIs, without the system contract's. */
export function functionsIn({ metadata }: ContractMetadata): readonly PublishedFunction[] {
  return contractsIn(metadata).flatMap(([name, contract]) =>
    listOf(member(contract, 'transactions')).flatMap((transaction) => readFunction(name, transaction)),
  );
}

/** Returns the contract whose functions are called without its name: the only one, or the one that is marked. */
export function defaultContractIn({ metadata }: ContractMetadata): string | undefined {
  const contracts = contractsIn(metadata);
  const marked = contracts.filter(
    ([, contract]) =>
      member(contract, 'default') === true || member(member(contract, 'contractInstance'), 'default') === true,
  );
  const [[name] = [], ...others] = contracts.length === 1 ? contracts : marked;
  return others.length === 0 ? name : undefined;
}

/** Returns the schemas in metadata to which others refer, by their names. */
export function componentsIn({ metadata }: ContractMetadata): readonly (readonly [string, unknown])[] {
  const schemas = member(member(metadata, 'components'), 'schemas');
  return isJsonObject(schemas) ? Object.entries(schemas) : [];
}

function contractsIn(metadata: unknown): readonly (readonly [string, unknown])[] {
  return Object.entries(member(metadata, 'contracts') as object).filter(([name]) => name !== SYSTEM_CONTRACT);
}

function readFunction(contract: string, transaction: unknown): readonly PublishedFunction[] {
  const name = member(transaction, 'name');
  if (typeof name !== 'string') return [];
  const tags = [member(transaction, 'tag'), member(transaction, 'tags')].flatMap(listOf);
  const kind = tags.map((tag) => KIND_TAG.exec(String(tag).toLowerCase())?.[1]).find((found) => found !== undefined);
  const parameters = member(transaction, 'parameters');
  const read = Array.isArray(parameters) && { parameters: parameters.flatMap(readParameter) };
  const returns = returnsOf(member(transaction, 'returns'));
  return [{ name, contract, ...(kind !== undefined && { kind: kind as CallKind }), ...read, returns }];
}

/** Returns the schema of a result: Java has it in an object, and earlier editions of Node in a list. */
function returnsOf(returns: unknown): unknown {
  const [first = returns] = listOf(returns);
  return member(first, 'schema') ?? first;
}

function readParameter(parameter: unknown): readonly PublishedParameter[] {
  const name = member(parameter, 'name');
  return typeof name === 'string' ? [{ name, schema: member(parameter, 'schema') }] : [];
}

/** Returns a member of parsed JSON of any shape. */
function member(value: unknown, name: string): unknown {
  return (value as Readonly<Record<string, unknown>> | null | undefined)?.[name];
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}
