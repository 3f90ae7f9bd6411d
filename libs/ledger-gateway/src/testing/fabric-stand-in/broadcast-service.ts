import type { ServerDuplexStream, UntypedServiceImplementation } from '@grpc/grpc-js';
import { common, orderer } from '@hyperledger/fabric-protos';
import { GrpcFailure, type StandInFaults } from './stand-in-faults.js';

type BroadcastStream = ServerDuplexStream<common.Envelope, orderer.BroadcastResponse>;

/** `orderer.AtomicBroadcast`: where fabric-network hands over transactions. Its Deliver is for peers alone. */
export function broadcastService(
  faults: StandInFaults,
  order: (envelope: Uint8Array) => void,
): UntypedServiceImplementation {
  return {
    broadcast: (stream: BroadcastStream) => {
      stream.on('data', (envelope: common.Envelope) => {
        const fault = faults.take('broadcast');
        if (fault?.kind === 'hang') return;
        if (fault?.kind !== 'fail') order(envelope.serializeBinary());
        if (fault === undefined) stream.write(success());
        else stream.destroy(new GrpcFailure(fault.with));
      });
      stream.on('end', () => {
        stream.end();
      });
    },
    deliver: (stream: BroadcastStream) => {
      stream.end();
    },
  };
}

function success(): orderer.BroadcastResponse {
  const response = new orderer.BroadcastResponse();
  response.setStatus(common.Status.SUCCESS);
  return response;
}
