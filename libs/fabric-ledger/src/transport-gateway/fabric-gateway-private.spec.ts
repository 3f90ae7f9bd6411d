import { fabricPrivateSuite } from '../testing/fabric-private-suite.js';
import { gatewayOnStandIn } from '../testing/ledgers-on-stand-in.js';

fabricPrivateSuite('fabric-gateway', gatewayOnStandIn);
