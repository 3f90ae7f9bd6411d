export { ScriptedSocks5Server, type ScriptedConnection, type ScriptStep } from './scripted-socks5-server.js';
export { granting, greeted, losingFlights, replying } from './scripts.js';
