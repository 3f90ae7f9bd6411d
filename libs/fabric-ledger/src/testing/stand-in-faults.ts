import { Metadata, status, type handleUnaryCall } from '@grpc/grpc-js';
import { gateway, google } from '@hyperledger/fabric-protos';
import { Any } from 'google-protobuf/google/protobuf/any_pb.js';

/** The methods of peers and orderer that can fail. */
export type FaultPoint =
  | 'evaluate'
  | 'endorse'
  | 'submit'
  | 'commitStatus'
  | 'processProposal'
  | 'discover'
  | 'deliver'
  | 'broadcast';

/** A gRPC error of a Fabric node. */
export interface GrpcFault {
  /** gRPC's status code. */
  readonly code: number;
  readonly message: string;
  /** Details, each attributed to the node at that address. */
  readonly details?: readonly { readonly address: string; readonly message: string }[];
}

/** A fault of a call: it fails at once, hangs, or is executed and then fails. */
export type Fault =
  | { readonly kind: 'fail'; readonly with: GrpcFault }
  | { readonly kind: 'hang' }
  | { readonly kind: 'fail-after'; readonly with: GrpcFault };

/** A script of faults: the faults of the next calls of each method. */
export class StandInFaults {
  readonly #script = new Map<FaultPoint, Fault[]>();
  readonly #calls = new Map<FaultPoint, number>();

  /** Makes the next calls of a method fail with these faults, one each. */
  next(point: FaultPoint, ...faults: readonly Fault[]): void {
    this.#script.set(point, [...(this.#script.get(point) ?? []), ...faults]);
  }

  clear(): void {
    this.#script.clear();
  }

  /** Returns how often a method was called. */
  calls(point: FaultPoint): number {
    return this.#calls.get(point) ?? 0;
  }

  take(point: FaultPoint): Fault | undefined {
    this.#calls.set(point, this.calls(point) + 1);
    return this.#script.get(point)?.shift();
  }
}

/** Creates the gRPC error of a fault, with Fabric's details in its trailer. */
export class GrpcFailure extends Error {
  readonly code: number;
  readonly details: string;
  readonly metadata = new Metadata();

  constructor({ code, message, details = [] }: GrpcFault) {
    super(message);
    this.code = code;
    this.details = message;
    if (details.length > 0) this.metadata.set('grpc-status-details-bin', statusDetails(code, message, details));
  }
}

function statusDetails(code: number, message: string, details: NonNullable<GrpcFault['details']>): Buffer {
  const made = new google.rpc.Status();
  made.setCode(code);
  made.setMessage(message);
  made.setDetailsList(
    details.map((detail) => {
      const error = new gateway.ErrorDetail();
      error.setAddress(detail.address);
      error.setMspId('Org1MSP');
      error.setMessage(detail.message);
      const any = new Any();
      any.pack(error.serializeBinary(), 'gateway.ErrorDetail');
      return any;
    }),
  );
  return Buffer.from(made.serializeBinary());
}

/** Creates the handler of a unary method that applies the script of faults. */
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
