import { CONTRACT_FUNCTIONS } from './contract/contract.js';

/** The function of every chaincode on the contract API that returns its metadata. */
export const METADATA_FUNCTION = 'org.hyperledger.fabric:GetMetadata';

/** The contract's functions in the form of fabric-contract-api's metadata, as JSON. */
export function contractMetadata(): string {
  const transactions = [...CONTRACT_FUNCTIONS.values()].map(({ name, parameters, isQuery }) => ({
    name,
    tag: [isQuery ? 'evaluate' : 'submit'],
    parameters: parameters.map((parameter) => ({ name: parameter, schema: { type: 'string' } })),
  }));
  const name = 'AssetTransferContract';
  return JSON.stringify({ contracts: { [name]: { name, transactions } } });
}
