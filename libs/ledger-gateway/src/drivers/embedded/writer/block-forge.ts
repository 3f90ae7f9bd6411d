import { randomBytes } from 'node:crypto';
import {
  blockSignatureInput,
  bytesToSign,
  draftBlock,
  encodeBlock,
} from '../../../fabric-blocks/encode/block-encoder.js';
import { TransactionEncoder } from '../../../fabric-blocks/encode/transaction-encoder.js';
import { commitHash, type StateUpdate } from '../../../fabric-blocks/encode/hashes.js';
import { CHAINCODE_VERSION } from '../store/data-directory.js';
import type { StateWrite } from '../store/derived-tables.js';
import { blockDictionary } from './first-block.js';
import { SERVICE_SIGNER, type WriterData } from './messages.js';
import type { SealedBlock, SimulatedTransaction } from './open-block.js';
import { SigningThread } from './signing-thread.js';
import { EnvelopeSigner, Signer, type SignerPem, type UnsignedTransaction } from './signing.js';

const NONCE_BYTES = 24;
/** Most transactions that are signed faster on this thread than by a round trip to the signing thread. */
const MAX_SIGNED_HERE = 2;
const STATUS_OK = 200;
/** `TxValidationCode.VALID`. */
const VALID = 0;

/** The hashes that link a block to the previous one. */
export interface BlockLink {
  readonly previousHash: Uint8Array;
  /** Empty for block 1. */
  readonly previousCommitHash: Uint8Array;
}

/** A complete block and its hashes. */
export interface ForgedBlock {
  /** The serialized `common.Block`. */
  readonly bytes: Uint8Array;
  /** SHA-256 of the ASN.1 header. */
  readonly hash: Uint8Array;
  readonly commitHash: Uint8Array;
}

/** Creates signed envelopes and blocks in Fabric's format. */
export interface BlockForge {
  /** The compression dictionary of blocks. */
  readonly dictionary: Uint8Array;
  /** Adds a client, which gets the next signer number. */
  addSigner(client: SignerPem): void;
  /** Returns the serialized identity of a signer. */
  creator(signer: number): Uint8Array;
  /**
   * Returns the envelopes of transactions in their order, endorsed by the peer and signed by their clients.
   * @param areAlone - whether this thread has nothing else to do in the meantime
   */
  envelopes(transactions: readonly SimulatedTransaction[], areAlone: boolean): Promise<readonly Uint8Array[]>;
  /** Returns a block of VALID transactions, signed by the orderer. */
  block(link: BlockLink, block: SealedBlock): ForgedBlock;
  /** Ends the signing thread. */
  close(): Promise<void>;
}

/** Creates envelopes and blocks with the ledger's own identities. */
export class FabricForge implements BlockForge {
  readonly dictionary: Uint8Array;
  readonly #data: WriterData;
  readonly #signer: EnvelopeSigner;
  readonly #signingThread: SigningThread;
  readonly #orderer: Signer;
  /** Indexed by signer number. */
  readonly #encoders: TransactionEncoder[];

  constructor(data: WriterData) {
    const { mspId, identities } = data;
    const signers = { mspId, peer: pemOf(identities.peer), clients: [pemOf(identities.client)] };
    const signer = new EnvelopeSigner(signers);
    this.#data = data;
    this.#signer = signer;
    this.#signingThread = new SigningThread(signers, signer);
    this.#orderer = new Signer(mspId, identities.orderer);
    this.#encoders = [this.#encoderFor(SERVICE_SIGNER)];
    this.dictionary = blockDictionary(mspId, identities);
  }

  addSigner(client: SignerPem): void {
    this.#signingThread.add(pemOf(client));
    this.#encoders.push(this.#encoderFor(this.#encoders.length));
  }

  creator(signer: number): Uint8Array {
    return this.#signer.client(signer).identity;
  }

  #encoderFor(signer: number): TransactionEncoder {
    return new TransactionEncoder({
      channel: this.#data.channel,
      chaincode: { name: this.#data.chaincode, version: CHAINCODE_VERSION },
      creator: this.creator(signer),
    });
  }

  async envelopes(transactions: readonly SimulatedTransaction[], areAlone: boolean): Promise<readonly Uint8Array[]> {
    const unsigned = transactions.map((transaction) => this.#unsigned(transaction));
    if (areAlone && transactions.length <= MAX_SIGNED_HERE)
      return unsigned.map((transaction) => this.#signer.envelope(transaction));
    return this.#signingThread.sign(unsigned);
  }

  async close(): Promise<void> {
    await this.#signingThread.close();
  }

  #unsigned({ request, timestamp, readWriteSet, payload }: SimulatedTransaction): UnsignedTransaction {
    const encoder = this.#encoders[request.signer];
    if (encoder === undefined) throw new RangeError(`there is no signer ${request.signer}`);
    const proposal = encoder.propose({
      nonce: Buffer.from(request.nonce, 'hex'),
      transactionId: request.transactionId,
      timestamp,
      function: request.function,
      arguments: request.arguments,
    });
    const response = encoder.respond(proposal, { readWriteSet, response: { status: STATUS_OK, payload } });
    return { signer: request.signer, proposal, response };
  }

  block(link: BlockLink, { number, envelopes, writes }: SealedBlock): ForgedBlock {
    const draft = draftBlock(number, link.previousHash, envelopes);
    const signatureInput = blockSignatureInput(0, this.#orderer.identity, randomBytes(NONCE_BYTES));
    const validationCodes = Buffer.alloc(envelopes.length, VALID);
    const committed = commitHash({
      validationCodes,
      updates: updatesOf(number, this.#data.chaincode, writes),
      previous: link.previousCommitHash,
    });
    const bytes = encodeBlock(draft, {
      signatureInput,
      signature: this.#orderer.sign(bytesToSign(signatureInput, draft.header)),
      validationCodes,
      commitHash: committed,
    });
    return { bytes, hash: draft.hash, commitHash: committed };
  }
}

/** Returns the state updates of a block: the last write of each key. */
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

/** Returns the parts of an identity that the signing thread needs. */
function pemOf({ certificate, privateKey }: SignerPem): SignerPem {
  return { certificate, privateKey };
}
