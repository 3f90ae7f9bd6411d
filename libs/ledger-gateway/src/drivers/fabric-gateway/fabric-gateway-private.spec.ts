import { fabricPrivateSuite } from '../../testing/fabric-stand-in/fabric-private-suite.js';
import { gatewayOnStandIn } from '../../testing/fabric-stand-in/ledgers-on-stand-in.js';

fabricPrivateSuite('fabric-gateway', gatewayOnStandIn);
