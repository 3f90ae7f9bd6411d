import { status, type ServerDuplexStream, type UntypedServiceImplementation } from '@grpc/grpc-js';
import { common, orderer, peer } from '@hyperledger/fabric-protos';
import { channelIn, transactionIdIn, type StandInChain } from './stand-in-chain.js';
import { GrpcFailure } from './stand-in-faults.js';
import type { PeerNode } from './stand-in-network.js';

type DeliverStream = ServerDuplexStream<common.Envelope, peer.DeliverResponse>;
type Render = (block: common.Block, chain: StandInChain) => peer.DeliverResponse;

/** `protos.Deliver`: blocks from any number on, full, filtered, or with (empty) private data. */
export function deliverService(node: PeerNode): UntypedServiceImplementation {
  return {
    deliver: deliver(node, whole),
    deliverFiltered: deliver(node, filtered),
    deliverWithPrivateData: deliver(node, withPrivateData),
  };
}

function deliver(node: PeerNode, render: Render): (stream: DeliverStream) => void {
  return (stream) => {
    stream.on('data', (envelope: common.Envelope) => {
      const fault = node.faults.take('deliver');
      if (fault?.kind === 'hang') return;
      if (fault !== undefined) {
        stream.destroy(new GrpcFailure(fault.with));
        return;
      }
      send(stream, envelope, node, render).catch((error: unknown) => {
        stream.destroy(new GrpcFailure({ code: status.INTERNAL, message: String(error) }));
      });
    });
    stream.on('end', () => {
      stream.end();
    });
  };
}

async function send(stream: DeliverStream, envelope: common.Envelope, node: PeerNode, render: Render): Promise<void> {
  const seek = seekOf(envelope);
  const chain = node.network.chains.get(channelIn(envelope.serializeBinary()));
  if (chain === undefined) {
    const missing = new peer.DeliverResponse();
    missing.setStatus(common.Status.NOT_FOUND);
    stream.write(missing);
    return;
  }
  const last = endOf(seek);
  for (let number = startOf(seek, chain); number <= last; number++) {
    while (number >= chain.blocks.length && !stream.cancelled) await chain.grown;
    if (stream.cancelled) return;
    stream.write(render(common.Block.deserializeBinary(chain.blocks[number]!), chain));
  }
  const done = new peer.DeliverResponse();
  done.setStatus(common.Status.SUCCESS);
  stream.write(done);
}

function seekOf(envelope: common.Envelope): orderer.SeekInfo {
  return orderer.SeekInfo.deserializeBinary(
    common.Payload.deserializeBinary(envelope.getPayload_asU8()).getData_asU8(),
  );
}

function startOf(seek: orderer.SeekInfo, chain: StandInChain): number {
  const start = seek.getStart();
  if (start?.hasSpecified() === true) return start.getSpecified()!.getNumber();
  if (start?.hasOldest() === true) return 0;
  return start?.hasNewest() === true ? chain.blocks.length - 1 : chain.blocks.length;
}

function endOf(seek: orderer.SeekInfo): number {
  const stop = seek.getStop()?.getSpecified()?.getNumber();
  return stop === undefined || stop > Number.MAX_SAFE_INTEGER ? Infinity : stop;
}

function whole(block: common.Block): peer.DeliverResponse {
  const response = new peer.DeliverResponse();
  response.setBlock(block);
  return response;
}

function withPrivateData(block: common.Block): peer.DeliverResponse {
  const both = new peer.BlockAndPrivateData();
  both.setBlock(block);
  const response = new peer.DeliverResponse();
  response.setBlockAndPrivateData(both);
  return response;
}

function filtered(block: common.Block, chain: StandInChain): peer.DeliverResponse {
  const made = new peer.FilteredBlock();
  made.setChannelId(chain.channel);
  made.setNumber(block.getHeader()!.getNumber());
  const codes = block.getMetadata()!.getMetadataList_asU8()[common.BlockMetadataIndex.TRANSACTIONS_FILTER]!;
  made.setFilteredTransactionsList(
    block
      .getData()!
      .getDataList_asU8()
      .map((envelope, position) => {
        const transaction = new peer.FilteredTransaction();
        transaction.setTxid(transactionIdIn(envelope));
        transaction.setType(common.HeaderType.ENDORSER_TRANSACTION);
        transaction.setTxValidationCode(
          (codes[position] ?? 0) as peer.TxValidationCodeMap[keyof peer.TxValidationCodeMap],
        );
        return transaction;
      }),
  );
  const response = new peer.DeliverResponse();
  response.setFilteredBlock(made);
  return response;
}
