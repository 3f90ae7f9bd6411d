import { fabricSamplesSuite } from '../../testing/fabric-stand-in/fabric-samples-suite.js';
import { fabricSignersSuite } from '../../testing/fabric-stand-in/fabric-signers-suite.js';
import { networkOnStandIn } from '../../testing/fabric-stand-in/ledgers-on-stand-in.js';

fabricSignersSuite('fabric', networkOnStandIn);
fabricSamplesSuite('fabric', networkOnStandIn);
