import type { OpenAPIObject } from '@nestjs/swagger';
import type { RecordType } from '../records/record.dto.js';
import { toOpenApi31 } from './openapi-3-1.js';
import { withRecordTypes } from './record-operations.js';

/** The document with the operations on record types, as it was last requested. */
export class TypedDocument {
  #converted: OpenAPIObject | undefined;
  #types = '';
  #document: OpenAPIObject | undefined;

  /**
   * Adds record types to the document of the API, which never changes. Types have schemas of any JSON Schema, which OpenAPI 3.0
   * cannot contain; without them the document stays 3.0, which more generators read.
   */
  documentOf(document: OpenAPIObject, types: readonly RecordType[]): OpenAPIObject {
    if (types.length === 0) return document;
    const key = JSON.stringify(types);
    if (this.#document === undefined || key !== this.#types) {
      this.#converted ??= toOpenApi31(document);
      this.#document = withRecordTypes(this.#converted, types);
      this.#types = key;
    }
    return this.#document;
  }
}
