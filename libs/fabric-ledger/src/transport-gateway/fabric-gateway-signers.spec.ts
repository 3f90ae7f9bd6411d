import { fabricSamplesSuite } from '../testing/fabric-samples-suite.js';
import { fabricSignersSuite } from '../testing/fabric-signers-suite.js';
import { gatewayOnStandIn } from '../testing/ledgers-on-stand-in.js';

fabricSignersSuite('fabric-gateway', gatewayOnStandIn);
fabricSamplesSuite('fabric-gateway', gatewayOnStandIn);
