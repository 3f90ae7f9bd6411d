import { networkOnStandIn } from '../../testing/fabric-stand-in/ledgers-on-stand-in.js';
import { sampleChaincode } from '../../testing/fabric-stand-in/stand-in-chaincode.js';
import { ledgerConformance } from '../../testing/ledger-conformance.js';

ledgerConformance('fabric with our chaincode', () => networkOnStandIn({ signAs: 'service' }));

ledgerConformance("fabric with fabric-samples' chaincode, over mutual TLS", async () => {
  const made = await networkOnStandIn({
    signAs: 'service',
    network: { chaincode: sampleChaincode, transport: 'mutual-tls' },
  });
  return { ...made, withoutConditions: true, withoutHistory: true };
});
