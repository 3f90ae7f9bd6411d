import kv from '@hyperledger/fabric-protos/lib/ledger/rwset/kvrwset/kv_rwset_pb.js';
import rwset from '@hyperledger/fabric-protos/lib/ledger/rwset/rwset_pb.js';
import { enumNames } from '../decode/enum-name.js';
import { base64, textOrBase64 } from '../decode/text-or-base64.js';
import type { JsonObject } from './transaction-description.js';
import { plainMessage } from './plain-message.js';
import { readMessage } from '../decode/read-message.js';

const dataModelName = enumNames(rwset.TxReadWriteSet.DataModel);

/** Message `rwset.TxReadWriteSet` with the sets of every namespace; written values as text where they are text. */
export function readWriteSetJson(bytes: Uint8Array): JsonObject {
  const results = readMessage(rwset.TxReadWriteSet, bytes);
  return { data_model: dataModelName(results.getDataModel()), ns_rwset: results.getNsRwsetList().map(namespaceJson) };
}

function namespaceJson(set: rwset.NsReadWriteSet): JsonObject {
  const keys = readMessage(kv.KVRWSet, set.getRwset_asU8());
  const writes = keys.getWritesList().map((write) => ({
    key: write.getKey(),
    is_delete: write.getIsDelete(),
    value: textOrBase64(write.getValue_asU8()),
  }));
  return {
    namespace: set.getNamespace(),
    rwset: { ...plainMessage(keys), writes },
    collection_hashed_rwset: set.getCollectionHashedRwsetList().map(collectionJson),
  };
}

function collectionJson(set: rwset.CollectionHashedReadWriteSet): JsonObject {
  return {
    collection_name: set.getCollectionName(),
    hashed_rwset: plainMessage(readMessage(kv.HashedRWSet, set.getHashedRwset_asU8())),
    pvt_rwset_hash: base64(set.getPvtRwsetHash_asU8()),
  };
}
