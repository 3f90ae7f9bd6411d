import { Buffer } from 'node:buffer';
import rwset from '@hyperledger/fabric-protos/lib/ledger/rwset/rwset_pb.js';
import proposal from '@hyperledger/fabric-protos/lib/peer/proposal_pb.js';
import proposalResponse from '@hyperledger/fabric-protos/lib/peer/proposal_response_pb.js';
import common from '@hyperledger/fabric-protos/lib/common/common_pb.js';
import { describe, expect, it } from '@jest/globals';
import { decodeActions, decodeEnvelope, decodeReadWriteSets } from '../decode/decode-envelope.js';
import { decodeBlock } from '../decode/decode-block.js';
import { recordedChains } from '../testing/recorded-blocks.js';
import { draftBlock, encodeBlock, encodeFirstBlock } from './block-encoder.js';
import { proposalHashOf, transactionIdOf } from './hashes.js';
import {
  encodeEnvelope,
  encodePayload,
  encodeProposal,
  encodeSignedProposal,
  serializeIdentity,
  TransactionEncoder,
} from './transaction-encoder.js';
import { isLowS } from './low-s.js';
import { encodeReadWriteSets } from './read-write-sets.js';

/** The calls of the chaincode in the recorded chains: made by Node clients, as ours are. */
const CALLS = [4, 5, 6, 7, 8, 9];

const text = (bytes: Uint8Array) => Buffer.from(bytes).toString();
const hex = (bytes: Uint8Array) => Buffer.from(bytes).toString('hex');

