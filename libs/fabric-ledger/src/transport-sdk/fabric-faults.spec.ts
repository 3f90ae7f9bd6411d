import { fabricFaultsSuite } from '../testing/fabric-faults-suite.js';
import { networkOnStandIn } from '../testing/ledgers-on-stand-in.js';

fabricFaultsSuite('fabric', networkOnStandIn);
