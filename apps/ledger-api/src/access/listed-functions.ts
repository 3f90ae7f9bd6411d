import { Inject, Injectable } from '@nestjs/common';
import { callersConfig } from '../config/config.module.js';
import type { CallersConfig } from '../config/config.js';

/** The functions of chaincode that LEDGER_CONTRACTS lists, each by its exact name. */
@Injectable()
export class ListedFunctions {
  readonly #functions: ReadonlySet<string>;
  readonly #chaincodes: ReadonlySet<string>;

  constructor(@Inject(callersConfig.KEY) { listedFunctions }: Pick<CallersConfig, 'listedFunctions'>) {
    this.#functions = new Set(listedFunctions);
    // A name of a chaincode holds no colon; one of a function may.
    this.#chaincodes = new Set(listedFunctions.map((entry) => entry.slice(0, entry.indexOf(':'))));
  }

  has(chaincode: string, name: string): boolean {
    return this.#functions.has(`${chaincode}:${name}`) && this.#chaincodes.has(chaincode);
  }

  hasAny(chaincode: string): boolean {
    return this.#chaincodes.has(chaincode);
  }
}
