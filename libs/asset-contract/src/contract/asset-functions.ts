import { after } from './after.js';
import { canonicalAsset } from './asset-bytes.js';
import { idFault, requireId, requireValue } from './asset-rules.js';
import { encodeAsset, readAsset } from './asset.js';
import { ContractError } from './contract-error.js';
import { INITIAL_ASSETS } from './initial-assets.js';
import type { MaybePromise, WorldState } from './world-state.js';

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
export function createAsset(state: WorldState, fields: AssetArguments): MaybePromise<Uint8Array> {
  const [id] = fields;
  requireId(id);
  requireValues(fields);
  return after(state.getState(id), (stored) => {
    if (stored !== undefined) throw new ContractError('ASSET_EXISTS', `the asset ${id} already exists`);
    return putFields(state, fields);
  });
}

/** Gives an asset. */
export function readStoredAsset(state: WorldState, [id]: readonly [string]): MaybePromise<Uint8Array> {
  return after(requireStored(state, id), (stored) => {
    const asset = canonicalAsset(stored);
    if (asset === undefined) throw notAnAsset(id);
    return asset;
  });
}

/** Replaces every field of an asset that is there, and gives it. */
export function updateAsset(state: WorldState, fields: AssetArguments): MaybePromise<Uint8Array> {
  requireValues(fields);
  return after(requireStored(state, fields[0]), () => putFields(state, fields));
}

/** Gives an asset to a new owner, and gives it as it is then. */
export function transferAsset(state: WorldState, [id, newOwner]: readonly [string, string]): MaybePromise<Uint8Array> {
  requireValue('newOwner', newOwner);
  return after(requireStored(state, id), (stored) => {
    const asset = readAsset(stored);
    if (asset === undefined) throw notAnAsset(id);
    return put(state, id, encodeAsset({ ...asset, owner: newOwner }));
  });
}

/** Removes an asset; its history stays. */
export function deleteAsset(state: WorldState, [id]: readonly [string]): MaybePromise<Uint8Array> {
  return after(requireStored(state, id), () => after(state.deleteState(id), () => NOTHING));
}

/** Gives `true` or `false`. */
export function assetExists(state: WorldState, [id]: readonly [string]): MaybePromise<Uint8Array> {
  if (idFault(id) !== undefined) return FALSE;
  return after(state.getState(id), (stored) => (stored === undefined ? FALSE : TRUE));
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

function requireStored(state: WorldState, id: string): MaybePromise<Uint8Array> {
  if (idFault(id) !== undefined) throw notFound(id);
  return after(state.getState(id), (stored) => {
    if (stored === undefined) throw notFound(id);
    return stored;
  });
}

function requireValues([, color, size, owner, appraisedValue]: AssetArguments): void {
  requireValue('color', color);
  requireValue('size', size);
  requireValue('owner', owner);
  requireValue('appraisedValue', appraisedValue);
}

function putFields(state: WorldState, fields: AssetArguments): MaybePromise<Uint8Array> {
  const [ID, color, size, owner, appraisedValue] = fields;
  return put(state, ID, encodeAsset({ ID, appraisedValue, color, owner, size }));
}

/** Writes a record and gives it. */
function put(state: WorldState, id: string, record: Uint8Array): MaybePromise<Uint8Array> {
  return after(state.putState(id, record), () => record);
}