describe.each(recordedChains())('the encoder returns the bytes recorded from Fabric $version', ({ blocks }) => {
  const decoded = blocks.map(({ bytes }) => decodeBlock(bytes));
  const calls = CALLS.flatMap((number) => decoded[number]!.envelopes).map((bytes) => {
    const envelope = decodeEnvelope(bytes);
    return { bytes, envelope, action: decodeActions(envelope.data)[0]! };
  });

  it('for headers, invocations and ids', () => {
    for (const { envelope, action } of calls) {
      const [name, ...args] = action.arguments.map(text);
      const encoder = new TransactionEncoder({
        channel: 'mychannel',
        chaincode: { name: 'basic', version: '1.0' },
        creator: serializeIdentity(envelope.creator.mspId, envelope.creator.idBytes),
      });
      const proposal = encoder.propose({
        nonce: envelope.nonce,
        timestamp: Date.parse(envelope.timestamp),
        function: name!,
        arguments: args,
      });
      expect(proposal.transactionId).toBe(envelope.transactionId);
      expect(hex(proposal.channelHeader)).toBe(hex(envelope.channelHeader));
      expect(hex(proposal.signatureHeader)).toBe(hex(envelope.signatureHeader));
      expect(hex(proposal.chaincodePayload)).toBe(hex(action.chaincodePayload));
    }
  });

  it('for signed proposals with transient data', () => {
    for (const { envelope, action } of calls) {
      const theirs = new proposal.SignedProposal();
      const header = new common.Header();
      header.setChannelHeader(envelope.channelHeader);
      header.setSignatureHeader(envelope.signatureHeader);
      const payload = proposal.ChaincodeProposalPayload.deserializeBinary(action.chaincodePayload);
      payload.getTransientmapMap().set('a', Buffer.from('secret')).set('b', Buffer.alloc(200));
      const proposed = new proposal.Proposal();
      proposed.setHeader(header.serializeBinary());
      proposed.setPayload(payload.serializeBinary());
      theirs.setProposalBytes(proposed.serializeBinary());
      theirs.setSignature('signature');
      const transient = new Map([
        ['a', Buffer.from('secret')],
        ['b', Buffer.alloc(200)],
      ]);
      const ours = encodeProposal({ ...envelope, ...action }, transient);
      expect(hex(encodeSignedProposal(ours, theirs.getSignature_asU8()))).toBe(hex(theirs.serializeBinary()));
    }
  });

  it('for payloads and envelopes', () => {
    for (const { bytes, envelope, action } of calls) {
      const endorsements = action.endorsements.map(({ endorserBytes, signature }) => ({
        endorser: endorserBytes,
        signature,
      }));
      const payload = encodePayload({ ...envelope, ...action }, action.responsePayload, endorsements);
      expect(hex(payload)).toBe(hex(envelope.payload));
      expect(hex(encodeEnvelope(payload, envelope.signature))).toBe(hex(bytes));
    }
  });

  it('for what the peers signed: proposal hash, chaincode and response', () => {
    for (const { envelope, action } of calls) {
      const encoder = new TransactionEncoder({
        channel: 'mychannel',
        chaincode: { name: 'basic', version: '1.0' },
        creator: envelope.creatorBytes,
      });
      const { payload } = action.response!;
      const ours = encoder.respond(
        { ...envelope, ...action },
        { readWriteSets: new Map(), response: { status: 200, payload } },
      );
      // The peers' own have read and write sets, which the next test compares.
      const signed = proposalResponse.ProposalResponsePayload.deserializeBinary(action.responsePayload);
      const theirs = proposal.ChaincodeAction.deserializeBinary(signed.getExtension_asU8());
      theirs.setResults('');
      const extension = Buffer.from(theirs.serializeBinary());
      expect(hex(ours)).toBe(
        hex(
          Buffer.concat([
            Buffer.from([0x0a, 32]),
            action.proposalHash,
            Buffer.from([0x12, extension.length]),
            extension,
          ]),
        ),
      );
    }
  });

  it('for the read and write sets of the chaincode', () => {
    for (const { action } of calls) {
      const { results } = action;
      const sets = decodeReadWriteSets(results).find(({ namespace }) => namespace === 'basic')!;
      const theirs = rwset.TxReadWriteSet.deserializeBinary(results);
      theirs.setNsRwsetList(theirs.getNsRwsetList().filter((set) => set.getNamespace() === 'basic'));
      expect(hex(encodeReadWriteSets(new Map([['basic', sets as never]])))).toBe(hex(theirs.serializeBinary()));
    }
  });

  it('for proposal hashes and ids of every transaction, lifecycle ones included', () => {
    for (const { envelopes } of decoded.slice(1)) {
      for (const bytes of envelopes) {
        const envelope = decodeEnvelope(bytes);
        const action = decodeActions(envelope.data)[0]!;
        expect(transactionIdOf(envelope.nonce, envelope.creatorBytes)).toBe(envelope.transactionId);
        expect(hex(proposalHashOf({ ...envelope, ...action }))).toBe(hex(action.proposalHash));
      }
    }
  });

  it('for whole blocks', () => {
    for (const [number, block] of decoded.entries()) {
      const draft = draftBlock(number, decoded[number - 1]?.hash ?? new Uint8Array(), block.envelopes);
      expect(hex(draft.hash)).toBe(hex(block.hash));
      if (number === 0) {
        expect(hex(encodeFirstBlock(draft))).toBe(hex(blocks[0]!.bytes));
        continue;
      }
      const metadata = common.Metadata.deserializeBinary(block.metadata[0]!);
      const [signature] = metadata.getSignaturesList();
      const bytes = encodeBlock(draft, {
        signatureInput: {
          lastConfig: 0,
          value: metadata.getValue_asU8(),
          signatureHeader: signature!.getSignatureHeader_asU8(),
        },
        signature: signature!.getSignature_asU8(),
        validationCodes: block.validationCodes,
        commitHash: block.commitHash,
      });
      expect(hex(bytes)).toBe(hex(blocks[number]!.bytes));
    }
  });

  it('and leaves its signatures alone, which all have low S', () => {
    for (const { envelope, action } of calls) {
      for (const signature of [envelope.signature, ...action.endorsements.map((it) => it.signature)]) {
        expect(isLowS(signature)).toBe(true);
      }
    }
  });
});
