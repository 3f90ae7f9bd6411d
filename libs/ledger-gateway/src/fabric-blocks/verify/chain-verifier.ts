import { Buffer } from 'node:buffer';
import { decodeBlock, type DecodedBlock } from '../decode/decode-block.js';
import { blockDataHash } from '../hash/block-hash.js';
import { commitHash } from '../hash/commit-hash.js';
import { attempt } from './attempt.js';
import { checkBlockSignature } from './block-signature.js';
import type { Finding } from './finding.js';
import { checkMetadata, SIGNATURES } from './metadata-check.js';
import { BlockReplay } from './replay/block-replay.js';
import { MemoryReplayState, type ReplayState } from './replay/replay-state.js';
import { BlockReport } from './report.js';
import { Block } from './strict/fabric-messages.js';
import { scanMessage } from './strict/scan-message.js';
import { TransactionVerifier } from './transaction-verifier.js';
import { ChannelTrust } from './trust/channel-trust.js';
import { EndorsementPolicies } from './trust/endorsement-policies.js';

/** What the caller knows of the chain from elsewhere. */
export interface ChainVerifierOptions {
  /** Hexadecimal hash that block 0 must have: without it, a chain that was signed anew as a whole passes. */
  readonly genesisHash?: string;
  /** Where the replayed state is kept; in memory by default. */
  readonly state?: ReplayState;
}

/** How far a chain was verified. */
export interface VerifiedHead {
  /** Number of blocks. */
  readonly height: number;
  /** Hexadecimal hash of the last of them; empty before the first, and behind a block that cannot be decoded. */
  readonly hash: string;
}

/**
 * Verifies a chain block by block from block 0 on: the one canonical form, numbers, links, data hashes, transaction ids,
 * signatures of creators, endorsers and orderers by members whom the channel's own configuration trusts, endorsement
 * policies, and by replaying the reads and writes the validation codes and commit hashes. It reads no clock: whether a
 * certificate had expired, or was revoked, is not looked into.
 */
export class ChainVerifier {
  readonly #options: ChainVerifierOptions;
  readonly #state: ReplayState;
  readonly #policies = new EndorsementPolicies();
  #next = 0;
  #previous: DecodedBlock | undefined;
  #trust: ChannelTrust | undefined;
  #lastConfig = 0;

  constructor(options: ChainVerifierOptions = {}) {
    this.#options = options;
    this.#state = options.state ?? new MemoryReplayState();
  }

  get head(): VerifiedHead {
    return { height: this.#next, hash: this.#previous === undefined ? '' : hex(this.#previous.hash) };
  }

  /** Verifies the next block, a serialized `common.Block`; gives everything that is wrong with it. */
  add(bytes: Uint8Array): readonly Finding[] {
    const report = new BlockReport(this.#next);
    const fault = scanMessage(bytes, Block, { allowDefaults: false });
    if (fault !== undefined) report.add('BLOCK_FORMAT', `the block is not in its canonical form: ${fault}`);
    const block = attempt(() => decodeBlock(bytes));
    if (block === undefined) report.add('BLOCK_FORMAT', 'the block cannot be decoded');
    else this.#check(block, report);
    this.#previous = block;
    this.#next++;
    return report.findings;
  }

  #check(block: DecodedBlock, report: BlockReport): void {
    this.#checkHeader(block, report);
    checkMetadata(block, report);
    const trust = this.#next === 0 ? this.#readTrust(block, report) : this.#trust;
    const transactions = new TransactionVerifier({ trust, policies: this.#policies, state: this.#state, report });
    const replay = new BlockReplay(this.#state, this.#next);
    const configured = transactions.verify(block, replay);
    if (configured !== undefined) this.#lastConfig = this.#next;
    if (trust !== undefined) {
      const signatures = block.metadata[SIGNATURES] ?? new Uint8Array();
      checkBlockSignature({ header: block.header, signatures, lastConfig: this.#lastConfig }, trust, report);
    }
    this.#checkCommitHash(block, replay, report);
    replay.commit();
    this.#policies.learn(transactions.applied);
    this.#trust = configured ?? trust;
  }

  #checkHeader({ header, hash, envelopes }: DecodedBlock, report: BlockReport): void {
    if (header.number !== this.#next) {
      report.add('BLOCK_NUMBER', `the block has the number ${header.number} where ${this.#next} comes next`);
    }
    if (!equal(header.dataHash, blockDataHash(envelopes))) {
      report.add('DATA_HASH', 'the data hash is not that of the transactions');
    }
    const { genesisHash } = this.#options;
    if (this.#next === 0) {
      if (header.previousHash.length > 0) report.add('BLOCK_LINK', 'block 0 names a block before it');
      if (genesisHash !== undefined && hex(hash) !== genesisHash.toLowerCase()) {
        report.add('BLOCK_LINK', `block 0 has the hash ${hex(hash)}, not ${genesisHash}`);
      }
    } else if (this.#previous !== undefined && !equal(header.previousHash, this.#previous.hash)) {
      report.add('BLOCK_LINK', 'the block does not name the hash of the block before it');
    }
  }

  #readTrust({ envelopes }: DecodedBlock, report: BlockReport): ChannelTrust | undefined {
    const trust = attempt(() => ChannelTrust.fromEnvelope(envelopes[0] ?? new Uint8Array()));
    if (trust === undefined) {
      report.add('CONFIGURATION', 'block 0 holds no configuration: no signature of the chain can be checked');
    }
    return trust;
  }

  #checkCommitHash(block: DecodedBlock, replay: BlockReplay, report: BlockReport): void {
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
    if (!equal(block.commitHash, expected)) {
      report.add('COMMIT_HASH', 'the commit hash is not that of the validation codes and writes');
    }
  }
}

function equal(a: Uint8Array, b: Uint8Array): boolean {
  return Buffer.compare(a, b) === 0;
}

function hex(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('hex');
}
