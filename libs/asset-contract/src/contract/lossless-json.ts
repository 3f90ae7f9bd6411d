/** Finds text that may contain a number which a double cannot represent. Most texts have none and are parsed once. */
const SUSPECT = /[\d.eE+-]{16}|[eE]\+?\d{3}/;

/**
 * A string or a number of valid JSON. Strings are matched so that the digits inside them are skipped. The closing quote is
 * optional, so that the pattern takes linear time for any text.
 */
const TOKEN = /"[^"\\]*(?:\\.[^"\\]*)*"?|-?\d[\d.eE+-]*/g;

/**
 * Parses JSON that other chaincode wrote, without changing its numbers: a number that a double might alter (more than 15
 * characters, such as 9007199254740993 of Go chaincode, or out of range) becomes a string of its exact digits. All other
 * values are those of `JSON.parse`.
 *
 * Write the result with `JSON.stringify`, after turning the remaining numbers into text as {@link assetOf} does. Do not use it
 * where a number has to stay a number. The reviver's `context.source` would do the same, but a peer may run the contract on
 * Node 20, which does not have it, and all peers must read the same record alike.
 * @throws SyntaxError for text that is not JSON
 */
export function parseLossless(text: string): unknown {
  const value: unknown = JSON.parse(text);
  if (!SUSPECT.test(text)) return value;
  return JSON.parse(text.replace(TOKEN, (token) => (isAltered(token) ? `"${token}"` : token)));
}

function isAltered(token: string): boolean {
  return !token.startsWith('"') && (token.length > 15 || !Number.isFinite(Number(token)));
}
