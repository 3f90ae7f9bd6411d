import { isUtf8 } from 'node:buffer';
import { Inject, Injectable } from '@nestjs/common';
import { assetText, idFault, readPage, type AssetsPage } from '#asset-contract';
import { ContractRefusalError, type Ledger, type LedgerChannel } from '#ledger-gateway';
import type { CreateAssetRequest, TransferAssetRequest } from '../dto/asset.dto.js';
import { LEDGER } from '../gateway/ledger.token.js';
import { InvalidRequestError, NotFoundError } from '../http/api.errors.js';

/** What a write has made of an asset. */
export interface WrittenAsset {
  /** JSON text. */
  readonly asset: string;
  readonly transactionId: string;
}

/** Assets as functions of the ledger's contract. */
@Injectable()
export class AssetsService {
  readonly #channel: LedgerChannel;

  constructor(@Inject(LEDGER) ledger: Ledger) {
    this.#channel = ledger.channel();
  }

  /**
   * Gives an asset as JSON text.
   * @throws {@link NotFoundError} for an id that no asset can have, else what {@link LedgerChannel.evaluate} throws
   */
  async read(id: string): Promise<string> {
    requirePossible(id);
    return assetText(await this.#channel.evaluate({ function: 'ReadAsset', arguments: [id] }));
  }

  async page(limit: number, bookmark: string): Promise<AssetsPage> {
    const call = { function: 'GetAssetsPage', arguments: [String(limit), bookmark] };
    return readPage(await this.#channel.evaluate(call), isUtf8);
  }

  create(id: string, request: CreateAssetRequest): Promise<WrittenAsset> {
    return this.#write('CreateAsset', fields(id, request));
  }

  /** @throws {@link InvalidRequestError} when the asset is missing: an update has no 404 */
  async update(id: string, request: CreateAssetRequest): Promise<WrittenAsset> {
    try {
      requirePossible(id);
      return await this.#write('UpdateAsset', fields(id, request));
    } catch (error) {
      throw isNotFound(error) ? new InvalidRequestError('There is no asset of that id; create it with POST.') : error;
    }
  }

  async transfer(id: string, { newOwner }: TransferAssetRequest): Promise<WrittenAsset> {
    requirePossible(id);
    return this.#write('TransferAsset', [id, newOwner]);
  }

  async #write(name: string, args: readonly string[]): Promise<WrittenAsset> {
    try {
      const { result, transactionId } = await this.#channel.submit({ function: name, arguments: args });
      return { asset: assetText(result), transactionId };
    } catch (error) {
      // A contract with rules of its own, such as the samples' (a size must be a number), refused these values.
      if (error instanceof ContractRefusalError && error.code === 'LEDGER.REFUSED') {
        throw new InvalidRequestError(`The ledger's contract refused: ${error.message}`);
      }
      throw error;
    }
  }
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
