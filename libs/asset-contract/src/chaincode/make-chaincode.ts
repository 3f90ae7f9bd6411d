import type { ChaincodeInterface } from 'fabric-shim';
import ChaincodeFromContract from 'fabric-shim/lib/contract-spi/chaincodefromcontract.js';
import { contracts, serializers } from './index.js';

/** The contract in the form that the shim serves to a peer, with the metadata function that every contract has. */
export function makeChaincode(): ChaincodeInterface {
  return new ChaincodeFromContract([...contracts], serializers, {}, 'asset-contract');
}
