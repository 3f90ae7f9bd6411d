/** Something that must be over in time. */
export interface Deadline {
  /** Its place in the list; {@link Deadlines} writes them. */
  next: Deadline | undefined;
  previous: Deadline | undefined;
  list: Deadlines | undefined;
  /** Milliseconds on the monotonic clock. */
  due: number;
  /** The time is over; it is in no list any more. */
  expire(): void;
}

/**
 * All deadlines of one length, with one timer between them. They come due in the order in which they begin, so the first
 * of the list is always the next one: beginning and ending costs a few assignments, where a timer for each would be made
 * and thrown away for every handshake.
 */
export class Deadlines {
  static readonly #byLength = new Map<number, Deadlines>();
  readonly #length: number;
  #first: Deadline | undefined;
  #last: Deadline | undefined;
  #waiting = false;

  private constructor(length: number) {
    this.#length = length;
  }

  /** The list for deadlines of so many milliseconds. */
  static of(length: number): Deadlines {
    let list = this.#byLength.get(length);
    if (list === undefined) {
      list = new Deadlines(length);
      this.#byLength.set(length, list);
    }
    return list;
  }

  /** Takes a deadline off the list that it is in, if it is in one. */
  static end(deadline: Deadline): void {
    if (deadline.list !== undefined) {
      deadline.list.#remove(deadline);
    }
  }

  /** Begins; a deadline is in one list at a time. */
  begin(deadline: Deadline): void {
    Deadlines.end(deadline);
    deadline.due = performance.now() + this.#length;
    deadline.list = this;
    deadline.previous = this.#last;
    if (this.#last === undefined) {
      this.#first = deadline;
    } else {
      this.#last.next = deadline;
    }
    this.#last = deadline;
    this.#wait(this.#length);
  }

  #remove(deadline: Deadline): void {
    const { previous, next } = deadline;
    if (previous === undefined) {
      this.#first = next;
    } else {
      previous.next = next;
    }
    if (next === undefined) {
      this.#last = previous;
    } else {
      next.previous = previous;
    }
    deadline.list = undefined;
    deadline.next = undefined;
    deadline.previous = undefined;
  }

  #wait(milliseconds: number): void {
    if (!this.#waiting) {
      this.#waiting = true;
      setTimeout(this.#look, Math.max(1, milliseconds)).unref();
    }
  }

  readonly #look = (): void => {
    this.#waiting = false;
    const now = performance.now();
    for (let first = this.#first; first !== undefined && first.due <= now; first = this.#first) {
      this.#remove(first);
      first.expire();
    }
    if (this.#first !== undefined) {
      // The list is looked at again when the next one is due, however many ended well meanwhile.
      this.#wait(this.#first.due - now);
    }
  };
}
