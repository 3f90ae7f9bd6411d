/**
 * Returns the sentence that refuses a file of a format which a later release wrote; undefined for any other one. Every stored
 * format has a number, and its program refuses a higher one (ADR 0390).
 * @param subject - the file in the sentence
 * @param newest - the newest format that this program reads
 */
export function newerFormatError(subject: string, format: unknown, newest: number): string | undefined {
  if (typeof format !== 'number' || format <= newest) return undefined;
  const advice = `this program reads up to format ${newest}: use the newer program that wrote it.`;
  return `${subject} has format ${format}; ${advice}`;
}
