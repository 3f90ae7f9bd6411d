import { ledgerConformance } from '#ledger-gateway/testing';
import { networkOnStandIn } from '../testing/ledgers-on-stand-in.js';
import { sampleChaincode } from '../testing/stand-in-chaincode.js';

ledgerConformance('fabric with our chaincode', () => networkOnStandIn({ signAs: 'service' }));

ledgerConformance("fabric with fabric-samples' chaincode, over mutual TLS", async () => {
  const made = await networkOnStandIn({
    signAs: 'service',
    network: { chaincode: sampleChaincode, transport: 'mutual-tls' },
  });
  return { ...made, withoutConditions: true, withoutHistory: true };
});
