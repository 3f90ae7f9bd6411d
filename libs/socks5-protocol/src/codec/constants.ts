/** Numbers of RFC 1928 and RFC 1929. */
export const SOCKS_VERSION = 0x05;

/** The version of the user name and password sub-negotiation (RFC 1929, section 2). */
export const AUTH_VERSION = 0x01;

export const Method = { none: 0x00, password: 0x02, noneAcceptable: 0xff } as const;

/** An authentication method that this library supports. */
export type AuthMethod = typeof Method.none | typeof Method.password;

export const Command = { connect: 0x01, bind: 0x02, udpAssociate: 0x03 } as const;

export const AddressType = { ipv4: 0x01, domain: 0x03, ipv6: 0x04 } as const;

/** The reply codes of RFC 1928, section 6; servers may send others. */
export const Reply = {
  succeeded: 0x00,
  generalFailure: 0x01,
  notAllowed: 0x02,
  networkUnreachable: 0x03,
  hostUnreachable: 0x04,
  connectionRefused: 0x05,
  ttlExpired: 0x06,
  commandNotSupported: 0x07,
  addressNotSupported: 0x08,
} as const;
