/** A member of a {@link LiveList}. */
export interface Listed {
  /** Where it stands in its list, which writes it; below 0 when it is in none. */
  place: number;
}

/** The `place` of what is in no list. */
export const NOWHERE = -1;

/**
 * What is live at the moment, in no order: a list where each member knows its place, so that it is taken out at once.
 *
 * A Map or a Set will not do for thousands of members a second: V8 links each table that has grown full of deleted
 * members to the one that follows. When a collection of the old generation finds such a table alive, the chain behind it,
 * with all that was ever in it, outlives every scavenge until the next one.
 */
export class LiveList<Member extends Listed> {
  readonly #members: Member[] = [];

  get size(): number {
    return this.#members.length;
  }

  /** Takes a member in that is in no list. */
  add(member: Member): void {
    member.place = this.#members.length;
    this.#members.push(member);
  }

  /** @returns whether it was there */
  delete(member: Member): boolean {
    const { place } = member;
    if (this.#members[place] !== member) return false;
    const last = this.#members.pop();
    if (last !== undefined && last !== member) {
      this.#members[place] = last;
      last.place = place;
    }
    member.place = NOWHERE;
    return true;
  }

  /** From the last to the first: a member may be taken out while it is looked at. */
  *[Symbol.iterator](): Generator<Member> {
    for (let place = this.#members.length - 1; place >= 0; place -= 1) {
      const member = this.#members[place];
      if (member !== undefined) yield member;
    }
  }
}
