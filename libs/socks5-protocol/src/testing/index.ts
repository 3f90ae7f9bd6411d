export { connectSocks5, type ConnectSocks5Options } from './connect-socks5.js';
export { LocalSocks5Server } from './local-socks5-server.js';
export { ScriptedSocks5Server, type ScriptedConnection, type ScriptStep } from './scripted-socks5-server.js';
export { granting, greeted, losingFlights, replying } from './scripts.js';
