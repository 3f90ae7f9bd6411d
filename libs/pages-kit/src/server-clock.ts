/** Smaller differences are the delay of the response and the header's resolution of one second. */
const TOLERANCE_MS = 2000;

/** The milliseconds by which the server's clock is ahead of the browser's. */
let offset = 0;

/** Compares the clocks by the Date header of a response that has just arrived: ages would be wrong by the difference. */
export function readServerTime({ headers }: Pick<Response, 'headers'>): void {
  const difference = Date.parse(headers.get('date') ?? '') - Date.now();
  if (!Number.isNaN(difference)) offset = Math.abs(difference) > TOLERANCE_MS ? difference : 0;
}

/** Returns the present time by the server's clock, in milliseconds; by the browser's until a response has arrived. */
export function serverTime(): number {
  return Date.now() + offset;
}
