import {
  Client,
  InterceptingCall,
  credentials,
  status,
  type CallOptions as GrpcCallOptions,
  type ChannelCredentials,
  type ChannelOptions,
  type Interceptor,
} from '@grpc/grpc-js';
import type { Pace, FabricCallOptions } from '../../fabric-client/fabric-transport.js';

/** TLS towards peers: which roots to trust, and what to show a peer that asks for a certificate (mutual TLS). */
export interface TlsMaterial {
  /** PEM. */
  readonly rootCertificates: Buffer;
  readonly client?: { readonly certificate: Buffer; readonly privateKey: Buffer };
}

/** A peer's address, and the name that its TLS certificate bears when it is another one. */
export interface PeerAddress {
  /** `host:port`. */
  readonly endpoint: string;
  readonly hostAlias?: string | undefined;
}

const OPTIONS: ChannelOptions = {
  // Peers send up to 100 MiB; gRPC's default of 4 MiB is less than some blocks and listings.
  'grpc.max_receive_message_length': 100 * 1024 * 1024,
  // Peers take no more than one ping a minute; it finds connections that a firewall forgot.
  'grpc.keepalive_time_ms': 120_000,
  'grpc.keepalive_timeout_ms': 20_000,
};

/** One connection to a peer, made at the first call and made again whenever it is lost; without TLS material in clear text. */
export function connectPeer(
  { endpoint, hostAlias }: PeerAddress,
  tls: TlsMaterial | undefined,
  { connect }: Pace,
): Client {
  const override = tls !== undefined && hostAlias !== undefined ? { 'grpc.ssl_target_name_override': hostAlias } : {};
  // gRPC waits up to two minutes before it connects again: too long after a peer's restart.
  const again = {
    'grpc.initial_reconnect_backoff_ms': Math.min(100, connect),
    'grpc.max_reconnect_backoff_ms': Math.min(1000, connect),
  };
  return new Client(endpoint, channelCredentials(tls), { ...OPTIONS, ...again, ...override });
}

function channelCredentials(tls: TlsMaterial | undefined): ChannelCredentials {
  if (tls === undefined) return credentials.createInsecure();
  const { rootCertificates, client } = tls;
  return credentials.createSsl(rootCertificates, client?.privateKey ?? null, client?.certificate ?? null);
}

/** gRPC's options for one call: the earlier of its own time limit and the caller's deadline, and the caller's signal. */
export function grpcOptions({ signal, deadline = Infinity }: FabricCallOptions, limitMs: number): GrpcCallOptions {
  const options = { deadline: Math.min(deadline, Date.now() + limitMs) };
  return signal === undefined ? options : { ...options, interceptors: [cancelOn(signal)] };
}

function cancelOn(signal: AbortSignal): Interceptor {
  return (options, nextCall) => {
    const call = new InterceptingCall(nextCall(options), {
      start: (metadata, _listener, next) => {
        const cancel = (): void => {
          call.cancelWithStatus(status.CANCELLED, 'the caller gave up');
        };
        signal.addEventListener('abort', cancel, { once: true });
        next(metadata, {
          onReceiveStatus: (received, nextStatus) => {
            signal.removeEventListener('abort', cancel);
            nextStatus(received);
          },
        });
        if (signal.aborted) cancel();
      },
    });
    return call;
  };
}
