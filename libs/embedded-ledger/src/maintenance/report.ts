import type { BlockContent, Check, ExaminedCall, VerifiedHead } from '#fabric-codec/verify';
import { isLedgerError, misconfigured } from '#ledger-gateway';
import type { TreeHead } from '#tlog/verify';
import { storeFailure } from '../store/store-failure.js';

/** Facts about a chain from elsewhere. Without them, the holder of the keys could have signed another chain as a whole. */
export interface ChainPins {
  /** A height that the chain had once, and the hash of its newest block then. */
  readonly expect?: VerifiedHead | undefined;
  /** The size and root of the tree over the first blocks, from a checkpoint that witnesses confirmed. */
  readonly checkpoint?: TreeHead | undefined;
  /** Hexadecimal hash of block 0. */
  readonly genesis?: string | undefined;
}

/**
 * Parses `HEIGHT:HASH`.
 * @throws `LEDGER.MISCONFIGURED` when it is something else
 */
export function parseExpectedHead(text: string): VerifiedHead {
  const [, height, hash] = /^([1-9][0-9]{0,14}):([0-9a-f]{64})$/i.exec(text) ?? [];
  if (height !== undefined && hash !== undefined) return { height: Number(height), hash: hash.toLowerCase() };
  throw misconfigured(`"${text}" is not HEIGHT:HASH, a number of blocks and 64 hexadecimal digits.`);
}

/**
 * Parses the hash of a block.
 * @throws `LEDGER.MISCONFIGURED` when it is something else
 */
export function parseHash(text: string): string {
  if (/^[0-9a-f]{64}$/i.test(text)) return text.toLowerCase();
  throw misconfigured(`"${text}" is not a hash of 64 hexadecimal digits.`);
}

/** The rule that a finding is about: one of the chain's, or of the records that a store derives from its blocks. */
export type LedgerCheck =
  | Check
  /** Differs from the head or the checkpoint that the caller names, or from the pin. */
  | 'PIN'
  /** The store contains other tables than those of its format, or views or triggers. */
  | 'SCHEMA'
  /** A key or a certificate that signs cannot be used. */
  | 'IDENTITY'
  /** A stored record cannot be read or its digest is wrong. */
  | 'RECORD'
  /** State, index or history do not follow from the blocks. */
  | 'DERIVED'
  /** The manifest does not match the chain. */
  | 'MANIFEST';

/** One error in a ledger. */
export interface LedgerFinding {
  /** The block, transaction or record. */
  readonly where: string;
  readonly check: LedgerCheck;
  readonly what: string;
}

/** Most findings that are listed; the later ones mostly follow from the first. */
const MAX_FINDINGS = 50;

/** The findings of a verification. */
export class FindingList {
  readonly findings: LedgerFinding[] = [];

  get isFull(): boolean {
    return this.findings.length >= MAX_FINDINGS;
  }

  /** Adds a finding unless the list is full. */
  add(where: string, check: LedgerCheck, what: string): void {
    if (!this.isFull) this.findings.push({ where, check, what });
  }

  /**
   * Runs one step; damage that it meets becomes a finding.
   * @returns undefined when there was damage
   */
  attempt<T>(where: string, step: () => T): T | undefined {
    try {
      return step();
    } catch (error) {
      this.add(where, 'RECORD', damageOf(error, where));
      return undefined;
    }
  }
}

/**
 * Returns the text of damage, which is a result of a verification.
 * @throws any other failure, which ends it
 */
export function damageOf(error: unknown, where: string): string {
  const failure = storeFailure(error, where);
  if (isLedgerError(failure, 'LEDGER.DAMAGED')) return failure.message;
  throw failure;
}

/** Counts of what a verification examined. */
export interface CheckedParts {
  readonly configurations: number;
  /** Calls of chaincodes that were not refused. */
  readonly calls: number;
  /** Transactions that a peer refused: only their codes and ids can be checked. */
  readonly refused: number;
  /** Of creators, endorsers and orderers. */
  readonly signatures: number;
  /** The chaincodes that were called, with their endorsement policies at the end of the chain. */
  readonly chaincodes: readonly { readonly name: string; readonly calls: number; readonly policy: string }[];
  /** Private collections, of which blocks contain hashes only. */
  readonly collections: readonly CheckedCollection[];
}

/** A private collection that was read or written. */
interface CheckedCollection {
  readonly chaincode: string;
  readonly name: string;
  /** Hashed reads and writes that were replayed. */
  readonly reads: number;
  readonly writes: number;
}

/** Counts the parts of a chain that were checked. */
export class PartsCounter {
  readonly #counts = { transactions: 0, configurations: 0, calls: 0, refused: 0, signatures: 0 };
  readonly #chaincodes = new Map<string, number>();
  readonly #collections = new Map<string, CheckedCollection>();

  /** Number of transactions, including configurations. */
  get transactions(): number {
    return this.#counts.transactions;
  }

  /** Adds a block. */
  add({ signatures, transactions }: BlockContent): void {
    this.#counts.transactions += transactions.length;
    this.#counts.signatures += signatures.signers.length;
    for (const { configuration, envelope } of transactions) {
      if (envelope === undefined) {
        this.#counts.refused++;
        continue;
      }
      if (!envelope.isUnsigned) this.#counts.signatures++;
      if (configuration !== undefined) this.#counts.configurations++;
      else if (envelope.call !== undefined) this.#addCall(envelope.call);
    }
  }

  /** @param policyOf - returns the endorsement policy of a chaincode */
  parts(policyOf: (chaincode: string) => string): CheckedParts {
    const { configurations, calls, refused, signatures } = this.#counts;
    const chaincodes = Array.from(this.#chaincodes, ([name, count]) => ({
      name,
      calls: count,
      policy: policyOf(name),
    }));
    return { configurations, calls, refused, signatures, chaincodes, collections: [...this.#collections.values()] };
  }

  #addCall({ chaincode, endorsers, namespaces }: ExaminedCall): void {
    this.#counts.calls++;
    this.#counts.signatures += endorsers.length;
    this.#chaincodes.set(chaincode, (this.#chaincodes.get(chaincode) ?? 0) + 1);
    for (const { namespace, collections } of namespaces) {
      for (const { collection: name, ...found } of collections) {
        const key = JSON.stringify([namespace, name]);
        const before = this.#collections.get(key);
        const reads = (before?.reads ?? 0) + found.hashedReads.length;
        const writes = (before?.writes ?? 0) + found.hashedWrites.length;
        this.#collections.set(key, { chaincode: namespace, name, reads, writes });
      }
    }
  }
}
