import { Injectable } from '@nestjs/common';
import type { OpenAPIObject } from '@nestjs/swagger';
import type { FastifyRequest } from 'fastify';
import type { TypedContract } from '../contracts/typed-contract.js';
import type { RecordType } from '../records/record.dto.js';
import { contractDocument, type DocumentedContract } from './contract-document.js';
import { toOpenApi31 } from './openapi-3-1.js';
import { withRecordTypes } from './record-operations.js';

type Servers = NonNullable<OpenAPIObject['servers']>;

/** Where the document of the API comes from. */
export interface DocumentSource {
  /** Generates the document. */
  readonly generate: () => OpenAPIObject;
  /** Returns the servers of a document for a request. */
  readonly serversFor: (request: FastifyRequest) => Servers;
}

/** The document of the API, and those with what is known only while the server runs: record types and functions of chaincodes. */
@Injectable()
export class TypedDocument {
  #source: DocumentSource | undefined;
  #document: OpenAPIObject | undefined;
  #converted: OpenAPIObject | undefined;
  #types = '';
  #typed: OpenAPIObject | undefined;
  readonly #contracts = new WeakMap<TypedContract, Map<string, OpenAPIObject>>();

  /** Sets the source of the document of the API, before the first request. */
  use(source: DocumentSource): void {
    this.#source = source;
  }

  /** The document of the API, which never changes and is generated at the first request. */
  get document(): OpenAPIObject {
    return (this.#document ??= this.#required.generate());
  }

  /** Returns the servers of a document for a request. */
  serversFor(request: FastifyRequest): Servers {
    return this.#required.serversFor(request);
  }

  get #required(): DocumentSource {
    if (this.#source === undefined) throw new Error('The document has no source.');
    return this.#source;
  }

  /** The same in OpenAPI 3.1. */
  get #inOpenApi31(): OpenAPIObject {
    return (this.#converted ??= toOpenApi31(this.document));
  }

  /**
   * Adds record types to the document of the API. Types have schemas of any JSON Schema, which OpenAPI 3.0 cannot contain; without
   * them the document stays 3.0, which more generators read.
   */
  withTypes(types: readonly RecordType[]): OpenAPIObject {
    if (types.length === 0) return this.document;
    const key = JSON.stringify(types);
    if (this.#typed === undefined || key !== this.#types) {
      this.#typed = withRecordTypes(this.#inOpenApi31, types);
      this.#types = key;
    }
    return this.#typed;
  }

  /** Returns the document of the functions of a chaincode. */
  ofContract(documented: DocumentedContract): OpenAPIObject {
    const { chaincode, channel, contract } = documented;
    const made = this.#contracts.get(contract) ?? new Map<string, OpenAPIObject>();
    const key = JSON.stringify([chaincode, channel]);
    const document = made.get(key) ?? contractDocument(this.#inOpenApi31, documented);
    this.#contracts.set(contract, made.set(key, document));
    return document;
  }
}
