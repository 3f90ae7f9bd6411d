import { createPrivateKey, X509Certificate, type KeyObject } from 'node:crypto';
import { chmodSync, existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { DamagedError, MisconfiguredError } from '../../../errors/ledger.errors.js';
import { makeDirectory, writeFileDurably } from '../../../files/durable-files.js';
import type { IssuedIdentity, NodeRole } from './certificate-authority.js';
import { organisationDomain } from './organisation-domain.js';

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

/**
 * The identities of a data directory, readable by their owner only: `ca.pem` and `ca.key.pem` (which may be kept
 * elsewhere until a leaf is due), and one file a leaf with its certificate and its key, replaced as a whole.
 */
export class IdentityStore {
  readonly #directory: string;
  readonly #domain: string;

  constructor(directory: string, mspId: string) {
    this.#directory = directory;
    this.#domain = organisationDomain(mspId);
  }

  /** Whether anything to sign with is there; an imported ledger has none until its keys are put back. */
  exists(): boolean {
    return existsSync(this.#path('ca.pem'));
  }

  /** Makes the root and all leaves that are missing; what is there stays. For a new ledger only. */
  async create(): Promise<void> {
    if (!existsSync(this.#path('ca.pem'))) {
      const { createRoot } = await import('./certificate-authority.js');
      const root = await createRoot(this.#domain);
      // The key goes first: a root without its key would look complete to the next start.
      this.#write('ca.key.pem', root.privateKey);
      this.#write('ca.pem', root.certificate);
    }
    for (const leaf of LEAVES) if (!existsSync(this.#path(`${leaf}.pem`))) await this.#issue(leaf);
  }

  /**
   * Reads all identities, after re-issuing the leaves that are about to expire.
   * @throws {@link DamagedError} when a file is missing or not a pair, {@link MisconfiguredError} when a leaf has
   * expired and the root's key, which would renew it, is not here
   */
  async load(): Promise<Identities> {
    const root = this.#read('ca.pem');
    const certificate = this.#certificate('ca.pem');
    for (const leaf of LEAVES) await this.#renewIfDue(leaf);
    const [peer, orderer, client] = LEAVES.map((leaf) => this.#leaf(leaf, certificate)) as [
      Identity,
      Identity,
      Identity,
    ];
    return { root, peer, orderer, client };
  }

  async #renewIfDue(leaf: NodeRole): Promise<void> {
    const ends = Date.parse(this.#certificate(`${leaf}.pem`).validTo);
    if (ends - Date.now() > RENEW_BEFORE_MS) return;
    if (existsSync(this.#path('ca.key.pem'))) return this.#issue(leaf);
    if (ends > Date.now()) return;
    throw new MisconfiguredError(
      `The ${leaf} certificate in ${this.#directory} has expired, and ca.key.pem is not there to renew it: put it back.`,
    );
  }

  async #issue(leaf: NodeRole): Promise<void> {
    const { issueLeaf } = await import('./certificate-authority.js');
    const root = { certificate: this.#read('ca.pem'), privateKey: this.#read('ca.key.pem') };
    const wanted = { domain: this.#domain, commonName: this.#commonName(leaf), role: leaf };
    const { certificate, privateKey } = await issueLeaf(root, wanted);
    this.#write(`${leaf}.pem`, `${certificate.trim()}\n${privateKey.trim()}\n`);
  }

  #commonName(leaf: NodeRole): string {
    const names = {
      peer: `peer0.${this.#domain}`,
      orderer: `orderer.${this.#domain}`,
      client: `User1@${this.#domain}`,
    } satisfies Record<NodeRole, string>;
    return names[leaf];
  }

  #leaf(leaf: NodeRole, root: X509Certificate): Identity {
    const parsed = this.#certificate(`${leaf}.pem`);
    const key = this.#privateKey(leaf);
    if (!parsed.checkPrivateKey(key)) throw this.#damaged(leaf, 'has a key that does not belong to its certificate');
    if (!parsed.verify(root.publicKey)) throw this.#damaged(leaf, 'was not issued by ca.pem');
    const privateKey = key.export({ type: 'pkcs8', format: 'pem' }).toString();
    return { certificate: parsed.toString(), privateKey, commonName: /^CN=(.*)$/m.exec(parsed.subject)?.[1] ?? leaf };
  }

  #write(file: string, content: string): void {
    makeDirectory(this.#directory);
    chmodSync(this.#directory, 0o700);
    writeFileDurably(this.#path(file), content);
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

  #privateKey(leaf: NodeRole): KeyObject {
    try {
      return createPrivateKey(this.#read(`${leaf}.pem`));
    } catch (cause) {
      throw this.#damaged(leaf, 'holds no readable key', cause);
    }
  }

  #read(file: string): string {
    try {
      return readFileSync(this.#path(file), 'utf8');
    } catch (cause) {
      throw this.#damaged(file, 'cannot be read', cause);
    }
  }

  #damaged(name: string, why: string, cause?: unknown): DamagedError {
    if (cause instanceof DamagedError) return cause;
    return new DamagedError(
      `The identity ${name} in ${this.#directory} ${why}: restore the identities directory from a backup.`,
      { cause },
    );
  }
}
