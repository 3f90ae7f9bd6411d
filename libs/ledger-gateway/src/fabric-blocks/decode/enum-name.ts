import transaction from '@hyperledger/fabric-protos/lib/peer/transaction_pb.js';

/** Gives names to the numbers of a protobuf enum; a number that has none keeps its number: `UNKNOWN_<number>`. */
export function enumNames(values: object): (number: number) => string {
  const names = new Map(Object.entries(values).map(([name, number]) => [number as number, name]));
  return (number) => names.get(number) ?? `UNKNOWN_${number}`;
}

/** Fabric's own name of a transaction's validation code, such as `VALID`. */
export const validationCodeName = enumNames(transaction.TxValidationCode);
