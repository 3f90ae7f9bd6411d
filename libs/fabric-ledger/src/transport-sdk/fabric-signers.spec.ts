import { fabricSamplesSuite } from '../testing/fabric-samples-suite.js';
import { fabricSignersSuite } from '../testing/fabric-signers-suite.js';
import { networkOnStandIn } from '../testing/ledgers-on-stand-in.js';

fabricSignersSuite('fabric', networkOnStandIn);
fabricSamplesSuite('fabric', networkOnStandIn);
