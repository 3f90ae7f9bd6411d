import shim, { type ChaincodeServerOpts } from 'fabric-shim';
import { makeChaincode } from '../peer/chaincode.js';
import { ChaincodeCommandError } from './chaincode.errors.js';

/** PEM texts of the service's own TLS identity, and of the roots whose certificates a peer must then show. */
export interface ChaincodeTls {
  readonly key: Buffer;
  readonly cert: Buffer;
  readonly clientCa?: Buffer;
}

/** Where and as what the chaincode is served. */
export interface ServiceOptions {
  /** The package id, `label:hash`, that `peer lifecycle chaincode queryinstalled` prints. */
  readonly id: string;
  /** `host:port` to listen on. */
  readonly address: string;
  readonly tls?: ChaincodeTls;
}

/** gRPC's own limits (4 MB a message) are below what a peer may send; pings keep idle connections through firewalls. */
const GRPC_OPTIONS = {
  'grpc.max_send_message_length': -1,
  'grpc.max_receive_message_length': -1,
  'grpc.keepalive_time_ms': 110_000,
  'grpc.keepalive_timeout_ms': 20_000,
  'grpc.keepalive_permit_without_calls': 1,
} as const;

/**
 * Serves the contract to every peer that connects (chaincode as a service); resolves once it listens.
 * @throws {@link ChaincodeCommandError} CHAINCODE.LISTEN_FAILED
 */
export async function serveChaincode({ id, address, tls }: ServiceOptions): Promise<void> {
  const server = shim.Shim.server(makeChaincode(), { ...GRPC_OPTIONS, ccid: id, address, ...tlsOptions(tls) });
  try {
    await server.start();
  } catch (cause) {
    throw new ChaincodeCommandError('CHAINCODE.LISTEN_FAILED', `cannot listen on ${address}: ${reason(cause)}`, {
      cause,
    });
  }
}

function tlsOptions(tls: ChaincodeTls | undefined): Pick<ChaincodeServerOpts, 'tlsProps'> {
  // The types call every part of it required; the code takes none, and no client roots.
  const tlsProps = tls && { key: tls.key, cert: tls.cert, clientCACerts: tls.clientCa };
  return { tlsProps } as Pick<ChaincodeServerOpts, 'tlsProps'>;
}

function reason(cause: unknown): string {
  return cause instanceof Error ? cause.message : String(cause);
}
