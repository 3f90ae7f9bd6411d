import { canonicalAsset } from './asset-bytes.js';
import { idFault, requireId, requireValue } from './asset-rules.js';
import { encodeAsset, readAsset } from './asset.js';
import { ContractError } from './contract-error.js';
import { INITIAL_ASSETS } from './initial-assets.js';
import type { WorldState } from './world-state.js';

const encoder = new TextEncoder();
const NOTHING = new Uint8Array();
const TRUE = encoder.encode('true');
const FALSE = encoder.encode('false');

/** The arguments of CreateAsset and UpdateAsset. */
type AssetArguments = readonly [id: string, color: string, size: string, owner: string, appraisedValue: string];

/** Writes those of the six initial assets that are absent; gives their ids as a JSON array. */
export async function initLedger(state: WorldState): Promise<Uint8Array> {
  const created: string[] = [];
  for (const asset of INITIAL_ASSETS) {
    if ((await state.getState(asset.ID)) !== undefined) continue;
    await state.putState(asset.ID, encodeAsset(asset));
    created.push(asset.ID);
  }
  return encoder.encode(JSON.stringify(created));
}

/** Writes a new asset and gives it. */
export async function createAsset(state: WorldState, fields: AssetArguments): Promise<Uint8Array> {
  const [id] = fields;
  requireId(id);
  requireValues(fields);
  if ((await state.getState(id)) !== undefined) {
    throw new ContractError('ASSET_EXISTS', `the asset ${id} already exists`);
  }
  return putFields(state, fields);
}

/** Gives an asset. */
export async function readStoredAsset(state: WorldState, [id]: readonly [string]): Promise<Uint8Array> {
  const asset = canonicalAsset(await requireStored(state, id));
  if (asset === undefined) throw notAnAsset(id);
  return asset;
}

/** Replaces every field of an asset that is there, and gives it. */
export async function updateAsset(state: WorldState, fields: AssetArguments): Promise<Uint8Array> {
  requireValues(fields);
  await requireStored(state, fields[0]);
  return putFields(state, fields);
}

/** Gives an asset to a new owner, and gives it as it is then. */
export async function transferAsset(state: WorldState, [id, newOwner]: readonly [string, string]): Promise<Uint8Array> {
  requireValue('newOwner', newOwner);
  const asset = readAsset(await requireStored(state, id));
  if (asset === undefined) throw notAnAsset(id);
  const bytes = encodeAsset({ ...asset, owner: newOwner });
  await state.putState(id, bytes);
  return bytes;
}

/** Removes an asset; its history stays. */
export async function deleteAsset(state: WorldState, [id]: readonly [string]): Promise<Uint8Array> {
  await requireStored(state, id);
  await state.deleteState(id);
  return NOTHING;
}

/** Gives `true` or `false`. */
export async function assetExists(state: WorldState, [id]: readonly [string]): Promise<Uint8Array> {
  if (idFault(id) !== undefined) return FALSE;
  return (await state.getState(id)) === undefined ? FALSE : TRUE;
}

/** The refusal for an id that names no asset. */
export function notFound(id: string): ContractError {
  // An id that breaks the rules may be of any length and hold anything: it is not repeated.
  const name = idFault(id) === undefined ? `asset ${id}` : 'asset of that id';
  return new ContractError('ASSET_NOT_FOUND', `the ${name} does not exist`);
}

function notAnAsset(id: string): ContractError {
  return new ContractError('NOT_AN_ASSET', `what is stored as ${id} is not an asset`);
}

async function requireStored(state: WorldState, id: string): Promise<Uint8Array> {
  const stored = idFault(id) === undefined ? await state.getState(id) : undefined;
  if (stored === undefined) throw notFound(id);
  return stored;
}

function requireValues([, color, size, owner, appraisedValue]: AssetArguments): void {
  requireValue('color', color);
  requireValue('size', size);
  requireValue('owner', owner);
  requireValue('appraisedValue', appraisedValue);
}

async function putFields(state: WorldState, fields: AssetArguments): Promise<Uint8Array> {
  const [ID, color, size, owner, appraisedValue] = fields;
  const bytes = encodeAsset({ ID, appraisedValue, color, owner, size });
  await state.putState(ID, bytes);
  return bytes;
}
