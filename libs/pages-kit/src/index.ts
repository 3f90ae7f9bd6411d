export * from './format.ts';
export { followEvents, readEvents, type StreamState } from './follow-events.ts';
export { focusOnSlash } from './focus-on-slash.ts';
export { replaceUrl, withParameter } from './url-parameters.ts';
export { Secret } from './secret.ts';
export { readServerTime, serverTime } from './server-clock.ts';
