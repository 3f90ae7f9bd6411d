/** A parameter as fabric-contract-api takes it from a serializer. */
interface Parameter {
  readonly value: string;
  readonly jsonForValidation: string;
}

/**
 * Texts go over the wire as UTF-8, as they are; what is no text (the contract's metadata) goes as JSON. Takes the place
 * of fabric-contract-api's own serializer, which throws on objects: it calls a function that class-transformer 0.4.1,
 * the version it gets, no longer has.
 */
export class TextSerializer {
  toBuffer(result: unknown): Buffer {
    if (result === undefined || result === null) return Buffer.alloc(0);
    return Buffer.from(typeof result === 'string' ? result : JSON.stringify(result));
  }

  fromBuffer(data: Uint8Array): Parameter {
    const value = Buffer.from(data).toString();
    return { value, jsonForValidation: JSON.stringify(value) };
  }
}
