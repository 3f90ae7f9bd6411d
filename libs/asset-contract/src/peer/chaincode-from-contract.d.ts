/** The bridge that fabric-shim's own launcher uses between contracts and the peer; it comes without types. */
declare module 'fabric-shim/lib/contract-spi/chaincodefromcontract.js' {
  import type { Contract } from 'fabric-contract-api';
  import type { ChaincodeInterface } from 'fabric-shim';

  interface Serializer {
    toBuffer(result: unknown): Buffer;
    fromBuffer(data: Uint8Array): object;
  }

  interface Serializers {
    readonly transaction: string;
    readonly serializers: Readonly<Record<string, new () => Serializer>>;
  }

  const ChaincodeFromContract: new (
    contracts: (new () => Contract)[],
    serializers: Serializers,
    metadata?: object,
    title?: string,
    version?: string,
  ) => ChaincodeInterface;
  export default ChaincodeFromContract;
}
