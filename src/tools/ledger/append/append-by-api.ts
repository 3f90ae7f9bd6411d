import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import type { BodyLine } from '#bulk-data';
import { notify } from '../../command-line.js';
import { upload, UploadInterrupted } from '../load/upload-client.js';
import type { AppendOptions, Appender, LineEffect } from './appender.js';

/** Delays in milliseconds before the attempts of a batch whose connection was cut. */
const RETRY_DELAYS = [1000, 2000, 4000, 8000, 16_000];

/**
 * Appends by a running API. Each batch has its own Idempotency-Key, so that a batch whose answer was cut off is sent again and creates
 * nothing twice.
 */
export function appendByApi({ type, key }: AppendOptions, url: string, ca: string | undefined): Appender {
  const run = randomUUID();
  const query = key === undefined ? '' : `?key=${encodeURIComponent(key)}`;
  const path = `/records/${encodeURIComponent(type)}${query}`;
  return {
    async append(lines) {
      const idempotencyKey = `append-${run}-${lines[0]?.number ?? 0}`;
      const { LEDGER_API_KEY: apiKey } = process.env;
      for (let attempt = 0; ; attempt += 1) {
        try {
          return await effectsOf(lines, { url, path, idempotencyKey, apiKey, ca });
        } catch (error) {
          const wait = RETRY_DELAYS[attempt];
          if (!(error instanceof UploadInterrupted) || wait === undefined) throw error;
          notify(`${error.message} Trying again in ${wait / 1000} s.`);
          await delay(wait);
        }
      }
    },
    close: () => Promise.resolve(),
  };
}

async function effectsOf(
  lines: readonly BodyLine[],
  target: Parameters<typeof upload>[1],
): Promise<readonly LineEffect[]> {
  const effects: LineEffect[] = [];
  const bodies = async function* (): AsyncGenerator<Uint8Array> {
    // A line that is too long is sent as one that is refused, so that each line has an answer.
    for (const { bytes } of lines) yield await Promise.resolve(bytes ?? Buffer.from('{'));
  };
  for await (const { line = 0, status, code, message } of upload(bodies(), target)) {
    effects.push({ line: lines[line - 1]?.number ?? line, ...(status !== 201 && { code, message }) });
  }
  return effects;
}
