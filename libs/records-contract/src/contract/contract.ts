import { defineContract, list, prepared, query, write } from '#contract-kit';
import { documents } from './outside-documents.js';
import { create, createMany, defineType, get, getType, purge, remove, update } from './record-functions.js';
import { listRecords, listTypes, recordHistory } from './record-lists.js';
import { RECORD_ERROR_CODES } from './record-type.js';

/** Records of the types that a ledger's users define. */
export const RECORDS_CONTRACT = defineContract('RecordsContract', RECORD_ERROR_CODES, [
  write('DefineType', ['type', 'definition'], defineType),
  query('GetType', ['type'], getType),
  list('ListTypes', ['pageSize', 'bookmark'], listTypes),
  { ...prepared('Create', ['type', 'id', 'document'], create), acceptsTransient: true },
  { ...prepared('Update', ['type', 'id', 'document', 'digests'], update), acceptsTransient: true },
  write('Delete', ['type', 'id', 'digests'], remove),
  { ...prepared('CreateMany', ['type', 'records'], createMany), acceptsTransient: true },
  prepared('Purge', ['type', 'id', 'documents', 'digests'], purge),
  query('Get', ['type', 'id'], get),
  { ...prepared('Documents', ['documents'], documents), isQuery: true, isLong: true },
  list('List', ['type', 'pageSize', 'bookmark'], listRecords),
  list('History', ['type', 'id', 'pageSize', 'bookmark'], recordHistory),
]);
