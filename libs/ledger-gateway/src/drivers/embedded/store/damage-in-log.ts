import { existsSync, readFileSync } from 'node:fs';

/** https://www.sqlite.org/fileformat2.html#walformat: all numbers big-endian, checksums in the order that the magic says. */
const MAGIC = 0x377f0682;
const HEADER = 32;
const FRAME_HEADER = 24;
/** Bytes of a frame's header that its checksum covers, before its page. */
const SUMMED = 8;

/**
 * Where a write-ahead log ends before its time: SQLite reads it up to the first frame whose checksum is wrong, and says
 * nothing about what stands behind.
 * @param path - of the store
 * @returns a sentence, or undefined when the log is missing or nothing in it was passed over. A crash in the middle of a
 * commit leaves such a log too: only together with a lost end does it mean damage.
 */
export function damageInLog(path: string): string | undefined {
  const name = `${path}-wal`;
  const log = existsSync(name) ? readFileSync(name) : Buffer.alloc(0);
  if (log.length < HEADER || isZero(log.subarray(0, HEADER))) return undefined;
  const at = firstUnread(log);
  return at === undefined ? undefined : `Its log ${name} is damaged at byte ${at}; it was left as it is.`;
}

function firstUnread(log: Buffer): number | undefined {
  const magic = log.readUInt32BE(0);
  const isBig = (magic & 1) === 1;
  const pageSize = log.readUInt32BE(8);
  const sum = new RunningSum(isBig);
  sum.add(log.subarray(0, 24));
  if ((magic & ~1) >>> 0 !== MAGIC || !sum.isAt(log, 24) || pageSize < 512) return 0;
  const frame = FRAME_HEADER + pageSize;
  const salts = log.subarray(16, 24);
  for (let at = HEADER; at + frame <= log.length; at += frame) {
    sum.add(log.subarray(at, at + SUMMED));
    sum.add(log.subarray(at + FRAME_HEADER, at + frame));
    if (isOf(salts, log, at) && sum.isAt(log, at + 16)) continue;
    for (let later = at; later + frame <= log.length; later += frame) if (isOf(salts, log, later)) return at;
    return undefined;
  }
  return undefined;
}

/** Whether a frame belongs to this log rather than to one that began in the same file before it. */
function isOf(salts: Buffer, log: Buffer, at: number): boolean {
  return salts.compare(log, at + 8, at + 16) === 0;
}

function isZero(bytes: Buffer): boolean {
  return bytes.every((byte) => byte === 0);
}

/** SQLite's checksum over pairs of words. */
class RunningSum {
  readonly #isBig: boolean;
  #first = 0;
  #second = 0;

  constructor(isBig: boolean) {
    this.#isBig = isBig;
  }

  add(bytes: Buffer): void {
    for (let at = 0; at + 8 <= bytes.length; at += 8) {
      this.#first = (this.#first + this.#word(bytes, at) + this.#second) >>> 0;
      this.#second = (this.#second + this.#word(bytes, at + 4) + this.#first) >>> 0;
    }
  }

  isAt(log: Buffer, at: number): boolean {
    return log.readUInt32BE(at) === this.#first && log.readUInt32BE(at + 4) === this.#second;
  }

  #word(bytes: Buffer, at: number): number {
    return this.#isBig ? bytes.readUInt32BE(at) : bytes.readUInt32LE(at);
  }
}
