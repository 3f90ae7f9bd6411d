import { Buffer } from 'node:buffer';
import { createPrivateKey, randomBytes } from 'node:crypto';
import { createRoot, issueLeaf, type NodeRole } from '../certificates/certificate-authority.js';
import { blockSignatureInput, bytesToSign, draftBlock, encodeBlock } from '../encode/block-encoder.js';
import { encodeConfigBlock } from '../encode/config-block.js';
import {
  serializeIdentity,
  bytesToEndorse,
  encodeEnvelope,
  encodePayload,
  TransactionEncoder,
  type Proposal,
} from '../encode/transaction-encoder.js';
import { signLowS } from '../certificates/sign-low-s.js';
import type { ReadWriteSet } from '../encode/read-write-set.js';
import { commitHash, type StateUpdate } from '../encode/hashes.js';

/** Somebody who signs. */
export interface Signer {
  /** Message `msp.SerializedIdentity`. */
  readonly identity: Uint8Array;
  sign(content: Uint8Array): Uint8Array;
}

/** An organisation with its own root and one identity a role. */
export interface TestOrganisation {
  readonly mspId: string;
  readonly rootCertificate: string;
  readonly client: Signer;
  readonly peer: Signer;
  readonly orderer: Signer;
}

export async function createTestOrganisation(mspId: string): Promise<TestOrganisation> {
  const domain = `${mspId.toLowerCase()}.example.com`;
  const root = await createRoot(domain);
  const signer = async (role: NodeRole): Promise<Signer> => {
    const { certificate, privateKey } = await issueLeaf(root, { commonName: `${role}.${domain}`, role });
    const key = createPrivateKey(privateKey);
    return {
      identity: serializeIdentity(mspId, Buffer.from(certificate)),
      sign: (content) => signLowS(content, key),
    };
  };
  const [client, peer, orderer] = await Promise.all([signer('client'), signer('peer'), signer('orderer')]);
  return { mspId, rootCertificate: root.certificate, client, peer, orderer };
}

/** A transaction to be; what is left out is as it should be. */
export interface TestTransaction {
  readonly readWriteSet: ReadWriteSet;
  readonly creator?: Signer;
  /** Signs instead of the creator. */
  readonly signer?: Signer;
  readonly endorsers?: readonly Signer[];
  readonly channel?: string;
  readonly nonce?: Uint8Array;
  readonly function?: string;
  /** The chaincode that is called; by default `basic`. */
  readonly chaincode?: string;
  /** The chaincode that answers instead of the one that is called. */
  readonly answeredBy?: string;
  /** The event that the chaincode set. */
  readonly event?: { readonly name: string; readonly payload: Uint8Array };
  /** Changes the response payload before it is endorsed. */
  readonly responseAs?: (responsePayload: Uint8Array) => Uint8Array;
  /** Changes the proposal that the endorsers answer. */
  readonly endorsedAs?: (proposal: Proposal) => Proposal;
  /** Changes the headers that go into the envelope. */
  readonly sentAs?: (proposal: Proposal) => Proposal;
  readonly endorserSigns?: (endorser: Signer, content: Uint8Array) => Uint8Array;
}

/** A block to be; what is left out is as it should be. */
export interface TestBlock {
  readonly envelopes: readonly Uint8Array[];
  readonly validationCodes?: readonly number[];
  /** The keys that the valid transactions write, by transaction. */
  readonly writes?: readonly (readonly [transaction: number, key: string, value: string | undefined])[];
  readonly orderer?: Signer;
  readonly lastConfig?: number;
  readonly number?: number;
  readonly previousHash?: Uint8Array;
  readonly commitHash?: Uint8Array;
}

/** Builds a chain of one or several organisations, with every lie that a test asks for. */
export class TestChain {
  readonly channel = 'testchannel';
  readonly blocks: Uint8Array[] = [];
  readonly #organisations: readonly TestOrganisation[];
  #previousHash: Uint8Array;
  #previousCommitHash: Uint8Array = new Uint8Array();

  constructor(organisations: readonly TestOrganisation[]) {
    this.#organisations = organisations;
    const { draft, bytes } = encodeConfigBlock({
      channel: this.channel,
      organisations: organisations,
      maxTransactionsPerBlock: 100,
      timestamp: Date.UTC(2026, 0, 1),
      nonce: randomBytes(24),
    });
    this.#previousHash = draft.hash;
    this.blocks.push(bytes);
  }

  transaction(input: TestTransaction): Uint8Array {
    const [first] = this.#organisations as [TestOrganisation];
    const { creator = first.client, endorsers = this.#organisations.map(({ peer }) => peer) } = input;
    const encoderFor = (name: string): TransactionEncoder =>
      new TransactionEncoder({
        channel: input.channel ?? this.channel,
        chaincode: { name, version: '1.0' },
        creator: creator.identity,
      });
    const called = input.chaincode ?? 'basic';
    const answering = input.answeredBy ?? called;
    const encoder = encoderFor(called);
    const proposal = encoder.propose({
      nonce: input.nonce ?? randomBytes(24),
      timestamp: Date.UTC(2026, 0, 2),
      function: input.function ?? 'Test',
      arguments: [],
    });
    const answer = encoderFor(answering).respond(input.endorsedAs?.(proposal) ?? proposal, {
      readWriteSets: new Map([[answering, input.readWriteSet]]),
      response: { status: 200, payload: new Uint8Array() },
      event: input.event,
    });
    const response = input.responseAs?.(answer) ?? answer;
    const endorse = input.endorserSigns ?? ((endorser, content) => endorser.sign(content));
    const endorsements = endorsers.map((endorser) => ({
      endorser: endorser.identity,
      signature: endorse(endorser, bytesToEndorse(response, endorser.identity)),
    }));
    const payload = encodePayload(input.sentAs?.(proposal) ?? proposal, response, endorsements);
    return encodeEnvelope(payload, (input.signer ?? creator).sign(payload));
  }

  /** Appends a block and returns its bytes. */
  append(input: TestBlock): Uint8Array {
    const [first] = this.#organisations as [TestOrganisation];
    const number = input.number ?? this.blocks.length;
    const draft = draftBlock(number, input.previousHash ?? this.#previousHash, input.envelopes);
    const { orderer = first.orderer, lastConfig = 0 } = input;
    const signatureInput = blockSignatureInput(lastConfig, orderer.identity, randomBytes(24));
    const validationCodes = Buffer.from(input.validationCodes ?? input.envelopes.map(() => 0));
    const updates = (input.writes ?? []).map(([transactionNumber, key, value]): StateUpdate => ({
      namespace: 'basic',
      collection: '',
      key: Buffer.from(key),
      value: value === undefined ? undefined : Buffer.from(value),
      version: { blockNumber: number, transactionNumber },
    }));
    const hash = input.commitHash ?? commitHash({ validationCodes, updates, previous: this.#previousCommitHash });
    const signature = orderer.sign(bytesToSign(signatureInput, draft.header));
    const bytes = encodeBlock(draft, { signatureInput, signature, validationCodes, commitHash: hash });
    this.#previousHash = draft.hash;
    this.#previousCommitHash = hash;
    this.blocks.push(bytes);
    return bytes;
  }
}
