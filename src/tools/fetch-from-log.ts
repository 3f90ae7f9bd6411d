const TIMEOUT_MS = 10_000;
/** More than a full bundle of entries, each of at most 65,535 bytes after its length (https://c2sp.org/tlog-tiles). */
const MAX_BYTES = 256 * 65_537;

/**
 * Fetches a checkpoint, tile or bundle of a transparency log.
 * @param prefix - the URL of the log, with or without a slash at its end
 * @throws an error that names the URL when the answer is not 200, too long, or takes more than 10 s
 */
export async function fetchFromLog(prefix: string, path: string): Promise<Uint8Array> {
  const url = `${prefix.replace(/\/$/, '')}/${path}`;
  try {
    const signal = AbortSignal.timeout(TIMEOUT_MS);
    const response = await fetch(url, { headers: apiKeyHeaders(), redirect: 'error', signal });
    if (!response.ok) throw new Error(`it was answered with ${response.status}`);
    const body: AsyncIterable<Uint8Array> | readonly [] = response.body ?? [];
    const chunks: Uint8Array[] = [];
    let length = 0;
    for await (const chunk of body) {
      length += chunk.length;
      if (length > MAX_BYTES) throw new Error(`it has more than ${MAX_BYTES} bytes`);
      chunks.push(chunk);
    }
    return Buffer.concat(chunks);
  } catch (error) {
    throw new Error(`${url}: ${(error as Error).message}`, { cause: error });
  }
}

/** Returns the header of a request as the caller of LEDGER_API_KEY; none without it, for what everyone may read. */
function apiKeyHeaders(): Record<string, string> {
  const { LEDGER_API_KEY: key } = process.env;
  return key === undefined ? {} : { 'x-api-key': key };
}
