let second = -1;
let text = '';

/** The time as it stands in Date (RFC 9110, section 6.6.1), made once a second. */
export function httpDate(): string {
  const now = Math.floor(Date.now() / 1000);
  if (now !== second) {
    second = now;
    text = new Date(now * 1000).toUTCString();
  }
  return text;
}
