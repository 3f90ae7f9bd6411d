/**
 * A port without a listener: that of tcpmux (RFC 1078). One that was free a moment ago may be somebody's by the time that it is
 * tried, such as a server's of a test that runs at the same time.
 */
export const CLOSED_PORT = 1;
