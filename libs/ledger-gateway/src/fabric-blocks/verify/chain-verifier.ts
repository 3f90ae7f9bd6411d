import { Buffer } from 'node:buffer';
import { commitHash } from '../encode/hashes.js';
import { attempt } from '../messages/decode-message.js';
import type { BlockContent, ExaminedBlock } from './examine-block.js';
import { BlockReport, type Finding } from './findings.js';
import { BlockReplay, type ReplayState } from './replay/block-replay.js';
import { signerAmong, TransactionVerifier } from './transaction-verifier.js';
import { ChannelTrust } from './trust/channel-trust.js';
import { EndorsementPolicies } from './trust/endorsement-policies.js';
import type { Member } from './trust/organisation.js';

/** What the caller knows about the chain from elsewhere. */
export interface ChainVerifierOptions {
  /** Hexadecimal hash that block 0 must have: without it, a chain that was forged as a whole passes. */
  readonly genesisHash?: string;
  /** The store of the replayed state. */
  readonly state: ReplayState;
}

/** The last verified block of a chain. */
export interface VerifiedHead {
  /** Number of blocks. */
  readonly height: number;
  /** Hexadecimal hash of the last of them; empty before the first, and after a block that cannot be decoded. */
  readonly hash: string;
}

const BLOCK_VALIDATION = '/Channel/Orderer/BlockValidation';

/**
 * Verifies a chain block by block from block 0 on: the one canonical form, numbers, links, data hashes, transaction ids,
 * signatures of creators, endorsers and orderers by members whom the channel's own configuration trusts, endorsement
 * policies, and by replaying the reads and writes the validation codes and commit hashes. It does not check whether a
 * certificate had expired or was revoked. A `BlockExaminer`, possibly on another thread, checks what needs one block only.
 */
export class ChainVerifier {
  readonly #options: ChainVerifierOptions;
  readonly #policies = new EndorsementPolicies();
  #next = 0;
  #previous: BlockContent | undefined;
  #trust: ChannelTrust | undefined;
  #lastConfig = 0;

  constructor(options: ChainVerifierOptions) {
    this.#options = options;
  }

