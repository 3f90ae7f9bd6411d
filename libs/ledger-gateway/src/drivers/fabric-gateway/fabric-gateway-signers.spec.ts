import { fabricSamplesSuite } from '../../testing/fabric-stand-in/fabric-samples-suite.js';
import { fabricSignersSuite } from '../../testing/fabric-stand-in/fabric-signers-suite.js';
import { gatewayOnStandIn } from '../../testing/fabric-stand-in/ledgers-on-stand-in.js';

fabricSignersSuite('fabric-gateway', gatewayOnStandIn);
fabricSamplesSuite('fabric-gateway', gatewayOnStandIn);
