export {
  formatAddress,
  parseAddress,
  parseSocks5Target,
  type Socks5Address,
  type Socks5Target,
} from './codec/address.js';
export { type AuthMethod, Method, Reply, SOCKS_VERSION } from './codec/constants.js';
export { encodeReply } from './codec/messages.js';
export { encodeCredentials, type Socks5Credentials } from './codec/credentials.js';
export { type OtherProtocol, Socks5Error, type Socks5ErrorCode, type Socks5Phase } from './codec/socks5-error.js';
export {
  connectSocks5,
  type ConnectSocks5Options,
  defaultOffer,
  type Socks5Tunnel,
} from './connector/connect-socks5.js';
export {
  Socks5Session,
  type Socks5SessionListener,
  type Socks5SessionOptions,
  type Socks5Timeouts,
} from './connector/socks5-session.js';
export { SocketTransport, type Transport, type TransportReader } from './connector/transport.js';
export { Deadlines, type Deadline } from './connector/deadlines.js';
export { type DialAttempt, Dialler, DialError, type DialErrorCode } from './dial/dialler.js';
export { canonicalAddress, innerIpv4, isLocalAddress, isLoopback, reachesListener } from './dial/own-address.js';
export { Resolver, type SystemLookup } from './dial/resolver.js';
export { ClientHandshake, type ClientStep } from './handshake/client-handshake.js';
export { type ServerFault, ServerHandshake, type ServerStep } from './handshake/server-handshake.js';
export {
  type EmbeddedRequest,
  EmbeddedSocks5Server,
  type EmbeddedSocks5ServerOptions,
} from './server/embedded-socks5-server.js';
