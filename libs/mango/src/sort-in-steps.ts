/** Items that are sorted or merged at once. */
const STEP = 1000;

/**
 * Sorts items, and yields after each step, so that the caller can let others run: sorting 200,000 results takes a second.
 * @returns the sorted items
 */
export function* sortInSteps<T>(
  items: readonly T[],
  order: (a: T, b: T) => number,
): Generator<undefined, readonly T[]> {
  let runs: T[][] = [];
  for (let start = 0; start < items.length; start += STEP) {
    runs.push(items.slice(start, start + STEP).sort(order));
    yield undefined;
  }
  while (runs.length > 1) {
    const merged: T[][] = [];
    for (let index = 0; index < runs.length; index += 2) {
      merged.push(yield* merge(runs[index] ?? [], runs[index + 1] ?? [], order));
    }
    runs = merged;
  }
  return runs[0] ?? [];
}

function* merge<T>(left: readonly T[], right: readonly T[], order: (a: T, b: T) => number): Generator<undefined, T[]> {
  const merged: T[] = [];
  let [fromLeft, fromRight] = [0, 0];
  while (merged.length < left.length + right.length) {
    const [a, b] = [left[fromLeft], right[fromRight]];
    if (b === undefined || (a !== undefined && order(a, b) <= 0)) {
      merged.push(a as T);
      fromLeft += 1;
    } else {
      merged.push(b);
      fromRight += 1;
    }
    if (merged.length % STEP === 0) yield undefined;
  }
  return merged;
}
