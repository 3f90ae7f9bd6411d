import type { BodyLine } from '#bulk-data';

/** The options of `append`. */
export interface AppendOptions {
  readonly type: string;
  readonly key?: string;
  readonly url?: string;
  readonly ca?: string;
}

/** The effect of a line: its record, or why it was refused. */
export interface LineEffect {
  /** From 1 on. */
  readonly line: number;
  /** Undefined for a record that was created. */
  readonly code?: string | undefined;
  readonly message?: string | undefined;
}

/** Appends lines, and returns their effects in any order. */
export interface Appender {
  append(lines: readonly BodyLine[]): Promise<readonly LineEffect[]>;
  close(): Promise<void>;
}
