/** For how long a figure has stood still, as far as it was looked at. */
export class Standstill {
  #figure = Number.NaN;
  #since = 0;

  /**
   * How long the figure has been the same.
   *
   * @param now - in milliseconds
   * @param matters - while it does not, it counts as moving
   */
  for(now: number, figure: number, matters: boolean): number {
    if (!matters || figure !== this.#figure) {
      this.#figure = matters ? figure : Number.NaN;
      this.#since = now;
    }
    return now - this.#since;
  }
}
