// `npm start` of the Node chaincode package: the peer starts it with its address and waits to be connected to.
import shim from 'fabric-shim';
import { makeChaincode } from './chaincode.js';

shim.Shim.start(makeChaincode());
