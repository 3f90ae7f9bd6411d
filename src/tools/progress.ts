import { Format, Presets, SingleBar, type Options } from 'cli-progress';
import { notify } from './command-line.js';

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

/** Interval of the lines about the progress of a task where no bar can be drawn, in milliseconds. */
const LINE_MS = 10_000;

/** Returns a report of progress that prints a line on standard error at most every 10 s. */
export function progressLines(label: string, unit: string, now = (): number => performance.now()): Progress {
  let next = now() + LINE_MS;
  return (done, total, counted = unit) => {
    if (now() < next) return;
    next = now() + LINE_MS;
    notify(`${label}: ${done} of ${total} ${counted}`);
  };
}

/**
 * Runs a task with a progress bar on standard error if that is a terminal, else with lines.
 * @param unit - the counted things, unless the task reports others
 */
export async function withProgress<T>(
  label: string,
  unit: string,
  task: (progress: Progress) => Promise<T>,
): Promise<T> {
  if (!process.stderr.isTTY) return task(progressLines(label, unit));
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
