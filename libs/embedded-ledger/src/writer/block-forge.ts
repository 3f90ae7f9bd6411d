import { randomBytes } from 'node:crypto';
import type { DecodedBlock } from '#fabric-codec';
import {
  type BlockHeader,
  blockSignatureInput,
  bytesToSign,
  commitHash,
  draftBlock,
  encodeBlock,
  NONCE_BYTES,
  partsOfSpace,
  encodeConfigBlock,
  serializeIdentity,
  type StateUpdate,
  TransactionEncoder,
} from '#fabric-codec/encode';
import type { LedgerNames } from '../store/data-directory.js';
import type { StateChange } from '../store/derived-tables.js';
import type { Identities } from '../store/identity-store.js';
import type { StateReaders } from '../store/namespace-reader.js';
import { MAX_BLOCK_TRANSACTIONS, type SealedBlock, type SimulatedTransaction } from './open-block.js';
import { Signer, SigningThread, type SignerPem, type UnsignedTransaction } from './signing.js';

/** The version under which transactions name their chaincode. */
export const CHAINCODE_VERSION = '1.0';
/** Most transactions that are signed faster on this thread than by a round trip to the signing thread. */
const MAX_SIGNED_HERE = 2;
const STATUS_OK = 200;
/** `TxValidationCode.VALID`. */
const VALID = 0;

/** The hashes of a block: SHA-256 of the ASN.1 header, and the commit hash, which is empty in block 0. */
export type BlockHashes = Pick<DecodedBlock, 'hash' | 'commitHash'>;

/** A complete block and its hashes. */
export interface ForgedBlock extends BlockHashes {
  readonly header: BlockHeader;
  /** One code for each transaction. */
  readonly validationCodes: Uint8Array;
  /** The serialized `common.Block`. */
  readonly bytes: Uint8Array;
}

/** Creates signed envelopes and blocks in Fabric's format with the ledger's own identities. */
export class BlockForge {
  /** The compression dictionary of blocks. */
  readonly dictionary: Uint8Array;
  readonly #names: LedgerNames;
  readonly #signing: SigningThread;
  readonly #orderer: Signer;
  /** For each chaincode, indexed by signer number. */
  readonly #encoders = new Map<string, TransactionEncoder[]>();

  constructor({ identities, ...names }: LedgerNames & { readonly identities: Identities }) {
    const { mspId } = names;
    this.#names = names;
    this.#signing = new SigningThread({ mspId, peer: identities.peer, clients: [identities.client] });
    this.#orderer = new Signer(mspId, identities.orderer);
    this.dictionary = blockDictionary(mspId, identities);
  }

  /** Adds a client, which gets the next signer number. */
  addSigner(client: SignerPem): void {
    this.#signing.add(client);
  }

  /** Returns the serialized identity of a signer. */
  creator(signer: number): Uint8Array {
    return this.#signing.here.client(signer).identity;
  }

  #encoderOf(name: string, signer: number): TransactionEncoder {
    let encoders = this.#encoders.get(name);
    if (encoders === undefined) this.#encoders.set(name, (encoders = []));
    return (encoders[signer] ??= new TransactionEncoder({
      channel: this.#names.channel,
      chaincode: { name, version: CHAINCODE_VERSION },
      creator: this.creator(signer),
    }));
  }

  /**
   * Returns the envelopes of transactions in their order, endorsed by the peer and signed by their clients.
   * @param isIdle - whether this thread has nothing else to do in the meantime
   */
  async envelopes(transactions: readonly SimulatedTransaction[], isIdle: boolean): Promise<readonly Uint8Array[]> {
    const unsigned = transactions.map((transaction) => this.#unsigned(transaction));
    if (isIdle && transactions.length <= MAX_SIGNED_HERE) return this.#signing.here.envelopes(unsigned);
    return this.#signing.envelopes(unsigned);
  }

  /** Ends the signing thread. */
  async close(): Promise<void> {
    await this.#signing.close();
  }

  #unsigned({ request, timestamp, readWriteSets, payload, event }: SimulatedTransaction): UnsignedTransaction {
    const { chaincode, signer, transactionId, function: name, finished } = request;
    if (finished !== undefined) return { signer, proposal: finished.proposal, response: finished.response };
    const encoder = this.#encoderOf(chaincode, signer);
    const nonce = Buffer.from(request.nonce, 'hex');
    const proposal = encoder.propose({ nonce, transactionId, timestamp, function: name, arguments: request.arguments });
    const response = encoder.respond(proposal, { readWriteSets, response: { status: STATUS_OK, payload }, event });
    return { signer, proposal, response };
  }

  /**
   * Returns a block of VALID transactions, signed by the orderer.
   * @param states - the state before the block
   */
  block(previous: BlockHashes, { number, envelopes, writes }: SealedBlock, states: StateReaders): ForgedBlock {
    const draft = draftBlock(number, previous.hash, envelopes);
    const signatureInput = blockSignatureInput(0, this.#orderer.identity, randomBytes(NONCE_BYTES));
    const signature = this.#orderer.sign(bytesToSign(signatureInput, draft.header));
    const validationCodes = Buffer.alloc(envelopes.length, VALID);
    const updates = updatesOf(number, writes, states);
    const committed = commitHash({ validationCodes, updates, previous: previous.commitHash });
    const bytes = encodeBlock(draft, { signatureInput, signature, validationCodes, commitHash: committed });
    return { bytes, header: draft.header, hash: draft.hash, validationCodes, commitHash: committed };
  }
}

/** Returns the state updates of a block: the last write of each key. New metadata of a present key are an update with its value. */
function updatesOf(blockNumber: number, changes: readonly StateChange[], committed: StateReaders): StateUpdate[] {
  const last = new Map<string, StateUpdate>();
  for (const change of changes) {
    const { namespace, key, stored, position } = change;
    const value = 'metadata' in change ? currentValue(change, last, committed) : (change.value ?? undefined);
    if ('metadata' in change && value === undefined) continue;
    const version = { blockNumber, transactionNumber: position };
    last.set(stored, { ...committedKey(namespace, key), value, version });
  }
  return [...last.values()];
}

/** Returns a key as the commit hash names it: that of a private value is a hash. */
function committedKey(space: string, key: string): Pick<StateUpdate, 'namespace' | 'collection' | 'key'> {
  const parts = partsOfSpace(space);
  return { ...parts, key: Buffer.from(key, parts.collection === '' ? 'utf8' : 'hex') };
}

/** Returns the value of a key after the updates so far. */
function currentValue(
  { namespace, key, stored }: StateChange,
  updates: ReadonlyMap<string, StateUpdate>,
  committed: StateReaders,
): Uint8Array | undefined {
  const update = updates.get(stored);
  return update === undefined ? committed.of(namespace).value(key) : update.value;
}

/** Creates the serialized configuration block of a new chain, with the root certificate of all identities. */
export function firstBlock({ channel, mspId }: LedgerNames, { root }: Identities): Uint8Array {
  const organisation = { mspId, rootCertificate: root };
  return encodeConfigBlock({
    channel,
    organisations: [organisation],
    maxTransactionsPerBlock: MAX_BLOCK_TRANSACTIONS,
    timestamp: Date.now(),
    nonce: randomBytes(NONCE_BYTES),
  }).bytes;
}

/** Returns the compression dictionary of blocks: the serialized identities that most blocks contain. */
export function blockDictionary(mspId: string, { orderer, peer, client }: Identities): Uint8Array {
  const identities = [orderer, peer, client];
  return Buffer.concat(identities.map(({ certificate }) => serializeIdentity(mspId, Buffer.from(certificate))));
}
