import { fabricFaultsSuite } from '../testing/fabric-faults-suite.js';
import { gatewayOnStandIn } from '../testing/ledgers-on-stand-in.js';

fabricFaultsSuite('fabric-gateway', gatewayOnStandIn);
