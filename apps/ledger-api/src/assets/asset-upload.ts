import { type Asset, encodeBatch, readBatchResult } from '#asset-contract';
import type { BodyLine } from '#bulk-data';
import { type CallOptions, contractRefusal, type Ledger } from '#ledger-gateway';
import { BodyPipe } from '../http/body.pipe.js';
import { parseJson } from '../http/json-body.js';
import { readLine, type Creation, type Effect, type ReadLine, type UploadTarget } from '../uploads/line-upload.js';
import type { LineAnswer } from '../uploads/upload.dto.js';
import { CreateAssetRequest } from './asset.dto.js';
import type { AssetsService } from './assets.service.js';

const PIPE = new BodyPipe();

/** A line with an asset. */
interface AssetLine extends ReadLine {
  readonly asset: Asset;
}

/** The assets of an upload, one on each line. */
export class AssetUpload implements UploadTarget<AssetLine> {
  readonly #ledger: Pick<Ledger, 'submit'>;
  readonly #assets: Pick<AssetsService, 'create'>;

  constructor(ledger: Pick<Ledger, 'submit'>, assets: Pick<AssetsService, 'create'>) {
    this.#ledger = ledger;
    this.#assets = assets;
  }

  read(line: number, bytes: Buffer, newId: () => string): AssetLine {
    const asset = readAssetLine(bytes, newId);
    return { line, id: asset.ID, asset };
  }

  async createTogether(read: readonly AssetLine[], options: CallOptions): Promise<readonly Effect[]> {
    const call = { function: 'CreateAssets', arguments: [encodeBatch(read.map(({ asset }) => asset))] };
    const { result, transactionId, isReplay = false } = await this.#ledger.submit(call, options);
    const effects: Effect[] = read.map(() => ({ transactionId, isReplay }));
    for (const refusal of readBatchResult(result).refused) effects[refusal.index] = contractRefusal(refusal);
    return effects;
  }

  createOne({ asset: { ID: id, ...fields } }: AssetLine, options: CallOptions): Promise<Creation> {
    return this.#assets.create({ id, ...fields }, options);
  }
}

/** Returns the answer to a line that would be refused whatever is stored; undefined for a valid one. */
export function checkAssetLine(line: BodyLine): LineAnswer | undefined {
  const read = readLine(line, (bytes) => readAssetLine(bytes, () => ''));
  return 'accepted' in read ? undefined : read;
}

/**
 * Reads the asset of a line.
 * @param newId - generates the id of an asset without one
 * @throws the refusal of the line
 */
function readAssetLine(bytes: Buffer, newId: () => string): Asset {
  const request = PIPE.read(parseJson(bytes, { what: 'The line' }), CreateAssetRequest, 'The line');
  const { id = newId(), appraisedValue, color, owner, size } = request;
  return { ID: id, appraisedValue, color, owner, size };
}
