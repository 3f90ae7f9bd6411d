import { Inject, Injectable } from '@nestjs/common';
import { METADATA_FUNCTION } from '#contract-kit';
import { roleOn } from '#ledger-callers';
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
  ContractCall,
  ContractMetadata,
  ContractName,
  ContractResult,
  ContractTransaction,
} from './contract.dto.js';
import { parseContractMetadata } from './contract-metadata.js';

/** The function that returns the metadata of a chaincode on the Python contract API. */
const PYTHON_METADATA_FUNCTION = 'org.hyperledger.fabric:get_metadata';

/** A chaincode's name as Fabric accepts it, or the name of a system chaincode. */
const NAME = /^_?[A-Za-z0-9]+([-_][A-Za-z0-9]+)*$/;
/** The peers' own chaincode, which returns data regardless of any contract's rules. */
const SYSTEM = /^(_|[lceqv]scc$)/;

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

  /** Returns the metadata as the chaincode publishes it. @throws `LEDGER.NOT_SUPPORTED` if it publishes none */
  async metadata(ledger: LedgerChannel, chaincode: string, caller: string | undefined): Promise<ContractMetadata> {
    const metadata = parseContractMetadata(await this.metadataText(ledger, chaincode, caller));
    if (metadata === undefined) throw noMetadata(chaincode);
    return metadata;
  }

  /** Returns what a chaincode publishes as its metadata. @throws `LEDGER.NOT_SUPPORTED` if it refuses */
  async metadataText(ledger: LedgerChannel, chaincode: string, caller: string | undefined): Promise<string> {
    const published = await this.#metadata(ledger, chaincode, caller);
    if (!isLedgerError(published)) return Buffer.from(published).toString();
    throw noMetadata(chaincode, `: it refused ${METADATA_FUNCTION}: ${published.message.slice(0, MAX_REFUSAL)}`);
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
  #allowed(ledger: LedgerChannel, chaincode: string, request: ContractCall, caller: Caller | undefined): LedgerCall {
    this.requireAllowed(ledger, chaincode, request.function, caller);
    return named(chaincode, request);
  }

  /** Checks that a caller may call a function. @throws `API.ROLE_NEEDED`; `API.NOT_LISTED` for a system chaincode */
  requireAllowed({ channel }: LedgerChannel, chaincode: string, name: string, caller: Caller | undefined): void {
    if (this.listed.has(chaincode, name)) return;
    if (caller !== undefined && roleOn(caller.role, channel) !== 'admin') throw roleNeeded(caller, 'admin', channel);
    if (SYSTEM.test(chaincode)) throw notListed(chaincode, name);
  }
}

/** Creates the error for a chaincode without metadata. @param reason - continues the sentence */
export function noMetadata(chaincode: string, reason = ''): LedgerError {
  return new LedgerError('LEDGER.NOT_SUPPORTED', `the chaincode ${chaincode} publishes no metadata${reason}`);
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