  get head(): VerifiedHead {
    return { height: this.#next, hash: this.#previous?.hash ?? '' };
  }

  /** Returns who must endorse a chaincode after the blocks so far; see {@link EndorsementPolicies.nameOf}. */
  policyOf(chaincode: string): string {
    return this.#policies.nameOf(chaincode);
  }

  /** Verifies the next block and returns all errors in it. */
  add({ fault, content }: ExaminedBlock): readonly Finding[] {
    const report = new BlockReport(this.#next);
    if (fault !== undefined) report.add('BLOCK_FORMAT', `the block is not in its canonical form: ${fault}`);
    if (content === undefined) report.add('BLOCK_FORMAT', 'the block cannot be decoded');
    else this.#check(content, report);
    this.#previous = content;
    this.#next++;
    return report.findings;
  }

  #check(block: BlockContent, report: BlockReport): void {
    this.#checkHeader(block, report);
    for (const fault of block.metadataFaults) report.add('METADATA', fault);
    const trust = this.#next === 0 ? readTrust(block, report) : this.#trust;
    const signers = block.identities.map((identity) => trust?.member(identity) ?? '');
    const replay = new BlockReplay(this.#options.state, this.#next);
    const { state } = this.#options;
    const transactions = new TransactionVerifier({ trust, signers, policies: this.#policies, state, report });
    const configured = transactions.verify(block, replay);
    if (configured !== undefined) this.#lastConfig = this.#next;
    if (trust !== undefined) this.#checkSignatures(block, trust, signers, report);
    this.#checkCommitHash(block, replay, report);
    replay.commit();
    this.#policies.learn(transactions.applied);
    this.#trust = configured ?? trust;
  }

  #checkHeader({ number, hash, previousHash, isDataHashRight }: BlockContent, report: BlockReport): void {
    if (number !== this.#next) {
      report.add('BLOCK_NUMBER', `the block has the number ${number} instead of ${this.#next}`);
    }
    if (!isDataHashRight) report.add('DATA_HASH', 'the data hash is not that of the transactions');
    const { genesisHash } = this.#options;
    if (this.#next === 0) {
      if (previousHash !== '') report.add('BLOCK_LINK', 'block 0 names a previous block');
      if (genesisHash !== undefined && hash !== genesisHash.toLowerCase()) {
        report.add('BLOCK_LINK', `block 0 has the hash ${hash}, not ${genesisHash}`);
      }
    } else if (this.#previous !== undefined && previousHash !== this.#previous.hash) {
      report.add('BLOCK_LINK', 'the block does not name the hash of the previous block');
    }
  }

  /** Checks that orderers whom the channel trusts signed the block, and name the newest configuration block. */
  #checkSignatures(
    { number, signatures }: BlockContent,
    trust: ChannelTrust,
    known: readonly (Member | string)[],
    report: BlockReport,
  ): void {
    if (signatures.fault !== undefined) {
      report.add('METADATA', `the signatures are not in their canonical form: ${signatures.fault}`);
      return;
    }
    this.#checkOrdererMetadata(signatures, report);
    const signers = blockSigners(signatures, known, report);
    // Block 0 is not signed; its hash identifies it.
    if (number === 0 && signatures.signers.length === 0) return;
    if (trust.satisfies(BLOCK_VALIDATION, signers) !== true) {
      report.add('BLOCK_SIGNATURE', `the block does not have the signatures that ${BLOCK_VALIDATION} requires`);
    }
  }

  #checkOrdererMetadata({ valueFault, lastConfig }: BlockContent['signatures'], report: BlockReport): void {
    if (valueFault !== undefined) {
      report.add('METADATA', `the orderer's metadata are not in their canonical form: ${valueFault}`);
    } else if (lastConfig !== this.#lastConfig) {
      const named = lastConfig ?? 'none';
      report.add('METADATA', `the orderer names block ${named} as the newest configuration, not ${this.#lastConfig}`);
    }
  }

  #checkCommitHash(block: BlockContent, replay: BlockReplay, report: BlockReport): void {
    if (this.#next === 0 || this.#previous === undefined) return;
    if (!replay.valuesAreKnown) {
      report.add('UNCHECKED', 'keys got new metadata, so the commit hash cannot be computed from the blocks alone');
      return;
    }
    const expected = commitHash({
      validationCodes: block.validationCodes,
      updates: replay.updates,
      previous: this.#previous.commitHash,
    });
    if (Buffer.compare(block.commitHash, expected) !== 0) {
      report.add('COMMIT_HASH', 'the commit hash is not that of the validation codes and writes');
    }
  }
}

/** Returns the orderers whose signatures of a block are valid, each once, and reports the other signatures. */
function blockSigners(
  { signers: signed }: BlockContent['signatures'],
  known: readonly (Member | string)[],
  report: BlockReport,
): readonly Member[] {
  const signers = new Map<string, Member>();
  for (const one of signed) {
    const signer = typeof one === 'string' ? one : signerAmong(known, one);
    if (typeof signer === 'string') report.add('BLOCK_SIGNATURE', signer);
    else if (typeof one === 'string' || !one.isSigned) {
      report.add('BLOCK_SIGNATURE', 'a signature is not that of the orderer it names');
    } else if (signers.has(signer.fingerprint)) report.add('BLOCK_SIGNATURE', 'an orderer signed the block twice');
    else signers.set(signer.fingerprint, signer);
  }
  return [...signers.values()];
}

function readTrust({ transactions: [first] }: BlockContent, report: BlockReport): ChannelTrust | undefined {
  const envelope = first?.configuration?.envelope;
  const trust = envelope && attempt(() => ChannelTrust.fromEnvelope(envelope));
  if (trust === undefined) {
    report.add('CONFIGURATION', 'block 0 contains no configuration: no signature of the chain can be checked');
  }
  return trust;
}
