/** The kind of failure, for decisions; the message is for people only. */
export type Socks5ErrorCode =
  /** The target cannot be requested: its name, address or port exceeds a limit. Nothing was sent. */
  | 'SOCKS5.INVALID_TARGET'
  /** User name or password is outside 1 to 255 bytes. Nothing was sent. */
  | 'SOCKS5.INVALID_CREDENTIALS'
  /** The peer does not speak SOCKS5: wrong version, unknown address type, unexpected bytes. */
  | 'SOCKS5.PROTOCOL'
  /** The server accepts none of the offered authentication methods (0xff). */
  | 'SOCKS5.METHOD_REFUSED'
  /** The server chose a method that was not offered. */
  | 'SOCKS5.METHOD_NOT_OFFERED'
  /** The server refused the user name and password. */
  | 'SOCKS5.CREDENTIALS_REFUSED'
  /** The server answered the request with a code other than 0x00, which is in `replyCode`. */
  | 'SOCKS5.REPLY'
  /** The server could not be reached by TCP. */
  | 'SOCKS5.UNREACHABLE'
  /** The server closed or reset the connection during the handshake. */
  | 'SOCKS5.CLOSED'
  /** The server did not accept the connection, or did not answer, in time. */
  | 'SOCKS5.TIMEOUT'
  /** The caller aborted the attempt. */
  | 'SOCKS5.ABORTED'
  /** An unexpected exception in this program: its cause. */
  | 'SOCKS5.DEFECT';

/** The step that failed: the TCP connection, the choice of method, the authentication, the request. */
export type Socks5Phase = 'connect' | 'method' | 'authentication' | 'request';

/** The protocol that a server speaks instead of SOCKS5, detected by its first byte. */
export type OtherProtocol = 'SSH' | 'HTTP';

export interface Socks5ErrorFacts {
  readonly phase?: Socks5Phase;
  readonly replyCode?: number;
  readonly protocol?: OtherProtocol | undefined;
  readonly cause?: unknown;
}

/** A failure of a SOCKS5 exchange. */
export class Socks5Error extends Error {
  readonly code: Socks5ErrorCode;
  readonly phase: Socks5Phase | undefined;
  /** The reply code as received (RFC 1928, section 6), if `code` is `SOCKS5.REPLY`. */
  readonly replyCode: number | undefined;
  /** The protocol that the peer seems to speak instead, if `code` is `SOCKS5.PROTOCOL` and it was recognized. */
  readonly protocol: OtherProtocol | undefined;

  constructor(code: Socks5ErrorCode, message: string, facts: Socks5ErrorFacts = {}) {
    super(message, facts.cause === undefined ? undefined : { cause: facts.cause });
    this.name = 'Socks5Error';
    this.code = code;
    this.phase = facts.phase;
    this.replyCode = facts.replyCode;
    this.protocol = facts.protocol;
  }
}
