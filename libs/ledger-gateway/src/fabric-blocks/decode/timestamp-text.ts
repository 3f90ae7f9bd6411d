import type timestamps from 'google-protobuf/google/protobuf/timestamp_pb.js';

/** The last second of the year 9999, the last that ISO 8601 writes with four digits. */
const LAST_SECOND = 253_402_300_799;

/**
 * ISO 8601 in UTC, with three digits of the second, or nine where the clock gave more; empty for no timestamp or one
 * that lies outside the years 1970 to 9999.
 */
export function timestampText(timestamp: timestamps.Timestamp | undefined): string {
  const seconds = timestamp?.getSeconds() ?? -1;
  const nanos = timestamp?.getNanos() ?? 0;
  if (seconds < 0 || seconds > LAST_SECOND || nanos < 0 || nanos > 999_999_999) return '';
  const whole = new Date(seconds * 1000).toISOString().slice(0, -'.000Z'.length);
  const digits = String(nanos).padStart(9, '0');
  return `${whole}.${nanos % 1_000_000 === 0 ? digits.slice(0, 3) : digits}Z`;
}
