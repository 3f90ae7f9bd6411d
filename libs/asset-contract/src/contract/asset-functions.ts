import { canonicalAsset, encodeAsset, readAsset, type Asset } from './asset.js';
import type { Decision, Digest, Rule, StoredValue } from './contract-function.js';
import { ContractError, idFault, notFound, requireId, requireValue } from './rules.js';

/** What InitLedger writes: the six assets of fabric-samples' asset-transfer-basic. */
export const INITIAL_ASSETS: readonly Asset[] = [
  { ID: 'asset1', appraisedValue: '300', color: 'blue', owner: 'Tomoko', size: '5' },
  { ID: 'asset2', appraisedValue: '400', color: 'red', owner: 'Brad', size: '5' },
  { ID: 'asset3', appraisedValue: '500', color: 'green', owner: 'Jin Soo', size: '10' },
  { ID: 'asset4', appraisedValue: '600', color: 'yellow', owner: 'Max', size: '10' },
  { ID: 'asset5', appraisedValue: '700', color: 'black', owner: 'Adriana', size: '15' },
  { ID: 'asset6', appraisedValue: '800', color: 'white', owner: 'Michel', size: '15' },
];

const encoder = new TextEncoder();
const NOTHING = new Uint8Array();
const TRUE = encoder.encode('true');
const FALSE = encoder.encode('false');

/** The arguments of CreateAsset and UpdateAsset. */
type AssetArguments = readonly [id: string, color: string, size: string, owner: string, appraisedValue: string];

/** Writes those of the six initial assets that are absent; gives their ids as a JSON array. */
export const initLedger: Rule<readonly []> = {
  reads: () => INITIAL_ASSETS.map(({ ID }) => ID),
  decide(_, stored) {
    const missing = INITIAL_ASSETS.filter((asset, index) => stored[index] === undefined);
    return {
      writes: missing.map((asset) => ({ key: asset.ID, value: encodeAsset(asset) })),
      payload: encoder.encode(JSON.stringify(missing.map(({ ID }) => ID))),
    };
  },
};

/** Writes a new asset and gives it. */
export const createAsset: Rule<AssetArguments> = {
  reads(fields) {
    requireId(fields[0]);
    requireValues(fields);
    return [fields[0]];
  },
  decide(fields, [stored]) {
    if (stored !== undefined) throw new ContractError('ASSET_EXISTS', `the asset ${fields[0]} already exists`);
    return writing(assetOf(fields));
  },
};

/** Gives an asset. */
export const readStoredAsset: Rule<readonly [id: string]> = {
  reads: ([id]) => requirePossible(id),
  decide([id], [stored]) {
    const asset = canonicalAsset(requireStored(id, stored));
    if (asset === undefined) throw notAnAsset(id);
    return giving(asset);
  },
};

/** Replaces every field of an asset that is there, and gives it. */
export const updateAsset: Rule<AssetArguments> = {
  reads(fields) {
    requireValues(fields);
    return requirePossible(fields[0]);
  },
  decide(fields, [stored]) {
    requireStored(fields[0], stored);
    return writing(assetOf(fields));
  },
};

/** Gives an asset to a new owner, and gives it as it is then. */
export const transferAsset: Rule<readonly [id: string, newOwner: string]> = {
  reads([id, newOwner]) {
    requireValue('newOwner', newOwner);
    return requirePossible(id);
  },
  decide([id, newOwner], [stored]) {
    const asset = readAsset(requireStored(id, stored));
    if (asset === undefined) throw notAnAsset(id);
    return writing({ ...asset, owner: newOwner }, id);
  },
};

/** The same as {@link updateAsset}, if the asset is still one of those that the caller names by their digests. */
export const updateAssetIfMatch: Rule<readonly [...AssetArguments, digests: string]> = {
  reads: ([id, color, size, owner, appraisedValue]) => updateAsset.reads([id, color, size, owner, appraisedValue]),
  decide([id, color, size, owner, appraisedValue, digests], stored, digest) {
    requireUnchanged(id, stored[0], digests, digest);
    return updateAsset.decide([id, color, size, owner, appraisedValue], stored, digest);
  },
};

/** The same as {@link transferAsset}, if the asset is still one of those that the caller names by their digests. */
export const transferAssetIfMatch: Rule<readonly [id: string, newOwner: string, digests: string]> = {
  reads: ([id, newOwner]) => transferAsset.reads([id, newOwner]),
  decide([id, newOwner, digests], stored, digest) {
    requireUnchanged(id, stored[0], digests, digest);
    return transferAsset.decide([id, newOwner], stored, digest);
  },
};

/** Removes an asset; its history stays. */
export const deleteAsset: Rule<readonly [id: string]> = {
  reads: ([id]) => requirePossible(id),
  decide([id], [stored]) {
    requireStored(id, stored);
    return { writes: [{ key: id, value: undefined }], payload: NOTHING };
  },
};

/** Gives `true` or `false`. */
export const assetExists: Rule<readonly [id: string]> = {
  reads: ([id]) => (idFault(id) === undefined ? [id] : []),
  decide: (_, [stored]) => giving(stored === undefined ? FALSE : TRUE),
};

function assetOf([ID, color, size, owner, appraisedValue]: AssetArguments): Asset {
  return { ID, appraisedValue, color, owner, size };
}

/** Writes a record and gives it; what is stored under a key need not name it. */
function writing(asset: Asset, key = asset.ID): Decision {
  const record = encodeAsset(asset);
  return { writes: [{ key, value: record }], payload: record };
}

function giving(payload: Uint8Array): Decision {
  return { writes: [], payload };
}

function requireValues([, color, size, owner, appraisedValue]: AssetArguments): void {
  requireValue('color', color);
  requireValue('size', size);
  requireValue('owner', owner);
  requireValue('appraisedValue', appraisedValue);
}

/** The one key of a call on an asset that must be there. */
function requirePossible(id: string): readonly string[] {
  if (idFault(id) !== undefined) throw notFound(id);
  return [id];
}

function requireStored(id: string, stored: StoredValue): Uint8Array {
  if (stored === undefined) throw notFound(id);
  return stored;
}

/**
 * Refuses when what is stored is none of what the caller has read.
 * @param digests - of assets in the stored form, with commas between them; none is matched by nothing
 */
function requireUnchanged(id: string, stored: StoredValue, digests: string, digest: Digest): void {
  const asset = canonicalAsset(requireStored(id, stored));
  if (asset === undefined) throw notAnAsset(id);
  if (digests.split(',').includes(digest(asset))) return;
  throw new ContractError('ASSET_CHANGED', `the asset ${id} has changed since it was read`);
}

function notAnAsset(id: string): ContractError {
  return new ContractError('NOT_AN_ASSET', `what is stored as ${id} is not an asset`);
}
