import { Buffer } from 'node:buffer';
import { cosignaturesBy, type Checkpoint } from './checkpoint.js';
import { parseVerifierKey, signaturesBy, SignatureType, type VerifierKey } from './signed-note.js';
import { parseCount, TlogFault } from './text.js';

// Trust policies (https://c2sp.org/tlog-policy): the logs, the witnesses, and how many of them must have confirmed a checkpoint.

/** A log whose checkpoints are accepted; the name of its key is its origin. */
export interface PolicyLog {
  readonly key: VerifierKey;
  readonly url: string | undefined;
}

/** A witness under its name in the policy. */
export interface PolicyWitness extends PolicyLog {
  readonly name: string;
}

/** Witnesses and groups, of which a number must have confirmed a checkpoint so that the group has. */
interface Group {
  readonly name: string;
  readonly threshold: number;
  readonly members: readonly string[];
}

/** The content of a policy file. */
export interface Policy {
  readonly logs: readonly PolicyLog[];
  readonly witnesses: readonly PolicyWitness[];
  /** In their order: a group names witnesses and groups before it only. */
  readonly groups: readonly Group[];
  /** A witness or a group; undefined if no witness is required. */
  readonly quorum: string | undefined;
}

/** Returns whether a key signed a content, by the cryptography of Node or of a browser. */
export type VerifySignature = (
  key: VerifierKey,
  content: Uint8Array,
  signature: Uint8Array,
) => boolean | Promise<boolean>;

/** The signers of a checkpoint that a policy lists; their signatures are verified. */
export interface CheckpointSigners {
  /** Whether a log of the policy signed it. */
  readonly isSigned: boolean;
  /** The names in the policy of the witnesses that confirmed it, and when, in seconds since the epoch. */
  readonly witnesses: ReadonlyMap<string, number>;
  /** Whether these witnesses are a quorum. */
  readonly isWitnessed: boolean;
}

/** The predefined quorum of a policy without witnesses. */
const NONE = 'none';
// eslint-disable-next-line no-control-regex -- the format allows tabs and line feeds only
const CONTROL = /[\0-\x08\x0b-\x1f\x7f]/;

/** Parses a policy file. @throws {@link TlogFault} that names the line */
export function parsePolicy(text: string): Policy {
  const reader = new PolicyReader();
  for (const [index, line] of text.split('\n').entries()) {
    try {
      if (CONTROL.test(line)) throw new TlogFault('it contains control characters');
      // A leading or trailing space makes an empty word.
      const words = line.split(/[ \t]+/).filter((word) => word !== '');
      if (words[0]?.startsWith('#') === false) reader.read(words);
    } catch (error) {
      if (error instanceof TlogFault) throw new TlogFault(`line ${index + 1} of the policy: ${error.message}`);
      throw error;
    }
  }
  return reader.policy();
}

/** Returns whether witnesses, by their names in a policy, are a quorum. */
export function isQuorum({ groups, quorum }: Policy, witnesses: Iterable<string>): boolean {
  const confirmed = new Set(witnesses);
  for (const { name, threshold, members } of groups) {
    if (members.filter((member) => confirmed.has(member)).length >= threshold) confirmed.add(name);
  }
  return quorum === undefined || confirmed.has(quorum);
}

/**
 * Verifies the signatures of a checkpoint by the keys of a policy; others are ignored.
 * @throws {@link TlogFault} when a signature names a key of the policy and is not by it: the note is malformed
 */
export async function checkSigners(
  checkpoint: Checkpoint,
  policy: Policy,
  verify: VerifySignature,
): Promise<CheckpointSigners> {
  const { note, origin } = checkpoint;
  const ensure = async (key: VerifierKey, content: Uint8Array, signature: Uint8Array): Promise<void> => {
    if (!(await verify(key, content, signature)))
      throw new TlogFault(`a signature of ${key.name} is not that of its key`);
  };
  let isSigned = false;
  for (const { key } of policy.logs.filter((log) => log.key.name === origin)) {
    for (const signature of signaturesBy(note, key)) {
      await ensure(key, Buffer.from(note.text), signature);
      isSigned = true;
    }
  }
  const witnesses = new Map<string, number>();
  for (const { name, key } of policy.witnesses) {
    for (const { seconds, content, signature } of cosignaturesBy(checkpoint, key)) {
      await ensure(key, content, signature);
      witnesses.set(name, seconds);
    }
  }
  return { isSigned, witnesses, isWitnessed: isQuorum(policy, witnesses.keys()) };
}

