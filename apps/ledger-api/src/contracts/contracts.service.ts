import { Inject, Injectable } from '@nestjs/common';
import { METADATA_FUNCTION } from '#contract-kit';
import { includesRole, roleOn, type Role } from '#ledger-callers';
import type { LedgerConfig } from '#ledger-config';
import {
  type CallOptions,
  isLedgerError,
  isRefusal,
  type LedgerCall,
  type LedgerChannel,
  LedgerError,
} from '#ledger-gateway';
import { RECORDS_NAME } from '#records-contract';
import type { Caller } from '../access/access.decorators.js';
import { ListedFunctions, roleNeeded } from '../access/access.plugin.js';
import { ledgerConfig } from '../config/config.module.js';
import { ApiError } from '../http/errors.js';
import type { Written } from '../http/writes.js';
import { callArgument } from './call-arguments.js';
import { resultOf } from './call-results.js';
import type {
  CallKind,
  ContractCall,
  ContractDescription,
  ContractFunction,
  ContractMetadata,
  ContractName,
  ContractResult,
  ContractTransaction,
  FunctionParameter,
} from './contract.dto.js';

/** The function that returns the metadata of a chaincode on the Python contract API. */
const PYTHON_METADATA_FUNCTION = 'org.hyperledger.fabric:get_metadata';

/** A chaincode's name as Fabric accepts it, or the name of a system chaincode. */
const NAME = /^_?[A-Za-z0-9]+([-_][A-Za-z0-9]+)*$/;
/** The peers' own chaincode, which returns data regardless of any contract's rules. */
const SYSTEM = /^(_|[lceqv]scc$)/;

type FunctionName = Pick<ContractFunction, 'name' | 'contract'>;

/** A recorded call. */
export interface RecordedCall extends Written {
  readonly data: ContractTransaction;
}

/** The status of a refusal that the ledger's own contract, or fabric-shim 2.2 on a peer, reports without one (shim.ERROR). */
const ERROR = 500;
/** Characters of a chaincode's message that an answer repeats. */
const MAX_REFUSAL = 4096;

/** Calls any chaincode without translation. */
@Injectable()
export class ContractsService {
  constructor(
    private readonly listed: ListedFunctions,
    @Inject(ledgerConfig.KEY) private readonly config: LedgerConfig,
  ) {}

  /** Returns the chaincodes that the configuration names, without system chaincodes. A channel may lack some of them. */
  names(): readonly ContractName[] {
    const { chaincode, ...config } = this.config;
    const run = config.driver === 'embedded' ? (config.chaincodes?.sources.map(({ name }) => name) ?? []) : [];
    const own = config.driver === 'embedded' ? [RECORDS_NAME] : [];
    const names = [chaincode, ...own, ...run, ...this.listed.chaincodes].filter((name) => !SYSTEM.test(name));
    return [...new Set(names)].map((chaincode) => ({ chaincode }));
  }

  async evaluate(
    ledger: LedgerChannel,
    chaincode: string,
    request: ContractCall,
    caller: Caller | undefined,
  ): Promise<ContractResult> {
    const call = this.#allowed(ledger, chaincode, request, caller);
    return resultOf(await refusing(chaincode, ledger.evaluate(call, { caller: caller?.name })));
  }

  async submit(
    ledger: LedgerChannel,
    chaincode: string,
    request: ContractCall,
    caller: Caller | undefined,
    options: CallOptions,
  ): Promise<RecordedCall> {
    const call = this.#allowed(ledger, chaincode, request, caller);
    const submitted = await refusing(chaincode, ledger.submit(call, options));
    const { transactionId, blockNumber, result, isReplay = false } = submitted;
    return { transactionId, isReplay, data: { ...resultOf(result), transactionId, blockNumber } };
  }

