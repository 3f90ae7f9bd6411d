import { Buffer } from 'node:buffer';
import {
  ContractError,
  idFault,
  requireId,
  requireValue,
  type Decision,
  type Rule,
  type StoredValue,
} from '#contract-kit';
import { assetDigest, canonicalAsset, encodeAsset, readAsset, type Asset } from './asset.js';
import { alreadyExists, notFound } from './rules.js';

/** The assets that InitLedger writes: the six assets of fabric-samples' asset-transfer-basic. */
export const INITIAL_ASSETS: readonly Asset[] = [
  { ID: 'asset1', appraisedValue: '300', color: 'blue', owner: 'Tomoko', size: '5' },
  { ID: 'asset2', appraisedValue: '400', color: 'red', owner: 'Brad', size: '5' },
  { ID: 'asset3', appraisedValue: '500', color: 'green', owner: 'Jin Soo', size: '10' },
  { ID: 'asset4', appraisedValue: '600', color: 'yellow', owner: 'Max', size: '10' },
  { ID: 'asset5', appraisedValue: '700', color: 'black', owner: 'Adriana', size: '15' },
  { ID: 'asset6', appraisedValue: '800', color: 'white', owner: 'Michel', size: '15' },
];

/** The arguments of CreateAsset and UpdateAsset. */
type AssetArguments = readonly [id: string, color: string, size: string, owner: string, appraisedValue: string];

/** Writes those of the six initial assets that are absent; returns their ids as a JSON array. */
export const initLedger: Rule<readonly []> = {
  reads: () => INITIAL_ASSETS.map(({ ID }) => ID),
  decide(_, stored) {
    const missing = INITIAL_ASSETS.filter((asset, index) => stored[index] === undefined);
    return {
      writes: missing.map((asset) => ({ key: asset.ID, value: encodeAsset(asset) })),
      payload: Buffer.from(JSON.stringify(missing.map(({ ID }) => ID))),
    };
  },
};

/** Writes a new asset and returns it. */
export const createAsset: Rule<AssetArguments> = {
  reads(fields) {
    requireId(fields[0]);
    requireValues(fields);
    return [fields[0]];
  },
  decide(fields, [stored]) {
    if (stored !== undefined) throw alreadyExists(fields[0]);
    return writing('CreateAsset', assetOf(fields));
  },
};

/** Returns an asset. */
export const readStoredAsset: Rule<readonly [id: string]> = {
  reads: ([id]) => requirePossible(id),
  decide([id], [stored]) {
    const asset = canonicalAsset(requireStored(id, stored));
    if (asset === undefined) throw notAnAsset(id);
    return { writes: [], payload: asset };
  },
};

/** Replaces every field of an existing asset and returns it. */
export const updateAsset: Rule<AssetArguments> = {
  reads(fields) {
    requireValues(fields);
    return requirePossible(fields[0]);
  },
  decide(fields, [stored]) {
    requireStored(fields[0], stored);
    return writing('UpdateAsset', assetOf(fields));
  },
};

/** Changes the owner of an asset and returns the asset. */
export const transferAsset: Rule<readonly [id: string, newOwner: string]> = {
  reads([id, newOwner]) {
    requireValue('newOwner', newOwner);
    return requirePossible(id);
  },
  decide([id, newOwner], [stored]) {
    const asset = readAsset(requireStored(id, stored));
    if (asset === undefined) throw notAnAsset(id);
    return writing('TransferAsset', { ...asset, owner: newOwner }, id);
  },
};

/** Does the same as {@link updateAsset} if the asset is still one of those that the caller names by their digests. */
export const updateAssetIfMatch: Rule<readonly [...AssetArguments, digests: string]> = {
  reads: ([id, color, size, owner, appraisedValue]) => updateAsset.reads([id, color, size, owner, appraisedValue]),
  decide([id, color, size, owner, appraisedValue, digests], stored) {
    requireUnchanged(id, stored[0], digests);
    return updateAsset.decide([id, color, size, owner, appraisedValue], stored);
  },
};

/** Does the same as {@link transferAsset} if the asset is still one of those that the caller names by their digests. */
export const transferAssetIfMatch: Rule<readonly [id: string, newOwner: string, digests: string]> = {
  reads: ([id, newOwner]) => transferAsset.reads([id, newOwner]),
  decide([id, newOwner, digests], stored) {
    requireUnchanged(id, stored[0], digests);
    return transferAsset.decide([id, newOwner], stored);
  },
};

/** Removes an asset; its history stays. */
export const deleteAsset: Rule<readonly [id: string]> = {
  reads: ([id]) => requirePossible(id),
  decide([id], [stored]) {
    const event = { name: 'DeleteAsset', payload: requireStored(id, stored) };
    return { writes: [{ key: id, value: undefined }], payload: new Uint8Array(), event };
  },
};

/** Returns `true` or `false`. */
export const assetExists: Rule<readonly [id: string]> = {
  reads: ([id]) => (idFault(id) === undefined ? [id] : []),
  decide: (_, [stored]) => ({ writes: [], payload: Buffer.from(String(stored !== undefined)) }),
};

function assetOf([ID, color, size, owner, appraisedValue]: AssetArguments): Asset {
  return { ID, appraisedValue, color, owner, size };
}

/**
 * Writes a record, returns it and announces it under a name, as fabric-samples' asset-transfer-events does. A record may be
 * stored under another key than its own ID.
 */
function writing(event: string, asset: Asset, key = asset.ID): Decision {
  const record = encodeAsset(asset);
  return { writes: [{ key, value: record }], payload: record, event: { name: event, payload: record } };
}

function requireValues([, color, size, owner, appraisedValue]: AssetArguments): void {
  for (const [name, value] of Object.entries({ color, size, owner, appraisedValue })) requireValue(name, value);
}

/** Returns the one key of a call on an asset that must exist. */
function requirePossible(id: string): readonly string[] {
  if (idFault(id) !== undefined) throw notFound(id);
  return [id];
}

function requireStored(id: string, stored: StoredValue): Uint8Array {
  if (stored === undefined) throw notFound(id);
  return stored;
}

/**
 * Refuses when the stored asset is none of those that the caller has read.
 * @param digests - of assets in the stored form, separated by commas
 */
function requireUnchanged(id: string, stored: StoredValue, digests: string): void {
  const asset = canonicalAsset(requireStored(id, stored));
  if (asset === undefined) throw notAnAsset(id);
  if (digests.split(',').includes(assetDigest(asset))) return;
  throw new ContractError('ASSET_CHANGED', `the asset ${id} has changed since it was read`);
}

function notAnAsset(id: string): ContractError {
  return new ContractError('NOT_AN_ASSET', `what is stored as ${id} is not an asset`);
}
