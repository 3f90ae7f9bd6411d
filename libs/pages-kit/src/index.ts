export * from './format.ts';
export { EventParser, type ServerEvent } from './event-parser.ts';
export { followEvents, type FollowOptions, type StreamState } from './follow-events.ts';
export { Secret } from './secret.ts';
