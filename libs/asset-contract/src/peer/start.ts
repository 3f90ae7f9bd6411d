// `npm start` of the Node chaincode package: the peer starts it with its address and waits for its connection.
import shim from 'fabric-shim';
import { chaincodeOf } from '#contract-kit/peer';
import { ASSET_CONTRACT } from '../contract/contract.js';

shim.Shim.start(chaincodeOf(ASSET_CONTRACT));
