import { createChaincodeHost } from '#chaincode-host';
import { checkEmbeddedLedger, type StartCheck } from '#embedded-ledger';
import { checkFabricGatewayLedger, checkFabricLedger } from '#fabric-ledger';
import type { LedgerConfig } from '#ledger-config';

/**
 * Reads the files with which the configured ledger would be opened. Writes nothing and connects to nothing.
 * @throws the LedgerError with which it could not be opened
 */
export async function checkLedger(config: LedgerConfig): Promise<StartCheck> {
  switch (config.driver) {
    case 'embedded': {
      const { chaincodes, ...ledger } = config;
      const host = chaincodes && (await createChaincodeHost({ ...config, chaincodes }));
      return checkEmbeddedLedger({ ...ledger, chaincodes: host });
    }
    case 'fabric':
      await checkFabricLedger(config);
      return { warnings: [] };
    case 'fabric-gateway':
      await checkFabricGatewayLedger(config);
      return { warnings: [] };
    default:
      return config satisfies never;
  }
}
