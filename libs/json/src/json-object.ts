/** An object of JSON. */
export type JsonObject = Readonly<Record<string, unknown>>;

/** Returns whether a value of JSON is an object: neither an array nor null. */
export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