/** Reads a policy line by line. */
class PolicyReader {
  readonly #logs: PolicyLog[] = [];
  readonly #witnesses: PolicyWitness[] = [];
  readonly #groups: Group[] = [];
  /** The names of witnesses and groups; they share a namespace. */
  readonly #names = new Set<string>();
  /** The members of groups: each belongs to one at most, so that it counts once. */
  readonly #members = new Set<string>();
  #quorum: string | undefined;

  /** @param words - of a line that is not empty */
  read(words: readonly string[]): void {
    const [keyword = '', ...rest] = words;
    if (keyword === 'log') this.#readLog(rest);
    else if (keyword === 'witness') this.#readWitness(rest);
    else if (keyword === 'group') this.#readGroup(rest);
    else if (keyword === 'quorum') this.#readQuorum(rest);
    else throw new TlogFault('it does not begin with log, witness, group or quorum');
  }

  policy(): Policy {
    if (this.#quorum === undefined) throw new TlogFault('the policy has no quorum line');
    const quorum = this.#quorum === NONE ? undefined : this.#quorum;
    return { logs: this.#logs, witnesses: this.#witnesses, groups: this.#groups, quorum };
  }

  #readLog([vkey, url, ...more]: readonly string[]): void {
    if (vkey === undefined || more.length > 0) throw new TlogFault('use "log VKEY [URL]"');
    this.#logs.push({ key: keyOf(vkey, SignatureType.ED25519, this.#logs), url });
  }

  #readWitness([name, vkey, url, ...more]: readonly string[]): void {
    if (name === undefined || vkey === undefined || more.length > 0)
      throw new TlogFault('use "witness NAME VKEY [URL]"');
    this.#define(name);
    this.#witnesses.push({ name, key: keyOf(vkey, SignatureType.COSIGNATURE, this.#witnesses), url });
  }

  #readGroup([name = '', count = '', ...members]: readonly string[]): void {
    if (members.length === 0) throw new TlogFault('use "group NAME all|any|K MEMBER…"');
    const threshold = thresholdOf(count, members.length);
    for (const member of members) {
      this.#require(member);
      if (this.#members.has(member)) throw new TlogFault(`"${member}" is a member of a group already`);
      this.#members.add(member);
    }
    this.#define(name);
    this.#groups.push({ name, threshold, members });
  }

  #readQuorum([name, ...more]: readonly string[]): void {
    if (name === undefined || more.length > 0) throw new TlogFault('use "quorum NAME"');
    if (this.#quorum !== undefined) throw new TlogFault('the quorum is defined twice');
    if (name !== NONE) this.#require(name);
    this.#quorum = name;
  }

  #define(name: string): void {
    if (name === NONE || this.#names.has(name)) throw new TlogFault(`the name "${name}" is used already`);
    this.#names.add(name);
  }

  #require(name: string): void {
    if (!this.#names.has(name)) throw new TlogFault(`"${name}" is not defined on an earlier line`);
  }
}

/** @param text - of a group with that number of members */
function thresholdOf(text: string, members: number): number {
  if (text === 'all') return members;
  const threshold = text === 'any' ? 1 : parseCount(text);
  if (threshold !== undefined && threshold >= 1 && threshold <= members) return threshold;
  throw new TlogFault('the threshold of a group is "all", "any" or a number from 1 to the number of its members');
}

/** Parses a key that differs from the others, because a key under two names would count twice. */
function keyOf(vkey: string, type: SignatureType, others: readonly PolicyLog[]): VerifierKey {
  const key = parseVerifierKey(vkey);
  const role = type === SignatureType.ED25519 ? 'a log' : 'a witness';
  if (key.type !== type) throw new TlogFault(`the key is not that of ${role}`);
  if (others.some((other) => Buffer.compare(other.key.publicKey, key.publicKey) === 0))
    throw new TlogFault('the same key is listed already');
  return key;
}
