import { Presets, SingleBar } from 'cli-progress';

/** Shows how far a long task has come, on stderr and only where that is a terminal. */
export class ProgressBar {
  readonly #label: string;
  readonly #bar: SingleBar | undefined;
  #isStarted = false;

  constructor(label: string, stream: NodeJS.WriteStream = process.stderr) {
    this.#label = label;
    if (!stream.isTTY) return;
    const format = '{label} {bar} {percentage} % of {total} {unit}, {eta_formatted} left';
    this.#bar = new SingleBar({ format, stream, clearOnComplete: true, hideCursor: true }, Presets.shades_classic);
  }

  /** @param unit - what is counted */
  progress(unit: string): (done: number, total: number) => void {
    return (done, total) => {
      if (!this.#isStarted) this.#bar?.start(total, 0, { label: this.#label, unit });
      this.#isStarted = true;
      this.#bar?.update(done);
    };
  }

  /** Takes the bar away. */
  end(): void {
    if (this.#isStarted) this.#bar?.stop();
  }
}
