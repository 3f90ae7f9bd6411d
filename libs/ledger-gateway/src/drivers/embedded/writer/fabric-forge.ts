import { createPrivateKey, randomBytes, sign, type KeyObject } from 'node:crypto';
import {
  blockSignatureInput,
  bytesToSign,
  draftBlock,
  encodeBlock,
} from '../../../fabric-blocks/encode/block-encoder.js';
import { encodeConfigBlock } from '../../../fabric-blocks/encode/config/config-block.js';
import { serializeIdentity } from '../../../fabric-blocks/encode/identity.js';
import { lowS } from '../../../fabric-blocks/encode/low-s.js';
import {
  bytesToEndorse,
  encodeEnvelope,
  TransactionEncoder,
} from '../../../fabric-blocks/encode/transaction-encoder.js';
import { commitHash, type StateUpdate } from '../../../fabric-blocks/hash/commit-hash.js';
import { CHAINCODE_VERSION } from '../directory/data-directory.js';
import type { StateWrite } from '../store/derived-writer.js';
import type { BlockForge, BlockLink, ForgedBlock, SimulatedTransaction } from './block-forge.js';
import type { WriterData } from './messages.js';
import { MAX_BLOCK_TRANSACTIONS } from './open-block.js';

const NONCE_BYTES = 24;
const STATUS_OK = 200;
/** `TxValidationCode.VALID`. */
const VALID = 0;

/** Whoever signs, with its serialized identity. */
interface Signer {
  readonly identity: Uint8Array;
  readonly key: KeyObject;
}

/** Makes envelopes and blocks with the ledger's own identities; signatures are made on libuv's threads, all at once. */
export class FabricForge implements BlockForge {
  readonly dictionary: Uint8Array;
  readonly #data: WriterData;
  readonly #client: Signer;
  readonly #peer: Signer;
  readonly #orderer: Signer;
  readonly #encoder: TransactionEncoder;

  constructor(data: WriterData) {
    const { channel, chaincode, identities } = data;
    const [client, peer, orderer] = (['client', 'peer', 'orderer'] as const).map((role) => ({
      identity: serializedIdentity(data.mspId, identities[role].certificate),
      key: createPrivateKey(identities[role].privateKey),
    })) as [Signer, Signer, Signer];
    this.#data = data;
    this.#client = client;
    this.#peer = peer;
    this.#orderer = orderer;
    this.#encoder = new TransactionEncoder({
      channel,
      chaincode: { name: chaincode, version: CHAINCODE_VERSION },
      creator: client.identity,
    });
    this.dictionary = Buffer.concat([orderer.identity, peer.identity, client.identity]);
  }

  genesis(): ForgedBlock {
    const organisation = { mspId: this.#data.mspId, rootCertificate: this.#data.identities.root };
    const { draft, bytes } = encodeConfigBlock({
      definition: {
        channel: this.#data.channel,
        applicationOrganisations: [organisation],
        ordererOrganisations: [organisation],
        consensusType: 'solo',
        maxTransactionsPerBlock: MAX_BLOCK_TRANSACTIONS,
      },
      timestamp: Date.now(),
      nonce: randomBytes(NONCE_BYTES),
    });
    return { bytes, hash: draft.hash, commitHash: new Uint8Array() };
  }

  async envelope(transaction: SimulatedTransaction, isAlone: boolean): Promise<Uint8Array> {
    const { request, timestamp, readWriteSet, payload: result } = transaction;
    // For one alone, handing over to another thread and back takes longer than signing.
    const signature = isAlone ? signNow : signElsewhere;
    const proposal = this.#encoder.propose({
      nonce: request.nonce,
      timestamp,
      function: request.function,
      arguments: request.arguments,
    });
    const response = this.#encoder.respond(proposal, {
      readWriteSet,
      response: { status: STATUS_OK, payload: result },
    });
    const endorser = this.#peer.identity;
    const endorsement = { endorser, signature: await signature(this.#peer, bytesToEndorse(response, endorser)) };
    const payload = this.#encoder.payload(proposal, response, [endorsement]);
    return encodeEnvelope(payload, await signature(this.#client, payload));
  }

  block(link: BlockLink, envelopes: readonly Uint8Array[], writes: readonly StateWrite[]): ForgedBlock {
    const draft = draftBlock(link.number, link.previousHash, envelopes);
    const signatureInput = blockSignatureInput(0, this.#orderer.identity, randomBytes(NONCE_BYTES));
    const validationCodes = Buffer.alloc(envelopes.length, VALID);
    const committed = commitHash({
      validationCodes,
      updates: updatesOf(link.number, this.#data.chaincode, writes),
      previous: link.previousCommitHash,
    });
    const bytes = encodeBlock(draft, {
      signatureInput,
      // One a block: its 26 µs are less than the turn of the event loop that waiting for another thread would take.
      signature: signNow(this.#orderer, bytesToSign(signatureInput, draft.header)),
      validationCodes,
      commitHash: committed,
    });
    return { bytes, hash: draft.hash, commitHash: committed };
  }
}

/** Message `msp.SerializedIdentity` of a PEM certificate. */
export function serializedIdentity(mspId: string, certificate: string): Uint8Array {
  return serializeIdentity(mspId, Buffer.from(certificate));
}

/** What a block changes: the last write of each key. */
function updatesOf(blockNumber: number, namespace: string, writes: readonly StateWrite[]): StateUpdate[] {
  const last = new Map<string, StateUpdate>();
  for (const { key, value, position } of writes) {
    last.set(key, {
      namespace,
      collection: '',
      key: Buffer.from(key),
      value: value ?? undefined,
      version: { blockNumber, transactionNumber: position },
    });
  }
  return [...last.values()];
}

function signNow({ key }: Signer, bytes: Uint8Array): Uint8Array {
  return lowS(sign('sha256', bytes, key));
}

function signElsewhere({ key }: Signer, bytes: Uint8Array): Promise<Uint8Array> {
  return new Promise((resolve, reject) => {
    sign('sha256', bytes, key, (error, made) => {
      if (error === null) resolve(lowS(made));
      else reject(error);
    });
  });
}
