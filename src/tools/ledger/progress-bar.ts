import { Presets, SingleBar } from 'cli-progress';

/** How many steps the time left is reckoned from: some seconds of a long task. */
const ETA_STEPS = 200;

/** Shows how far a long task has come, on stderr and only where that is a terminal. */
export class ProgressBar {
  readonly #label: string;
  readonly #bar: SingleBar | undefined;
  /** What is counted now. */
  #unit: string | undefined;

  constructor(label: string, stream: NodeJS.WriteStream = process.stderr) {
    this.#label = label;
    if (!stream.isTTY) return;
    const format = '{label} {bar} {percentage} % of {total} {unit}, {eta_formatted} left';
    // Who presses Ctrl-C gets the terminal back as it was: the cursor stays where it is.
    const options = { format, stream, clearOnComplete: true, etaBuffer: ETA_STEPS };
    this.#bar = new SingleBar(options, Presets.shades_classic);
  }

  /** @param unit - what is counted, where the task does not say it */
  progress(unit: string): (done: number, total: number, counted?: string) => void {
    return (done, total, counted = unit) => {
      if (this.#unit !== counted) {
        this.end();
        this.#bar?.start(total, 0, { label: this.#label, unit: counted });
        this.#unit = counted;
      }
      this.#bar?.update(done);
    };
  }

  /** Takes the bar away. */
  end(): void {
    if (this.#unit !== undefined) this.#bar?.stop();
  }
}
