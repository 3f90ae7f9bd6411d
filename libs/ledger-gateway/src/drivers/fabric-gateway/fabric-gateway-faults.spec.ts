import { fabricDriverSuite } from '../../testing/fabric-stand-in/fabric-driver-suite.js';
import { gatewayOnStandIn } from '../../testing/fabric-stand-in/gateway-ledger.js';

fabricDriverSuite('fabric-gateway', gatewayOnStandIn);
