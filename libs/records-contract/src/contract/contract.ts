import { defineContract, list, prepared, query, write } from '#contract-kit';
import { create, createMany, defineType, get, getType, remove, update } from './record-functions.js';
import { listRecords, listTypes, recordHistory } from './record-lists.js';
import { RECORD_ERROR_CODES } from './record-type.js';

/** The name of the chaincode: on the embedded ledger, and the one to install it under on a Fabric network. */
export const RECORDS_NAME = 'records';

/** Records of the types that a ledger's users define. */
export const RECORDS_CONTRACT = defineContract('RecordsContract', RECORD_ERROR_CODES, [
  write('DefineType', ['type', 'definition'], defineType),
  query('GetType', ['type'], getType),
  list('ListTypes', ['pageSize', 'bookmark'], listTypes),
  prepared('Create', ['type', 'id', 'document'], create),
  write('Update', ['type', 'id', 'document', 'digests'], update),
  write('Delete', ['type', 'id', 'digests'], remove),
  prepared('CreateMany', ['type', 'records'], createMany),
  query('Get', ['type', 'id'], get),
  list('List', ['type', 'pageSize', 'bookmark'], listRecords),
  list('History', ['type', 'id', 'pageSize', 'bookmark'], recordHistory),
]);
