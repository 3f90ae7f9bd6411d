import { Buffer } from 'node:buffer';
import { commitHash } from '../encode/hashes.js';
import { attempt } from '../messages/decode-message.js';
import type { BlockContent, ExaminedBlock } from './examine-block.js';
import type { Finding, Note } from './findings.js';
import { BlockReplay, type ReplayState } from './replay/block-replay.js';
import { TransactionVerifier } from './transaction-verifier.js';
import { ChannelTrust } from './trust/channel-trust.js';
import { EndorsementPolicies } from './trust/endorsement-policies.js';
import type { Member } from './trust/organisation.js';

/** What the caller knows about the chain from elsewhere. */
export interface ChainVerifierOptions {
  /** Hexadecimal hash that block 0 must have: without it, a chain that was forged as a whole passes. */
  readonly genesisHash?: string | undefined;
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
    const findings: Finding[] = [];
    const note: Note = (check, what) => findings.push({ block: this.#next, check, what });
    if (fault !== undefined) note('BLOCK_FORMAT', `the block is not in its canonical form: ${fault}`);
    if (content === undefined) note('BLOCK_FORMAT', 'the block cannot be decoded');
    else this.#check(content, note, findings);
    this.#previous = content;
    this.#next++;
    return findings;
  }

  #check(block: BlockContent, note: Note, findings: Finding[]): void {
    const { state } = this.#options;
    this.#checkHeader(block, note);
    for (const fault of block.metadataFaults) note('METADATA', fault);
    const trust = this.#next === 0 ? readTrust(block, note) : this.#trust;
    const replay = new BlockReplay(state, this.#next);
    const verifier = new TransactionVerifier({
      block: this.#next,
      isAlone: block.transactions.length === 1,
      trust,
      policies: this.#policies,
      state,
      replay,
    });
    if (block.transactions.length === 0) note('METADATA', 'the block is empty');
    for (const [index, transaction] of block.transactions.entries()) {
      verifier.verify(transaction, index, (check, what) =>
        findings.push({ block: this.#next, transaction: index, check, what }),
      );
    }
    if (verifier.configured !== undefined) this.#lastConfig = this.#next;
    if (trust !== undefined) this.#checkSignatures(block, trust, note);
    this.#checkCommitHash(block, replay, note);
    replay.commit();
    this.#policies.learn(verifier.applied);
    this.#trust = verifier.configured ?? trust;
  }

  #checkHeader({ number, hash, previousHash, isDataHashRight }: BlockContent, note: Note): void {
    if (number !== this.#next) note('BLOCK_NUMBER', `the block has the number ${number} instead of ${this.#next}`);
    if (!isDataHashRight) note('DATA_HASH', 'the data hash is not that of the transactions');
    const { genesisHash } = this.#options;
    if (this.#next === 0) {
      if (previousHash !== '') note('BLOCK_LINK', 'block 0 names a previous block');
      if (genesisHash !== undefined && hash !== genesisHash.toLowerCase()) {
        note('BLOCK_LINK', `block 0 has the hash ${hash}, not ${genesisHash}`);
      }
    } else if (this.#previous !== undefined && previousHash !== this.#previous.hash) {
      note('BLOCK_LINK', 'the block does not name the hash of the previous block');
    }
  }

  /** Checks that orderers whom the channel trusts signed the block, and name the newest configuration block. */
  #checkSignatures({ number, signatures }: BlockContent, trust: ChannelTrust, note: Note): void {
    const { fault, lastConfig, signers } = signatures;
    if (fault !== undefined) {
      note('METADATA', `the signatures are not in their canonical form: ${fault}`);
      return;
    }
    if (lastConfig !== this.#lastConfig) {
      const named = lastConfig ?? 'none';
      note('METADATA', `the orderer names block ${named} as the newest configuration, not ${this.#lastConfig}`);
    }
    const valid = validSigners(signers, trust, note);
    // Block 0 is not signed; its hash identifies it.
    if (number === 0 && signers.length === 0) return;
    if (trust.satisfies(BLOCK_VALIDATION, valid) !== true) {
      note('BLOCK_SIGNATURE', `the block does not have the signatures that ${BLOCK_VALIDATION} requires`);
    }
  }

  #checkCommitHash({ validationCodes, commitHash: recorded }: BlockContent, replay: BlockReplay, note: Note): void {
    if (this.#next === 0 || this.#previous === undefined) return;
    if (!replay.valuesAreKnown) {
      note('UNCHECKED', 'keys got new metadata, so the commit hash cannot be computed from the blocks alone');
      return;
    }
    const { commitHash: previous } = this.#previous;
    if (Buffer.compare(recorded, commitHash({ validationCodes, updates: replay.updates, previous })) !== 0) {
      note('COMMIT_HASH', 'the commit hash is not that of the validation codes and writes');
    }
  }
}

/** Returns the orderers whose signatures of a block are valid, each once, and records the errors in the other signatures. */
function validSigners(
  signers: BlockContent['signatures']['signers'],
  trust: ChannelTrust,
  note: Note,
): readonly Member[] {
  const valid = new Map<string, Member>();
  for (const signed of signers) {
    const signer = typeof signed === 'string' ? signed : trust.member(signed.identity);
    if (typeof signer === 'string') note('BLOCK_SIGNATURE', signer);
    else if (typeof signed === 'string' || !signed.isSigned) {
      note('BLOCK_SIGNATURE', 'a signature is not that of the orderer it names');
    } else if (valid.has(signer.fingerprint)) note('BLOCK_SIGNATURE', 'an orderer signed the block twice');
    else valid.set(signer.fingerprint, signer);
  }
  return [...valid.values()];
}

function readTrust({ transactions: [first] }: BlockContent, note: Note): ChannelTrust | undefined {
  const envelope = first?.configuration;
  const trust = envelope && attempt(() => ChannelTrust.fromEnvelope(envelope));
  if (trust === undefined) {
    note('CONFIGURATION', 'block 0 contains no configuration: no signature of the chain can be checked');
  }
  return trust;
}
