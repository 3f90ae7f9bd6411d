import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { gunzipSync } from 'node:zlib';
import { until } from './until.js';

/** A span as it arrived. */
export interface ReceivedSpan {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId: string;
  readonly name: string;
  readonly attributes: Readonly<Record<string, string | number>>;
  /** Of its resource. */
  readonly service: string;
  /** 2 is an error. */
  readonly status: number;
  readonly seconds: number;
}

interface KeyValue {
  readonly key: string;
  readonly value: { readonly stringValue?: string; readonly intValue?: number | string };
}

interface EncodedSpan {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly name: string;
  readonly attributes?: readonly KeyValue[];
  readonly status?: { readonly code?: number };
  readonly startTimeUnixNano: string;
  readonly endTimeUnixNano: string;
}

interface TraceRequest {
  readonly resourceSpans: readonly {
    readonly resource: { readonly attributes: readonly KeyValue[] };
    readonly scopeSpans: readonly { readonly spans: readonly EncodedSpan[] }[];
  }[];
}

/** A collector of OpenTelemetry traces (OTLP/HTTP in JSON), as a real server on loopback. */
export class OtlpCollector {
  readonly spans: ReceivedSpan[] = [];
  /** Headers of the requests. */
  readonly headers: IncomingMessage['headers'][] = [];
  /** The bodies as they arrived. */
  readonly bodies: string[] = [];
  /** The status of its answers. */
  status = 200;
  readonly #server: Server;

  private constructor() {
    this.#server = createServer((request, response) => void this.#receive(request, response));
  }

  static async start(): Promise<OtlpCollector> {
    const collector = new OtlpCollector();
    collector.#server.listen(0, '127.0.0.1');
    await once(collector.#server, 'listening');
    return collector;
  }

  get endpoint(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** Waits until a span with that name has arrived for a trace. */
  async span(name: string, traceId?: string): Promise<ReceivedSpan> {
    const find = () => this.spans.find((span) => span.name === name && (traceId ?? span.traceId) === span.traceId);
    await until(() => find() !== undefined);
    return find()!;
  }

  /** The spans of a trace in the order of their arrival. */
  ofTrace(traceId: string): readonly ReceivedSpan[] {
    return this.spans.filter((span) => span.traceId === traceId);
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections();
    this.#server.close();
    await once(this.#server, 'close');
  }

  async #receive(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const bytes = Buffer.concat(chunks);
    const body = request.headers['content-encoding'] === 'gzip' ? gunzipSync(bytes).toString() : bytes.toString();
    this.headers.push(request.headers);
    this.bodies.push(body);
    const isTraces = request.method === 'POST' && request.url === '/v1/traces';
    if (isTraces && this.status === 200) this.spans.push(...spansIn(JSON.parse(body) as TraceRequest));
    response.writeHead(isTraces ? this.status : 404, { 'content-type': 'application/json' }).end('{}');
  }
}

function spansIn({ resourceSpans }: TraceRequest): readonly ReceivedSpan[] {
  return resourceSpans.flatMap(({ resource, scopeSpans }) => {
    const service = String(attributesOf(resource.attributes)['service.name']);
    return scopeSpans.flatMap(({ spans }) =>
      spans.map(({ traceId, spanId, parentSpanId = '', name, attributes = [], status, ...times }) => ({
        ...{ traceId, spanId, parentSpanId, name, service, status: status?.code ?? 0 },
        attributes: attributesOf(attributes),
        seconds: Number(BigInt(times.endTimeUnixNano) - BigInt(times.startTimeUnixNano)) / 1e9,
      })),
    );
  });
}

function attributesOf(attributes: readonly KeyValue[]): Readonly<Record<string, string | number>> {
  return Object.fromEntries(
    attributes.map(({ key, value }) => [key, value.stringValue ?? Number(value.intValue)] as const),
  );
}
