import { fabricArgumentsSuite } from '../testing/fabric-arguments-suite.js';
import { networkOnStandIn } from '../testing/ledgers-on-stand-in.js';

fabricArgumentsSuite('fabric', networkOnStandIn);
