import { ledgerConformance } from '#ledger-gateway/testing';
import { gatewayOnStandIn } from '../testing/ledgers-on-stand-in.js';
import { sampleChaincode } from '../testing/stand-in-chaincode.js';

ledgerConformance('fabric-gateway with our chaincode', () => gatewayOnStandIn({ signAs: 'service' }));

ledgerConformance("fabric-gateway with fabric-samples' chaincode, over mutual TLS", async () => {
  const made = await gatewayOnStandIn({
    signAs: 'service',
    network: { chaincode: sampleChaincode, transport: 'mutual-tls' },
  });
  return { ...made, withoutHistory: true };
});