  /** @throws `LEDGER.NOT_SUPPORTED` if the chaincode publishes no metadata */
  async describe(ledger: LedgerChannel, chaincode: string, caller: Caller | undefined): Promise<ContractDescription> {
    const functions = functionsIn(await this.metadata(ledger, chaincode, caller?.name));
    const role = caller === undefined ? 'admin' : roleOn(caller.role, ledger.channel);
    return {
      chaincode,
      functions: functions.map((each) => ({ ...each, allowed: this.#waysAllowed(role, chaincode, each, functions) })),
    };
  }

  /** Returns the ways in which a role may call a function, by any of its names. */
  #waysAllowed(
    role: Role | undefined,
    chaincode: string,
    { name, contract }: FunctionName,
    all: readonly FunctionName[],
  ): readonly CallKind[] {
    if (role === 'admin') return ['evaluate', 'submit'];
    const isDefault = all.every((other) => other.contract === contract);
    const names = isDefault ? [name, `${contract}:${name}`] : [`${contract}:${name}`];
    if (!names.some((each) => this.listed.has(chaincode, each))) return [];
    return includesRole(role, 'writer') ? ['evaluate', 'submit'] : ['evaluate'];
  }

  /** Returns the metadata as the chaincode publishes it. @throws `LEDGER.NOT_SUPPORTED` if it publishes none */
  async metadata(ledger: LedgerChannel, chaincode: string, caller: string | undefined): Promise<ContractMetadata> {
    const published = await this.#metadata(ledger, chaincode, caller);
    const isRefused = isLedgerError(published);
    const metadata = isRefused ? undefined : parseContractMetadata(Buffer.from(published).toString());
    if (metadata !== undefined) return metadata;
    const reason = isRefused ? `: it refused ${METADATA_FUNCTION}: ${published.message.slice(0, MAX_REFUSAL)}` : '';
    throw new LedgerError('LEDGER.NOT_SUPPORTED', `the chaincode ${chaincode} publishes no metadata${reason}`);
  }

  /**
   * Checks that the channel has a chaincode, as far as the ledger can be reached.
   * @throws `LEDGER.CHAINCODE_UNKNOWN`; `API.NOT_LISTED` for a system chaincode
   */
  async require(ledger: LedgerChannel, chaincode: string, caller: string | undefined): Promise<void> {
    try {
      await this.#metadata(ledger, chaincode, caller);
    } catch (error) {
      if (error instanceof ApiError || isLedgerError(error, 'LEDGER.CHAINCODE_UNKNOWN')) throw error;
    }
  }

  /** Returns the metadata of a chaincode, or its refusal. */
  async #metadata(
    ledger: LedgerChannel,
    chaincode: string,
    caller: string | undefined,
  ): Promise<Uint8Array | LedgerError> {
    if (SYSTEM.test(chaincode) && !this.listed.hasAny(chaincode)) throw notListed(chaincode, METADATA_FUNCTION);
    const evaluate = async (name: string): Promise<Uint8Array | LedgerError> => {
      try {
        return await ledger.evaluate(named(chaincode, { function: name }), { caller });
      } catch (error) {
        if (!isRefusal(error)) throw error;
        return error;
      }
    };
    const published = await evaluate(METADATA_FUNCTION);
    const other = isLedgerError(published) ? await evaluate(PYTHON_METADATA_FUNCTION) : published;
    return isLedgerError(other) ? published : other;
  }

  /** Returns the call if the caller may make it. Without authentication only system chaincodes are refused. */
  #allowed(
    { channel }: LedgerChannel,
    chaincode: string,
    request: ContractCall,
    caller: Caller | undefined,
  ): LedgerCall {
    const isListed = this.listed.has(chaincode, request.function);
    if (!isListed && caller !== undefined && roleOn(caller.role, channel) !== 'admin') {
      throw roleNeeded(caller, 'admin', channel);
    }
    if (!isListed && SYSTEM.test(chaincode)) throw notListed(chaincode, request.function);
    return named(chaincode, request);
  }
}

/** @throws `LEDGER.CHAINCODE_UNKNOWN` for a name that no chaincode can have */
function named(
  chaincode: string,
  { function: name, arguments: args = [], transient, endorsingOrganizations }: ContractCall,
): LedgerCall {
  const values =
    transient && Object.entries(transient).map(([key, text]) => [key, Buffer.from(text, 'base64')] as const);
  const isPrivate = values !== undefined && values.length > 0;
  if (NAME.test(chaincode)) {
    return {
      ...{ chaincode, function: name, arguments: args.map(callArgument), endorsingOrganizations },
      ...(isPrivate && { transient: new Map(values) }),
    };
  }
  throw new LedgerError('LEDGER.CHAINCODE_UNKNOWN', 'The chaincode name is invalid.');
}

async function refusing<T>(chaincode: string, work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    if (!isRefusal(error)) throw error;
    const reason = error.message.slice(0, MAX_REFUSAL);
    const { chaincodeStatus = ERROR } = error;
    throw new ApiError('API.CHAINCODE_REFUSED', `The chaincode ${shown(chaincode)} refused: ${reason}`, {
      body: { chaincodeStatus },
    });
  }
}

function notListed(chaincode: string, name: string): ApiError {
  const text = `${shown(chaincode)} is a system chaincode. ${shown(name)} can be called only if LEDGER_CONTRACTS lists it.`;
  return new ApiError('API.NOT_LISTED', text);
}

function shown(name: string): string {
  return JSON.stringify(name.slice(0, 64));
}

/** The contract that returns the metadata, part of every chaincode on Fabric's contract API. */
const SYSTEM_CONTRACT = 'org.hyperledger.fabric';
/** Tags of functions, in lower case: `evaluate` or `evaluateTx`. */
const KIND_TAG = /^(evaluate|submit)(tx)?$/;

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

/** Returns the functions in metadata in the forms of the Node, Go and Java contract APIs, without the system contract's. */
export function functionsIn({ metadata }: ContractMetadata): readonly Omit<ContractFunction, 'allowed'>[] {
  return Object.entries(member(metadata, 'contracts') as object)
    .filter(([name]) => name !== SYSTEM_CONTRACT)
    .flatMap(([name, contract]) =>
      listOf(member(contract, 'transactions')).flatMap((transaction) => readFunction(name, transaction)),
    );
}

function readFunction(contract: string, transaction: unknown): readonly Omit<ContractFunction, 'allowed'>[] {
  const name = member(transaction, 'name');
  if (typeof name !== 'string') return [];
  const tags = [member(transaction, 'tag'), member(transaction, 'tags')].flatMap(listOf);
  const kind = tags.map((tag) => KIND_TAG.exec(String(tag).toLowerCase())?.[1]).find((found) => found !== undefined);
  const parameters = member(transaction, 'parameters');
  const read = Array.isArray(parameters) && { parameters: parameters.flatMap(readParameter) };
  return [{ name, contract, ...(kind !== undefined && { kind: kind as CallKind }), ...read }];
}

function readParameter(parameter: unknown): readonly FunctionParameter[] {
  const name = member(parameter, 'name');
  if (typeof name !== 'string') return [];
  const type = member(member(parameter, 'schema'), 'type');
  return [{ name, ...(typeof type === 'string' && { type }) }];
}

/** Returns a member of parsed JSON of any shape. */
function member(value: unknown, name: string): unknown {
  return (value as Readonly<Record<string, unknown>> | null | undefined)?.[name];
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}
