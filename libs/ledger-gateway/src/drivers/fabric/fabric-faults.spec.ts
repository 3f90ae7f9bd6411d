import { fabricDriverSuite } from '../../testing/fabric-stand-in/fabric-driver-suite.js';
import { networkOnStandIn } from '../../testing/fabric-stand-in/network-ledger.js';

fabricDriverSuite('fabric', networkOnStandIn);
