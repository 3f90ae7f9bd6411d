import { Readable } from 'node:stream';
import { Inject, Injectable } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { v4 as uuid } from 'uuid';
import { type Asset, assetDigest, type AssetsPage, assetText, readPage } from '#asset-contract';
import { idFault } from '#contract-kit';
import {
  type AssetChange,
  type AssetFilter,
  type CallOptions,
  type ChainPosition,
  idOfKey,
  isLedgerError,
  type Ledger,
  type LedgerCall,
  type Page,
} from '#ledger-gateway';
import { requireCapability } from '../gateway/capabilities.js';
import { LEDGER } from '../gateway/gateway.module.js';
import { readAtBlock } from '../http/at-block.js';
import { answerCount } from '../http/counts.js';
import { ApiError } from '../http/errors.js';
import type { WriteOptions, Written } from '../http/writes.js';
import type { PageRequest } from '../http/paging.js';
import type { AssetVersion, CreateAssetRequest, TransferAssetRequest } from './asset.dto.js';

/** The current state of an asset. */
export interface ReadAsset {
  /** JSON, as it is stored. */
  readonly text: string;
  /** Identifies this state in ETag and If-Match. */
  readonly digest: string;
}

/** An asset written by a transaction. */
export interface WrittenAsset extends Written {
  readonly asset: Asset;
}

/** The position, size and filters of a page. */
type PageOf<R extends PageRequest<unknown>> = Pick<R, 'limit' | 'cursor' | 'filters'>;

/** A query parameter that selects assets. */
export type AssetFilterName = keyof AssetFilter;

/** Calls the functions of the asset contract. */
@Injectable()
export class AssetsService {
  constructor(@Inject(LEDGER) private readonly ledger: Ledger) {}

  /** @throws `API.NOT_FOUND` for an id that no asset can have; errors of the ledger */
  async read(id: string, caller: string | undefined): Promise<ReadAsset> {
    requireValidAssetId(id);
    const text = assetText(await this.ledger.evaluate({ function: 'ReadAsset', arguments: [id] }, { caller }));
    return { text, digest: assetDigest(text) };
  }

  /** Returns the asset as it was after a block, as JSON. @throws as {@link read}, and for a block beyond the chain */
  async readAt(id: string, block: number, caller: string | undefined): Promise<string> {
    requireValidAssetId(id);
    return readAtBlock(() => this.ledger.lists.assetAt(id, block, { caller }));
  }

  async page(limit: number, bookmark: string, caller: string | undefined): Promise<AssetsPage> {
    const call = { function: 'GetAssetsPage', arguments: [String(limit), bookmark] };
    return readPage(await this.ledger.evaluate(call, { caller }));
  }

  /** Returns a page of the assets that match a filter. */
  async search(
    { limit, cursor: after, filters }: PageOf<PageRequest<string, AssetFilterName>>,
    caller: string | undefined,
  ): Promise<Page<Asset, string>> {
    const { items, ...rest } = await requireCapability(this.ledger, 'assets')({ limit, after, ...filters }, { caller });
    return { ...rest, items: items.map((text) => JSON.parse(text) as Asset) };
  }

  /** Sets the X-Total-Count of a list of assets. */
  async count(filters: AssetFilter, caller: string | undefined, reply: FastifyReply): Promise<void> {
    const list = requireCapability(this.ledger, 'assets');
    await answerCount<string>(reply, this.ledger, {
      filters,
      total: (totals) => totals.assets,
      read: ({ limit, from }) => list({ limit, after: from, ...filters }, { caller }),
    });
  }

  /** Generates a missing id; from the idempotency key if there is one, so that a repeat creates the same asset. */
  create(request: CreateAssetRequest, options: CallOptions): Promise<WrittenAsset> {
    const { idempotencyKey: key, caller } = options;
    const id = request.id ?? (key === undefined ? uuid() : idOfKey(this.ledger.channel, { key, owner: caller }));
    return this.#write({ function: 'CreateAsset', arguments: fields(id, request) }, options);
  }

