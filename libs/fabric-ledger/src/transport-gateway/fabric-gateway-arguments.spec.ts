import { fabricArgumentsSuite } from '../testing/fabric-arguments-suite.js';
import { gatewayOnStandIn } from '../testing/ledgers-on-stand-in.js';

fabricArgumentsSuite('fabric-gateway', gatewayOnStandIn);
