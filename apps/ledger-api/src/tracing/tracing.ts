import { setTimeout as delay } from 'node:timers/promises';
import {
  diag,
  ROOT_CONTEXT,
  SpanKind,
  SpanStatusCode,
  trace,
  type Context,
  type Span,
  type Tracer,
} from '@opentelemetry/api';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import {
  defaultResource,
  detectResources,
  resourceAttributesEnvDetector,
  resourceFromAttributes,
  serviceNameEnvDetector,
} from '@opentelemetry/resources';
import { BatchSpanProcessor, TracerProvider } from '@opentelemetry/sdk-trace';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Logger } from 'pino';
import { installedVersion } from '#files';
import type { SubmitStage } from '#ledger-gateway';
import { answerOf, ERROR_CODE } from '../http/error-answers.js';
import { parseTraceParent, type RequestTrace, type StageTrace } from '../http/trace-context.js';

/** Path of traces below the endpoint (OTLP/HTTP). */
const TRACES = 'v1/traces';
/** Spans are exported together after this time. */
const EXPORT_MS = 1000;
/** How long the last spans may be sent at shutdown. */
const SHUTDOWN_MS = 2000;
/** At most one log line about failed exports in this time. */
const LOG_INTERVAL_MS = 60_000;

/**
 * Exports spans of requests and of the stages of their writes by OTLP/HTTP. The packages read other variables of
 * OpenTelemetry, such as OTEL_SERVICE_NAME and OTEL_EXPORTER_OTLP_HEADERS, from the environment. Every trace is sampled, except
 * those whose `traceparent` header has the sampled flag unset.
 */
export class Tracing {
  readonly #provider: TracerProvider;
  readonly #tracer: Tracer;

  constructor(endpoint: string, logger: Logger) {
    logFailures(logger);
    const named = resourceFromAttributes({ 'service.name': 'ledger-api', 'service.version': installedVersion() });
    const resource = defaultResource()
      .merge(named)
      .merge(detectResources({ detectors: [resourceAttributesEnvDetector, serviceNameEnvDetector] }));
    const exporter = new OTLPTraceExporter({ url: new URL(TRACES, `${endpoint.replace(/\/$/, '')}/`).href });
    this.#provider = new TracerProvider({
      resource,
      spanProcessors: [new BatchSpanProcessor({ exporter, scheduledDelayMillis: EXPORT_MS })],
    });
    this.#tracer = this.#provider.getTracer('ledger-api');
  }

  /** Traces every request to the API that is not an endless stream; call it before other hooks are added. */
  watch(instance: FastifyInstance): void {
    instance.addHook('onRequest', (request, _reply, done) => {
      const { routeOptions, otherRoute } = request;
      const { url = otherRoute?.url, config } = routeOptions;
      const isEndless = config.isStream === true && config.readsLines !== true;
      if (url?.startsWith('/api/') === true && !isEndless) this.#begin(request, url);
      done();
    });
    instance.addHook('onResponse', ({ trace: requestTrace }, reply, done) => {
      if (requestTrace instanceof RequestSpan) requestTrace.end(reply);
      done();
    });
  }

  /** Sends the remaining spans, for a limited time. */
  async close(): Promise<void> {
    const stop = new AbortController();
    const limit = delay(SHUTDOWN_MS, undefined, { signal: stop.signal }).catch(() => undefined);
    await Promise.race([this.#provider.shutdown().catch(() => undefined), limit]);
    stop.abort();
  }

  #begin(request: FastifyRequest, route: string): void {
    const { method, headers } = request;
    const attributes = { 'http.request.method': method, 'http.route': route, 'ledger.request_id': request.id };
    const options = { kind: SpanKind.SERVER, attributes };
    const span = this.#tracer.startSpan(`${method} ${route}`, options, parentOf(headers['traceparent']));
    request.trace = new RequestSpan(this.#tracer, span);
  }
}

/** Returns the context of the client's span. */
function parentOf(header: string | readonly string[] | undefined): Context {
  const parent = parseTraceParent(header);
  if (parent === undefined) return ROOT_CONTEXT;
  const { traceId, spanId, flags } = parent;
  return trace.setSpanContext(ROOT_CONTEXT, { traceId, spanId, traceFlags: flags & 1, isRemote: true });
}

/** The spans of the stages of one write, one after the other. */
class StageSpans implements StageTrace {
  #stage: Span | undefined;

  constructor(
    private readonly tracer: Tracer,
    private readonly context: Context,
  ) {}

  readonly onStage = (stage: SubmitStage, transactionId?: string): void => {
    this.#stage?.end();
    const attributes = transactionId === undefined ? {} : { 'ledger.transaction_id': transactionId };
    const kind = SpanKind.CLIENT;
    this.#stage = this.tracer.startSpan(`ledger.${stage}`, { kind, attributes }, this.context);
  };

  readonly endStages = (error?: unknown): void => {
    // By its code: messages of chaincode may contain data of users.
    if (error !== undefined)
      this.#stage?.setStatus({ code: SpanStatusCode.ERROR, message: answerOf(error).headers[ERROR_CODE] ?? '' });
    this.#stage?.end();
    this.#stage = undefined;
  };
}

/** The span of a request, with one span for each stage of its writes. */
class RequestSpan extends StageSpans implements RequestTrace {
  readonly traceId: string;
  readonly spanId: string;
  readonly ofWrite: () => StageTrace;

  constructor(
    tracer: Tracer,
    private readonly span: Span,
  ) {
    const context = trace.setSpan(ROOT_CONTEXT, span);
    super(tracer, context);
    ({ traceId: this.traceId, spanId: this.spanId } = span.spanContext());
    this.ofWrite = () => new StageSpans(tracer, context);
  }

  /** Ends the span of the request. */
  end(reply: FastifyReply): void {
    const { statusCode } = reply;
    const code = reply.getHeader(ERROR_CODE);
    this.span.setAttribute('http.response.status_code', statusCode);
    if (typeof code === 'string') this.span.setAttribute('error.type', code);
    if (statusCode >= 500) this.span.setStatus({ code: SpanStatusCode.ERROR });
    this.span.end();
  }
}

/** Logs why spans could not be exported, at most once a minute: the collector may be down. */
function logFailures(logger: Logger): void {
  let next = 0;
  const ignore = (): void => undefined;
  const error = (reason: string): void => {
    if (performance.now() < next) return;
    next = performance.now() + LOG_INTERVAL_MS;
    logger.warn({ reason: reason.slice(0, 1000) }, 'traces could not be exported');
  };
  diag.setLogger({ error, warn: ignore, info: ignore, debug: ignore, verbose: ignore });
}
