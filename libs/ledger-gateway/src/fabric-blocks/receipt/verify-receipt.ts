import transactionMessages from '@hyperledger/fabric-protos/lib/peer/transaction_pb.js';
import { Buffer } from 'node:buffer';
import { decodeBlock, type DecodedBlock } from '../decode/decode-block.js';
import { attempt } from '../decode/read-message.js';
import { describeTransaction } from '../describe/describe-transaction.js';
import { blockDataHash } from '../encode/hashes.js';
import { scanMessage } from '../verify/canonical-form.js';
import { examineSignatures } from '../verify/examine-block.js';
import {
  examineTransaction,
  isPassed,
  type ExaminedConfiguration,
  type ExaminedEnvelope,
  type ExaminedTransaction,
} from '../verify/examine-transaction.js';
import { Block } from '../verify/fabric-messages.js';
import type { Fault } from '../verify/findings.js';
import { IdentitySignatures, type SignedBy } from '../verify/identity-signatures.js';
import { KeptBytes } from '../verify/kept-bytes.js';
import type { Role } from '../verify/trust/organisation.js';
import { readPeerWord } from './peer-word.js';
import { readReceipt } from './read-receipt.js';
import {
  ReceiptFault,
  type ProvenTransaction,
  type ReceiptCheck,
  type ReceiptReport,
  type ReceiptStep,
} from './receipt-report.js';
import { placeInBlock, type Receipt } from './receipt.js';
import type { TrustedRoots } from './trusted-roots.js';

/** What the caller of {@link verifyReceipt} brings. */
export interface ReceiptTerms {
  /** Whom the caller trusts: nothing in a receipt is true but by somebody's signature. */
  readonly roots: TrustedRoots;
  /** A number of blocks that the chain has had, and the hexadecimal hash of the last of them, known from elsewhere. */
  readonly expect?: { readonly height: number; readonly hash: string } | undefined;
}

const CODES: Readonly<Record<string, number>> = { ...transactionMessages.TxValidationCode };
const METADATA_ENTRIES = 5;

/**
 * Checks a receipt by itself, without a ledger: the block's form, hashes and orderers' signatures, the transaction's place,
 * id, creator and endorsements, and a peer's word on its validation code. As the verification of a chain it reads no
 * clock.
 * @param text - the file
 */
export function verifyReceipt(text: string, terms: ReceiptTerms): ReceiptReport {
  const verifier = new ReceiptVerifier(terms);
  try {
    const receipt = readReceipt(text);
    const transaction = verifier.verify(receipt);
    const verdict = transaction.validationCode === 'VALID' ? 'valid' : 'not-valid';
    return { verdict, steps: verifier.steps, transaction, notProven: notProven(receipt, terms) };
  } catch (error) {
    if (!(error instanceof ReceiptFault)) throw error;
    const failed: ReceiptStep = { check: error.check, result: 'failed', what: error.message };
    return { verdict: 'refused', steps: [...verifier.steps, failed], transaction: undefined, notProven: [] };
  }
}

function notProven({ attestation }: Receipt, { expect }: ReceiptTerms): string[] {
  const place =
    attestation.kind === 'qscc' ? ["in which block the peer has it: a peer's answer names the code alone"] : [];
  return [
    ...(expect === undefined ? ['that the block is one of the chain that you know: give --expect HEIGHT:HASH'] : []),
    ...place,
    'that those who had to endorse it did: the peer says so by the code',
    'when it was made: the time is what its submitter claims',
    'that no certificate had expired or was revoked: none is looked up',
    'anything against whoever holds the keys of an orderer and a peer',
  ];
}

/** Goes through one receipt, step by step. */
class ReceiptVerifier {
  readonly steps: ReceiptStep[] = [];
  readonly #terms: ReceiptTerms;
  readonly #signatures = new IdentitySignatures();

  constructor(terms: ReceiptTerms) {
    this.#terms = terms;
  }

