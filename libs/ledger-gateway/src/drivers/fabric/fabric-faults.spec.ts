import { fabricDriverSuite } from '../../testing/fabric-stand-in/fabric-driver-suite.js';
import { networkOnStandIn } from '../../testing/fabric-stand-in/ledgers-on-stand-in.js';

fabricDriverSuite('fabric', networkOnStandIn);
