// `npm start` of the Node chaincode package: the peer starts it with its address and waits for its connection.
import shim from 'fabric-shim';
import { CHAINCODE } from './chaincode.js';

shim.Shim.start(CHAINCODE);
