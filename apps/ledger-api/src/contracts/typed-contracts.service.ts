import { Injectable } from '@nestjs/common';
import { includesRole, roleOn, type Role } from '#ledger-callers';
import type { LedgerChannel } from '#ledger-gateway';
import { isObject } from '#records-contract';
import type { Caller } from '../access/access.decorators.js';
import { ListedFunctions, roleNeeded } from '../access/access.plugin.js';
import { ApiError } from '../http/errors.js';
import { parseContractMetadata, type PublishedFunction, type PublishedParameter } from './contract-metadata.js';
import type { CallKind, ContractCall, ContractDescription, FunctionParameter } from './contract.dto.js';
import { ContractsService, noMetadata } from './contracts.service.js';
import { bodySchemaOf, TypedContract } from './typed-contract.js';

/** Most characters of metadata that are read: the result of a call may be much larger. */
const MAX_METADATA = 1024 * 1024;
/** Chaincodes whose metadata are cached. */
const CACHE_SIZE = 50;

type FunctionName = Pick<PublishedFunction, 'name' | 'contract'>;

/** A call of a function with checked arguments. */
export interface TypedCall {
  readonly kind: CallKind;
  readonly call: ContractCall;
}

/** Reads the metadata of chaincodes, and the calls of the functions that they describe. */
@Injectable()
export class TypedContracts {
  /** By channel and chaincode, with the text from which each was read. */
  readonly #cache = new Map<string, { readonly text: string; readonly contract: TypedContract }>();

  constructor(
    private readonly contracts: ContractsService,
    private readonly listed: ListedFunctions,
  ) {}

  /**
   * Returns a chaincode as its present metadata describe it. They are read each time, because a chaincode may be replaced at any
   * time and a function that was only evaluated may write now; only what was made of them is cached.
   * @throws `LEDGER.NOT_SUPPORTED` if it publishes none
   */
  async read(ledger: LedgerChannel, chaincode: string, caller: string | undefined): Promise<TypedContract> {
    const text = await this.contracts.metadataText(ledger, chaincode, caller);
    const key = JSON.stringify([ledger.channel, chaincode]);
    const known = this.#cache.get(key);
    if (known?.text === text) return known.contract;
    if (text.length > MAX_METADATA) throw noMetadata(chaincode, ` of at most ${MAX_METADATA} characters`);
    const metadata = parseContractMetadata(text);
    if (metadata === undefined) throw noMetadata(chaincode);
    const contract = new TypedContract(metadata);
    // The oldest entry is the first one.
    this.#cache.delete(key);
    if (this.#cache.size >= CACHE_SIZE) this.#cache.delete(this.#cache.keys().next().value ?? '');
    this.#cache.set(key, { text, contract });
    return contract;
  }

  /** @throws `LEDGER.NOT_SUPPORTED` if the chaincode publishes no metadata */
  async describe(ledger: LedgerChannel, chaincode: string, caller: Caller | undefined): Promise<ContractDescription> {
    const contract = await this.read(ledger, chaincode, caller?.name);
    const role = caller === undefined ? 'admin' : roleOn(caller.role, ledger.channel);
    const functions = contract.functions.map((each) => {
      const { name, contract: of, kind, published, parameters } = each;
      return {
        ...{ name, contract: of, ...(kind !== undefined && { kind }) },
        ...(published !== undefined && { parameters: published.map(shownParameter) }),
        ...(parameters !== undefined && { schema: bodySchemaOf(parameters) }),
        allowed: this.#waysAllowed(role, chaincode, each, contract.functions),
      };
    });
    return { chaincode, functions, definitions: Object.fromEntries(contract.schemas.definitions) };
  }

  /**
   * Reads a call: its arguments in their order, and whether it is evaluated or submitted.
   * @param body - the arguments, by names or as an array
   * @param kind - overrides the kind in the metadata
   * @throws `API.ROLE_NEEDED`, `API.NOT_FOUND`, `API.INVALID_REQUEST`
   */
  async call(
    ledger: LedgerChannel,
    chaincode: string,
    { name, body, kind }: Readonly<{ name: string; body: unknown; kind: CallKind | undefined }>,
    caller: Caller | undefined,
  ): Promise<TypedCall> {
    this.contracts.requireAllowed(ledger, chaincode, name, caller);
    const contract = await this.read(ledger, chaincode, caller?.name);
    const called = contract.find(name);
    if (called === undefined) throw unknownFunction(chaincode, name);
    const resolved = kind ?? called.kind ?? 'submit';
    if (resolved === 'submit' && caller !== undefined && !includesRole(roleOn(caller.role, ledger.channel), 'writer')) {
      throw roleNeeded(caller, 'writer', ledger.channel);
    }
    return { kind: resolved, call: { function: name, arguments: contract.argumentsOf(called, body) } };
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
}

/** Shows a parameter with the type of its schema, or the name of the schema to which it refers. */
function shownParameter({ name, schema }: PublishedParameter): FunctionParameter {
  if (!isObject(schema)) return { name };
  const { type, $ref: reference } = schema;
  if (typeof type === 'string') return { name, type };
  return typeof reference === 'string' ? { name, type: reference.slice(reference.lastIndexOf('/') + 1) } : { name };
}

/** Creates the error for a name that is none of a function in the metadata. */
function unknownFunction(chaincode: string, name: string): ApiError {
  const text = `The metadata of the chaincode ${JSON.stringify(chaincode.slice(0, 64))} have no function ${JSON.stringify(name.slice(0, 64))}.`;
  return new ApiError('API.NOT_FOUND', text);
}
