import { storedKey } from './schema.js';

// The metadata of a key are a row of the state in a namespace next to that of its chaincode. The name of that namespace ends
// with NUL, which no name of a chaincode contains, so that no range of the chaincode includes it.

/** Returns the namespace of the metadata of a chaincode's keys. */
export function metadataSpace(namespace: string): string {
  return `${namespace}\0`;
}

/** Returns the stored key of the row with the metadata of a key. */
export function metadataKey(namespace: string, key: string): string {
  return storedKey(metadataSpace(namespace), key);
}

/** Returns whether a namespace of the state is that of a chaincode: those of metadata and of private collections contain NUL. */
export function isChaincodeSpace(namespace: string): boolean {
  return !namespace.includes('\0');
}
