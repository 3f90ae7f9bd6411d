import { fabricPrivateSuite } from '../../testing/fabric-stand-in/fabric-private-suite.js';
import { networkOnStandIn } from '../../testing/fabric-stand-in/ledgers-on-stand-in.js';

fabricPrivateSuite('fabric', networkOnStandIn);
