import { encodeReply, Method, Reply } from '../codec/messages.js';
import type { ScriptStep } from './scripted-socks5-server.js';

/** The steps up to the request, without authentication. */
export function greeted(method: number = Method.none): readonly ScriptStep[] {
  return [
    { read: 'greeting' },
    { write: Uint8Array.of(5, method) },
    ...(method === Method.password ? ([{ read: 'credentials' }, { write: Uint8Array.of(1, 0) }] as const) : []),
    { read: 'request' },
  ];
}

/** Grants every request; then, for instance, echoes. */
export function granting(ending: Extract<ScriptStep, { then: unknown }>['then'] = 'echo'): readonly ScriptStep[] {
  return [...greeted(), { write: encodeReply(Reply.succeeded) }, { then: ending }];
}

/** Answers every request with `code`, and closes as servers do. */
export function replying(code: number): readonly ScriptStep[] {
  return [...greeted(), { write: encodeReply(code) }, { then: 'close' }];
}

/** As microsocks: answers the greeting, loses what came with it, and so hangs when everything came in one flight. */
export function losingFlights(ending: Extract<ScriptStep, { then: unknown }>['then'] = 'echo'): readonly ScriptStep[] {
  return [
    { read: 'greeting', alone: true },
    { write: Uint8Array.of(5, Method.none) },
    { read: 'request' },
    { write: encodeReply(Reply.succeeded) },
    { then: ending },
  ];
}
