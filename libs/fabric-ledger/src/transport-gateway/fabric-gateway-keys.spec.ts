import { fabricKeyedSuite } from '../testing/fabric-keyed-suite.js';
import { gatewayOnStandIn } from '../testing/ledgers-on-stand-in.js';

fabricKeyedSuite('fabric-gateway', gatewayOnStandIn);
