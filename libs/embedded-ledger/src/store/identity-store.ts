import { createPrivateKey, type KeyObject, X509Certificate } from 'node:crypto';
import { chmodSync, existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { commonNameOf, decodeBlock } from '#fabric-codec';
import {
  type CertificateAttributes,
  createRoot,
  hasAttributes,
  type IssuedIdentity,
  issueLeaf,
  type NodeRole,
} from '#fabric-codec/certificates';
import { serializeIdentity } from '#fabric-codec/encode';
import { ChannelTrust } from '#fabric-codec/verify';
import { makeDirectory, writeFileDurably } from '#files';
import { damaged, isLedgerError, type LedgerError, misconfigured } from '#ledger-gateway';
import { certificatesIn, type NotedCertificate, succeedingText } from '#ledger-gateway/driver';

/** Leaves are re-issued at the first start within this time of their end. */
const RENEW_BEFORE_MS = 365 * 24 * 3600 * 1000;

/** An identity that signs; the PEM texts can be sent to another thread. */
export interface Identity extends IssuedIdentity {
  readonly commonName: string;
}

/** All signers of a single-node ledger, and the root that issued their certificates. */
export interface Identities {
  /** PEM of the organisation's root certificate. */
  readonly root: string;
  readonly peer: Identity;
  readonly orderer: Identity;
  readonly client: Identity;
}

const ROOT = 'ca.pem';
const ROOT_KEY = 'ca.key.pem';

/** A certificate with its key. */
interface Leaf {
  /** Path of its file in the directory. */
  readonly file: string;
  readonly role: NodeRole;
  readonly commonName: string;
  readonly attributes?: CertificateAttributes;
}

/**
 * The identities of a data directory, readable by their owner only: `ca.pem` and `ca.key.pem` (which may be stored
 * elsewhere until a leaf is due), and one file per leaf with its certificate and its key, replaced as a whole. Callers'
 * leaves are in `callers/`. Their files and the service's (`client.pem`) also contain, after the key, the certificates
 * that they had before: transaction ids that were made with them can be computed again.
 */
export class IdentityStore {
  readonly #directory: string;
  readonly #domain: string;
  readonly #nodes: readonly Leaf[];

  constructor(directory: string, mspId: string) {
    const domain = organisationDomain(mspId);
    this.#directory = directory;
    this.#domain = domain;
    this.#nodes = [
      { file: 'peer.pem', role: 'peer', commonName: `peer0.${domain}` },
      { file: 'orderer.pem', role: 'orderer', commonName: `orderer.${domain}` },
      { file: 'client.pem', role: 'client', commonName: `User1@${domain}` },
    ];
  }

  /**
   * Returns whether there are identities; an imported ledger has none until its keys are restored. One file is enough: that
   * another one is missing is then an error which names it.
   */
  exists(): boolean {
    return [ROOT, ...this.#nodes.map(({ file }) => file)].some((file) => this.#has(file));
  }

  /** Creates the root and all missing leaves of a new ledger. */
  async create(): Promise<void> {
    if (!this.#has(ROOT)) {
      const root = await createRoot(this.#domain);
      // The key is written first: a root without its key would look complete to the next start.
      this.#write(ROOT_KEY, root.privateKey);
      this.#write(ROOT, root.certificate);
    }
    for (const leaf of this.#nodes) if (!this.#has(leaf.file)) await this.#issue(leaf);
  }

  /**
   * Reads all identities, after re-issuing the leaves that are about to expire.
   * @throws `LEDGER.DAMAGED` when a file is missing or not a pair, `LEDGER.MISCONFIGURED` when a leaf has
   * expired and the root's key, which would renew it, is not here
   */
  async load(): Promise<Identities> {
    for (const leaf of this.#nodes) await this.#renewIfDue(leaf);
    return this.read();
  }

  /**
   * Reads all identities as they are.
   * @throws `LEDGER.DAMAGED` when a file is missing or not a pair
   */
  read(): Identities {
    const root = this.#readText(ROOT);
    const [peer, orderer, client] = this.#nodes.map((leaf) => this.#identity(leaf)) as [Identity, Identity, Identity];
    return { root, peer, orderer, client };
  }

  /**
   * Reads all identities like {@link load}, but issues none.
   * @throws like {@link load}
   */
  check(): Identities {
    for (const leaf of this.#nodes) if (this.#endOf(leaf) <= Date.now()) this.#requireRootKey(leaf);
    return this.read();
  }

  /**
   * Returns the identity of a caller: a client of the organisation, issued at its first use and re-issued when it is about
   * to expire or has other attributes.
   * @param name - valid as in `callerNameFault`
   * @throws `LEDGER.DAMAGED`, `LEDGER.MISCONFIGURED` when the root's key is needed and not here
   */
  async caller(name: string, attributes: CertificateAttributes = {}): Promise<Identity> {
    const leaf = { ...this.#callerLeaf(name), attributes };
    const isCurrent = this.#has(leaf.file) && hasAttributes(this.#certificate(leaf.file), attributes);
    if (isCurrent) await this.#renewIfDue(leaf);
    else await this.#issue(leaf);
    return this.#identity(leaf);
  }

  /**
   * Issues a caller a new key and certificate; the previous one ends now. A ledger in use reads it within a second.
   * @param options - `noted` is the text of the certificates that are recorded for the caller, in case its identity file
   * was lost
   * @throws `LEDGER.MISCONFIGURED` when the caller has no identity yet, or the root's key is not here
   */
  async renewCaller(
    name: string,
    { attributes = {}, noted = '' }: Readonly<{ attributes?: CertificateAttributes | undefined; noted?: string }> = {},
  ): Promise<Identity> {
    const leaf = { ...this.#callerLeaf(name), attributes };
    if (!this.#has(leaf.file) && noted === '') {
      const advice = 'it is issued one with its first write.';
      throw misconfigured(`The caller "${name}" has no identity in ${this.#directory} yet: ${advice}`);
    }
    await this.#issue(leaf, noted);
    return this.#identity(leaf);
  }

  /** Returns the certificates of a caller, or without a name of the service, the present one first. */
  certificatesOf(caller: string | undefined): readonly NotedCertificate[] {
    return certificatesIn(this.#readText(caller === undefined ? 'client.pem' : fileOf(caller)));
  }

  /** Returns whether a caller has an identity. */
  hasCaller(name: string): boolean {
    return this.#has(fileOf(name));
  }

  /** Returns the names of the callers that have an identity. */
  callerNames(): string[] {
    if (!this.#has('callers')) return [];
    const files = readdirSync(this.#path('callers')).filter((name) => name.endsWith('.pem'));
    return files.map((file) => file.slice(0, -'.pem'.length));
  }

  /** Returns a fingerprint of a caller's identity file, which changes when the file is replaced; empty if it is missing. */
  fingerprint(caller: string): string {
    const found = statSync(this.#path(fileOf(caller)), { throwIfNoEntry: false });
    return found === undefined ? '' : `${found.ino} ${found.mtimeMs} ${found.size}`;
  }

  /** Returns a sentence for each unusable file, including those that are needed only for a renewal. */
  faults(): string[] {
    const root = this.#faultOf(() => this.#certificate(ROOT));
    if (root !== undefined) return [root];
    const leaves = [...this.#nodes, ...this.callerNames().map((name) => this.#callerLeaf(name))];
    const faults = leaves.map((leaf) => this.#faultOf(() => this.#identity(leaf)));
    return [this.#faultOfRootKey(), ...faults].filter((fault) => fault !== undefined);
  }

  /** Returns a sentence for each problem that does not stop the ledger. */
  warnings(): string[] {
    const files = readdirSync(this.#directory, { recursive: true, withFileTypes: true }).filter((entry) =>
      entry.isFile(),
    );
    const paths = files.map(({ parentPath, name }) => join(parentPath, name));
    const exposed = paths.filter(
      (path) =>
        path.endsWith('.pem') && (statSync(path).mode & 0o077) !== 0 && readFileSync(path).includes('PRIVATE KEY-----'),
    );
    const readable = exposed.map(
      (path) => `The private key in ${path} can be read by other users of this machine: chmod 600 it.`,
    );
    return [this.#faultOfRootKey(), ...readable].filter((warning) => warning !== undefined);
  }

  #callerLeaf(name: string): Leaf {
    return { file: fileOf(name), role: 'client', commonName: `${name}@${this.#domain}` };
  }

  #faultOfRootKey(): string | undefined {
    if (!this.#has(ROOT_KEY)) return undefined;
    return this.#faultOf(() => {
      if (!this.#certificate(ROOT).checkPrivateKey(this.#privateKey(ROOT_KEY))) {
        throw this.#damaged(ROOT_KEY, 'is not the key of ca.pem');
      }
    });
  }

  #faultOf(read: () => unknown): string | undefined {
    try {
      read();
      return undefined;
    } catch (error) {
      if (isLedgerError(error, 'LEDGER.DAMAGED')) return error.message;
      throw error;
    }
  }

  async #renewIfDue(leaf: Leaf): Promise<void> {
    const ends = this.#endOf(leaf);
    if (ends - Date.now() > RENEW_BEFORE_MS) return;
    const canIssue = this.#has(ROOT_KEY) && this.#faultOfRootKey() === undefined;
    if (canIssue || ends <= Date.now()) await this.#issue(leaf);
  }

  /** Returns when a certificate expires, in milliseconds since 1970. */
  #endOf({ file }: Leaf): number {
    return this.#certificate(file).validToDate.getTime();
  }

  /** @throws when the key that issues a leaf is missing or damaged */
  #requireRootKey({ file }: Leaf): void {
    if (!this.#has(ROOT_KEY)) {
      throw misconfigured(`ca.key.pem, which is needed to issue ${file}, is not in ${this.#directory}: put it back.`);
    }
    const fault = this.#faultOfRootKey();
    if (fault !== undefined) throw damaged(fault);
  }

  async #issue(leaf: Leaf, noted = ''): Promise<void> {
    this.#requireRootKey(leaf);
    const { file, role, commonName, attributes = {} } = leaf;
    const root = { certificate: this.#readText(ROOT), privateKey: this.#readText(ROOT_KEY) };
    const { certificate, privateKey } = await issueLeaf(root, { commonName, role, attributes });
    const earlier = role === 'client' && this.#has(file) ? this.#readText(file) : noted;
    this.#write(file, succeedingText(certificate, earlier, Date.now(), privateKey));
  }

  #identity({ file, commonName }: Leaf): Identity {
    const certificate = this.#certificate(file);
    const key = this.#privateKey(file);
    if (!certificate.checkPrivateKey(key)) {
      throw this.#damaged(file, 'has a key that does not belong to its certificate');
    }
    if (!certificate.verify(this.#certificate(ROOT).publicKey)) throw this.#damaged(file, 'was not issued by ca.pem');
    const privateKey = key.export({ type: 'pkcs8', format: 'pem' }).toString();
    return { certificate: certificate.toString(), privateKey, commonName: commonNameOf(certificate) ?? commonName };
  }

  #certificate(file: string): X509Certificate {
    return this.#parse(file, 'certificate', (text) => new X509Certificate(text));
  }

  #privateKey(file: string): KeyObject {
    return this.#parse(file, 'key', createPrivateKey);
  }

  #parse<T>(file: string, what: string, parse: (text: string) => T): T {
    const text = this.#readText(file);
    try {
      return parse(text);
    } catch (cause) {
      throw this.#damaged(file, `contains no readable ${what}`, cause);
    }
  }

  #has(file: string): boolean {
    return existsSync(this.#path(file));
  }

  #path(file: string): string {
    return join(this.#directory, file);
  }

  #readText(file: string): string {
    try {
      return readFileSync(this.#path(file), 'utf8');
    } catch (cause) {
      throw this.#damaged(file, 'cannot be read', cause);
    }
  }

  #write(file: string, content: string): void {
    const path = this.#path(file);
    makeDirectory(dirname(path));
    chmodSync(this.#directory, 0o700);
    writeFileDurably(path, content);
  }

  #damaged(file: string, why: string, cause?: unknown): LedgerError {
    const advice = 'restore the identities directory from a backup.';
    return damaged(`The identity ${file} in ${this.#directory} ${why}: ${advice}`, cause);
  }
}

/** Returns the file of a caller's identity. */
function fileOf(caller: string): string {
  return join('callers', `${caller}.pem`);
}

/** Copies an `identities` directory, including the callers', into a new one, readable by its owner only. */
export function copyIdentities(from: string, to: string): void {
  makeDirectory(to);
  for (const entry of readdirSync(from, { withFileTypes: true })) {
    const [source, copy] = [join(from, entry.name), join(to, entry.name)];
    if (entry.isDirectory()) copyIdentities(source, copy);
    else if (entry.name.endsWith('.pem')) writeFileDurably(copy, readFileSync(source));
  }
}

/**
 * Returns the domain of an organisation, as Fabric's samples pair them: `Org1MSP` is `org1.example.com`.
 * Characters that are not allowed in a host name become hyphens.
 */
export function organisationDomain(mspId: string): string {
  const label = mspId
    .replace(/MSP$/i, '')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-|-$/g, '');
  return `${label === '' ? 'org' : label}.example.com`;
}

/**
 * Refuses identities of another ledger, whose signatures would not verify against this one's configuration.
 * @param firstBlock - block 0, which names the root that the identities must be issued by
 * @throws `LEDGER.MISCONFIGURED` naming the first that is not
 */
export function requireMembers(firstBlock: Uint8Array, mspId: string, identities: Identities): void {
  const [fault] = membershipFaults(firstBlock, mspId, identities);
  if (fault !== undefined) throw misconfigured(`${fault}: put back the identities that belong to this ledger.`);
}

/** Returns a sentence for each identity that is not a member of the ledger with that block 0. */
export function membershipFaults(firstBlock: Uint8Array, mspId: string, identities: Identities): string[] {
  const trust = ChannelTrust.fromEnvelope(decodeBlock(firstBlock).envelopes[0] ?? new Uint8Array());
  return (['client', 'peer', 'orderer'] as const).flatMap((role) => {
    const member = trust.member(serializeIdentity(mspId, Buffer.from(identities[role].certificate)));
    return typeof member === 'string' ? [`The ${role} identity is of another ledger (${member})`] : [];
  });
}
