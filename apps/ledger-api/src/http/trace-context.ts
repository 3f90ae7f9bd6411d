import type { FastifyRequest } from 'fastify';
import type { CallOptions } from '#ledger-gateway';

/** The spans of the stages of one write. */
export interface StageTrace {
  /** Begins the span of a stage, and ends that of the previous one. */
  readonly onStage: NonNullable<CallOptions['onStage']>;
  /** Ends the span of the last stage. The write may last longer than its request. */
  readonly endStages: (error?: unknown) => void;
}

/** The span of a request, and those of the stages of its write. */
export interface RequestTrace extends StageTrace {
  readonly traceId: string;
  readonly spanId: string;
  /** Begins the stages of another write of the request: an upload makes several at the same time. */
  readonly ofWrite: () => StageTrace;
}

declare module 'fastify' {
  interface FastifyRequest {
    /** Undefined unless requests are traced. */
    trace: RequestTrace | undefined;
  }
}

/** The trace to which a request belongs, as its client states it (W3C Trace Context, section 3.2). */
export interface TraceParent {
  readonly traceId: string;
  readonly spanId: string;
  readonly flags: number;
}

/** Later versions may have further parts. */
const TRACE_PARENT = /^(?!ff)([0-9a-f]{2})-(?!0{32})([0-9a-f]{32})-(?!0{16})([0-9a-f]{16})-([0-9a-f]{2})(-.*)?$/;

/** Parses the `traceparent` of a request; undefined if there is none, or an invalid one, which must be ignored. */
export function parseTraceParent(header: string | readonly string[] | undefined): TraceParent | undefined {
  if (typeof header !== 'string' || header.length > 512) return undefined;
  const [, version, traceId = '', spanId = '', flags = '', rest] = TRACE_PARENT.exec(header) ?? [];
  if (version === undefined || (version === '00' && rest !== undefined)) return undefined;
  return { traceId, spanId, flags: Number.parseInt(flags, 16) };
}

/** Returns the fields of a log line that name the trace of a request: its own span, or that of its client. */
export function traceFields({ trace, headers }: FastifyRequest): { traceId?: string; spanId?: string } {
  const { traceId, spanId } = trace ?? parseTraceParent(headers['traceparent']) ?? {};
  return traceId === undefined || spanId === undefined ? {} : { traceId, spanId };
}
