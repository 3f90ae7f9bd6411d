import { InterceptingCall, status, type CallOptions as GrpcCallOptions, type Interceptor } from '@grpc/grpc-js';
import type { CallOptions } from '../../ports/ledger.port.js';

/** gRPC's options for one call: the earlier of its own time limit and the caller's deadline, and the caller's signal. */
export function grpcOptions({ signal, deadline = Infinity }: CallOptions, limitMs: number): GrpcCallOptions {
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
