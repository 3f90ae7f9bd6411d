import { createPrivateKey, type KeyObject, X509Certificate } from 'node:crypto';
import { chmodSync, existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import {
  createRoot,
  issueLeaf,
  type IssuedIdentity,
  type NodeRole,
} from '../../../certificates/certificate-authority.js';
import { LedgerError, isLedgerError } from '../../../errors/ledger.errors.js';
import { decodeBlock } from '../../../fabric-blocks/decode/decode-block.js';
import { serializeIdentity } from '../../../fabric-blocks/encode/transaction-encoder.js';
import { ChannelTrust } from '../../../fabric-blocks/verify/trust/channel-trust.js';
import { makeDirectory, writeFileDurably } from '../../../files/durable-files.js';
import { certificatesIn, succeedingText, type NotedCertificate } from '../../../signers/certificate-notes.js';

/** Leaves are re-issued at the first start within this time of their end. */
const RENEW_BEFORE_MS = 365 * 24 * 3600 * 1000;

/** An identity that signs; the PEM texts can be handed to another thread. */
export interface Identity extends IssuedIdentity {
  readonly commonName: string;
}

/** Everyone who signs in a single-node ledger, and the root that vouches for them. */
export interface Identities {
  /** PEM of the organisation's root certificate. */
  readonly root: string;
  readonly peer: Identity;
  readonly orderer: Identity;
  readonly client: Identity;
}

const LEAVES = ['peer', 'orderer', 'client'] as const satisfies readonly NodeRole[];

/** A certificate with its key, by the path of its file without `.pem`. */
interface Leaf {
  readonly path: string;
  readonly role: NodeRole;
  readonly commonName: string;
}

/**
 * The identities of a data directory, readable by their owner only: `ca.pem` and `ca.key.pem` (which may be kept
 * elsewhere until a leaf is due), and one file a leaf with its certificate and its key, replaced as a whole. Callers'
 * leaves stand in `callers/`. Theirs and the service's (`client.pem`) keep the certificates that they had before behind
 * the key: transaction ids that were made with them can be worked out again.
 */
export class IdentityStore {
  readonly #directory: string;
  readonly #domain: string;

  constructor(directory: string, mspId: string) {
    this.#directory = directory;
    this.#domain = organisationDomain(mspId);
  }

  /** Returns whether there are identities; an imported ledger has none until its keys are restored. */
  exists(): boolean {
    return existsSync(this.#path('ca.pem'));
  }

  /** Creates the root and all missing leaves of a new ledger. */
  async create(): Promise<void> {
    if (!existsSync(this.#path('ca.pem'))) {
      const root = await createRoot(this.#domain);
      // The key is written first: a root without its key would look complete to the next start.
      this.#write('ca.key.pem', root.privateKey);
      this.#write('ca.pem', root.certificate);
    }
    for (const role of LEAVES) if (!this.#isThere(this.#node(role))) await this.#issue(this.#node(role));
  }

  /**
   * Reads all identities, after re-issuing the leaves that are about to expire.
   * @throws `LEDGER.DAMAGED` when a file is missing or not a pair, `LEDGER.MISCONFIGURED` when a leaf has
   * expired and the root's key, which would renew it, is not here
   */
  async load(): Promise<Identities> {
    for (const role of LEAVES) await this.#renewIfDue(this.#node(role));
    return this.read();
  }

  /**
   * Reads all identities as they are.
   * @throws `LEDGER.DAMAGED` when a file is missing or not a pair
   */
  read(): Identities {
    const root = this.#read('ca.pem');
    const certificate = this.#certificate('ca.pem');
    const [peer, orderer, client] = LEAVES.map((role) => this.#leaf(this.#node(role), certificate)) as [
      Identity,
      Identity,
      Identity,
    ];
    return { root, peer, orderer, client };
  }

  /**
   * The identity of a caller: a client of the organisation, made when it is first asked for and re-issued when it is about
   * to expire.
   * @param name - as {@link SignerRegistry} takes it
   * @throws `LEDGER.DAMAGED`, `LEDGER.MISCONFIGURED` when the root's key is needed and not here
   */
  async caller(name: string): Promise<Identity> {
    const leaf = this.#caller(name);
    if (this.#isThere(leaf)) await this.#renewIfDue(leaf);
    else if (this.#hasRootKey()) await this.#issue(leaf);
    else {
      throw new LedgerError(
        'LEDGER.MISCONFIGURED',
        `${this.#directory} has no identity for the caller "${name}", and ca.key.pem is not there to make it: put it back.`,
      );
    }
    return this.#leaf(leaf, this.#certificate('ca.pem'));
  }

  /**
   * Gives a caller a new key and certificate; the one that it had ends now. A ledger in use takes it within a second.
   * @param noted - text of the certificates that are recorded for the caller, in case its identity file was lost
   * @throws `LEDGER.MISCONFIGURED` when the caller has no identity yet, or the root's key is not here
   */
  async renewCaller(name: string, noted = ''): Promise<Identity> {
    const leaf = this.#caller(name);
    if (!this.#isThere(leaf) && noted === '') {
      throw new LedgerError(
        'LEDGER.MISCONFIGURED',
        `The caller "${name}" has no identity in ${this.#directory} yet: it gets one with its first write.`,
      );
    }
    if (!this.#hasRootKey()) {
      throw new LedgerError(
        'LEDGER.MISCONFIGURED',
        `ca.key.pem is not in ${this.#directory}, and makes identities: put it back.`,
      );
    }
    await this.#issue(leaf, noted);
    return this.#leaf(leaf, this.#certificate('ca.pem'));
  }

  /** The certificates that a caller, or without a name the service, had before its present one. */
  former(caller: string | undefined): readonly NotedCertificate[] {
    const { path } = caller === undefined ? this.#node('client') : this.#caller(caller);
    return certificatesIn(this.#read(`${path}.pem`)).slice(1);
  }

  /** Returns a caller's certificates, the present one first. */
  certificatesOf(caller: string): readonly NotedCertificate[] {
    return certificatesIn(this.#read(`${this.#caller(caller).path}.pem`));
  }

  /** Returns whether a caller has an identity. */
  hasCaller(name: string): boolean {
    return this.#isThere(this.#caller(name));
  }

  /** Returns the names of the callers that have an identity. */
  callerNames(): string[] {
    const directory = this.#path('callers');
    if (!existsSync(directory)) return [];
    const files = readdirSync(directory).filter((name) => name.endsWith('.pem'));
    return files.map((file) => file.slice(0, -'.pem'.length));
  }

  /** Returns a fingerprint of a caller's identity file, which changes when the file is replaced; empty if it is missing. */
  fingerprint(caller: string): string {
    const found = statSync(this.#path(`${this.#caller(caller).path}.pem`), { throwIfNoEntry: false });
    return found === undefined ? '' : `${found.ino} ${found.mtimeMs} ${found.size}`;
  }

  /** Returns a sentence for each unusable file, including those that are needed only for a renewal. */
  faults(): string[] {
    const root = this.#faultOf(() => this.#certificate('ca.pem'));
    if (root !== undefined) return [root];
    const certificate = this.#certificate('ca.pem');
    const leaves = [...LEAVES.map((role) => this.#node(role)), ...this.#callers()];
    const faults = leaves.map((leaf) => this.#faultOf(() => this.#leaf(leaf, certificate)));
    return [this.#faultOfRootKey(), ...faults].filter((fault) => fault !== undefined);
  }

  /** Returns a sentence for each problem that does not stop the ledger. */
  warnings(): string[] {
    const exposed = readdirSync(this.#directory, { recursive: true, encoding: 'utf8' }).filter((name) => {
      const path = this.#path(name);
      if (!name.endsWith('.pem') || (statSync(path).mode & 0o077) === 0) return false;
      return readFileSync(path).includes('PRIVATE KEY-----');
    });
    const readable = exposed.map(
      (name) => `The private key in ${this.#path(name)} can be read by other users of this machine: chmod 600 it.`,
    );
    return [this.#faultOfRootKey(), ...readable].filter((warning) => warning !== undefined);
  }

  #callers(): Leaf[] {
    return this.callerNames().map((name) => this.#caller(name));
  }

  #caller(name: string): Leaf {
    return { path: join('callers', name), role: 'client', commonName: `${name}@${this.#domain}` };
  }

  #faultOfRootKey(): string | undefined {
    if (!this.#hasRootKey()) return undefined;
    return this.#faultOf(() => {
      if (!this.#certificate('ca.pem').checkPrivateKey(this.#privateKey('ca.key'))) {
        throw this.#damaged('ca.key.pem', 'is not the key of ca.pem');
      }
    });
  }

  #hasRootKey(): boolean {
    return existsSync(this.#path('ca.key.pem'));
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
    const ends = Date.parse(this.#certificate(`${leaf.path}.pem`).validTo);
    if (ends - Date.now() > RENEW_BEFORE_MS) return;
    const fault = this.#faultOfRootKey();
    if (fault === undefined && this.#hasRootKey()) return this.#issue(leaf);
    if (ends > Date.now()) return;
    if (fault !== undefined) throw new LedgerError('LEDGER.DAMAGED', fault);
    throw new LedgerError(
      'LEDGER.MISCONFIGURED',
      `The ${leaf.path} certificate in ${this.#directory} has expired, and ca.key.pem is not there to renew it: put it back.`,
    );
  }

  async #issue({ path, role, commonName }: Leaf, noted = ''): Promise<void> {
    const fault = this.#faultOfRootKey();
    if (fault !== undefined) throw new LedgerError('LEDGER.DAMAGED', fault);
    const root = { certificate: this.#read('ca.pem'), privateKey: this.#read('ca.key.pem') };
    const issued = await issueLeaf(root, { commonName, role });
    const earlier = role === 'client' && this.#isThere({ path }) ? this.#read(`${path}.pem`) : noted;
    this.#write(`${path}.pem`, succeedingText(issued.certificate, earlier, Date.now(), issued.privateKey));
  }

  #isThere({ path }: Pick<Leaf, 'path'>): boolean {
    return existsSync(this.#path(`${path}.pem`));
  }

  #node(role: NodeRole): Leaf {
    const names = {
      peer: `peer0.${this.#domain}`,
      orderer: `orderer.${this.#domain}`,
      client: `User1@${this.#domain}`,
    } satisfies Record<NodeRole, string>;
    return { path: role, role, commonName: names[role] };
  }

  #leaf({ path, commonName }: Leaf, root: X509Certificate): Identity {
    const parsed = this.#certificate(`${path}.pem`);
    const key = this.#privateKey(path);
    if (!parsed.checkPrivateKey(key)) throw this.#damaged(path, 'has a key that does not belong to its certificate');
    if (!parsed.verify(root.publicKey)) throw this.#damaged(path, 'was not issued by ca.pem');
    const privateKey = key.export({ type: 'pkcs8', format: 'pem' }).toString();
    return { certificate: parsed.toString(), privateKey, commonName: commonNameOf(parsed) ?? commonName };
  }

  #write(file: string, content: string): void {
    const path = this.#path(file);
    makeDirectory(dirname(path));
    chmodSync(this.#directory, 0o700);
    writeFileDurably(path, content);
  }

  #path(file: string): string {
    return join(this.#directory, file);
  }

  #certificate(file: string): X509Certificate {
    try {
      return new X509Certificate(this.#read(file));
    } catch (cause) {
      throw this.#damaged(file, 'holds no readable certificate', cause);
    }
  }

  #privateKey(path: string): KeyObject {
    try {
      return createPrivateKey(this.#read(`${path}.pem`));
    } catch (cause) {
      throw this.#damaged(`${path}.pem`, 'holds no readable key', cause);
    }
  }

  #read(file: string): string {
    try {
      return readFileSync(this.#path(file), 'utf8');
    } catch (cause) {
      throw this.#damaged(file, 'cannot be read', cause);
    }
  }

  #damaged(name: string, why: string, cause?: unknown): LedgerError {
    if (isLedgerError(cause, 'LEDGER.DAMAGED')) return cause;
    return new LedgerError(
      'LEDGER.DAMAGED',
      `The identity ${name} in ${this.#directory} ${why}: restore the identities directory from a backup.`,
      { cause },
    );
  }
}

function commonNameOf({ subject }: X509Certificate): string | undefined {
  return /^CN=(.*)$/m.exec(subject)?.[1];
}

/** Copies an `identities` directory, callers' too, into a new one, readable by its owner only. */
export function copyIdentities(from: string, to: string): void {
  makeDirectory(to);
  for (const entry of readdirSync(from, { withFileTypes: true })) {
    const [source, copy] = [join(from, entry.name), join(to, entry.name)];
    if (entry.isDirectory()) copyIdentities(source, copy);
    else if (entry.name.endsWith('.pem')) writeFileDurably(copy, readFileSync(source));
  }
}

/**
 * The domain of an organisation, as the samples pair them: `Org1MSP` is `org1.example.com`.
 * Characters that no host name holds become hyphens.
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
  const [stranger] = strangers(firstBlock, mspId, identities);
  if (stranger === undefined) return;
  throw new LedgerError('LEDGER.MISCONFIGURED', `${stranger}: put back the identities that belong to this ledger.`);
}

/** Says of each identity that is not of the ledger with that block 0 why it is not. */
export function strangers(firstBlock: Uint8Array, mspId: string, identities: Identities): string[] {
  const trust = ChannelTrust.fromEnvelope(decodeBlock(firstBlock).envelopes[0] ?? new Uint8Array());
  return (['client', 'peer', 'orderer'] as const).flatMap((role) => {
    const member = trust.member(serializeIdentity(mspId, Buffer.from(identities[role].certificate)));
    return typeof member === 'string' ? [`The ${role} identity is of another ledger (${member})`] : [];
  });
}
