import { AssetTransferContract } from './asset-transfer.contract.js';
import { TextSerializer } from './text-serializer.js';

/** What `fabric-chaincode-node` looks for in a package's main file. It adds a contract of its own to this array. */
export const contracts: (typeof AssetTransferContract)[] = [AssetTransferContract];

/** The serializer by its name, and which one transactions use; `fabric-chaincode-node` adds its own to the names. */
export const serializers: {
  readonly transaction: 'text';
  readonly serializers: { text: typeof TextSerializer };
} = { transaction: 'text', serializers: { text: TextSerializer } };
