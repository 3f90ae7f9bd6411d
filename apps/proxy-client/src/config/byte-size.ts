const UNITS: Readonly<Record<string, number>> = { B: 1, KiB: 1024, MiB: 1_048_576, KB: 1000, MB: 1_000_000 };

/**
 * Reads a number of bytes: `65536`, `64KiB`, `1MiB`, `1MB` (1,000,000).
 *
 * @returns bytes, or undefined when it is no size
 */
export function parseByteSize(text: string): number | undefined {
  const [, count, unit = 'B'] = /^(\d{1,12})\s?(B|KiB|MiB|KB|MB)?$/.exec(text) ?? [];
  return count === undefined ? undefined : Number(count) * (UNITS[unit] ?? 1);
}