  /** @throws `API.INVALID_REQUEST` when the asset is missing: an update has no 404 */
  async update(id: string, request: CreateAssetRequest, options: WriteOptions): Promise<WrittenAsset> {
    if (idFault(id) !== undefined) throw noAssetToUpdate();
    try {
      return await this.#write(
        withPreconditions({ function: 'UpdateAsset', arguments: fields(id, request) }, options),
        options,
      );
    } catch (error) {
      throw isLedgerError(error, 'LEDGER.ASSET_NOT_FOUND') ? noAssetToUpdate() : error;
    }
  }

  async transfer(id: string, { newOwner }: TransferAssetRequest, options: WriteOptions): Promise<WrittenAsset> {
    requireValidAssetId(id);
    return this.#write(withPreconditions({ function: 'TransferAsset', arguments: [id, newOwner] }, options), options);
  }

  /** @throws `API.NOT_FOUND` for an id that no asset can have; errors of the ledger */
  async history(
    id: string,
    { limit, cursor: before, filters }: PageOf<PageRequest<ChainPosition, 'since' | 'until'>>,
    caller: string | undefined,
  ): Promise<Page<AssetVersion>> {
    requireValidAssetId(id);
    const { items, ...rest } = await this.ledger.lists.assetHistory(id, { limit, before, ...filters }, { caller });
    return { ...rest, items: items.map(versionOf) };
  }

  async #write(call: LedgerCall, options: CallOptions): Promise<WrittenAsset> {
    try {
      const { result, transactionId, isReplay = false } = await this.ledger.submit(call, options);
      return { asset: JSON.parse(assetText(result)) as Asset, transactionId, isReplay };
    } catch (error) {
      // Other contracts have their own rules: the samples' requires that a size is a number.
      if (isLedgerError(error, 'LEDGER.REFUSED')) {
        throw new ApiError(error.code, `The ledger's contract refused: ${error.message}`, { status: 400 });
      }
      throw error;
    }
  }
}

/** Returns the conditional form of a call for a write with If-Match. */
function withPreconditions(call: LedgerCall, { digests }: WriteOptions): LedgerCall {
  if (digests === undefined) return call;
  return { function: `${call.function}IfMatch`, arguments: [...call.arguments, digests.join(',')] };
}

function versionOf({ isDelete, asset, ...change }: AssetChange): AssetVersion {
  return { ...change, deleted: isDelete, asset: asset === undefined ? null : (JSON.parse(asset) as Asset) };
}

function fields(id: string, { color, size, owner, appraisedValue }: CreateAssetRequest): readonly string[] {
  return [id, color, size, owner, appraisedValue];
}

function requireValidAssetId(id: string): void {
  if (idFault(id) !== undefined)
    throw new ApiError('API.NOT_FOUND', 'There is no asset with this id: no asset can have it.');
}

/** Creates the error for an update of a missing asset, whose status is 400. */
export function noAssetToUpdate(): ApiError {
  return new ApiError('LEDGER.ASSET_NOT_FOUND', 'There is no asset with this id. Create it with POST.', {
    status: 400,
  });
}

/** Writes an answer whose data are JSON already: to parse and write them again would delay other requests. */
export function jsonAnswer(message: string, data: string): string {
  return `${headOf(message)}${data}}`;
}

type NextPage = (bookmark: string) => Promise<AssetsPage>;

/** Length of an empty array, `[]`. */
const EMPTY = 2;
const COMMA = 0x2c;
const TAIL = Buffer.from(']}');

/**
 * Writes a whole list as one answer, page by page at the pace of the client: only one page is in memory, and no snapshot is
 * held. The first page is read before the answer starts, so that an unavailable ledger is a 500. A later failure destroys
 * the stream, which cuts the connection.
 */
export function assetList(message: string, first: AssetsPage, next: NextPage): Readable {
  return Readable.from(chunks(message, first, next), { objectMode: false });
}

async function* chunks(message: string, first: AssetsPage, next: NextPage): AsyncGenerator<Uint8Array> {
  const head = Buffer.from(`${headOf(message)}[`);
  let isFirst = true;
  for (let page = first; ; page = await next(page.bookmark)) {
    if (page.array.length > EMPTY) {
      // The opening bracket of each array becomes the comma between it and the previous one.
      page.array[0] = COMMA;
      yield isFirst ? Buffer.concat([head, page.array.subarray(1, -1)]) : page.array.subarray(0, -1);
      isFirst = false;
    }
    if (page.bookmark === '') break;
  }
  yield isFirst ? Buffer.concat([head, TAIL]) : TAIL;
}

/** Returns an answer up to its data. */
function headOf(message: string): string {
  return `{"success":true,"message":${JSON.stringify(message)},"data":`;
}
