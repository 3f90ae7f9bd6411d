import { isUtf8 } from 'node:buffer';
import { Injectable } from '@nestjs/common';
import { assetText, idFault, readPage, type Asset, type AssetsPage } from '#asset-contract';
import { ContractRefusalError } from '#ledger-gateway';
import { LedgerGateway } from '../gateway/ledger.gateway.js';
import { InvalidRequestError, NotFoundError } from '../http/api.errors.js';
import type { AssetTransaction, CreateAssetRequest, TransferAssetRequest } from './asset.dto.js';

/** Assets as functions of the ledger's contract. */
@Injectable()
export class AssetsService {
  readonly #ledger: LedgerGateway;

  constructor(ledger: LedgerGateway) {
    this.#ledger = ledger;
  }

  /** @throws {@link NotFoundError} for an id that no asset can have, else what the ledger throws */
  async read(id: string): Promise<Asset> {
    requirePossible(id);
    return parsed(await this.#ledger.evaluate('ReadAsset', id));
  }

  async page(limit: number, bookmark: string): Promise<AssetsPage> {
    return readPage(await this.#ledger.evaluate('GetAssetsPage', String(limit), bookmark), isUtf8);
  }

  create(id: string, request: CreateAssetRequest): Promise<AssetTransaction> {
    return this.#write('CreateAsset', fields(id, request));
  }

  /** @throws {@link InvalidRequestError} when the asset is missing: an update has no 404 */
  async update(id: string, request: CreateAssetRequest): Promise<AssetTransaction> {
    try {
      requirePossible(id);
      return await this.#write('UpdateAsset', fields(id, request));
    } catch (error) {
      throw isNotFound(error) ? new InvalidRequestError('There is no asset of that id; create it with POST.') : error;
    }
  }

  async transfer(id: string, { newOwner }: TransferAssetRequest): Promise<AssetTransaction> {
    requirePossible(id);
    return this.#write('TransferAsset', [id, newOwner]);
  }

  async #write(name: string, args: readonly string[]): Promise<AssetTransaction> {
    try {
      const { result, transactionId } = await this.#ledger.submit(name, ...args);
      return { asset: parsed(result), transactionId };
    } catch (error) {
      // A contract with rules of its own, such as the samples' (a size must be a number), refused these values.
      if (error instanceof ContractRefusalError && error.code === 'LEDGER.REFUSED') {
        throw new InvalidRequestError(`The ledger's contract refused: ${error.message}`);
      }
      throw error;
    }
  }
}

/** What the contract gave for an asset. */
function parsed(bytes: Uint8Array): Asset {
  return JSON.parse(assetText(bytes)) as Asset;
}

function fields(id: string, { color, size, owner, appraisedValue }: CreateAssetRequest): readonly string[] {
  return [id, color, size, owner, appraisedValue];
}

function requirePossible(id: string): void {
  if (idFault(id) !== undefined) throw new NotFoundError('There is no asset of that id, and there cannot be one.');
}

function isNotFound(error: unknown): boolean {
  if (error instanceof NotFoundError) return true;
  return error instanceof ContractRefusalError && error.code === 'LEDGER.ASSET_NOT_FOUND';
}
