/**
 * What waits under a ticket. Tickets are small numbers that are given out again: a map that constantly takes and drops would
 * leave a trail of old tables to the garbage collector.
 */
export class TicketSlots<T> {
  readonly #slots: (T | undefined)[] = [];
  readonly #free: number[] = [];

  /** How many tickets are out. */
  get size(): number {
    return this.#slots.length - this.#free.length;
  }

  /** Keeps something under a ticket that nobody has. */
  open(value: T): number {
    const ticket = this.#free.pop();
    if (ticket === undefined) return this.#slots.push(value) - 1;
    this.#slots[ticket] = value;
    return ticket;
  }

  get(ticket: number): T | undefined {
    return this.#slots[ticket];
  }

  /** Gives the ticket back, with what was kept under it; undefined when nobody had it. */
  close(ticket: number): T | undefined {
    const value = this.#slots[ticket];
    if (value === undefined) return undefined;
    this.#slots[ticket] = undefined;
    this.#free.push(ticket);
    return value;
  }

  /** Gives all tickets back. */
  closeAll(): T[] {
    const values = this.#slots.filter((value) => value !== undefined);
    this.#slots.length = 0;
    this.#free.length = 0;
    return values;
  }
}
