export * from './format.ts';
export { followEvents, type StreamState } from './follow-events.ts';
export { Secret } from './secret.ts';
