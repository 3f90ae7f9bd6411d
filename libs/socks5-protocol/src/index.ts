export {
  formatAddress,
  formatIp,
  parseAddress,
  parseIp,
  parseSocks5Target,
  type Socks5Address,
  type Socks5Target,
} from './codec/address.js';
export {
  type AuthMethod,
  encodeCredentials,
  encodeReply,
  Method,
  Reply,
  SOCKS_VERSION,
  type Socks5Credentials,
} from './codec/messages.js';
export { type OtherProtocol, Socks5Error, type Socks5ErrorCode, type Socks5Phase } from './codec/socks5-error.js';
export { type DialAttempt, Dialler, DialError, type DialErrorCode, type HostAndPort } from './dial/dialler.js';
export { Resolver, type SystemLookup } from './dial/resolver.js';
export { defaultOffer } from './handshake/client-handshake.js';
export { type ServerFault, ServerHandshake, type ServerStep } from './handshake/server-handshake.js';
export { contain, type DefectOwner, startTimer } from './session/contain.js';
export { Socks5Session, type Socks5SessionListener, type SocketReader } from './session/socks5-session.js';
