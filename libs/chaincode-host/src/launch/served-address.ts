/** `grpc://`, then the address of a chaincode as gRPC names it. */
const ADDRESS = /^grpc:\/\/(?:(unix:\/.+)|((?:[A-Za-z0-9.-]+|\[[0-9A-Fa-f:.]+\]):([0-9]{1,5})))$/;

/** The form of such an address, for messages. */
export const SERVED_FORM = 'grpc://host:port with a port from 1 to 65535, or grpc://unix:/path';

/** Returns the address of a chaincode that is served already, as gRPC names it; undefined for another text. */
export function servedAddress(text: string): string | undefined {
  const [, socket, endpoint, port] = ADDRESS.exec(text) ?? [];
  return socket ?? (Number(port) >= 1 && Number(port) <= 65_535 ? endpoint : undefined);
}
