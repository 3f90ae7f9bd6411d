import { Format, Presets, SingleBar, type Options } from 'cli-progress';

/** Reports how much of a task is done. */
type Progress = (done: number, total: number, counted?: string) => void;

/**
 * Returns the estimate of the remaining time.
 * @param seconds - `NULL` or `INF` where there is no estimate
 */
export const remainingTime: NonNullable<Options['formatTime']> = (seconds, options, multiple) =>
  Number.isFinite(seconds) ? `${Format.TimeFormat(seconds, options, multiple)} left` : 'remaining time unknown';

/** How many steps the estimate of the remaining time considers: some seconds of a long task. */
const ETA_STEPS = 200;

/**
 * Runs a task with a progress bar on standard error, if that is a terminal.
 * @param unit - the counted things, unless the task reports others
 */
export async function withProgress<T>(
  label: string,
  unit: string,
  task: (progress: Progress) => Promise<T>,
): Promise<T> {
  if (!process.stderr.isTTY) return task(() => undefined);
  const format = '{label} {bar} {percentage} % of {total} {unit}, {eta_formatted}';
  // The cursor is not hidden, because Ctrl-C would leave the terminal without one.
  const bar = new SingleBar(
    { format, clearOnComplete: true, etaBuffer: ETA_STEPS, formatTime: remainingTime },
    Presets.shades_classic,
  );
  let current: string | undefined;
  try {
    return await task((done, total, counted = unit) => {
      if (current !== counted) {
        if (current !== undefined) bar.stop();
        bar.start(total, 0, { label, unit: counted });
        current = counted;
      }
      bar.update(done);
    });
  } finally {
    if (current !== undefined) bar.stop();
  }
}
