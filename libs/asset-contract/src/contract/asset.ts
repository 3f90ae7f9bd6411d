import { ContractError } from './contract-error.js';

/** An asset as the ledger holds it: all values are text. */
export interface Asset {
  readonly ID: string;
  readonly appraisedValue: string;
  readonly color: string;
  readonly owner: string;
  readonly size: string;
}

const encoder = new TextEncoder();
const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** The stored form: JSON with the five keys in this order, no spaces, as UTF-8. Same asset, same bytes, on every peer. */
export function encodeAsset(asset: Asset): Uint8Array {
  return encodeFields(asset.ID, asset.appraisedValue, asset.color, asset.owner, asset.size);
}

function encodeFields(ID: string, appraisedValue: string, color: string, owner: string, size: string): Uint8Array {
  return encoder.encode(JSON.stringify({ ID, appraisedValue, color, owner, size }));
}

/**
 * Reads an asset in this contract's form or in that of fabric-samples' asset-transfer-basic, which stores numbers and
 * writes keys with a capital (`Color`, `AppraisedValue`). Numbers become their text; a field that is missing or null
 * (what the samples make of Infinity) becomes the empty text.
 * @throws {@link ContractError} NOT_AN_ASSET when the bytes are no JSON object with an ID and scalar fields
 */
export function toAsset(bytes: Uint8Array): Asset {
  const asset = readAsset(bytes);
  if (asset === undefined) throw new ContractError('NOT_AN_ASSET', 'the stored record is not an asset');
  return asset;
}

/** The same as {@link toAsset}, giving undefined for a record that is no asset. */
export function readAsset(bytes: Uint8Array): Asset | undefined {
  const record = parseObject(bytes);
  if (record?.['ID'] === undefined) return undefined;
  const ID = fieldText(record, 'ID', 'ID');
  const appraisedValue = fieldText(record, 'appraisedValue', 'AppraisedValue');
  const color = fieldText(record, 'color', 'Color');
  const owner = fieldText(record, 'owner', 'Owner');
  const size = fieldText(record, 'size', 'Size');
  const fields = { ID, appraisedValue, color, owner, size };
  return Object.values(fields).includes(undefined) ? undefined : (fields as Asset);
}

function parseObject(bytes: Uint8Array): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(decoder.decode(bytes));
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : undefined;
  } catch {
    return undefined;
  }
}

/** Undefined for what no contract of assets writes into a field: an object or an array. */
function fieldText(record: Record<string, unknown>, name: string, capitalised: string): string | undefined {
  const value = record[name] ?? record[capitalised] ?? '';
  if (typeof value === 'string') return value;
  return typeof value === 'object' ? undefined : JSON.stringify(value);
}
