import { fabricFaultsSuite } from '../../testing/fabric-stand-in/fabric-faults-suite.js';
import { gatewayOnStandIn } from '../../testing/fabric-stand-in/ledgers-on-stand-in.js';

fabricFaultsSuite('fabric-gateway', gatewayOnStandIn);
