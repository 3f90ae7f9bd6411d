/** A server-sent event. */
export interface ServerEvent {
  readonly type: string;
  readonly data: string;
  /** The id of this event, or of the last one before it that had an id. An opaque string. */
  readonly id: string;
}

/**
 * Incremental parser of server-sent events, fed with decoded text in pieces of any size
 * (https://html.spec.whatwg.org/multipage/server-sent-events.html#parsing-an-event-stream).
 */
export class EventParser {
  #partialLine = '';
  #data: string[] = [];
  #type = '';
  #id: string;
  #endedWithReturn = false;
  #retry: number | undefined;

  /** @param id - the last id before the stream starts */
  constructor(id = '') {
    this.#id = id;
  }

  /** The last id that was received. */
  get lastId(): string {
    return this.#id;
  }

  /** The server's `retry` in milliseconds; undefined if it sent none. */
  get retry(): number | undefined {
    return this.#retry;
  }

  /** Parses the next piece of the stream. @returns the events that it completes */
  feed(text: string): ServerEvent[] {
    // The second half of a CRLF that was split between two pieces.
    const begin = this.#endedWithReturn && text.startsWith('\n') ? 1 : 0;
    if (text !== '') this.#endedWithReturn = text.endsWith('\r');
    const lines = (this.#partialLine + text.slice(begin)).split(/\r\n|\r|\n/);
    this.#partialLine = lines.pop() ?? '';
    return lines.flatMap((line) => (line === '' ? this.#dispatch() : this.#readField(line)));
  }

  #dispatch(): ServerEvent[] {
    const [type, data] = [this.#type || 'message', this.#data];
    this.#type = '';
    this.#data = [];
    return data.length === 0 ? [] : [{ type, data: data.join('\n'), id: this.#id }];
  }

  #readField(line: string): [] {
    const [, name = '', value = ''] = /^([^:]*)(?:: ?(.*))?$/s.exec(line) ?? [];
    if (name === 'data') this.#data.push(value);
    else if (name === 'event') this.#type = value;
    else if (name === 'id' && !value.includes('\0')) this.#id = value;
    else if (name === 'retry' && /^\d+$/.test(value)) this.#retry = Number(value);
    return [];
  }
}
