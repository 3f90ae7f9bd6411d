/**
 * The owner of work for one connection or request. An unexpected exception in this work is a defect of the program: it ends the
 * work, not the process.
 */
export interface DefectOwner {
  /** Ends the work with a failure; must not throw. */
  onDefect(error: unknown): void;
}

/** Runs a callback of an event, a timer or another object for the owner, which receives what the callback throws. */
export function contain(owner: DefectOwner, callback: () => void): void {
  try {
    callback();
  } catch (error) {
    owner.onDefect(error);
  }
}

/**
 * Starts a timer whose callback is contained.
 *
 * @param milliseconds - 0 means no limit
 * @returns the timer, which does not keep the process alive; undefined if there is no limit
 */
export function startTimer(owner: DefectOwner, milliseconds: number, callback: () => void): NodeJS.Timeout | undefined {
  return milliseconds > 0
    ? setTimeout(() => {
        contain(owner, callback);
      }, milliseconds).unref()
    : undefined;
}
