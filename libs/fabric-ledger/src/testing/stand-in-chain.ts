import { randomBytes } from 'node:crypto';
import { common } from '@hyperledger/fabric-protos';
import { decodeActions, decodeEnvelope } from '#fabric-codec';
import {
  blockSignatureInput,
  bytesToSign,
  draftBlock,
  encodeBlock,
  encodeConfigBlock,
  type ReadWriteSets,
} from '#fabric-codec/encode';
import { STAND_IN_MSP, type StandInOrganisation } from './stand-in-identities.js';
import { StandInCollections, type StandInPrivateWrite } from './stand-in-private.js';
import { StandInState } from './stand-in-state.js';

/** The position of a transaction. */
export interface RecordedAt {
  readonly blockNumber: number;
  readonly validationCode: number;
}

/** The result of a simulation, stored until the transaction is received in a block. */
export interface Simulated {
  readonly chaincode: string;
  readonly readWriteSets: ReadWriteSets;
  readonly privateWrites: readonly StandInPrivateWrite[];
  readonly transactionId: string;
  readonly timestamp: string;
}

const DUPLICATE_TXID = 9;
const BAD_RWSET = 22;

/** The chain of one channel on every peer: genuine blocks, validated as in Fabric, and the resulting state. */
export class StandInChain {
  readonly channel: string;
  readonly state = new StandInState();
  readonly blocks: Buffer[] = [];
  /** The validation code of the next transactions, instead of the code that their reads determine. */
  verdict: number | undefined;
  readonly #organisation: StandInOrganisation;
  readonly #hashes: Buffer[] = [];
  readonly #recorded = new Map<string, RecordedAt>();
  readonly #simulated = new Map<string, Simulated>();
  readonly #collections = new Map<string, StandInCollections>();
  #grown = Promise.withResolvers<undefined>();
  #held: Uint8Array[] | undefined;

  constructor(channel: string, organisation: StandInOrganisation) {
    this.channel = channel;
    this.#organisation = organisation;
    const members = [{ mspId: STAND_IN_MSP, rootCertificate: organisation.root.certificate }];
    const { draft, bytes } = encodeConfigBlock({
      channel,
      organisations: members,
      maxTransactionsPerBlock: 100,
      timestamp: Date.now(),
      nonce: randomBytes(24),
    });
    this.blocks.push(bytes);
    this.#hashes.push(draft.hash);
  }

  /** Returns the hash of a block, by default of the newest one. */
  hash(number = this.blocks.length - 1): Buffer {
    return this.#hashes[number] ?? Buffer.alloc(0);
  }

  numberOfHash(hash: Uint8Array): number {
    return this.#hashes.findIndex((known) => known.equals(hash));
  }

  recordedAt(transactionId: string): RecordedAt | undefined {
    return this.#recorded.get(transactionId);
  }

  /** Returns the private collections of a chaincode. */
  collections(chaincode: string): StandInCollections {
    const found = this.#collections.get(chaincode) ?? new StandInCollections(chaincode);
    this.#collections.set(chaincode, found);
    return found;
  }

  /** @param responsePayload - identifies the simulation, because several calls may have one transaction id */
  keep(responsePayload: Uint8Array, simulated: Simulated): void {
    this.#simulated.set(nameOf(responsePayload), simulated);
  }

  /** Resolves at the next block. */
  get grown(): Promise<undefined> {
    return this.#grown.promise;
  }

  /** Lets ordered transactions wait, as a slow orderer does. */
  hold(): void {
    this.#held = [];
  }

  /** Appends the transactions that wait as one block. */
  release(): void {
    const held = this.#held ?? [];
    this.#held = undefined;
    if (held.length > 0) this.append(held);
  }

  append(envelopes: readonly Uint8Array[]): void {
    if (this.#held !== undefined) {
      this.#held.push(...envelopes);
      return;
    }
    const number = this.blocks.length;
    const draft = draftBlock(number, this.hash(), envelopes);
    const codes = envelopes.map((envelope, position) => this.#validate(envelope, number, position));
    const signatureInput = blockSignatureInput(0, this.#organisation.orderer.serialized, randomBytes(24));
    const bytes = encodeBlock(draft, {
      signatureInput,
      signature: this.#organisation.orderer.sign(bytesToSign(signatureInput, draft.header)),
      validationCodes: Buffer.from(codes),
      commitHash: Buffer.alloc(0),
    });
    this.blocks.push(bytes);
    this.#hashes.push(draft.hash);
    this.#grown.resolve(undefined);
    this.#grown = Promise.withResolvers();
  }

  #validate(envelope: Uint8Array, blockNumber: number, position: number): number {
    const transactionId = transactionIdIn(envelope);
    if (this.#recorded.has(transactionId)) return DUPLICATE_TXID;
    const validationCode = this.#apply(envelope, blockNumber, position);
    this.#recorded.set(transactionId, { blockNumber, validationCode });
    return validationCode;
  }

  #apply(envelope: Uint8Array, blockNumber: number, transactionNumber: number): number {
    const [action] = decodeActions(decodeEnvelope(envelope).data);
    const simulated = action && this.#simulated.get(nameOf(action.responsePayload));
    if (simulated === undefined) return BAD_RWSET;
    const { chaincode, readWriteSets, privateWrites, transactionId, timestamp } = simulated;
    const collections = this.collections(chaincode);
    const sets = Array.from(readWriteSets, ([space, set]) => {
      return { set, state: space === chaincode ? this.state : collections.hashes(space) };
    });
    const code = this.verdict ?? sets.map(({ set, state }) => state.validate(set)).find((each) => each !== 0) ?? 0;
    if (code !== 0) return code;
    for (const { set, state } of sets) {
      for (const write of set.writes) {
        state.write(write, { blockNumber, transactionNumber }, { transactionId, timestamp });
      }
    }
    collections.apply(privateWrites);
    return code;
  }
}

function nameOf(responsePayload: Uint8Array): string {
  return Buffer.from(responsePayload).toString('base64');
}

export function transactionIdIn(envelope: Uint8Array): string {
  return channelHeaderIn(envelope).getTxId();
}

export function channelIn(envelope: Uint8Array): string {
  return channelHeaderIn(envelope).getChannelId();
}

/** Returns the `common.HeaderType` of an envelope. */
export function typeIn(envelope: Uint8Array): number {
  return channelHeaderIn(envelope).getType();
}

function channelHeaderIn(envelope: Uint8Array): common.ChannelHeader {
  const payload = common.Payload.deserializeBinary(common.Envelope.deserializeBinary(envelope).getPayload_asU8());
  return common.ChannelHeader.deserializeBinary(payload.getHeader()!.getChannelHeader_asU8());
}
