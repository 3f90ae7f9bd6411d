import type { Principal } from './signature-policy.js';

/** A private collection of a chaincode. */
export interface Collection {
  readonly name: string;
  /** The identities that may receive its values. */
  readonly members: readonly Principal[];
  readonly memberOnlyRead: boolean;
  readonly memberOnlyWrite: boolean;
  /** Blocks after which a value and its hash expire; 0 for never. */
  readonly blockToLive: number;
}

const IMPLICIT = /^_implicit_org_(.+)$/;

/** The role of the certificates that the ledger issues to callers, besides `member`. */
const CALLER = 'client';

/** The private collections of a chaincode on the ledger of one organization. */
export class Collections {
  readonly #mspId: string;
  readonly #defined: ReadonlyMap<string, Collection>;

  constructor(mspId: string, defined: readonly Collection[]) {
    this.#mspId = mspId;
    this.#defined = new Map(defined.map((each) => [each.name, each]));
  }

  /** The collections of the file. */
  get defined(): readonly Collection[] {
    return [...this.#defined.values()];
  }

  /** Returns a collection, also an implicit one of any organization; undefined when there is none. */
  find(name: string): Collection | undefined {
    const mspId = IMPLICIT.exec(name)?.[1];
    return mspId === undefined ? this.#defined.get(name) : implicitCollection(mspId);
  }

  /** Returns whether a collection can contain values: an implicit one must be of an organization of the channel. */
  isDefined(name: string): boolean {
    const mspId = IMPLICIT.exec(name)?.[1];
    return mspId === undefined ? this.#defined.has(name) : mspId === this.#mspId;
  }

  /** Returns whether callers, all of the ledger's organization, are members. */
  isCallerMember(collection: Collection): boolean {
    return this.#isMember(collection, CALLER);
  }

  /** Returns whether the ledger's organization stores the values: a member is some identity of it. */
  isStored({ members }: Collection): boolean {
    return members.some(({ mspId }) => mspId === this.#mspId);
  }

  #isMember({ members }: Collection, own: string): boolean {
    return members.some(({ mspId, role }) => mspId === this.#mspId && (role === 'member' || role === own));
  }
}

function implicitCollection(mspId: string): Collection {
  return {
    name: `_implicit_org_${mspId}`,
    members: [{ mspId, role: 'member' }],
    memberOnlyRead: false,
    memberOnlyWrite: false,
    blockToLive: 0,
  };
}
