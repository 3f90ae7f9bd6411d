import { fabricPrivateSuite } from '../testing/fabric-private-suite.js';
import { networkOnStandIn } from '../testing/ledgers-on-stand-in.js';

fabricPrivateSuite('fabric', networkOnStandIn);
