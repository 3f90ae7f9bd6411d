const MILLISECONDS: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000 };

/** The longest time a Node timer can wait (2^31 - 1 ms, 24.8 days). */
const LONGEST_DURATION = 2_147_483_647;

/**
 * Reads a duration in Go's notation: one or more numbers, each with its unit (`h`, `m`, `s`, `ms`), such as `30s`,
 * `1m30s`, `1.5s`, `0s`; a bare `0` is taken too.
 *
 * @returns milliseconds, or undefined when it is none or longer than {@link LONGEST_DURATION}
 */
export function parseDuration(text: string): number | undefined {
  if (text === '0') return 0;
  if (!/^(\d+(\.\d+)?(ms|h|m|s))+$/.test(text)) return undefined;
  let total = 0;
  for (const [, count, unit = ''] of text.matchAll(/(\d+(?:\.\d+)?)(ms|h|m|s)/g)) {
    total += Number(count) * (MILLISECONDS[unit] ?? 0);
  }
  const rounded = Math.round(total);
  return rounded <= LONGEST_DURATION ? rounded : undefined;
}