  /** @throws {@link ReceiptFault} at the first thing that is wrong */
  verify(receipt: Receipt): ProvenTransaction {
    this.#pass('FORMAT', 'a receipt of version 1');
    const block = this.#checkBlock(receipt);
    this.#checkOrderers(block);
    const envelope = this.#checkPlace(receipt, block);
    const code = Number(CODES[receipt.validationCode]);
    const examined = examineTransaction(envelope, code, this.#signatures, new KeptBytes());
    if (isPassed(code)) this.#checkTransaction(receipt, examined);
    else this.#skip('TRANSACTION', 'the peers refused it for what it is: nothing in it is taken as true');
    this.#checkWord(receipt, envelope);
    this.#checkHead(block);
    return provenTransaction(receipt, envelope, code);
  }

  #checkBlock({ block: bytes, blockNumber, blockHash }: Receipt): DecodedBlock {
    const fault = scanMessage(bytes, Block, { allowDefaults: false });
    const block = attempt(() => decodeBlock(bytes));
    if (fault !== undefined || block === undefined) {
      throw new ReceiptFault('BLOCK', `the block is not in its canonical form: ${fault ?? 'it cannot be decoded'}`);
    }
    const { header, hash, envelopes, metadata } = block;
    if (metadata.length !== METADATA_ENTRIES || metadata.slice(1).some(({ length }) => length > 0)) {
      throw new ReceiptFault('BLOCK', 'the block has metadata that no signature covers');
    }
    if (header.number !== blockNumber) {
      throw new ReceiptFault('BLOCK', `the block has the number ${header.number}, not ${blockNumber}`);
    }
    if (hex(hash) !== blockHash)
      throw new ReceiptFault('BLOCK', `the block has the hash ${hex(hash)}, not ${blockHash}`);
    if (Buffer.compare(header.dataHash, blockDataHash(envelopes)) !== 0) {
      throw new ReceiptFault('BLOCK', 'the transactions in the block are not those that its header names');
    }
    this.#pass(
      'BLOCK',
      `block ${header.number} has the hash ${blockHash}, and names its ${envelopes.length} transactions`,
    );
    return block;
  }

  #checkOrderers({ header, metadata: [bytes = new Uint8Array()] }: DecodedBlock): void {
    const { fault, valueFault, signers } = examineSignatures(header, bytes, this.#signatures);
    const wrong = fault ?? valueFault;
    if (wrong !== undefined) {
      throw new ReceiptFault('BLOCK_SIGNATURE', `the orderers' metadata are not in their canonical form: ${wrong}`);
    }
    if (signers.length === 0) {
      this.#checkUnsigned(header.number);
      return;
    }
    const names = signers.map((signed) => {
      if (typeof signed === 'string') throw new ReceiptFault('BLOCK_SIGNATURE', signed);
      return this.#signer('BLOCK_SIGNATURE', signed, 'ORDERER');
    });
    this.#pass('BLOCK_SIGNATURE', `signed by ${names.join(', ')}`);
  }

  /** Nobody signs block 0: whoever knows it knows its hash. */
  #checkUnsigned(number: number): void {
    if (number !== 0) throw new ReceiptFault('BLOCK_SIGNATURE', 'nobody signed the block');
    if (this.#terms.expect === undefined) {
      throw new ReceiptFault('BLOCK_SIGNATURE', 'nobody signs block 0: name the hash that you know by --expect 1:HASH');
    }
    this.#skip('BLOCK_SIGNATURE', 'nobody signs block 0: it is known by its hash');
  }

  /** Gives the transaction's envelope. */
  #checkPlace({ block: bytes, position, transactionId, channel }: Receipt, { envelopes }: DecodedBlock): Uint8Array {
    const envelope = envelopes[position];
    const found = placeInBlock(bytes, transactionId);
    if (envelope === undefined) {
      throw new ReceiptFault(
        'TRANSACTION',
        `there is no position ${position} in a block of ${envelopes.length} transactions`,
      );
    }
    if (found === undefined) throw new ReceiptFault('TRANSACTION', 'no transaction of that id is in the block');
    if (found.position !== position) {
      const text = `the transaction stands at position ${found.position} first, not ${position}`;
      throw new ReceiptFault('TRANSACTION', text);
    }
    if (found.channel !== channel) {
      throw new ReceiptFault('TRANSACTION', `the transaction is of the channel ${found.channel}, not ${channel}`);
    }
    return envelope;
  }

  #checkTransaction(receipt: Receipt, { faults, envelope, configuration }: ExaminedTransaction): void {
    requireForm(faults);
    if (envelope?.isIdRight !== true) {
      throw new ReceiptFault('TRANSACTION', 'the id is not the hash of nonce and creator');
    }
    if (configuration === undefined) this.#checkCall(receipt, envelope);
    else this.#checkConfiguration(receipt, envelope, configuration);
  }

  #checkConfiguration(
    { position, blockNumber }: Receipt,
    { creator, isUnsigned }: ExaminedEnvelope,
    { fault }: ExaminedConfiguration,
  ): void {
    if (fault !== undefined) throw new ReceiptFault('TRANSACTION', fault);
    this.#pass('TRANSACTION', `a configuration at position ${position}`);
    if (blockNumber === 0 && isUnsigned) this.#skip('CREATOR', 'nobody signs the first configuration');
    else this.#pass('CREATOR', `signed by ${this.#signer('CREATOR', creator, 'ORDERER')}`);
    this.#skip('ENDORSEMENT', 'a configuration has none');
  }

  #checkCall({ position }: Receipt, { call, creator }: ExaminedEnvelope): void {
    if (call !== undefined) requireForm(call.faults);
    if (call?.content === undefined) throw new ReceiptFault('TRANSACTION', 'it is no call of a chaincode');
    const { chaincode, endorsers } = call.content;
    this.#pass('TRANSACTION', `a call of ${chaincode} at position ${position}`);
    this.#pass('CREATOR', `signed by ${this.#signer('CREATOR', creator, 'MEMBER')}`);
    const names = endorsers.map((endorser) => this.#signer('ENDORSEMENT', endorser, 'MEMBER'));
    if (names.length === 0) throw new ReceiptFault('ENDORSEMENT', 'nobody endorsed the transaction');
    this.#pass('ENDORSEMENT', `signed by ${names.join(', ')}`);
  }

  #checkWord(receipt: Receipt, envelope: Uint8Array): void {
    const names = readPeerWord(receipt.attestation, receipt, envelope, this.#signatures).map((signed) =>
      this.#signer('VALIDATION_CODE', signed, 'PEER'),
    );
    this.#pass('VALIDATION_CODE', `${receipt.validationCode}, signed by ${names.join(', ')}`);
  }

  #checkHead({ header: { number, previousHash }, hash }: DecodedBlock): void {
    const { expect } = this.#terms;
    if (expect === undefined) {
      this.#skip('EXPECTED_HEAD', 'no hash was given that is known from elsewhere');
      return;
    }
    const known = new Map([
      [number + 1, hex(hash)],
      [number, hex(previousHash)],
    ]);
    const found = known.get(expect.height);
    if (found === undefined || found === '') {
      throw new ReceiptFault(
        'EXPECTED_HEAD',
        `a receipt of block ${number} can be compared with the hash of that block, --expect ${number + 1}:HASH, ` +
          `or of the one before, not with height ${expect.height}`,
      );
    }
    if (found !== expect.hash.toLowerCase()) {
      throw new ReceiptFault(
        'EXPECTED_HEAD',
        `block ${expect.height - 1} has the hash ${found} here, not ${expect.hash}`,
      );
    }
    this.#pass('EXPECTED_HEAD', `block ${expect.height - 1} has the hash that you know`);
  }

  /** The name of who signed. */
  #signer(check: ReceiptCheck, { identity, isSigned }: SignedBy, role: Role): string {
    const { [identity]: bytes = new Uint8Array() } = this.#signatures.identities;
    const signer = this.#terms.roots.signer(bytes, role);
    if (typeof signer === 'string') throw new ReceiptFault(check, signer);
    if (!isSigned) throw new ReceiptFault(check, `the signature is not that of ${signer.name}`);
    return signer.name;
  }

  #pass(check: ReceiptCheck, what: string): void {
    this.steps.push({ check, result: 'passed', what });
  }

  #skip(check: ReceiptCheck, what: string): void {
    this.steps.push({ check, result: 'not checked', what });
  }
}

function requireForm([fault]: readonly Fault[]): void {
  if (fault !== undefined) throw new ReceiptFault('TRANSACTION', fault.what);
}

function provenTransaction(receipt: Receipt, envelope: Uint8Array, validationCode: number): ProvenTransaction {
  const { channel, transactionId, blockNumber, blockHash, position } = receipt;
  const told = describeTransaction({ envelope, validationCode, blockNumber, blockHash });
  return {
    channel,
    transactionId,
    blockNumber,
    blockHash,
    position,
    validationCode: told.validationCode,
    creator: told.creatorId,
    timestamp: told.timestamp,
    chaincode: told.chaincodeId,
    function: told.function,
    arguments: told.arguments,
  };
}

function hex(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('hex');
}
