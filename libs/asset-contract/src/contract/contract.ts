import { defineContract, list, prepared, query, write } from '#contract-kit';
import { createAssets, recordOrigin } from './asset-batches.js';
import {
  assetExists,
  createAsset,
  deleteAsset,
  initLedger,
  readStoredAsset,
  transferAsset,
  transferAssetIfMatch,
  updateAsset,
  updateAssetIfMatch,
} from './asset-functions.js';
import { getAllAssets, getAssetHistory, getAssetHistoryPage, getAssetsPage } from './list-functions.js';
import { ASSET_ERROR_CODES } from './rules.js';

const ID = ['id'] as const;
const FIELDS = ['id', 'color', 'size', 'owner', 'appraisedValue'] as const;

const PAGES = 'GetAssetsPage or GetAssetHistoryPage';

/** In the order and with the arguments of fabric-samples' asset-transfer-basic, then our own. */
export const ASSET_CONTRACT = defineContract('AssetTransferContract', ASSET_ERROR_CODES, [
  write('InitLedger', [], initLedger),
  write('CreateAsset', FIELDS, createAsset),
  query('ReadAsset', ID, readStoredAsset),
  write('UpdateAsset', FIELDS, updateAsset),
  write('TransferAsset', ['id', 'newOwner'], transferAsset),
  write('DeleteAsset', ID, deleteAsset),
  query('AssetExists', ID, assetExists),
  list('GetAllAssets', [], getAllAssets, PAGES),
  list('GetAssetHistory', ID, getAssetHistory, PAGES),
  list('GetAssetsPage', ['pageSize', 'bookmark'], getAssetsPage),
  write('UpdateAssetIfMatch', [...FIELDS, 'digests'], updateAssetIfMatch),
  write('TransferAssetIfMatch', ['id', 'newOwner', 'digests'], transferAssetIfMatch),
  list('GetAssetHistoryPage', ['id', 'pageSize', 'bookmark'], getAssetHistoryPage),
  prepared('CreateAssets', ['assets'], createAssets),
  prepared('RecordOrigin', ['channel', 'height', 'headHash', 'authority'], recordOrigin),
]);
