import common from '@hyperledger/fabric-protos/lib/common/common_pb.js';
import { blockHash } from '../fabric-blocks/hash/block-hash.js';
import type { LedgerBlock, LedgerTransaction } from '../ports/ledger.port.js';

const { Block, BlockMetadataIndex, ChannelHeader, Envelope, Payload } = common;

/** A serialized `common.Block` as the port gives it. */
export function ledgerBlock(bytes: Uint8Array): LedgerBlock {
  return { ...identify(Block.deserializeBinary(bytes)), bytes };
}

/**
 * Finds a transaction in the serialized block that holds it.
 * @returns undefined when it is not there
 */
export function transactionInBlock(bytes: Uint8Array, transactionId: string): LedgerTransaction | undefined {
  const block = Block.deserializeBinary(bytes);
  const envelopes = block.getData()?.getDataList_asU8() ?? [];
  const position = envelopes.findIndex((envelope) => transactionIdIn(envelope) === transactionId);
  const envelope = envelopes[position];
  if (envelope === undefined) return undefined;
  const codes = block.getMetadata()?.getMetadataList_asU8()[BlockMetadataIndex.TRANSACTIONS_FILTER];
  const { number, hash } = identify(block);
  return { transactionId, blockNumber: number, blockHash: hash, validationCode: codes?.[position] ?? 0, envelope };
}

function identify(block: common.Block): { readonly number: number; readonly hash: string } {
  const header = block.getHeader();
  const number = header?.getNumber() ?? 0;
  const previousHash = header?.getPreviousHash_asU8() ?? new Uint8Array();
  const dataHash = header?.getDataHash_asU8() ?? new Uint8Array();
  return { number, hash: blockHash({ number, previousHash, dataHash }).toString('hex') };
}

function transactionIdIn(envelope: Uint8Array): string | undefined {
  const payload = Payload.deserializeBinary(Envelope.deserializeBinary(envelope).getPayload_asU8());
  const header = payload.getHeader()?.getChannelHeader_asU8();
  return header === undefined ? undefined : ChannelHeader.deserializeBinary(header).getTxId();
}
