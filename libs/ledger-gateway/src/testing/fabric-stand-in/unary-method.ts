import { status, type handleUnaryCall } from '@grpc/grpc-js';
import { GrpcFailure, type FaultPoint, type StandInFaults } from './stand-in-faults.js';

/** Serves a method of one answer, through the script of faults. */
export function unaryMethod<Request, Response>(
  faults: StandInFaults,
  point: FaultPoint,
  serve: (request: Request, ended: AbortSignal) => Promise<Response>,
): handleUnaryCall<Request, Response> {
  return (call, callback) => {
    const ended = new AbortController();
    call.on('cancelled', () => {
      ended.abort();
    });
    const fault = faults.take(point);
    if (fault?.kind === 'hang') return;
    const run = async (): Promise<Response> => {
      if (fault?.kind === 'fail') throw new GrpcFailure(fault.with);
      const response = await serve(call.request, ended.signal);
      if (fault?.kind === 'fail-after') throw new GrpcFailure(fault.with);
      return response;
    };
    run().then(
      (response) => {
        callback(null, response);
      },
      (error: unknown) => {
        callback(
          error instanceof GrpcFailure ? error : new GrpcFailure({ code: status.INTERNAL, message: String(error) }),
        );
      },
    );
  };
}
