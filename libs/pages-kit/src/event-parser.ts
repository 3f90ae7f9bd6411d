/** An event of a stream. */
export interface ServerEvent {
  readonly type: string;
  readonly data: string;
  /** The last id that the stream has told, of this event or an earlier one. */
  readonly id: string;
}

/**
 * Reads server-sent events (https://html.spec.whatwg.org/multipage/server-sent-events.html#parsing-an-event-stream) out of
 * decoded text, however it is cut.
 */
export class EventParser {
  #rest = '';
  #data: string[] = [];
  #type = '';
  #id: string;
  #hadReturn = false;
  #retry: number | undefined;

  /** @param id - the one that the stream goes on from */
  constructor(id = '') {
    this.#id = id;
  }

  /** The last id that was told. */
  get lastId(): string {
    return this.#id;
  }

  /** After how many milliseconds the server wants to be asked again; undefined when it did not say. */
  get retry(): number | undefined {
    return this.#retry;
  }

  feed(text: string): ServerEvent[] {
    // The line feed of a CRLF whose two halves came apart.
    const begin = this.#hadReturn && text.startsWith('\n') ? 1 : 0;
    if (text !== '') this.#hadReturn = text.endsWith('\r');
    const lines = (this.#rest + text.slice(begin)).split(/\r\n|\r|\n/);
    this.#rest = lines.pop() ?? '';
    return lines.flatMap((line) => (line === '' ? this.#dispatch() : this.#take(line)));
  }

  #dispatch(): ServerEvent[] {
    const [type, data] = [this.#type || 'message', this.#data];
    this.#type = '';
    this.#data = [];
    return data.length === 0 ? [] : [{ type, data: data.join('\n'), id: this.#id }];
  }

  #take(line: string): [] {
    const [, name = '', value = ''] = /^([^:]*)(?:: ?(.*))?$/s.exec(line) ?? [];
    if (name === 'data') this.#data.push(value);
    else if (name === 'event') this.#type = value;
    else if (name === 'id' && !value.includes('\0')) this.#id = value;
    else if (name === 'retry' && /^\d+$/.test(value)) this.#retry = Number(value);
    return [];
  }
}
