import { fabricKeyedSuite } from '../../testing/fabric-stand-in/fabric-keyed-suite.js';
import { gatewayOnStandIn } from '../../testing/fabric-stand-in/ledgers-on-stand-in.js';

fabricKeyedSuite('fabric-gateway', gatewayOnStandIn);
