import { gatewayOnStandIn } from '../../testing/fabric-stand-in/ledgers-on-stand-in.js';
import { sampleChaincode } from '../../testing/fabric-stand-in/stand-in-chaincode.js';
import { ledgerConformance } from '../../testing/ledger-conformance.js';

ledgerConformance('fabric-gateway with our chaincode', () => gatewayOnStandIn({ signAs: 'service' }));

ledgerConformance("fabric-gateway with fabric-samples' chaincode, over mutual TLS", async () => {
  const made = await gatewayOnStandIn({
    signAs: 'service',
    network: { chaincode: sampleChaincode, transport: 'mutual-tls' },
  });
  return { ...made, withoutHistory: true };
});
