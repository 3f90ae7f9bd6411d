// npm run openapi
export interface paths {
    "/callers/me": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Returns the caller and its role
         * @description Checks a key without a call of the ledger, and states whether one is needed.
         */
        get: operations["getCaller"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/assets": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Lists assets in byte order of their ids
         * @description Without a query all assets, streamed; an asset that is written during the list may or may not be in it. owner, color and size select equal fields, and prefix the beginning of the id, in pages. A page examines at most 5000 assets: it may be short or empty and still have a Link to the next page. With Accept: text/csv the whole list is one table.
         */
        get: operations["listAssets"];
        put?: never;
        /**
         * Creates an asset
         * @description Without an id a UUID is generated. The answer is sent when the transaction is committed and durable. A body of type application/x-ndjson has one asset on each line, of at most 128 KiB, and any number of lines. Up to 500 assets become one transaction; a line that is refused refuses no other. The answer is 200 with the counts and the first 1000 refused lines, or with Accept: application/x-ndjson one answer for each line, streamed in order. With an Idempotency-Key an upload that was cut can be sent again as a whole and continues. See docs/loading-many-assets.md.
         */
        post: operations["createAsset"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/assets/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Reads an asset, as it is or as it was after a block
         * @description With at the answer is the asset as it was after that block: it has no ETag, and If-None-Match is ignored.
         */
        get: operations["readAsset"];
        /** Replaces every field of an asset */
        put: operations["updateAsset"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/assets/{id}/transfer": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        /** Transfers an asset to a new owner */
        put: operations["transferAsset"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/assets/{id}/history": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Lists the versions of an asset and their creators, newest first
         * @description Deleted assets have a history too. With since or until a page may be short or empty and still have a Link to the next page. With Accept: text/csv the whole list is one table.
         */
        get: operations["listAssetVersions"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/record-types": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Lists the record types in order of their names */
        get: operations["listRecordTypes"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/channels/{channel}/record-types": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Lists the record types in order of their names (of a channel) */
        get: operations["listRecordTypesOfChannel"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/record-types/{type}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Reads the definition of a record type */
        get: operations["readRecordType"];
        /**
         * Defines a record type, or its next version
         * @description The version counts the definitions; records keep the version whose schema they met. A definition that is equal to the present one changes nothing. The mode of a type never changes. Schemas are JSON Schema 2020-12 within bounds that keep validation fast: see docs/records.md.
         */
        put: operations["defineRecordType"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/channels/{channel}/record-types/{type}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Reads the definition of a record type (of a channel) */
        get: operations["readRecordTypeOfChannel"];
        /**
         * Defines a record type, or its next version (of a channel)
         * @description The version counts the definitions; records keep the version whose schema they met. A definition that is equal to the present one changes nothing. The mode of a type never changes. Schemas are JSON Schema 2020-12 within bounds that keep validation fast: see docs/records.md.
         */
        put: operations["defineRecordTypeOfChannel"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/records/{type}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Lists the records of a type in byte order of their ids
         * @description With where.FIELD only those whose indexed fields have the given values; such a page may be short and still have a Link to the next page. With Accept: text/csv the whole list is one table, with Accept: application/x-ndjson one record on each line.
         */
        get: operations["listRecords"];
        put?: never;
        /**
         * Creates a record
         * @description The body is the document. Without an id the contract makes one from the time and the id of the transaction (UUID version 7). The answer is sent when the transaction is committed and durable. A body of type application/x-ndjson has one document on each line and any number of lines, and works as for assets: up to 500 records become one transaction, a line that is refused refuses no other, and with an Idempotency-Key an upload that was cut can be sent again as a whole and continues. See docs/records.md.
         */
        post: operations["createRecord"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/channels/{channel}/records/{type}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Lists the records of a type in byte order of their ids (of a channel)
         * @description With where.FIELD only those whose indexed fields have the given values; such a page may be short and still have a Link to the next page. With Accept: text/csv the whole list is one table, with Accept: application/x-ndjson one record on each line.
         */
        get: operations["listRecordsOfChannel"];
        put?: never;
        /**
         * Creates a record (of a channel)
         * @description The body is the document. Without an id the contract makes one from the time and the id of the transaction (UUID version 7). The answer is sent when the transaction is committed and durable. A body of type application/x-ndjson has one document on each line and any number of lines, and works as for assets: up to 500 records become one transaction, a line that is refused refuses no other, and with an Idempotency-Key an upload that was cut can be sent again as a whole and continues. See docs/records.md.
         */
        post: operations["createRecordOfChannel"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/records/{type}/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Reads a record, as it is or as it was after a block */
        get: operations["readRecord"];
        /**
         * Replaces the document of a record
         * @description Only records of a type with the mode mutable can be changed.
         */
        put: operations["updateRecord"];
        post?: never;
        /**
         * Deletes a record, and with purge=true erases its documents; its history stays
         * @description Only records of a type with the mode mutable can be deleted. With purge=true, which requires the role admin, the documents of all versions of a record of a type with the payload outside are erased, whichever its mode, and the record is deleted: when the answer is sent, no file of the data directory contains them.
         */
        delete: operations["deleteRecord"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/channels/{channel}/records/{type}/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Reads a record, as it is or as it was after a block (of a channel) */
        get: operations["readRecordOfChannel"];
        /**
         * Replaces the document of a record (of a channel)
         * @description Only records of a type with the mode mutable can be changed.
         */
        put: operations["updateRecordOfChannel"];
        post?: never;
        /**
         * Deletes a record, and with purge=true erases its documents; its history stays (of a channel)
         * @description Only records of a type with the mode mutable can be deleted. With purge=true, which requires the role admin, the documents of all versions of a record of a type with the payload outside are erased, whichever its mode, and the record is deleted: when the answer is sent, no file of the data directory contains them.
         */
        delete: operations["deleteRecordOfChannel"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/records/{type}/{id}/history": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Lists the changes of a record, newest first
         * @description Deleted records have a history too.
         */
        get: operations["listRecordChanges"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/channels/{channel}/records/{type}/{id}/history": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Lists the changes of a record, newest first (of a channel)
         * @description Deleted records have a history too.
         */
        get: operations["listRecordChangesOfChannel"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/contracts": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Lists the chaincodes that the configuration names
         * @description LEDGER_CHAINCODE, and those of LEDGER_CHAINCODES and LEDGER_CONTRACTS. A channel may lack some.
         */
        get: operations["listContracts"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/channels/{channel}/contracts": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Lists the chaincodes that the configuration names (of a channel)
         * @description LEDGER_CHAINCODE, and those of LEDGER_CHAINCODES and LEDGER_CONTRACTS. A channel may lack some.
         */
        get: operations["listContractsOfChannel"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/contracts/{chaincode}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Lists the functions of a chaincode that publishes metadata */
        get: operations["describeContract"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/channels/{channel}/contracts/{chaincode}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Lists the functions of a chaincode that publishes metadata (of a channel) */
        get: operations["describeContractOfChannel"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/contracts/{chaincode}/metadata": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Returns the metadata that a chaincode publishes
         * @description The result of its function `org.hyperledger.fabric:GetMetadata`.
         */
        get: operations["getContractMetadata"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/channels/{channel}/contracts/{chaincode}/metadata": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Returns the metadata that a chaincode publishes (of a channel)
         * @description The result of its function `org.hyperledger.fabric:GetMetadata`.
         */
        get: operations["getContractMetadataOfChannel"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/contracts/{chaincode}/evaluate": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Runs a function of a chaincode without recording it
         * @description Its writes are discarded. Functions that LEDGER_CONTRACTS lists may be called by readers too.
         */
        post: operations["evaluateContract"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/channels/{channel}/contracts/{chaincode}/evaluate": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Runs a function of a chaincode without recording it (of a channel)
         * @description Its writes are discarded. Functions that LEDGER_CONTRACTS lists may be called by readers too.
         */
        post: operations["evaluateContractOfChannel"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/contracts/{chaincode}/submit": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Runs a function of a chaincode as a transaction
         * @description The answer is sent when the transaction is committed; a conflicting one is executed again. Functions that LEDGER_CONTRACTS lists may be called by writers too.
         */
        post: operations["submitContract"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/channels/{channel}/contracts/{chaincode}/submit": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Runs a function of a chaincode as a transaction (of a channel)
         * @description The answer is sent when the transaction is committed; a conflicting one is executed again. Functions that LEDGER_CONTRACTS lists may be called by writers too.
         */
        post: operations["submitContractOfChannel"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/contracts/{chaincode}/functions/{function}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Calls a function of a chaincode as its metadata describe it
         * @description The arguments are validated by the schemas of the metadata. A function that is tagged to be evaluated is not recorded. Functions that LEDGER_CONTRACTS lists may be evaluated by readers, and submitted by writers too. Transient data and endorsing organizations require submitContract or evaluateContract.
         */
        post: operations["callFunction"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/channels/{channel}/contracts/{chaincode}/functions/{function}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Calls a function of a chaincode as its metadata describe it (of a channel)
         * @description The arguments are validated by the schemas of the metadata. A function that is tagged to be evaluated is not recorded. Functions that LEDGER_CONTRACTS lists may be evaluated by readers, and submitted by writers too. Transient data and endorsing organizations require submitContract or evaluateContract.
         */
        post: operations["callFunctionOfChannel"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/contracts/{chaincode}/openapi.json": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Returns the OpenAPI document of a chaincode
         * @description OpenAPI 3.1, made of the metadata of the chaincode: an operation for each of its first 500 functions, with the types of its arguments and its result.
         */
        get: operations["getContractDocument"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/channels/{channel}/contracts/{chaincode}/openapi.json": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Returns the OpenAPI document of a chaincode (of a channel)
         * @description OpenAPI 3.1, made of the metadata of the chaincode: an operation for each of its first 500 functions, with the types of its arguments and its result.
         */
        get: operations["getContractDocumentOfChannel"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/blockchain/height": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Returns the number of blocks */
        get: operations["getHeight"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/channels/{channel}/blockchain/height": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Returns the number of blocks (of a channel) */
        get: operations["getHeightOfChannel"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/blockchain/info": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Returns the channel's name, its height and the hash of its newest block */
        get: operations["getChainInfo"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/channels/{channel}/blockchain/info": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Returns the channel's name, its height and the hash of its newest block (of a channel) */
        get: operations["getChainInfoOfChannel"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/blocks": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Lists blocks, newest first
         * @description A page may be shorter than its limit if its blocks have thousands of transactions, and with since or until also empty: follow the Link. The time of a block is the timestamp of its last transaction. With Accept: text/csv the whole list is one table, with the number of transactions of each block.
         */
        get: operations["listBlocks"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/channels/{channel}/blocks": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Lists blocks, newest first (of a channel)
         * @description A page may be shorter than its limit if its blocks have thousands of transactions, and with since or until also empty: follow the Link. The time of a block is the timestamp of its last transaction. With Accept: text/csv the whole list is one table, with the number of transactions of each block.
         */
        get: operations["listBlocksOfChannel"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/blocks/{number}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Returns one block, decoded or as bytes in Hyperledger Fabric's format
         * @description With Accept: application/octet-stream it is the serialized common.Block, which Fabric's own tools read.
         */
        get: operations["readBlock"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/channels/{channel}/blocks/{number}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Returns one block, decoded or as bytes in Hyperledger Fabric's format (of a channel)
         * @description With Accept: application/octet-stream it is the serialized common.Block, which Fabric's own tools read.
         */
        get: operations["readBlockOfChannel"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/transactions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Lists transactions, newest first
         * @description Transactions of every kind and validation code. A page examines at most 200 blocks: with a filter it may be short or empty and still have a Link to the next page. With Accept: text/csv the whole list is one table, in which rows=keys adds the columns namespace, key, change (written, deleted, or unknown if the block is no longer available), value and valueEncoding (utf8 or base64); they are empty for a transaction that changed no key.
         */
        get: operations["listTransactions"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/channels/{channel}/transactions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Lists transactions, newest first (of a channel)
         * @description Transactions of every kind and validation code. A page examines at most 200 blocks: with a filter it may be short or empty and still have a Link to the next page. With Accept: text/csv the whole list is one table, in which rows=keys adds the columns namespace, key, change (written, deleted, or unknown if the block is no longer available), value and valueEncoding (utf8 or base64); they are empty for a transaction that changed no key.
         */
        get: operations["listTransactionsOfChannel"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/transactions/{txid}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Returns one recorded transaction, decoded */
        get: operations["getTransaction"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/channels/{channel}/transactions/{txid}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Returns one recorded transaction, decoded (of a channel) */
        get: operations["getTransactionOfChannel"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/channels": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Lists the channels that the caller may read, each with its height and state
         * @description The default channel first, then those of LEDGER_CHANNELS. The embedded ledger has one.
         */
        get: operations["listChannels"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/identities/{mspId}/ca": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Returns the certificates of an organization's authorities
         * @description A PEM file with the root and intermediate certificates in the channel's present configuration, which verify-receipt reads. The ledger itself states them: compare their fingerprints with those of another source.
         */
        get: operations["getAuthorities"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/channels/{channel}/identities/{mspId}/ca": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Returns the certificates of an organization's authorities (of a channel)
         * @description A PEM file with the root and intermediate certificates in the channel's present configuration, which verify-receipt reads. The ledger itself states them: compare their fingerprints with those of another source.
         */
        get: operations["getAuthoritiesOfChannel"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/ledger/totals": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Counts assets and transactions
         * @description On Hyperledger Fabric this needs a complete index of the channel (LEDGER_INDEX_DIR).
         */
        get: operations["getTotals"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/ledger/init": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Creates the six initial assets
         * @description Existing ones are not changed. If all exist, nothing is recorded.
         */
        post: operations["initLedger"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/search": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Suggests what begins with a text
         * @description Grouped by kind. When nothing begins with the text, letters match in upper and lower case. On Hyperledger Fabric without a complete index of the channel, only blocks by number, transactions by their whole id, and assets with the same case are found.
         */
        get: operations["search"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/channels/{channel}/search": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Suggests what begins with a text (of a channel)
         * @description Grouped by kind. When nothing begins with the text, letters match in upper and lower case. On Hyperledger Fabric without a complete index of the channel, only blocks by number, transactions by their whole id, and assets with the same case are found.
         */
        get: operations["searchOfChannel"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/events": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Streams committed changes as server-sent events
         * @description For each block, in the order of the chain: one event per written asset (asset.created, asset.updated, asset.transferred, asset.deleted; data: AssetEvent), then block (data: BlockEvent). The stream does not end. A client that reconnects with Last-Event-ID misses nothing and receives nothing twice. While a Fabric peer is unreachable the stream stays open; an "error" event (code, message) precedes its end if it cannot continue. See docs/events.md.
         */
        get: operations["followEvents"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/channels/{channel}/events": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Streams committed changes as server-sent events (of a channel)
         * @description For each block, in the order of the chain: one event per written asset (asset.created, asset.updated, asset.transferred, asset.deleted; data: AssetEvent), then block (data: BlockEvent). The stream does not end. A client that reconnects with Last-Event-ID misses nothing and receives nothing twice. While a Fabric peer is unreachable the stream stays open; an "error" event (code, message) precedes its end if it cannot continue. See docs/events.md.
         */
        get: operations["followEventsOfChannel"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/contracts/{chaincode}/events": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Streams the events of a chaincode as server-sent events
         * @description The events that the chaincode set in VALID transactions (event: chaincode; data: ChaincodeEvent), in the order of the chain. After each block an id without an event states how far the stream is. It resumes and ends as followEvents.
         */
        get: operations["followContractEvents"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/channels/{channel}/contracts/{chaincode}/events": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Streams the events of a chaincode as server-sent events (of a channel)
         * @description The events that the chaincode set in VALID transactions (event: chaincode; data: ChaincodeEvent), in the order of the chain. After each block an id without an event states how far the stream is. It resumes and ends as followEvents.
         */
        get: operations["followContractEventsOfChannel"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/blocks/{number}/proof": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Returns the proof that a block is in the channel's tree, as text
         * @description A tlog-proof of C2SP: the path from the entry of the block to the root in a signed checkpoint. A new block waits for its signature, at most 5 s.
         */
        get: operations["getBlockProof"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/channels/{channel}/blocks/{number}/proof": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Returns the proof that a block is in the channel's tree, as text (of a channel)
         * @description A tlog-proof of C2SP: the path from the entry of the block to the root in a signed checkpoint. A new block waits for its signature, at most 5 s.
         */
        get: operations["getBlockProofOfChannel"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/transactions/{txid}/receipt": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Returns a receipt, which proves a transaction to others
         * @description Version 1: a file with the transaction's block and a peer's signed attestation of the validation code. Version 2, where the server has LEDGER_TREE and LEDGER_WITNESS_POLICY: the transaction with a proof of the log and the cosignatures of witnesses, for which a new transaction waits up to 15 seconds. `ledger-tool verify-receipt` verifies it on any machine, without the ledger.
         */
        get: operations["getReceipt"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/channels/{channel}/transactions/{txid}/receipt": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Returns a receipt, which proves a transaction to others (of a channel)
         * @description Version 1: a file with the transaction's block and a peer's signed attestation of the validation code. Version 2, where the server has LEDGER_TREE and LEDGER_WITNESS_POLICY: the transaction with a proof of the log and the cosignatures of witnesses, for which a new transaction waits up to 15 seconds. `ledger-tool verify-receipt` verifies it on any machine, without the ledger.
         */
        get: operations["getReceiptOfChannel"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/health": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Reports that the service answers */
        get: operations["getHealth"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
}
export type webhooks = Record<string, never>;
export interface components {
    schemas: {
        ResponseEnvelope: {
            /** @enum {boolean} */
            success: true;
            /** @example Asset found. */
            message: string;
        };
        ChannelRole: {
            /** @example payments */
            channel: string;
            /**
             * @example reader
             * @enum {string}
             */
            role: "reader" | "writer" | "admin";
        };
        CallerAnswer: {
            /**
             * @description Whether callers must log in. If not, every client has all permissions.
             * @example true
             */
            loginNeeded: boolean;
            /**
             * @description Absent without authentication.
             * @example alice
             */
            name?: string;
            /**
             * @description The role of the caller with this key or token on the default channel. Absent without one.
             * @example writer
             * @enum {string}
             */
            role?: "reader" | "writer" | "admin";
            /** @description The roles on single channels. Absent without any. */
            channels?: components["schemas"]["ChannelRole"][];
        };
        ErrorResponse: {
            /** @enum {boolean} */
            success: false;
            /** @example The asset asset7 does not exist. */
            message: string;
        };
        ContractErrorResponse: {
            /** @enum {boolean} */
            success: false;
            /** @example The asset asset7 does not exist. */
            message: string;
            /**
             * @description With API.CHAINCODE_REFUSED: the status with which the chaincode refused.
             * @example 500
             */
            chaincodeStatus?: number;
        };
        Asset: {
            /**
             * @description Identifier of the asset.
             * @example asset1
             */
            ID: string;
            /** @example 300 */
            appraisedValue: string;
            /** @example blue */
            color: string;
            /** @example Tomoko */
            owner: string;
            /** @example 5 */
            size: string;
        };
        AcceptedTransaction: {
            /** @example 4f1b2a9c07d3e86558b1f0a3c2d4e5f60718293a4b5c6d7e8f9012a3b4c5d6e7 */
            transactionId: string;
        };
        LineAnswer: {
            /**
             * @description The number of the line. Absent in a last answer, which states why the rest of the body was not read.
             * @example 7
             */
            line?: number;
            /**
             * @description The id, if the line could be read.
             * @example asset7
             */
            id?: string;
            /**
             * @description 201: created and durable. Otherwise the status with which a single create is answered.
             * @example 201
             */
            status: number;
            /**
             * @description The transaction that created it.
             * @example 4f1b2a9c07d3e86558b1f0a3c2d4e5f60718293a4b5c6d7e8f9012a3b4c5d6e7
             */
            transactionId?: string;
            /**
             * @description An earlier upload with the same Idempotency-Key created it.
             * @enum {boolean}
             */
            replayed?: true;
            /**
             * @description The code of the error.
             * @example LEDGER.ASSET_EXISTS
             */
            code?: string;
            /** @example The asset asset7 already exists. */
            message?: string;
        };
        RefusedLine: {
            /** @example 7 */
            line: number;
            /**
             * @description The id, if the line could be read.
             * @example asset7
             */
            id?: string;
            /** @example LEDGER.ASSET_EXISTS */
            code: string;
            /** @example The asset asset7 already exists. */
            message: string;
        };
        UploadReport: {
            /** @example 500 */
            lines: number;
            /**
             * @description Lines that were created.
             * @example 499
             */
            created: number;
            /**
             * @description Those of the created ones that an earlier upload with the same Idempotency-Key had created.
             * @example 0
             */
            replayed: number;
            /** @example 1 */
            refused: number;
            /** @description The first 1000 refused lines. */
            refusals: components["schemas"]["RefusedLine"][];
        };
        AssetTransaction: {
            asset: components["schemas"]["Asset"];
            /**
             * @description 64 hexadecimal characters.
             * @example 4f1b2a9c07d3e86558b1f0a3c2d4e5f60718293a4b5c6d7e8f9012a3b4c5d6e7
             */
            transactionId: string;
        };
        CreateAssetRequest: {
            /**
             * @description Any text without control characters, at most 256 bytes of UTF-8, not "." or "..". A create without an id generates a UUID; in an update it must equal the id in the path.
             * @example asset7
             */
            id?: string;
            /**
             * @description At most 4096 bytes of UTF-8, as every field.
             * @example 300
             */
            appraisedValue: string;
            /** @example blue */
            color: string;
            /** @example Tomoko */
            owner: string;
            /** @example 5 */
            size: string;
        };
        TransferAssetRequest: {
            /** @example Brad */
            newOwner: string;
        };
        AssetVersion: {
            /** @example 4f1b2a9c07d3e86558b1f0a3c2d4e5f60718293a4b5c6d7e8f9012a3b4c5d6e7 */
            transactionId: string;
            /** @example 7 */
            blockNumber: number;
            /**
             * Format: date-time
             * @description The submitter's clock.
             * @example 2026-11-21T12:00:00.000Z
             */
            timestamp: string;
            /**
             * @description Common name of the submitter's certificate.
             * @example User1@org1.example.com
             */
            creatorId: string;
            /** @example Org1MSP */
            creatorMspId: string;
            /**
             * @description The transaction deleted the asset.
             * @example false
             */
            deleted: boolean;
            /** @description Null if it was deleted, or if the written value is not an asset. */
            asset: components["schemas"]["Asset"] | null;
        };
        RecordType: {
            /**
             * @description The name of the record type.
             * @example login
             */
            name: string;
            /**
             * @description Counts the definitions of the type.
             * @example 1
             */
            version: number;
            /** @enum {string} */
            mode: "append" | "mutable";
            /** @enum {string} */
            payload: "inside" | "outside";
            schema: {
                [key: string]: unknown;
            } | true;
            /**
             * @example [
             *       "user"
             *     ]
             */
            indexes: string[];
        };
        RecordTypePage: {
            types: components["schemas"]["RecordType"][];
            /**
             * @description The token of the next page, for the query parameter after; null on the last page.
             * @example null
             */
            next: string | null;
        };
        RecordTypeDefinition: {
            /**
             * @description append refuses updates and deletions of records. It is the default, and never changes.
             * @enum {string}
             */
            mode?: "append" | "mutable";
            /**
             * @description Where documents are stored: inside the blocks, which is the default, or outside of them, where they can be erased. It never changes.
             * @enum {string}
             */
            payload?: "inside" | "outside";
            /**
             * @description A JSON Schema (2020-12) for the documents; true, the default, accepts any document.
             * @example {
             *       "type": "object",
             *       "properties": {
             *         "user": {
             *           "type": "string"
             *         }
             *       },
             *       "required": [
             *         "user"
             *       ]
             *     }
             */
            schema?: {
                [key: string]: unknown;
            } | true;
            /**
             * @description The fields by which records can be filtered, with dots between nested names.
             * @example [
             *       "user"
             *     ]
             */
            indexes?: string[];
        };
        DocumentOutside: {
            /**
             * @description What the blocks contain in place of the document: hexadecimal SHA-256 of the bytes of the salt, followed by the document in canonical JSON (RFC 8785).
             * @example e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855
             */
            digest: string;
            /**
             * @description erased: it was purged, as a transaction records. absent: this ledger has no copy, as after an import of the blocks.
             * @enum {string}
             */
            state: "stored" | "erased" | "absent";
            /** @description Hexadecimal, 32 bytes; null unless the document is stored. */
            salt: string | null;
        };
        StoredDocument: {
            /** @example 019b7ca9-8f2e-7d51-9e91-152d41cd6ad7 */
            id: string;
            /**
             * @description The version of the type whose schema the document met.
             * @example 1
             */
            version: number;
            /**
             * @description Any JSON; null when a document outside the blocks is not stored.
             * @example {
             *       "user": "ana"
             *     }
             */
            document: ({
                [key: string]: unknown;
            } | null) | unknown[] | string | number | boolean;
            /** @description Present for types with the payload outside. */
            outside?: components["schemas"]["DocumentOutside"];
        };
        RecordPage: {
            records: components["schemas"]["StoredDocument"][];
            /**
             * @description The token of the next page, for the query parameter after; null on the last page.
             * @example null
             */
            next: string | null;
        };
        WrittenRecord: {
            /** @example 019b7ca9-8f2e-7d51-9e91-152d41cd6ad7 */
            id: string;
            /**
             * @description The version of the type whose schema the document met.
             * @example 1
             */
            version: number;
            /**
             * @description Any JSON; null when a document outside the blocks is not stored.
             * @example {
             *       "user": "ana"
             *     }
             */
            document: ({
                [key: string]: unknown;
            } | null) | unknown[] | string | number | boolean;
            /** @description Present for types with the payload outside. */
            outside?: components["schemas"]["DocumentOutside"];
            /** @example 4f1b2a9c07d3e86558b1f0a3c2d4e5f60718293a4b5c6d7e8f9012a3b4c5d6e7 */
            transactionId: string;
        };
        DeletedRecord: {
            /** @example 4f1b2a9c07d3e86558b1f0a3c2d4e5f60718293a4b5c6d7e8f9012a3b4c5d6e7 */
            transactionId: string;
        };
        RecordChange: {
            /** @example 4f1b2a9c07d3e86558b1f0a3c2d4e5f60718293a4b5c6d7e8f9012a3b4c5d6e7 */
            transactionId: string;
            /**
             * Format: date-time
             * @example 2026-11-28T12:00:00.000Z
             */
            timestamp: string;
            /** @description Whether the record was deleted. */
            deleted: boolean;
            /**
             * @description null for a deletion.
             * @example 1
             */
            version: number | null;
            /**
             * @description The document that was written; null for a deletion, and when a document outside the blocks is not stored.
             * @example {
             *       "user": "ana"
             *     }
             */
            document: ({
                [key: string]: unknown;
            } | null) | unknown[] | string | number | boolean;
            /** @description Present for types with the payload outside. */
            outside?: components["schemas"]["DocumentOutside"];
        };
        RecordHistoryPage: {
            changes: components["schemas"]["RecordChange"][];
            /**
             * @description The token of the next page, for the query parameter after; null on the last page.
             * @example null
             */
            next: string | null;
        };
        ContractName: {
            /** @example basic */
            chaincode: string;
        };
        FunctionParameter: {
            /** @example id */
            name: string;
            /**
             * @description The type in the chaincode's schema, or the name of that schema.
             * @example string
             */
            type?: string;
        };
        ContractFunction: {
            /** @example ReadAsset */
            name: string;
            /**
             * @description The contract of the function.
             * @example AssetTransferContract
             */
            contract: string;
            /**
             * @description The intended way to call it, if the metadata specifies it.
             * @enum {string}
             */
            kind?: "evaluate" | "submit";
            /**
             * @description The ways in which the caller may call it; none if its role does not suffice.
             * @example [
             *       "evaluate",
             *       "submit"
             *     ]
             */
            allowed: ("evaluate" | "submit")[];
            /** @description Absent if the metadata does not specify them. */
            parameters?: components["schemas"]["FunctionParameter"][];
            /**
             * @description The JSON Schema (2020-12) of the arguments as an object by their names, whose references begin with `#/$defs/`. Absent if the metadata do not name the parameters.
             * @example {
             *       "type": "object",
             *       "required": [
             *         "id"
             *       ],
             *       "properties": {
             *         "id": {
             *           "type": "string"
             *         }
             *       }
             *     }
             */
            schema?: {
                [key: string]: unknown;
            };
        };
        ContractDescription: {
            /** @example basic */
            chaincode: string;
            functions: components["schemas"]["ContractFunction"][];
            /**
             * @description The definitions to which the schemas of the functions refer, by their names: their `$defs`.
             * @example {}
             */
            definitions: {
                [key: string]: unknown;
            };
        };
        ContractMetadata: {
            /**
             * @description As the chaincode returns it; the form is that of Fabric's contract API.
             * @example {
             *       "contracts": {
             *         "AssetTransferContract": {
             *           "name": "AssetTransferContract",
             *           "transactions": []
             *         }
             *       }
             *     }
             */
            metadata: {
                [key: string]: unknown;
            };
        };
        ContractResult: {
            /**
             * @description Text if the bytes are UTF-8, otherwise base64; see `encoding`.
             * @example {"ID":"asset1","appraisedValue":"300","color":"blue","owner":"Tomoko","size":"5"}
             */
            payload: string;
            /** @enum {string} */
            encoding: "text" | "base64";
            /**
             * @description The value of the payload, if that is JSON of at most 1 MiB, with the digits of its numbers. Absent if an object has two members of the same name, or more than 64 levels are nested.
             * @example {
             *       "ID": "asset1",
             *       "appraisedValue": "300",
             *       "color": "blue",
             *       "owner": "Tomoko",
             *       "size": "5"
             *     }
             */
            result?: ({
                [key: string]: unknown;
            } | null) | unknown[] | string | number | boolean;
        };
        ContractCall: {
            /**
             * @description The function, as CONTRACT:FUNCTION if the chaincode has several contracts.
             * @example ReadAsset
             */
            function: string;
            /**
             * @description Any JSON values; none if omitted. A string is passed as it is, an object with the one member base64 as its bytes, and any other value as its JSON text, with the digits of its numbers and without spaces. At most 64 levels of objects and arrays.
             * @example [
             *       "asset1"
             *     ]
             */
            arguments?: unknown[];
            /** @description Private data for the chaincode: base64 by name, at most 512 KiB together. They are in no block, log or error. */
            transient?: {
                [key: string]: string;
            };
            /**
             * @description The organizations whose peers execute the call; by default those that the chaincode needs.
             * @example [
             *       "Org1MSP"
             *     ]
             */
            endorsingOrganizations?: string[];
        };
        ContractTransaction: {
            /**
             * @description Text if the bytes are UTF-8, otherwise base64; see `encoding`.
             * @example {"ID":"asset1","appraisedValue":"300","color":"blue","owner":"Tomoko","size":"5"}
             */
            payload: string;
            /** @enum {string} */
            encoding: "text" | "base64";
            /**
             * @description The value of the payload, if that is JSON of at most 1 MiB, with the digits of its numbers. Absent if an object has two members of the same name, or more than 64 levels are nested.
             * @example {
             *       "ID": "asset1",
             *       "appraisedValue": "300",
             *       "color": "blue",
             *       "owner": "Tomoko",
             *       "size": "5"
             *     }
             */
            result?: ({
                [key: string]: unknown;
            } | null) | unknown[] | string | number | boolean;
            /** @description 64 hexadecimal characters. */
            transactionId: string;
            /** @example 7 */
            blockNumber: number;
        };
        FunctionResult: {
            /**
             * @description Text if the bytes are UTF-8, otherwise base64; see `encoding`.
             * @example {"ID":"asset1","appraisedValue":"300","color":"blue","owner":"Tomoko","size":"5"}
             */
            payload: string;
            /** @enum {string} */
            encoding: "text" | "base64";
            /**
             * @description The value of the payload, if that is JSON of at most 1 MiB, with the digits of its numbers. Absent if an object has two members of the same name, or more than 64 levels are nested.
             * @example {
             *       "ID": "asset1",
             *       "appraisedValue": "300",
             *       "color": "blue",
             *       "owner": "Tomoko",
             *       "size": "5"
             *     }
             */
            result?: ({
                [key: string]: unknown;
            } | null) | unknown[] | string | number | boolean;
            /** @description 64 hexadecimal characters. Present if the call was submitted. */
            transactionId?: string;
            /**
             * @description Present if the call was submitted.
             * @example 7
             */
            blockNumber?: number;
        };
        BlockHeightResponse: {
            /**
             * @description Number of blocks, the configuration block included.
             * @example 8
             */
            height: number;
        };
        ChainInfoResponse: {
            /**
             * @description Hash of the newest block.
             * @example 7c2e0d5f9a8b4c3d2e1f0a9b8c7d6e5f4a3b2c1d0e9f8a7b6c5d4e3f2a1b0c9d
             */
            blockHash: string;
            /**
             * @description Name of the channel.
             * @example mychannel
             */
            chainName: string;
            /** @example 8 */
            height: number;
        };
        CreatedAssets: {
            /** @example 500 */
            count: number;
            /** @example car-1 */
            first: string;
            /** @example car-500 */
            last: string;
        };
        TransactionSummary: {
            /** @example 7 */
            blockNumber: number;
            /**
             * @description Common name of the submitter's certificate.
             * @example User1@org1.example.com
             */
            creatorId: string;
            /** @example Org1MSP */
            creatorMspId: string;
            /**
             * @description Empty for configuration transactions.
             * @example basic
             */
            chaincodeId: string;
            /**
             * @description Empty for configuration transactions.
             * @example CreateAsset
             */
            function: string;
            /**
             * @description Fabric's name of the validation code; only VALID changed the ledger.
             * @example VALID
             */
            validationCode: string;
            /**
             * @description Empty if the chain contains bytes that are not a transaction.
             * @example 4f1b2a9c07d3e86558b1f0a3c2d4e5f60718293a4b5c6d7e8f9012a3b4c5d6e7
             */
            transactionId: string;
            /**
             * @description ISO 8601 in UTC, from the submitter's clock.
             * @example 2026-11-21T12:00:00.000Z
             */
            timestamp: string;
            /**
             * @description Fabric's name of its kind; CONFIG has no function.
             * @example ENDORSER_TRANSACTION
             */
            type: string;
            /**
             * @description The first argument of the function, which is the asset id for most functions of the asset contract. Text, or base64 if it is not UTF-8. Empty if there is none or it is longer than 256 bytes.
             * @example asset7
             */
            firstArgument: string;
            /** @description Of a call of CreateAssets: the number of assets that it created, and the ids of the first and the last one. */
            createdAssets?: components["schemas"]["CreatedAssets"];
        };
        Block: {
            /** @example 7 */
            number: number;
            /**
             * @description SHA-256 of its header. The next block contains it as previousHash.
             * @example 7c2e0d5f9a8b4c3d2e1f0a9b8c7d6e5f4a3b2c1d0e9f8a7b6c5d4e3f2a1b0c9d
             */
            hash: string;
            /**
             * @description Hash of the previous block; empty in block 0.
             * @example 7c2e0d5f9a8b4c3d2e1f0a9b8c7d6e5f4a3b2c1d0e9f8a7b6c5d4e3f2a1b0c9d
             */
            previousHash: string;
            /**
             * @description SHA-256 of its transactions.
             * @example 7c2e0d5f9a8b4c3d2e1f0a9b8c7d6e5f4a3b2c1d0e9f8a7b6c5d4e3f2a1b0c9d
             */
            dataHash: string;
            /**
             * @description ISO 8601 in UTC: the timestamp of its last transaction, from the submitter's clock. Blocks have no timestamp.
             * @example 2026-11-21T12:00:00.000Z
             */
            timestamp: string;
            /** @description In the order of the block. */
            transactions: components["schemas"]["TransactionSummary"][];
        };
        TransactionResponse: {
            /** @example  */
            message: string;
            /**
             * @description UTF-8 unchanged, other bytes as base64; rawTransaction states which.
             * @example {"ID":"asset7","appraisedValue":"300","color":"blue","owner":"Tomoko","size":"5"}
             */
            payload: string;
            /** @example 200 */
            status: number;
        };
        TransactionDetail: {
            /** @example 7 */
            blockNumber: number;
            /**
             * @description Common name of the submitter's certificate.
             * @example User1@org1.example.com
             */
            creatorId: string;
            /** @example Org1MSP */
            creatorMspId: string;
            /**
             * @description Empty for configuration transactions.
             * @example basic
             */
            chaincodeId: string;
            /**
             * @description Empty for configuration transactions.
             * @example CreateAsset
             */
            function: string;
            /**
             * @description Fabric's name of the validation code; only VALID changed the ledger.
             * @example VALID
             */
            validationCode: string;
            /**
             * @description 64 hexadecimal characters.
             * @example 4f1b2a9c07d3e86558b1f0a3c2d4e5f60718293a4b5c6d7e8f9012a3b4c5d6e7
             */
            transactionId: string;
            /** @example 7c2e0d5f9a8b4c3d2e1f0a9b8c7d6e5f4a3b2c1d0e9f8a7b6c5d4e3f2a1b0c9d */
            blockHash: string;
            /** @example mychannel */
            channelId: string;
            /**
             * @description Common names of the endorsing peers' certificates.
             * @example [
             *       "peer0.org1.example.com"
             *     ]
             */
            endorsers: string[];
            /**
             * @description UTF-8 unchanged, other bytes as base64; rawTransaction states which.
             * @example [
             *       "asset7",
             *       "blue",
             *       "5",
             *       "Tomoko",
             *       "300"
             *     ]
             */
            arguments: string[];
            /**
             * Format: date-time
             * @description The submitter's clock.
             * @example 2026-11-21T12:00:00.000Z
             */
            timestamp: string;
            response: components["schemas"]["TransactionResponse"];
            /**
             * @description The whole decoded envelope, with certificates and read and write sets. functionEncoding, argumentEncodings (one per argument) and payloadEncoding are utf8 or base64 and state how function, arguments and response.payload are written. blockSignerMspIds are the organizations that signed its block; there are none for block 0.
             * @example {
             *       "payload": {
             *         "header": {
             *           "channel_header": {
             *             "type": 3,
             *             "channel_id": "mychannel"
             *           }
             *         }
             *       },
             *       "functionEncoding": "utf8",
             *       "argumentEncodings": [
             *         "utf8",
             *         "utf8",
             *         "utf8",
             *         "utf8",
             *         "utf8"
             *       ],
             *       "payloadEncoding": "utf8",
             *       "blockSignerMspIds": [
             *         "OrdererMSP"
             *       ]
             *     }
             */
            rawTransaction: {
                [key: string]: unknown;
            };
        };
        ChannelIndexState: {
            /**
             * @description ready: lists are read from it. building: it follows the chain, and lists search the newest blocks. reading: another process writes it. stopped: it cannot be written or continued, and lists search the newest blocks.
             * @example building
             * @enum {string}
             */
            status: "ready" | "building" | "reading" | "stopped";
            /**
             * @description The number after its newest block.
             * @example 40
             */
            blocks: number;
            /**
             * @description The part of the chain that it has.
             * @example 0.4
             */
            progress: number;
            /**
             * @description Why it has stopped.
             * @example database or disk is full
             */
            reason?: string;
        };
        ChannelState: {
            /** @example mychannel */
            name: string;
            /**
             * @description Whether it is the channel of paths without one (LEDGER_CHANNEL).
             * @example true
             */
            isDefault: boolean;
            /**
             * @example ready
             * @enum {string}
             */
            status: "ready" | "read-only" | "unavailable";
            /**
             * @description Why it is not ready.
             * @example The peer peer0.org1.example.com:7051 has no channel payments: check the name, and that the peer has joined.
             */
            reason?: string;
            /**
             * @description Absent while it cannot be read.
             * @example 8
             */
            height?: number;
            /** @description On Fabric, unless LEDGER_INDEX_DIR is off. */
            index?: components["schemas"]["ChannelIndexState"];
            /**
             * @description What the channel cannot do: its operations answer 501 LEDGER.NOT_SUPPORTED. Absent if it can do everything.
             * @example [
             *       "receipt"
             *     ]
             */
            notSupported?: ("assets" | "receipt" | "authorities" | "treeEntries" | "records" | "totals")[];
        };
        HourCount: {
            /**
             * Format: date-time
             * @description The beginning of the hour.
             * @example 2026-11-21T12:00:00.000Z
             */
            hour: string;
            /** @example 42 */
            transactions: number;
        };
        LedgerTotals: {
            /** @example 6 */
            assets: number;
            /**
             * @description Of every kind and validation code.
             * @example 128
             */
            transactions: number;
            /** @description The last 48 hours that have transactions, oldest first, by the timestamps of the transactions. */
            hours: components["schemas"]["HourCount"][];
        };
        LedgerInitResult: {
            /**
             * @description The number of assets created.
             * @example 6
             */
            created: number;
            /**
             * @description The transactions that created them.
             * @example [
             *       "4f1b2a9c07d3e86558b1f0a3c2d4e5f60718293a4b5c6d7e8f9012a3b4c5d6e7"
             *     ]
             */
            transactionIds: string[];
        };
        Suggestion: {
            /**
             * @description A caller is the creatorId of transactions, an owner that of assets.
             * @example asset
             * @enum {string}
             */
            kind: "block" | "transaction" | "asset" | "owner" | "caller" | "function";
            /**
             * @description The id, the name, or the number of the block.
             * @example asset7
             */
            value: string;
            /**
             * @description The hash of a block that was found by it.
             * @example 7c2e0d5f9a8b4c3d2e1f0a9b8c7d6e5f4a3b2c1d0e9f8a7b6c5d4e3f2a1b0c9d
             */
            hash?: string;
        };
        AssetEvent: {
            /** @example 4f1b2a9c07d3e86558b1f0a3c2d4e5f60718293a4b5c6d7e8f9012a3b4c5d6e7 */
            transactionId: string;
            /** @example 7 */
            blockNumber: number;
            /**
             * Format: date-time
             * @description The submitter's clock.
             * @example 2026-11-21T12:00:00.000Z
             */
            timestamp: string;
            /**
             * @description Common name of the submitter's certificate.
             * @example User1@org1.example.com
             */
            creatorId: string;
            /** @example Org1MSP */
            creatorMspId: string;
            /** @enum {string} */
            type: "asset.created" | "asset.updated" | "asset.transferred" | "asset.deleted";
            /** @example asset7 */
            assetId: string;
            /** @description The asset after the transaction. Absent if it was deleted, null if the stored value is not an asset. */
            asset?: components["schemas"]["Asset"] | null;
        };
        BlockEvent: {
            /** @enum {string} */
            type: "block";
            /** @example 7 */
            blockNumber: number;
            /** @example 7c2e0d5f9a8b4c3d2e1f0a9b8c7d6e5f4a3b2c1d0e9f8a7b6c5d4e3f2a1b0c9d */
            blockHash: string;
            /** @example 0d5f9a8b4c3d2e1f0a9b8c7d6e5f4a3b2c1d0e9f8a7b6c5d4e3f2a1b0c9d7c2e */
            previousBlockHash: string;
            /**
             * Format: date-time
             * @description The timestamp of its last transaction, from the clock of its submitter: blocks have no timestamp.
             * @example 2026-11-21T12:00:00.000Z
             */
            timestamp: string;
            /**
             * @description The number of transactions, VALID or not.
             * @example 3
             */
            transactions: number;
        };
        ChaincodeEvent: {
            /** @example 4f1b2a9c07d3e86558b1f0a3c2d4e5f60718293a4b5c6d7e8f9012a3b4c5d6e7 */
            transactionId: string;
            /** @example 7 */
            blockNumber: number;
            /**
             * Format: date-time
             * @description The submitter's clock.
             * @example 2026-11-21T12:00:00.000Z
             */
            timestamp: string;
            /**
             * @description Common name of the submitter's certificate.
             * @example User1@org1.example.com
             */
            creatorId: string;
            /** @example Org1MSP */
            creatorMspId: string;
            /** @enum {string} */
            type: "chaincode";
            /** @example basic */
            chaincode: string;
            /**
             * @description The name that the chaincode gave the event.
             * @example CreateAsset
             */
            eventName: string;
            /**
             * @description Text if the bytes are UTF-8, otherwise base64; see `encoding`.
             * @example {"ID":"asset1","appraisedValue":"300","color":"blue","owner":"Tomoko","size":"5"}
             */
            payload: string;
            /** @enum {string} */
            encoding: "text" | "base64";
        };
        PeerStatement: {
            /** @enum {string} */
            kind: "statement";
            /** @description JSON with the position and the validation code of the transaction. Exactly these bytes are signed. */
            statement: string;
            /**
             * Format: byte
             * @description The peer's msp.SerializedIdentity.
             */
            endorser: string;
            /**
             * Format: byte
             * @description ECDSA signature (DER) over the SHA-256 of statement followed by endorser.
             */
            signature: string;
        };
        PeerAnswer: {
            /** @enum {string} */
            kind: "qscc";
            /**
             * Format: byte
             * @description The common.Payload with the query to the system chaincode qscc and the peer's endorsed response.
             */
            payload: string;
        };
        Receipt: {
            /** @enum {string} */
            format: "ledger-receipt";
            /**
             * @description 2 where the server has a tree and a policy of witnesses: with entry, envelope, path, proof and checksum.
             * @enum {integer}
             */
            version: 1 | 2;
            channel: string;
            /** @description 64 hexadecimal characters. */
            transactionId: string;
            blockNumber: number;
            /** @description Hexadecimal hash of the block's header. */
            blockHash: string;
            /** @description Index of the transaction in the block. */
            position: number;
            /** @description Fabric's name of the validation code; only VALID changed the ledger. */
            validationCode: string;
            /**
             * Format: byte
             * @description The common.Block as the orderers created it, without the unsigned validation codes and commit hash.
             */
            block?: string;
            /** @description Version 1: a peer's signed attestation of the validation code. */
            attestation?: components["schemas"]["PeerStatement"] | components["schemas"]["PeerAnswer"];
            /**
             * Format: byte
             * @description Version 2: the block's entry in the log.
             */
            entry?: string;
            /**
             * Format: byte
             * @description Version 2: the common.Envelope of the transaction.
             */
            envelope?: string;
            /** @description Version 2: the hashes from the transaction to the entry. */
            path?: string[];
            /** @description Version 2: that the log contains the entry (https://c2sp.org/tlog-proof). */
            proof?: string;
            /** @description Version 2: SHA-256 over the other members, which shows damage. */
            checksum?: string;
        };
        HealthResponse: {
            /**
             * @example healthy
             * @enum {string}
             */
            status: "healthy";
        };
    };
    responses: never;
    parameters: never;
    requestBodies: never;
    headers: never;
    pathItems: never;
}
export type $defs = Record<string, never>;
export interface operations {
    getCaller: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    /** @description The caller's X-Request-Id, or a generated one. */
                    "X-Request-Id"?: string;
                    /** @description With LEDGER_RATE_LIMIT: the remaining requests of the caller, and seconds until the quota is full again. */
                    RateLimit?: string;
                    /** @description With LEDGER_RATE_LIMIT: the quota of requests and its window in seconds. */
                    "RateLimit-Policy"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ResponseEnvelope"] & {
                        data: components["schemas"]["CallerAnswer"];
                    };
                };
            };
            /** @description Bad Request */
            400: {
                headers: {
                    /** @description The caller's X-Request-Id, or a generated one. */
                    "X-Request-Id"?: string;
                    /** @description The stable code of the error, for programs. See docs/errors.md. */
                    "X-Error-Code"?: "API.INVALID_REQUEST" | "API.SECRET_IN_URL";
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    /** @description The caller's X-Request-Id, or a generated one. */
                    "X-Request-Id"?: string;
                    /** @description The stable code of the error, for programs. See docs/errors.md. */
                    "X-Error-Code"?: "API.LOGIN_NEEDED" | "API.LOGIN_REFUSED";
                    /** @description How callers log in (RFC 6750, section 3). */
                    "WWW-Authenticate"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Forbidden */
            403: {
                headers: {
                    /** @description The caller's X-Request-Id, or a generated one. */
                    "X-Request-Id"?: string;
                    /** @description The stable code of the error, for programs. See docs/errors.md. */
                    "X-Error-Code"?: "API.ROLE_NEEDED" | "API.NO_CALLER" | "API.TLS_NEEDED" | "API.FOREIGN_HOST";
                    /** @description How callers log in (RFC 6750, section 3). */
                    "WWW-Authenticate"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Too Many Requests */
            429: {
                headers: {
                    /** @description The caller's X-Request-Id, or a generated one. */
                    "X-Request-Id"?: string;
                    /** @description The stable code of the error, for programs. See docs/errors.md. */
                    "X-Error-Code"?: "API.TOO_MANY_LOGINS" | "API.TOO_MANY_REQUESTS";
                    /** @description With LEDGER_RATE_LIMIT: the remaining requests of the caller, and seconds until the quota is full again. */
                    RateLimit?: string;
                    /** @description With LEDGER_RATE_LIMIT: the quota of requests and its window in seconds. */
                    "RateLimit-Policy"?: string;
                    /** @description Seconds. Present if nothing was written and the same call may be sent again, and for a transaction that may still be recorded. */
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Internal Server Error */
            500: {
                headers: {
                    /** @description The caller's X-Request-Id, or a generated one. */
                    "X-Request-Id"?: string;
                    /** @description The stable code of the error, for programs. See docs/errors.md. */
                    "X-Error-Code"?: "API.INTERNAL";
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Service Unavailable */
            503: {
                headers: {
                    /** @description The caller's X-Request-Id, or a generated one. */
                    "X-Request-Id"?: string;
                    /** @description The stable code of the error, for programs. See docs/errors.md. */
                    "X-Error-Code"?: "API.CALLERS_UNAVAILABLE" | "API.ISSUER_UNAVAILABLE";
                    /** @description Seconds. Present if nothing was written and the same call may be sent again, and for a transaction that may still be recorded. */
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
        };
    };
    listAssets: {
        parameters: {
            query?: {
                /** @description The maximum number of items on the page. The Link header names the next page. A page may be short. */
                limit?: number;
                /** @description The token of a Link header. */
                after?: string;
                /** @description Only assets whose ids begin with this text, compared byte by byte: upper and lower case differ. */
                prefix?: string;
                /** @description Only assets of this owner. */
                owner?: string;
                /** @description Only assets of this color. */
                color?: string;
                /** @description Only assets of this size. */
                size?: string;
                /** @description true: X-Total-Count is the number of all matches, wherever the page begins. */
                count?: "true";
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    /** @description The caller's X-Request-Id, or a generated one. */
                    "X-Request-Id"?: string;
                    /** @description With LEDGER_RATE_LIMIT: the remaining requests of the caller, and seconds until the quota is full again. */
                    RateLimit?: string;
                    /** @description With LEDGER_RATE_LIMIT: the quota of requests and its window in seconds. */
                    "RateLimit-Policy"?: string;
                    /** @description The name of the file, if the answer is one. */
                    "Content-Disposition"?: string;
                    /** @description The next page, rel="next". */
                    Link?: string;
                    /** @description With count=true: the number of all matches, such as 1111. Counting ends after 10,000 matches or 20 examined pages with "10000; more", a structured field (RFC 9651). Absent where nothing indexes the channel. */
                    "X-Total-Count"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ResponseEnvelope"] & {
                        data: components["schemas"]["Asset"][];
                    };
                };
            };
            /** @description Bad Request */
            400: {
                headers: {
                    /** @description The caller's X-Request-Id, or a generated one. */
                    "X-Request-Id"?: string;
                    /** @description The stable code of the error, for programs. See docs/errors.md. */
                    "X-Error-Code"?: "API.INVALID_REQUEST" | "API.SECRET_IN_URL";
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    /** @description The caller's X-Request-Id, or a generated one. */
                    "X-Request-Id"?: string;
                    /** @description The stable code of the error, for programs. See docs/errors.md. */
                    "X-Error-Code"?: "API.LOGIN_NEEDED" | "API.LOGIN_REFUSED";
                    /** @description How callers log in (RFC 6750, section 3). */
                    "WWW-Authenticate"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Forbidden */
            403: {
                headers: {
                    /** @description The caller's X-Request-Id, or a generated one. */
                    "X-Request-Id"?: string;
                    /** @description The stable code of the error, for programs. See docs/errors.md. */
                    "X-Error-Code"?: "LEDGER.UNKNOWN_CALLER" | "LEDGER.CALLER_REFUSED" | "API.ROLE_NEEDED" | "API.NO_CALLER" | "API.TLS_NEEDED" | "API.FOREIGN_HOST";
                    /** @description How callers log in (RFC 6750, section 3). */
                    "WWW-Authenticate"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Too Many Requests */
            429: {
                headers: {
                    /** @description The caller's X-Request-Id, or a generated one. */
                    "X-Request-Id"?: string;
                    /** @description The stable code of the error, for programs. See docs/errors.md. */
                    "X-Error-Code"?: "API.TOO_MANY_LOGINS" | "API.TOO_MANY_REQUESTS";
                    /** @description With LEDGER_RATE_LIMIT: the remaining requests of the caller, and seconds until the quota is full again. */
                    RateLimit?: string;
                    /** @description With LEDGER_RATE_LIMIT: the quota of requests and its window in seconds. */
                    "RateLimit-Policy"?: string;
                    /** @description Seconds. Present if nothing was written and the same call may be sent again, and for a transaction that may still be recorded. */
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Internal Server Error */
            500: {
                headers: {
                    /** @description The caller's X-Request-Id, or a generated one. */
                    "X-Request-Id"?: string;
                    /** @description The stable code of the error, for programs. See docs/errors.md. */
                    "X-Error-Code"?: "LEDGER.UNAVAILABLE" | "LEDGER.TIMEOUT" | "LEDGER.OVERLOADED" | "LEDGER.DAMAGED" | "LEDGER.MISCONFIGURED" | "API.INTERNAL" | "LEDGER.FUNCTION_UNKNOWN" | "LEDGER.REFUSED";
                    /** @description Seconds. Present if nothing was written and the same call may be sent again, and for a transaction that may still be recorded. */
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Service Unavailable */
            503: {
                headers: {
                    /** @description The caller's X-Request-Id, or a generated one. */
                    "X-Request-Id"?: string;
                    /** @description The stable code of the error, for programs. See docs/errors.md. */
                    "X-Error-Code"?: "API.CALLERS_UNAVAILABLE" | "API.ISSUER_UNAVAILABLE";
                    /** @description Seconds. Present if nothing was written and the same call may be sent again, and for a transaction that may still be recorded. */
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
        };
    };
    createAsset: {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes the write safe to repeat after any failure: the same key with the same request is one transaction. Use a random value such as a UUID, and a new one for each write. Bare or in double quotes. */
                "Idempotency-Key"?: string;
                /** @description Only *: the asset must not exist, which a create requires anyway. */
                "If-None-Match"?: "*";
                /** @description Never matches, because the asset does not exist: 412. */
                "If-Match"?: string;
                /** @description With respond-async the answer is a 202 as soon as an orderer has accepted the transaction, or the embedded ledger has recorded it (RFC 7240). */
                Prefer?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["CreateAssetRequest"];
                "application/x-ndjson": components["schemas"]["CreateAssetRequest"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    /** @description The caller's X-Request-Id, or a generated one. */
                    "X-Request-Id"?: string;
                    /** @description With LEDGER_RATE_LIMIT: the remaining requests of the caller, and seconds until the quota is full again. */
                    RateLimit?: string;
                    /** @description With LEDGER_RATE_LIMIT: the quota of requests and its window in seconds. */
                    "RateLimit-Policy"?: string;
                    /** @description The name of the file, if the answer is one. */
                    "Content-Disposition"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ResponseEnvelope"] & {
                        data: components["schemas"]["UploadReport"];
                    };
                };
            };
            /** @description Created */
            201: {
                headers: {
                    /** @description The caller's X-Request-Id, or a generated one. */
                    "X-Request-Id"?: string;
                    /** @description With LEDGER_RATE_LIMIT: the remaining requests of the caller, and seconds until the quota is full again. */
                    RateLimit?: string;
                    /** @description With LEDGER_RATE_LIMIT: the quota of requests and its window in seconds. */
                    "RateLimit-Policy"?: string;
                    /** @description Present if an earlier request with the same Idempotency-Key made the transaction. */
                    "Idempotency-Replayed"?: "true";
                    /** @description The transaction of the write. */
                    "X-Transaction-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ResponseEnvelope"] & {
                        data: components["schemas"]["AssetTransaction"];
                    };
                };
            };
            /** @description Accepted */
            202: {
                headers: {
                    /** @description The caller's X-Request-Id, or a generated one. */
                    "X-Request-Id"?: string;
                    /** @description With LEDGER_RATE_LIMIT: the remaining requests of the caller, and seconds until the quota is full again. */
                    RateLimit?: string;
                    /** @description With LEDGER_RATE_LIMIT: the quota of requests and its window in seconds. */
                    "RateLimit-Policy"?: string;
                    /** @description The transaction of the write. */
                    "X-Transaction-Id"?: string;
                    /** @description The path of the transaction, which is a 404 with Retry-After until it is recorded. */
                    Location?: string;
                    /** @description The preference that was applied. */
                    "Preference-Applied"?: "respond-async";
                    /** @description Seconds after which the transaction may be recorded. */
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ResponseEnvelope"] & {
                        data: components["schemas"]["AcceptedTransaction"];
                    };
                };
            };
            /** @description Bad Request */
            400: {
                headers: {
                    /** @description The caller's X-Request-Id, or a generated one. */
                    "X-Request-Id"?: string;
                    /** @description The stable code of the error, for programs. See docs/errors.md. */
                    "X-Error-Code"?: "API.INVALID_REQUEST" | "LEDGER.ASSET_EXISTS" | "LEDGER.INVALID_ARGUMENT" | "LEDGER.REFUSED" | "API.SECRET_IN_URL";
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    /** @description The caller's X-Request-Id, or a generated one. */
                    "X-Request-Id"?: string;
                    /** @description The stable code of the error, for programs. See docs/errors.md. */
                    "X-Error-Code"?: "API.LOGIN_NEEDED" | "API.LOGIN_REFUSED";
                    /** @description How callers log in (RFC 6750, section 3). */
                    "WWW-Authenticate"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Forbidden */
            403: {
                headers: {
                    /** @description The caller's X-Request-Id, or a generated one. */
                    "X-Request-Id"?: string;
                    /** @description The stable code of the error, for programs. See docs/errors.md. */
                    "X-Error-Code"?: "LEDGER.UNKNOWN_CALLER" | "LEDGER.CALLER_REFUSED" | "API.CROSS_SITE" | "API.ROLE_NEEDED" | "API.NO_CALLER" | "API.TLS_NEEDED" | "API.FOREIGN_HOST";
                    /** @description How callers log in (RFC 6750, section 3). */
                    "WWW-Authenticate"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Request Timeout */
            408: {
                headers: {
                    /** @description The caller's X-Request-Id, or a generated one. */
                    "X-Request-Id"?: string;
                    /** @description The stable code of the error, for programs. See docs/errors.md. */
                    "X-Error-Code"?: "API.REQUEST_TIMEOUT";
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Conflict */
            409: {
                headers: {
                    /** @description The caller's X-Request-Id, or a generated one. */
                    "X-Request-Id"?: string;
                    /** @description The stable code of the error, for programs. See docs/errors.md. */
                    "X-Error-Code"?: "LEDGER.KEY_IN_USE" | "LEDGER.OUTCOME_PRUNED";
                    /** @description Seconds. Present if nothing was written and the same call may be sent again, and for a transaction that may still be recorded. */
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Precondition Failed */
            412: {
                headers: {
                    /** @description The caller's X-Request-Id, or a generated one. */
                    "X-Request-Id"?: string;
                    /** @description The stable code of the error, for programs. See docs/errors.md. */
                    "X-Error-Code"?: "API.PRECONDITION_FAILED";
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Payload Too Large */
            413: {
                headers: {
                    /** @description The caller's X-Request-Id, or a generated one. */
                    "X-Request-Id"?: string;
                    /** @description The stable code of the error, for programs. See docs/errors.md. */
                    "X-Error-Code"?: "API.BODY_TOO_LARGE";
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Unsupported Media Type */
            415: {
                headers: {
                    /** @description The caller's X-Request-Id, or a generated one. */
                    "X-Request-Id"?: string;
                    /** @description The stable code of the error, for programs. See docs/errors.md. */
                    "X-Error-Code"?: "API.UNSUPPORTED_BODY";
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Unprocessable Entity */
            422: {
                headers: {
                    /** @description The caller's X-Request-Id, or a generated one. */
                    "X-Request-Id"?: string;
                    /** @description The stable code of the error, for programs. See docs/errors.md. */
                    "X-Error-Code"?: "LEDGER.KEY_REUSED";
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Too Many Requests */
            429: {
                headers: {
                    /** @description The caller's X-Request-Id, or a generated one. */
                    "X-Request-Id"?: string;
                    /** @description The stable code of the error, for programs. See docs/errors.md. */
                    "X-Error-Code"?: "API.TOO_MANY_LOGINS" | "API.TOO_MANY_REQUESTS";
                    /** @description With LEDGER_RATE_LIMIT: the remaining requests of the caller, and seconds until the quota is full again. */
                    RateLimit?: string;
                    /** @description With LEDGER_RATE_LIMIT: the quota of requests and its window in seconds. */
                    "RateLimit-Policy"?: string;
                    /** @description Seconds. Present if nothing was written and the same call may be sent again, and for a transaction that may still be recorded. */
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Internal Server Error */
            500: {
                headers: {
                    /** @description The caller's X-Request-Id, or a generated one. */
                    "X-Request-Id"?: string;
                    /** @description The stable code of the error, for programs. See docs/errors.md. */
                    "X-Error-Code"?: "LEDGER.INVALID_TRANSACTION" | "LEDGER.NOT_DETERMINISTIC" | "LEDGER.UNAVAILABLE" | "LEDGER.TIMEOUT" | "LEDGER.OVERLOADED" | "LEDGER.DAMAGED" | "LEDGER.MISCONFIGURED" | "API.INTERNAL" | "LEDGER.CONFLICT" | "LEDGER.OUTCOME_UNKNOWN" | "LEDGER.READ_ONLY" | "LEDGER.FUNCTION_UNKNOWN";
                    /** @description Seconds. Present if nothing was written and the same call may be sent again, and for a transaction that may still be recorded. */
                    "Retry-After"?: string;
                    /** @description The transaction whose outcome is unknown: look it up before you send anything again. */
                    "X-Transaction-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Service Unavailable */
            503: {
                headers: {
                    /** @description The caller's X-Request-Id, or a generated one. */
                    "X-Request-Id"?: string;
                    /** @description The stable code of the error, for programs. See docs/errors.md. */
                    "X-Error-Code"?: "LEDGER.WRITES_DISABLED" | "API.CALLERS_UNAVAILABLE" | "API.ISSUER_UNAVAILABLE";
                    /** @description Seconds. Present if nothing was written and the same call may be sent again, and for a transaction that may still be recorded. */
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
        };
    };
    readAsset: {
        parameters: {
            query?: {
                /** @description The number of a block. The answer is the asset as it was after this block. */
                at?: number;
            };
            header?: {
                /** @description The ETag of an earlier answer. If it is still the same, the answer is 304 without a body. */
                "If-None-Match"?: string;
            };
            path: {
                /** @description The id of the asset, percent-encoded as one path segment. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    /** @description The caller's X-Request-Id, or a generated one. */
                    "X-Request-Id"?: string;
                    /** @description With LEDGER_RATE_LIMIT: the remaining requests of the caller, and seconds until the quota is full again. */
                    RateLimit?: string;
                    /** @description With LEDGER_RATE_LIMIT: the quota of requests and its window in seconds. */
                    "RateLimit-Policy"?: string;
                    /** @description Identifies the answer, for If-None-Match, and the state of an asset, for If-Match. */
                    ETag?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ResponseEnvelope"] & {
                        data: components["schemas"]["Asset"];
                    };
                };
            };
            /** @description Not Modified */
            304: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Bad Request */
            400: {
                headers: {
                    /** @description The caller's X-Request-Id, or a generated one. */
                    "X-Request-Id"?: string;
                    /** @description The stable code of the error, for programs. See docs/errors.md. */
                    "X-Error-Code"?: "API.INVALID_REQUEST" | "LEDGER.INVALID_ARGUMENT" | "API.SECRET_IN_URL";
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    /** @description The caller's X-Request-Id, or a generated one. */
                    "X-Request-Id"?: string;
                    /** @description The stable code of the error, for programs. See docs/errors.md. */
                    "X-Error-Code"?: "API.LOGIN_NEEDED" | "API.LOGIN_REFUSED";
                    /** @description How callers log in (RFC 6750, section 3). */
                    "WWW-Authenticate"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Forbidden */
            403: {
                headers: {
                    /** @description The caller's X-Request-Id, or a generated one. */
                    "X-Request-Id"?: string;
                    /** @description The stable code of the error, for programs. See docs/errors.md. */
                    "X-Error-Code"?: "LEDGER.UNKNOWN_CALLER" | "LEDGER.CALLER_REFUSED" | "API.ROLE_NEEDED" | "API.NO_CALLER" | "API.TLS_NEEDED" | "API.FOREIGN_HOST";
                    /** @description How callers log in (RFC 6750, section 3). */
                    "WWW-Authenticate"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Not Found */
            404: {
                headers: {
                    /** @description The caller's X-Request-Id, or a generated one. */
                    "X-Request-Id"?: string;
                    /** @description The stable code of the error, for programs. See docs/errors.md. */
                    "X-Error-Code"?: "LEDGER.ASSET_NOT_FOUND" | "API.NOT_FOUND";
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description URI Too Long */
            414: {
                headers: {
                    /** @description The caller's X-Request-Id, or a generated one. */
                    "X-Request-Id"?: string;
                    /** @description The stable code of the error, for programs. See docs/errors.md. */
                    "X-Error-Code"?: "API.PATH_TOO_LONG";
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Too Many Requests */
            429: {
                headers: {
                    /** @description The caller's X-Request-Id, or a generated one. */
                    "X-Request-Id"?: string;
                    /** @description The stable code of the error, for programs. See docs/errors.md. */
                    "X-Error-Code"?: "API.TOO_MANY_LOGINS" | "API.TOO_MANY_REQUESTS";
                    /** @description With LEDGER_RATE_LIMIT: the remaining requests of the caller, and seconds until the quota is full again. */
                    RateLimit?: string;
                    /** @description With LEDGER_RATE_LIMIT: the quota of requests and its window in seconds. */
                    "RateLimit-Policy"?: string;
                    /** @description Seconds. Present if nothing was written and the same call may be sent again, and for a transaction that may still be recorded. */
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Internal Server Error */
            500: {
                headers: {
                    /** @description The caller's X-Request-Id, or a generated one. */
                    "X-Request-Id"?: string;
                    /** @description The stable code of the error, for programs. See docs/errors.md. */
                    "X-Error-Code"?: "LEDGER.UNAVAILABLE" | "LEDGER.TIMEOUT" | "LEDGER.OVERLOADED" | "LEDGER.DAMAGED" | "LEDGER.MISCONFIGURED" | "API.INTERNAL" | "LEDGER.FUNCTION_UNKNOWN" | "LEDGER.REFUSED";
                    /** @description Seconds. Present if nothing was written and the same call may be sent again, and for a transaction that may still be recorded. */
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Not Implemented */
            501: {
                headers: {
                    /** @description The caller's X-Request-Id, or a generated one. */
                    "X-Request-Id"?: string;
                    /** @description The stable code of the error, for programs. See docs/errors.md. */
                    "X-Error-Code"?: "LEDGER.NOT_SUPPORTED";
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Service Unavailable */
            503: {
                headers: {
                    /** @description The caller's X-Request-Id, or a generated one. */
                    "X-Request-Id"?: string;
                    /** @description The stable code of the error, for programs. See docs/errors.md. */
                    "X-Error-Code"?: "API.CALLERS_UNAVAILABLE" | "API.ISSUER_UNAVAILABLE";
                    /** @description Seconds. Present if nothing was written and the same call may be sent again, and for a transaction that may still be recorded. */
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
        };
    };
    updateAsset: {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes the write safe to repeat after any failure: the same key with the same request is one transaction. Use a random value such as a UUID, and a new one for each write. Bare or in double quotes. */
                "Idempotency-Key"?: string;
                /** @description With respond-async the answer is a 202 as soon as an orderer has accepted the transaction, or the embedded ledger has recorded it (RFC 7240). */
                Prefer?: string;
                /** @description An ETag of the asset, or up to 8 with commas between them. The write takes effect only if the asset still has one of them; otherwise the answer is 412. */
                "If-Match"?: string;
            };
            path: {
                /** @description The id of the asset, percent-encoded as one path segment. */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["CreateAssetRequest"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    /** @description The caller's X-Request-Id, or a generated one. */
                    "X-Request-Id"?: string;
                    /** @description With LEDGER_RATE_LIMIT: the remaining requests of the caller, and seconds until the quota is full again. */
                    RateLimit?: string;
                    /** @description With LEDGER_RATE_LIMIT: the quota of requests and its window in seconds. */
                    "RateLimit-Policy"?: string;
                    /** @description Present if an earlier request with the same Idempotency-Key made the transaction. */
                    "Idempotency-Replayed"?: "true";
                    /** @description The transaction of the write. */
                    "X-Transaction-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ResponseEnvelope"] & {
                        data: components["schemas"]["Asset"];
                    };
                };
            };
            /** @description Accepted */
            202: {
                headers: {
                    /** @description The caller's X-Request-Id, or a generated one. */
                    "X-Request-Id"?: string;
                    /** @description With LEDGER_RATE_LIMIT: the remaining requests of the caller, and seconds until the quota is full again. */
                    RateLimit?: string;
                    /** @description With LEDGER_RATE_LIMIT: the quota of requests and its window in seconds. */
                    "RateLimit-Policy"?: string;
                    /** @description The transaction of the write. */
                    "X-Transaction-Id"?: string;
                    /** @description The path of the transaction, which is a 404 with Retry-After until it is recorded. */
                    Location?: string;
                    /** @description The preference that was applied. */
                    "Preference-Applied"?: "respond-async";
                    /** @description Seconds after which the transaction may be recorded. */
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ResponseEnvelope"] & {
                        data: components["schemas"]["AcceptedTransaction"];
                    };
                };
            };
            /** @description Bad Request */
            400: {
                headers: {
                    /** @description The caller's X-Request-Id, or a generated one. */
                    "X-Request-Id"?: string;
                    /** @description The stable code of the error, for programs. See docs/errors.md. */
                    "X-Error-Code"?: "API.INVALID_REQUEST" | "LEDGER.ASSET_NOT_FOUND" | "LEDGER.INVALID_ARGUMENT" | "LEDGER.REFUSED" | "API.SECRET_IN_URL";
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    /** @description The caller's X-Request-Id, or a generated one. */
                    "X-Request-Id"?: string;
                    /** @description The stable code of the error, for programs. See docs/errors.md. */
                    "X-Error-Code"?: "API.LOGIN_NEEDED" | "API.LOGIN_REFUSED";
                    /** @description How callers log in (RFC 6750, section 3). */
                    "WWW-Authenticate"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Forbidden */
            403: {
                headers: {
                    /** @description The caller's X-Request-Id, or a generated one. */
                    "X-Request-Id"?: string;
                    /** @description The stable code of the error, for programs. See docs/errors.md. */
                    "X-Error-Code"?: "LEDGER.UNKNOWN_CALLER" | "LEDGER.CALLER_REFUSED" | "API.CROSS_SITE" | "API.ROLE_NEEDED" | "API.NO_CALLER" | "API.TLS_NEEDED" | "API.FOREIGN_HOST";
                    /** @description How callers log in (RFC 6750, section 3). */
                    "WWW-Authenticate"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Conflict */
            409: {
                headers: {
                    /** @description The caller's X-Request-Id, or a generated one. */
                    "X-Request-Id"?: string;
                    /** @description The stable code of the error, for programs. See docs/errors.md. */
                    "X-Error-Code"?: "LEDGER.KEY_IN_USE" | "LEDGER.OUTCOME_PRUNED";
                    /** @description Seconds. Present if nothing was written and the same call may be sent again, and for a transaction that may still be recorded. */
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Precondition Failed */
            412: {
                headers: {
                    /** @description The caller's X-Request-Id, or a generated one. */
                    "X-Request-Id"?: string;
                    /** @description The stable code of the error, for programs. See docs/errors.md. */
                    "X-Error-Code"?: "LEDGER.ASSET_CHANGED";
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Payload Too Large */
            413: {
                headers: {
                    /** @description The caller's X-Request-Id, or a generated one. */
                    "X-Request-Id"?: string;
                    /** @description The stable code of the error, for programs. See docs/errors.md. */
                    "X-Error-Code"?: "API.BODY_TOO_LARGE";
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description URI Too Long */
            414: {
                headers: {
                    /** @description The caller's X-Request-Id, or a generated one. */
                    "X-Request-Id"?: string;
                    /** @description The stable code of the error, for programs. See docs/errors.md. */
                    "X-Error-Code"?: "API.PATH_TOO_LONG";
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Unsupported Media Type */
            415: {
                headers: {
                    /** @description The caller's X-Request-Id, or a generated one. */
                    "X-Request-Id"?: string;
                    /** @description The stable code of the error, for programs. See docs/errors.md. */
                    "X-Error-Code"?: "API.UNSUPPORTED_BODY";
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Unprocessable Entity */
            422: {
                headers: {
                    /** @description The caller's X-Request-Id, or a generated one. */
                    "X-Request-Id"?: string;
                    /** @description The stable code of the error, for programs. See docs/errors.md. */
                    "X-Error-Code"?: "LEDGER.KEY_REUSED";
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Too Many Requests */
            429: {
                headers: {
                    /** @description The caller's X-Request-Id, or a generated one. */
                    "X-Request-Id"?: string;
                    /** @description The stable code of the error, for programs. See docs/errors.md. */
                    "X-Error-Code"?: "API.TOO_MANY_LOGINS" | "API.TOO_MANY_REQUESTS";
                    /** @description With LEDGER_RATE_LIMIT: the remaining requests of the caller, and seconds until the quota is full again. */
                    RateLimit?: string;
                    /** @description With LEDGER_RATE_LIMIT: the quota of requests and its window in seconds. */
                    "RateLimit-Policy"?: string;
                    /** @description Seconds. Present if nothing was written and the same call may be sent again, and for a transaction that may still be recorded. */
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Internal Server Error */
            500: {
                headers: {
                    /** @description The caller's X-Request-Id, or a generated one. */
                    "X-Request-Id"?: string;
                    /** @description The stable code of the error, for programs. See docs/errors.md. */
                    "X-Error-Code"?: "LEDGER.INVALID_TRANSACTION" | "LEDGER.NOT_DETERMINISTIC" | "LEDGER.UNAVAILABLE" | "LEDGER.TIMEOUT" | "LEDGER.OVERLOADED" | "LEDGER.DAMAGED" | "LEDGER.MISCONFIGURED" | "API.INTERNAL" | "LEDGER.CONFLICT" | "LEDGER.OUTCOME_UNKNOWN" | "LEDGER.READ_ONLY" | "LEDGER.FUNCTION_UNKNOWN";
                    /** @description Seconds. Present if nothing was written and the same call may be sent again, and for a transaction that may still be recorded. */
                    "Retry-After"?: string;
                    /** @description The transaction whose outcome is unknown: look it up before you send anything again. */
                    "X-Transaction-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Not Implemented */
            501: {
                headers: {
                    /** @description The caller's X-Request-Id, or a generated one. */
                    "X-Request-Id"?: string;
                    /** @description The stable code of the error, for programs. See docs/errors.md. */
                    "X-Error-Code"?: "LEDGER.NOT_SUPPORTED";
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Service Unavailable */
            503: {
                headers: {
                    /** @description The caller's X-Request-Id, or a generated one. */
                    "X-Request-Id"?: string;
                    /** @description The stable code of the error, for programs. See docs/errors.md. */
                    "X-Error-Code"?: "LEDGER.WRITES_DISABLED" | "API.CALLERS_UNAVAILABLE" | "API.ISSUER_UNAVAILABLE";
                    /** @description Seconds. Present if nothing was written and the same call may be sent again, and for a transaction that may still be recorded. */
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
        };
    };
    transferAsset: {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes the write safe to repeat after any failure: the same key with the same request is one transaction. Use a random value such as a UUID, and a new one for each write. Bare or in double quotes. */
                "Idempotency-Key"?: string;
                /** @description With respond-async the answer is a 202 as soon as an orderer has accepted the transaction, or the embedded ledger has recorded it (RFC 7240). */
                Prefer?: string;
                /** @description An ETag of the asset, or up to 8 with commas between them. The write takes effect only if the asset still has one of them; otherwise the answer is 412. */
                "If-Match"?: string;
            };
            path: {
                /** @description The id of the asset, percent-encoded as one path segment. */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["TransferAssetRequest"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    /** @description The caller's X-Request-Id, or a generated one. */
                    "X-Request-Id"?: string;
                    /** @description With LEDGER_RATE_LIMIT: the remaining requests of the caller, and seconds until the quota is full again. */
                    RateLimit?: string;
                    /** @description With LEDGER_RATE_LIMIT: the quota of requests and its window in seconds. */
                    "RateLimit-Policy"?: string;
                    /** @description Present if an earlier request with the same Idempotency-Key made the transaction. */
                    "Idempotency-Replayed"?: "true";
                    /** @description The transaction of the write. */
                    "X-Transaction-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ResponseEnvelope"] & {
                        data: components["schemas"]["AssetTransaction"];
                    };
                };
            };
            /** @description Accepted */
            202: {
                headers: {
                    /** @description The caller's X-Request-Id, or a generated one. */
                    "X-Request-Id"?: string;
                    /** @description With LEDGER_RATE_LIMIT: the remaining requests of the caller, and seconds until the quota is full again. */
                    RateLimit?: string;
                    /** @description With LEDGER_RATE_LIMIT: the quota of requests and its window in seconds. */
                    "RateLimit-Policy"?: string;
                    /** @description The transaction of the write. */
                    "X-Transaction-Id"?: string;
                    /** @description The path of the transaction, which is a 404 with Retry-After until it is recorded. */
                    Location?: string;
                    /** @description The preference that was applied. */
                    "Preference-Applied"?: "respond-async";
                    /** @description Seconds after which the transaction may be recorded. */
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ResponseEnvelope"] & {
                        data: components["schemas"]["AcceptedTransaction"];
                    };
                };
            };
            /** @description Bad Request */
            400: {
                headers: {
                    /** @description The caller's X-Request-Id, or a generated one. */
                    "X-Request-Id"?: string;
                    /** @description The stable code of the error, for programs. See docs/errors.md. */
                    "X-Error-Code"?: "API.INVALID_REQUEST" | "LEDGER.INVALID_ARGUMENT" | "LEDGER.REFUSED" | "API.SECRET_IN_URL";
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    /** @description The caller's X-Request-Id, or a generated one. */
                    "X-Request-Id"?: string;
                    /** @description The stable code of the error, for programs. See docs/errors.md. */
                    "X-Error-Code"?: "API.LOGIN_NEEDED" | "API.LOGIN_REFUSED";
                    /** @description How callers log in (RFC 6750, section 3). */
                    "WWW-Authenticate"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Forbidden */
            403: {
                headers: {
                    /** @description The caller's X-Request-Id, or a generated one. */
                    "X-Request-Id"?: string;
                    /** @description The stable code of the error, for programs. See docs/errors.md. */
                    "X-Error-Code"?: "LEDGER.UNKNOWN_CALLER" | "LEDGER.CALLER_REFUSED" | "API.CROSS_SITE" | "API.ROLE_NEEDED" | "API.NO_CALLER" | "API.TLS_NEEDED" | "API.FOREIGN_HOST";
                    /** @description How callers log in (RFC 6750, section 3). */
                    "WWW-Authenticate"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Not Found */
            404: {
                headers: {
                    /** @description The caller's X-Request-Id, or a generated one. */
                    "X-Request-Id"?: string;
                    /** @description The stable code of the error, for programs. See docs/errors.md. */
                    "X-Error-Code"?: "LEDGER.ASSET_NOT_FOUND" | "API.NOT_FOUND";
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Conflict */
            409: {
                headers: {
                    /** @description The caller's X-Request-Id, or a generated one. */
                    "X-Request-Id"?: string;
                    /** @description The stable code of the error, for programs. See docs/errors.md. */
                    "X-Error-Code"?: "LEDGER.KEY_IN_USE" | "LEDGER.OUTCOME_PRUNED";
                    /** @description Seconds. Present if nothing was written and the same call may be sent again, and for a transaction that may still be recorded. */
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Precondition Failed */
            412: {
                headers: {
                    /** @description The caller's X-Request-Id, or a generated one. */
                    "X-Request-Id"?: string;
                    /** @description The stable code of the error, for programs. See docs/errors.md. */
                    "X-Error-Code"?: "LEDGER.ASSET_CHANGED";
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Payload Too Large */
            413: {
                headers: {
                    /** @description The caller's X-Request-Id, or a generated one. */
                    "X-Request-Id"?: string;
                    /** @description The stable code of the error, for programs. See docs/errors.md. */
                    "X-Error-Code"?: "API.BODY_TOO_LARGE";
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description URI Too Long */
            414: {
                headers: {
                    /** @description The caller's X-Request-Id, or a generated one. */
                    "X-Request-Id"?: string;
                    /** @description The stable code of the error, for programs. See docs/errors.md. */
                    "X-Error-Code"?: "API.PATH_TOO_LONG";
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Unsupported Media Type */
            415: {
                headers: {
                    /** @description The caller's X-Request-Id, or a generated one. */
                    "X-Request-Id"?: string;
                    /** @description The stable code of the error, for programs. See docs/errors.md. */
                    "X-Error-Code"?: "API.UNSUPPORTED_BODY";
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Unprocessable Entity */
            422: {
                headers: {
                    /** @description The caller's X-Request-Id, or a generated one. */
                    "X-Request-Id"?: string;
                    /** @description The stable code of the error, for programs. See docs/errors.md. */
                    "X-Error-Code"?: "LEDGER.KEY_REUSED";
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Too Many Requests */
            429: {
                headers: {
                    /** @description The caller's X-Request-Id, or a generated one. */
                    "X-Request-Id"?: string;
                    /** @description The stable code of the error, for programs. See docs/errors.md. */
                    "X-Error-Code"?: "API.TOO_MANY_LOGINS" | "API.TOO_MANY_REQUESTS";
                    /** @description With LEDGER_RATE_LIMIT: the remaining requests of the caller, and seconds until the quota is full again. */
                    RateLimit?: string;
                    /** @description With LEDGER_RATE_LIMIT: the quota of requests and its window in seconds. */
                    "RateLimit-Policy"?: string;
                    /** @description Seconds. Present if nothing was written and the same call may be sent again, and for a transaction that may still be recorded. */
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Internal Server Error */
            500: {
                headers: {
                    /** @description The caller's X-Request-Id, or a generated one. */
                    "X-Request-Id"?: string;
                    /** @description The stable code of the error, for programs. See docs/errors.md. */
                    "X-Error-Code"?: "LEDGER.INVALID_TRANSACTION" | "LEDGER.NOT_DETERMINISTIC" | "LEDGER.UNAVAILABLE" | "LEDGER.TIMEOUT" | "LEDGER.OVERLOADED" | "LEDGER.DAMAGED" | "LEDGER.MISCONFIGURED" | "API.INTERNAL" | "LEDGER.CONFLICT" | "LEDGER.OUTCOME_UNKNOWN" | "LEDGER.READ_ONLY" | "LEDGER.FUNCTION_UNKNOWN";
                    /** @description Seconds. Present if nothing was written and the same call may be sent again, and for a transaction that may still be recorded. */
                    "Retry-After"?: string;
                    /** @description The transaction whose outcome is unknown: look it up before you send anything again. */
                    "X-Transaction-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Not Implemented */
            501: {
                headers: {
                    /** @description The caller's X-Request-Id, or a generated one. */
                    "X-Request-Id"?: string;
                    /** @description The stable code of the error, for programs. See docs/errors.md. */
                    "X-Error-Code"?: "LEDGER.NOT_SUPPORTED";
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Service Unavailable */
            503: {
                headers: {
                    /** @description The caller's X-Request-Id, or a generated one. */
                    "X-Request-Id"?: string;
                    /** @description The stable code of the error, for programs. See docs/errors.md. */
                    "X-Error-Code"?: "LEDGER.WRITES_DISABLED" | "API.CALLERS_UNAVAILABLE" | "API.ISSUER_UNAVAILABLE";
                    /** @description Seconds. Present if nothing was written and the same call may be sent again, and for a transaction that may still be recorded. */
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
        };
    };
    listAssetVersions: {
        parameters: {
            query?: {
                /** @description The maximum number of items on the page. The Link header names the next page. A page may be short. */
                limit?: number;
                /** @description A position in the chain, BLOCK or BLOCK:POSITION. The page begins with the transaction before it. */
                before?: string;
                /** @description Only what has this timestamp or a later one. Timestamps are from the clocks of submitters. */
                since?: string;
                /** @description Only what has an earlier timestamp than this. */
                until?: string;
            };
            header?: never;
            path: {
                /** @description The id of the asset, percent-encoded as one path segment. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    /** @description The caller's X-Request-Id, or a generated one. */
                    "X-Request-Id"?: string;
                    /** @description With LEDGER_RATE_LIMIT: the remaining requests of the caller, and seconds until the quota is full again. */
                    RateLimit?: string;
                    /** @description With LEDGER_RATE_LIMIT: the quota of requests and its window in seconds. */
                    "RateLimit-Policy"?: string;
                    /** @description The name of the file, if the answer is one. */
                    "Content-Disposition"?: string;
                    /** @description The next page, rel="next". */
                    Link?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ResponseEnvelope"] & {
                        data: components["schemas"]["AssetVersion"][];
                    };
                };
            };
            /** @description Bad Request */
            400: {
                headers: {
                    /** @description The caller's X-Request-Id, or a generated one. */
                    "X-Request-Id"?: string;
                    /** @description The stable code of the error, for programs. See docs/errors.md. */
                    "X-Error-Code"?: "API.INVALID_REQUEST" | "API.SECRET_IN_URL";
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    /** @description The caller's X-Request-Id, or a generated one. */
                    "X-Request-Id"?: string;
                    /** @description The stable code of the error, for programs. See docs/errors.md. */
                    "X-Error-Code"?: "API.LOGIN_NEEDED" | "API.LOGIN_REFUSED";
                    /** @description How callers log in (RFC 6750, section 3). */
                    "WWW-Authenticate"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Forbidden */
            403: {
                headers: {
                    /** @description The caller's X-Request-Id, or a generated one. */
                    "X-Request-Id"?: string;
                    /** @description The stable code of the error, for programs. See docs/errors.md. */
                    "X-Error-Code"?: "LEDGER.UNKNOWN_CALLER" | "LEDGER.CALLER_REFUSED" | "API.ROLE_NEEDED" | "API.NO_CALLER" | "API.TLS_NEEDED" | "API.FOREIGN_HOST";
                    /** @description How callers log in (RFC 6750, section 3). */
                    "WWW-Authenticate"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Not Found */
            404: {
                headers: {
                    /** @description The caller's X-Request-Id, or a generated one. */
                    "X-Request-Id"?: string;
                    /** @description The stable code of the error, for programs. See docs/errors.md. */
                    "X-Error-Code"?: "LEDGER.ASSET_NOT_FOUND" | "API.NOT_FOUND";
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description URI Too Long */
            414: {
                headers: {
                    /** @description The caller's X-Request-Id, or a generated one. */
                    "X-Request-Id"?: string;
                    /** @description The stable code of the error, for programs. See docs/errors.md. */
                    "X-Error-Code"?: "API.PATH_TOO_LONG";
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Too Many Requests */
            429: {
                headers: {
                    /** @description The caller's X-Request-Id, or a generated one. */
                    "X-Request-Id"?: string;
                    /** @description The stable code of the error, for programs. See docs/errors.md. */
                    "X-Error-Code"?: "API.TOO_MANY_LOGINS" | "API.TOO_MANY_REQUESTS";
                    /** @description With LEDGER_RATE_LIMIT: the remaining requests of the caller, and seconds until the quota is full again. */
                    RateLimit?: string;
                    /** @description With LEDGER_RATE_LIMIT: the quota of requests and its window in seconds. */
                    "RateLimit-Policy"?: string;
                    /** @description Seconds. Present if nothing was written and the same call may be sent again, and for a transaction that may still be recorded. */
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Internal Server Error */
            500: {
                headers: {
                    /** @description The caller's X-Request-Id, or a generated one. */
                    "X-Request-Id"?: string;
                    /** @description The stable code of the error, for programs. See docs/errors.md. */
                    "X-Error-Code"?: "LEDGER.UNAVAILABLE" | "LEDGER.TIMEOUT" | "LEDGER.OVERLOADED" | "LEDGER.DAMAGED" | "LEDGER.MISCONFIGURED" | "API.INTERNAL" | "LEDGER.FUNCTION_UNKNOWN" | "LEDGER.REFUSED";
                    /** @description Seconds. Present if nothing was written and the same call may be sent again, and for a transaction that may still be recorded. */
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Not Implemented */
            501: {
                headers: {
                    /** @description The caller's X-Request-Id, or a generated one. */
                    "X-Request-Id"?: string;
                    /** @description The stable code of the error, for programs. See docs/errors.md. */
                    "X-Error-Code"?: "LEDGER.NOT_SUPPORTED";
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Service Unavailable */
            503: {
                headers: {
                    /** @description The caller's X-Request-Id, or a generated one. */
                    "X-Request-Id"?: string;
                    /** @description The stable code of the error, for programs. See docs/errors.md. */
                    "X-Error-Code"?: "API.CALLERS_UNAVAILABLE" | "API.ISSUER_UNAVAILABLE";
                    /** @description Seconds. Present if nothing was written and the same call may be sent again, and for a transaction that may still be recorded. */
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
        };
    };
    listRecordTypes: {
        parameters: {
            query?: {
                /** @description The maximum number of items on the page. The Link header names the next page. A page may be short. */
                limit?: number;
                /** @description The token of a Link header. */
                after?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    /** @description The caller's X-Request-Id, or a generated one. */
                    "X-Request-Id"?: string;
                    /** @description With LEDGER_RATE_LIMIT: the remaining requests of the caller, and seconds until the quota is full again. */
                    RateLimit?: string;
                    /** @description With LEDGER_RATE_LIMIT: the quota of requests and its window in seconds. */
                    "RateLimit-Policy"?: string;
                    /** @description The next page, rel="next". */
                    Link?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ResponseEnvelope"] & {
                        data: components["schemas"]["RecordTypePage"];
                    };
                };
            };
            /** @description Bad Request */
            400: {
                headers: {
                    /** @description The caller's X-Request-Id, or a generated one. */
                    "X-Request-Id"?: string;
                    /** @description The stable code of the error, for programs. See docs/errors.md. */
                    "X-Error-Code"?: "API.INVALID_REQUEST" | "API.SECRET_IN_URL";
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    /** @description The caller's X-Request-Id, or a generated one. */
                    "X-Request-Id"?: string;
                    /** @description The stable code of the error, for programs. See docs/errors.md. */
                    "X-Error-Code"?: "API.LOGIN_NEEDED" | "API.LOGIN_REFUSED";
                    /** @description How callers log in (RFC 6750, section 3). */
                    "WWW-Authenticate"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Forbidden */
            403: {
                headers: {
                    /** @description The caller's X-Request-Id, or a generated one. */
                    "X-Request-Id"?: string;
                    /** @description The stable code of the error, for programs. See docs/errors.md. */
                    "X-Error-Code"?: "LEDGER.UNKNOWN_CALLER" | "LEDGER.CALLER_REFUSED" | "API.ROLE_NEEDED" | "API.NO_CALLER" | "API.TLS_NEEDED" | "API.FOREIGN_HOST";
                    /** @description How callers log in (RFC 6750, section 3). */
                    "WWW-Authenticate"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Too Many Requests */
            429: {
                headers: {
                    /** @description The caller's X-Request-Id, or a generated one. */
                    "X-Request-Id"?: string;
                    /** @description The stable code of the error, for programs. See docs/errors.md. */
                    "X-Error-Code"?: "API.TOO_MANY_LOGINS" | "API.TOO_MANY_REQUESTS";
                    /** @description With LEDGER_RATE_LIMIT: the remaining requests of the caller, and seconds until the quota is full again. */
                    RateLimit?: string;
                    /** @description With LEDGER_RATE_LIMIT: the quota of requests and its window in seconds. */
                    "RateLimit-Policy"?: string;
                    /** @description Seconds. Present if nothing was written and the same call may be sent again, and for a transaction that may still be recorded. */
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Internal Server Error */
            500: {
                headers: {
                    /** @description The caller's X-Request-Id, or a generated one. */
                    "X-Request-Id"?: string;
                    /** @description The stable code of the error, for programs. See docs/errors.md. */
                    "X-Error-Code"?: "LEDGER.UNAVAILABLE" | "LEDGER.TIMEOUT" | "LEDGER.OVERLOADED" | "LEDGER.DAMAGED" | "LEDGER.MISCONFIGURED" | "API.INTERNAL" | "LEDGER.FUNCTION_UNKNOWN" | "LEDGER.REFUSED";
                    /** @description Seconds. Present if nothing was written and the same call may be sent again, and for a transaction that may still be recorded. */
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Service Unavailable */
            503: {
                headers: {
                    /** @description The caller's X-Request-Id, or a generated one. */
                    "X-Request-Id"?: string;
                    /** @description The stable code of the error, for programs. See docs/errors.md. */
                    "X-Error-Code"?: "API.CALLERS_UNAVAILABLE" | "API.ISSUER_UNAVAILABLE";
                    /** @description Seconds. Present if nothing was written and the same call may be sent again, and for a transaction that may still be recorded. */
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
        };
    };
    listRecordTypesOfChannel: {
        parameters: {
            query?: {
                /** @description The maximum number of items on the page. The Link header names the next page. A page may be short. */
                limit?: number;
                /** @description The token of a Link header. */
                after?: string;
            };
            header?: never;
            path: {
                /**
                 * @description The name of a channel: the default one, or one of LEDGER_CHANNELS.
                 * @example mychannel
                 */
                channel: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    /** @description The caller's X-Request-Id, or a generated one. */
                    "X-Request-Id"?: string;
                    /** @description With LEDGER_RATE_LIMIT: the remaining requests of the caller, and seconds until the quota is full again. */
                    RateLimit?: string;
                    /** @description With LEDGER_RATE_LIMIT: the quota of requests and its window in seconds. */
                    "RateLimit-Policy"?: string;
                    /** @description The next page, rel="next". */
                    Link?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ResponseEnvelope"] & {
                        data: components["schemas"]["RecordTypePage"];
                    };
                };
            };
            /** @description Bad Request */
            400: {
                headers: {
                    /** @description The caller's X-Request-Id, or a generated one. */
                    "X-Request-Id"?: string;
                    /** @description The stable code of the error, for programs. See docs/errors.md. */
                    "X-Error-Code"?: "API.INVALID_REQUEST" | "API.SECRET_IN_URL";
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    /** @description The caller's X-Request-Id, or a generated one. */
                    "X-Request-Id"?: string;
                    /** @description The stable code of the error, for programs. See docs/errors.md. */
                    "X-Error-Code"?: "API.LOGIN_NEEDED" | "API.LOGIN_REFUSED";
                    /** @description How callers log in (RFC 6750, section 3). */
                    "WWW-Authenticate"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Forbidden */
            403: {
                headers: {
                    /** @description The caller's X-Request-Id, or a generated one. */
                    "X-Request-Id"?: string;
                    /** @description The stable code of the error, for programs. See docs/errors.md. */
                    "X-Error-Code"?: "LEDGER.UNKNOWN_CALLER" | "LEDGER.CALLER_REFUSED" | "API.ROLE_NEEDED" | "API.NO_CALLER" | "API.TLS_NEEDED" | "API.FOREIGN_HOST";
                    /** @description How callers log in (RFC 6750, section 3). */
                    "WWW-Authenticate"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Not Found */
            404: {
                headers: {
                    /** @description The caller's X-Request-Id, or a generated one. */
                    "X-Request-Id"?: string;
                    /** @description The stable code of the error, for programs. See docs/errors.md. */
                    "X-Error-Code"?: "LEDGER.CHANNEL_UNKNOWN";
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Too Many Requests */
            429: {
                headers: {
                    /** @description The caller's X-Request-Id, or a generated one. */
                    "X-Request-Id"?: string;
                    /** @description The stable code of the error, for programs. See docs/errors.md. */
                    "X-Error-Code"?: "API.TOO_MANY_LOGINS" | "API.TOO_MANY_REQUESTS";
                    /** @description With LEDGER_RATE_LIMIT: the remaining requests of the caller, and seconds until the quota is full again. */
                    RateLimit?: string;
                    /** @description With LEDGER_RATE_LIMIT: the quota of requests and its window in seconds. */
                    "RateLimit-Policy"?: string;
                    /** @description Seconds. Present if nothing was written and the same call may be sent again, and for a transaction that may still be recorded. */
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Internal Server Error */
            500: {
                headers: {
                    /** @description The caller's X-Request-Id, or a generated one. */
                    "X-Request-Id"?: string;
                    /** @description The stable code of the error, for programs. See docs/errors.md. */
                    "X-Error-Code"?: "LEDGER.OVERLOADED" | "LEDGER.DAMAGED" | "LEDGER.MISCONFIGURED" | "API.INTERNAL" | "LEDGER.FUNCTION_UNKNOWN" | "LEDGER.REFUSED";
                    /** @description Seconds. Present if nothing was written and the same call may be sent again, and for a transaction that may still be recorded. */
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Service Unavailable */
            503: {
                headers: {
                    /** @description The caller's X-Request-Id, or a generated one. */
                    "X-Request-Id"?: string;
                    /** @description The stable code of the error, for programs. See docs/errors.md. */
                    "X-Error-Code"?: "API.CALLERS_UNAVAILABLE" | "API.ISSUER_UNAVAILABLE" | "LEDGER.UNAVAILABLE" | "LEDGER.TIMEOUT";
                    /** @description Seconds. Present if nothing was written and the same call may be sent again, and for a transaction that may still be recorded. */
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
        };
    };
    readRecordType: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The name of the record type. */
                type: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    /** @description The caller's X-Request-Id, or a generated one. */
                    "X-Request-Id"?: string;
                    /** @description With LEDGER_RATE_LIMIT: the remaining requests of the caller, and seconds until the quota is full again. */
                    RateLimit?: string;
                    /** @description With LEDGER_RATE_LIMIT: the quota of requests and its window in seconds. */
                    "RateLimit-Policy"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ResponseEnvelope"] & {
                        data: components["schemas"]["RecordType"];
                    };
                };
            };
            /** @description Bad Request */
            400: {
                headers: {
                    /** @description The caller's X-Request-Id, or a generated one. */
                    "X-Request-Id"?: string;
                    /** @description The stable code of the error, for programs. See docs/errors.md. */
                    "X-Error-Code"?: "API.INVALID_REQUEST" | "API.SECRET_IN_URL";
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    /** @description The caller's X-Request-Id, or a generated one. */
                    "X-Request-Id"?: string;
                    /** @description The stable code of the error, for programs. See docs/errors.md. */
                    "X-Error-Code"?: "API.LOGIN_NEEDED" | "API.LOGIN_REFUSED";
                    /** @description How callers log in (RFC 6750, section 3). */
                    "WWW-Authenticate"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Forbidden */
            403: {
                headers: {
                    /** @description The caller's X-Request-Id, or a generated one. */
                    "X-Request-Id"?: string;
                    /** @description The stable code of the error, for programs. See docs/errors.md. */
                    "X-Error-Code"?: "LEDGER.UNKNOWN_CALLER" | "LEDGER.CALLER_REFUSED" | "API.ROLE_NEEDED" | "API.NO_CALLER" | "API.TLS_NEEDED" | "API.FOREIGN_HOST";
                    /** @description How callers log in (RFC 6750, section 3). */
                    "WWW-Authenticate"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Not Found */
            404: {
                headers: {
                    /** @description The caller's X-Request-Id, or a generated one. */
                    "X-Request-Id"?: string;
                    /** @description The stable code of the error, for programs. See docs/errors.md. */
                    "X-Error-Code"?: "LEDGER.RECORD_TYPE_UNKNOWN";
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description URI Too Long */
            414: {
                headers: {
                    /** @description The caller's X-Request-Id, or a generated one. */
                    "X-Request-Id"?: string;
                    /** @description The stable code of the error, for programs. See docs/errors.md. */
                    "X-Error-Code"?: "API.PATH_TOO_LONG";
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Too Many Requests */
            429: {
                headers: {
                    /** @description The caller's X-Request-Id, or a generated one. */
                    "X-Request-Id"?: string;
                    /** @description The stable code of the error, for programs. See docs/errors.md. */
                    "X-Error-Code"?: "API.TOO_MANY_LOGINS" | "API.TOO_MANY_REQUESTS";
                    /** @description With LEDGER_RATE_LIMIT: the remaining requests of the caller, and seconds until the quota is full again. */
                    RateLimit?: string;
                    /** @description With LEDGER_RATE_LIMIT: the quota of requests and its window in seconds. */
                    "RateLimit-Policy"?: string;
                    /** @description Seconds. Present if nothing was written and the same call may be sent again, and for a transaction that may still be recorded. */
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Internal Server Error */
            500: {
                headers: {
                    /** @description The caller's X-Request-Id, or a generated one. */
                    "X-Request-Id"?: string;
                    /** @description The stable code of the error, for programs. See docs/errors.md. */
                    "X-Error-Code"?: "LEDGER.UNAVAILABLE" | "LEDGER.TIMEOUT" | "LEDGER.OVERLOADED" | "LEDGER.DAMAGED" | "LEDGER.MISCONFIGURED" | "API.INTERNAL" | "LEDGER.FUNCTION_UNKNOWN" | "LEDGER.REFUSED";
                    /** @description Seconds. Present if nothing was written and the same call may be sent again, and for a transaction that may still be recorded. */
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Service Unavailable */
            503: {
                headers: {
                    /** @description The caller's X-Request-Id, or a generated one. */
                    "X-Request-Id"?: string;
                    /** @description The stable code of the error, for programs. See docs/errors.md. */
                    "X-Error-Code"?: "API.CALLERS_UNAVAILABLE" | "API.ISSUER_UNAVAILABLE";
                    /** @description Seconds. Present if nothing was written and the same call may be sent again, and for a transaction that may still be recorded. */
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
        };
    };
    defineRecordType: {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes the write safe to repeat after any failure: the same key with the same request is one transaction. Use a random value such as a UUID, and a new one for each write. Bare or in double quotes. */
                "Idempotency-Key"?: string;
                /** @description With respond-async the answer is a 202 as soon as an orderer has accepted the transaction, or the embedded ledger has recorded it (RFC 7240). */
                Prefer?: string;
            };
            path: {
                /** @description The name of the record type. */
                type: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["RecordTypeDefinition"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    /** @description The caller's X-Request-Id, or a generated one. */
                    "X-Request-Id"?: string;
                    /** @description With LEDGER_RATE_LIMIT: the remaining requests of the caller, and seconds until the quota is full again. */
                    RateLimit?: string;
                    /** @description With LEDGER_RATE_LIMIT: the quota of requests and its window in seconds. */
                    "RateLimit-Policy"?: string;
                    /** @description Present if an earlier request with the same Idempotency-Key made the transaction. */
                    "Idempotency-Replayed"?: "true";
                    /** @description The transaction of the write. */
                    "X-Transaction-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ResponseEnvelope"] & {
                        data: components["schemas"]["RecordType"];
                    };
                };
            };
            /** @description Accepted */
            202: {
                headers: {
                    /** @description The caller's X-Request-Id, or a generated one. */
                    "X-Request-Id"?: string;
                    /** @description With LEDGER_RATE_LIMIT: the remaining requests of the caller, and seconds until the quota is full again. */
                    RateLimit?: string;
                    /** @description With LEDGER_RATE_LIMIT: the quota of requests and its window in seconds. */
                    "RateLimit-Policy"?: string;
                    /** @description The transaction of the write. */
                    "X-Transaction-Id"?: string;
                    /** @description The path of the transaction, which is a 404 with Retry-After until it is recorded. */
                    Location?: string;
                    /** @description The preference that was applied. */
                    "Preference-Applied"?: "respond-async";
                    /** @description Seconds after which the transaction may be recorded. */
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ResponseEnvelope"] & {
                        data: components["schemas"]["AcceptedTransaction"];
                    };
                };
            };
            /** @description Bad Request */
            400: {
                headers: {
                    /** @description The caller's X-Request-Id, or a generated one. */
                    "X-Request-Id"?: string;
                    /** @description The stable code of the error, for programs. See docs/errors.md. */
                    "X-Error-Code"?: "LEDGER.RECORD_TYPE_INVALID" | "LEDGER.INVALID_ARGUMENT" | "API.INVALID_REQUEST" | "API.SECRET_IN_URL";
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    /** @description The caller's X-Request-Id, or a generated one. */
                    "X-Request-Id"?: string;
                    /** @description The stable code of the error, for programs. See docs/errors.md. */
                    "X-Error-Code"?: "API.LOGIN_NEEDED" | "API.LOGIN_REFUSED";
                    /** @description How callers log in (RFC 6750, section 3). */
                    "WWW-Authenticate"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Forbidden */
            403: {
                headers: {
                    /** @description The caller's X-Request-Id, or a generated one. */
                    "X-Request-Id"?: string;
                    /** @description The stable code of the error, for programs. See docs/errors.md. */
                    "X-Error-Code"?: "LEDGER.UNKNOWN_CALLER" | "LEDGER.CALLER_REFUSED" | "API.CROSS_SITE" | "API.ROLE_NEEDED" | "API.NO_CALLER" | "API.TLS_NEEDED" | "API.FOREIGN_HOST";
                    /** @description How callers log in (RFC 6750, section 3). */
                    "WWW-Authenticate"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Conflict */
            409: {
                headers: {
                    /** @description The caller's X-Request-Id, or a generated one. */
                    "X-Request-Id"?: string;
                    /** @description The stable code of the error, for programs. See docs/errors.md. */
                    "X-Error-Code"?: "LEDGER.RECORD_TYPE_CONFLICT" | "LEDGER.KEY_IN_USE" | "LEDGER.OUTCOME_PRUNED";
                    /** @description Seconds. Present if nothing was written and the same call may be sent again, and for a transaction that may still be recorded. */
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Payload Too Large */
            413: {
                headers: {
                    /** @description The caller's X-Request-Id, or a generated one. */
                    "X-Request-Id"?: string;
                    /** @description The stable code of the error, for programs. See docs/errors.md. */
                    "X-Error-Code"?: "API.BODY_TOO_LARGE";
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description URI Too Long */
            414: {
                headers: {
                    /** @description The caller's X-Request-Id, or a generated one. */
                    "X-Request-Id"?: string;
                    /** @description The stable code of the error, for programs. See docs/errors.md. */
                    "X-Error-Code"?: "API.PATH_TOO_LONG";
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Unsupported Media Type */
            415: {
                headers: {
                    /** @description The caller's X-Request-Id, or a generated one. */
                    "X-Request-Id"?: string;
                    /** @description The stable code of the error, for programs. See docs/errors.md. */
                    "X-Error-Code"?: "API.UNSUPPORTED_BODY";
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Unprocessable Entity */
            422: {
                headers: {
                    /** @description The caller's X-Request-Id, or a generated one. */
                    "X-Request-Id"?: string;
                    /** @description The stable code of the error, for programs. See docs/errors.md. */
                    "X-Error-Code"?: "LEDGER.KEY_REUSED";
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Too Many Requests */
            429: {
                headers: {
                    /** @description The caller's X-Request-Id, or a generated one. */
                    "X-Request-Id"?: string;
                    /** @description The stable code of the error, for programs. See docs/errors.md. */
                    "X-Error-Code"?: "API.TOO_MANY_LOGINS" | "API.TOO_MANY_REQUESTS";
                    /** @description With LEDGER_RATE_LIMIT: the remaining requests of the caller, and seconds until the quota is full again. */
                    RateLimit?: string;
                    /** @description With LEDGER_RATE_LIMIT: the quota of requests and its window in seconds. */
                    "RateLimit-Policy"?: string;
                    /** @description Seconds. Present if nothing was written and the same call may be sent again, and for a transaction that may still be recorded. */
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Internal Server Error */
            500: {
                headers: {
                    /** @description The caller's X-Request-Id, or a generated one. */
                    "X-Request-Id"?: string;
                    /** @description The stable code of the error, for programs. See docs/errors.md. */
                    "X-Error-Code"?: "LEDGER.INVALID_TRANSACTION" | "LEDGER.NOT_DETERMINISTIC" | "LEDGER.UNAVAILABLE" | "LEDGER.TIMEOUT" | "LEDGER.OVERLOADED" | "LEDGER.DAMAGED" | "LEDGER.MISCONFIGURED" | "API.INTERNAL" | "LEDGER.CONFLICT" | "LEDGER.OUTCOME_UNKNOWN" | "LEDGER.READ_ONLY" | "LEDGER.FUNCTION_UNKNOWN";
                    /** @description Seconds. Present if nothing was written and the same call may be sent again, and for a transaction that may still be recorded. */
                    "Retry-After"?: string;
                    /** @description The transaction whose outcome is unknown: look it up before you send anything again. */
                    "X-Transaction-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Not Implemented */
            501: {
                headers: {
                    /** @description The caller's X-Request-Id, or a generated one. */
                    "X-Request-Id"?: string;
                    /** @description The stable code of the error, for programs. See docs/errors.md. */
                    "X-Error-Code"?: "LEDGER.NOT_SUPPORTED";
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Service Unavailable */
            503: {
                headers: {
                    /** @description The caller's X-Request-Id, or a generated one. */
                    "X-Request-Id"?: string;
                    /** @description The stable code of the error, for programs. See docs/errors.md. */
                    "X-Error-Code"?: "LEDGER.WRITES_DISABLED" | "API.CALLERS_UNAVAILABLE" | "API.ISSUER_UNAVAILABLE";
                    /** @description Seconds. Present if nothing was written and the same call may be sent again, and for a transaction that may still be recorded. */
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
        };
    };
    readRecordTypeOfChannel: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The name of a channel: the default one, or one of LEDGER_CHANNELS.
                 * @example mychannel
                 */
                channel: string;
                /** @description The name of the record type. */
                type: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    /** @description The caller's X-Request-Id, or a generated one. */
                    "X-Request-Id"?: string;
                    /** @description With LEDGER_RATE_LIMIT: the remaining requests of the caller, and seconds until the quota is full again. */
                    RateLimit?: string;
                    /** @description With LEDGER_RATE_LIMIT: the quota of requests and its window in seconds. */
                    "RateLimit-Policy"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ResponseEnvelope"] & {
                        data: components["schemas"]["RecordType"];
                    };
                };
            };
            /** @description Bad Request */
            400: {
                headers: {
                    /** @description The caller's X-Request-Id, or a generated one. */
                    "X-Request-Id"?: string;
                    /** @description The stable code of the error, for programs. See docs/errors.md. */
                    "X-Error-Code"?: "API.INVALID_REQUEST" | "API.SECRET_IN_URL";
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    /** @description The caller's X-Request-Id, or a generated one. */
                    "X-Request-Id"?: string;
                    /** @description The stable code of the error, for programs. See docs/errors.md. */
                    "X-Error-Code"?: "API.LOGIN_NEEDED" | "API.LOGIN_REFUSED";
                    /** @description How callers log in (RFC 6750, section 3). */
                    "WWW-Authenticate"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Forbidden */
            403: {
                headers: {
                    /** @description The caller's X-Request-Id, or a generated one. */
                    "X-Request-Id"?: string;
                    /** @description The stable code of the error, for programs. See docs/errors.md. */
                    "X-Error-Code"?: "LEDGER.UNKNOWN_CALLER" | "LEDGER.CALLER_REFUSED" | "API.ROLE_NEEDED" | "API.NO_CALLER" | "API.TLS_NEEDED" | "API.FOREIGN_HOST";
                    /** @description How callers log in (RFC 6750, section 3). */
                    "WWW-Authenticate"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Not Found */
            404: {
                headers: {
                    /** @description The caller's X-Request-Id, or a generated one. */
                    "X-Request-Id"?: string;
                    /** @description The stable code of the error, for programs. See docs/errors.md. */
                    "X-Error-Code"?: "LEDGER.RECORD_TYPE_UNKNOWN" | "LEDGER.CHANNEL_UNKNOWN";
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description URI Too Long */
            414: {
                headers: {
                    /** @description The caller's X-Request-Id, or a generated one. */
                    "X-Request-Id"?: string;
                    /** @description The stable code of the error, for programs. See docs/errors.md. */
                    "X-Error-Code"?: "API.PATH_TOO_LONG";
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Too Many Requests */
            429: {
                headers: {
                    /** @description The caller's X-Request-Id, or a generated one. */
                    "X-Request-Id"?: string;
                    /** @description The stable code of the error, for programs. See docs/errors.md. */
                    "X-Error-Code"?: "API.TOO_MANY_LOGINS" | "API.TOO_MANY_REQUESTS";
                    /** @description With LEDGER_RATE_LIMIT: the remaining requests of the caller, and seconds until the quota is full again. */
                    RateLimit?: string;
                    /** @description With LEDGER_RATE_LIMIT: the quota of requests and its window in seconds. */
                    "RateLimit-Policy"?: string;
                    /** @description Seconds. Present if nothing was written and the same call may be sent again, and for a transaction that may still be recorded. */
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Internal Server Error */
            500: {
                headers: {
                    /** @description The caller's X-Request-Id, or a generated one. */
                    "X-Request-Id"?: string;
                    /** @description The stable code of the error, for programs. See docs/errors.md. */
                    "X-Error-Code"?: "LEDGER.OVERLOADED" | "LEDGER.DAMAGED" | "LEDGER.MISCONFIGURED" | "API.INTERNAL" | "LEDGER.FUNCTION_UNKNOWN" | "LEDGER.REFUSED";
                    /** @description Seconds. Present if nothing was written and the same call may be sent again, and for a transaction that may still be recorded. */
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Service Unavailable */
            503: {
                headers: {
                    /** @description The caller's X-Request-Id, or a generated one. */
                    "X-Request-Id"?: string;
                    /** @description The stable code of the error, for programs. See docs/errors.md. */
                    "X-Error-Code"?: "API.CALLERS_UNAVAILABLE" | "API.ISSUER_UNAVAILABLE" | "LEDGER.UNAVAILABLE" | "LEDGER.TIMEOUT";
                    /** @description Seconds. Present if nothing was written and the same call may be sent again, and for a transaction that may still be recorded. */
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
        };
    };
    defineRecordTypeOfChannel: {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes the write safe to repeat after any failure: the same key with the same request is one transaction. Use a random value such as a UUID, and a new one for each write. Bare or in double quotes. */
                "Idempotency-Key"?: string;
                /** @description With respond-async the answer is a 202 as soon as an orderer has accepted the transaction, or the embedded ledger has recorded it (RFC 7240). */
                Prefer?: string;
            };
            path: {
                /**
                 * @description The name of a channel: the default one, or one of LEDGER_CHANNELS.
                 * @example mychannel
                 */
                channel: string;
                /** @description The name of the record type. */
                type: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["RecordTypeDefinition"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    /** @description The caller's X-Request-Id, or a generated one. */
                    "X-Request-Id"?: string;
                    /** @description With LEDGER_RATE_LIMIT: the remaining requests of the caller, and seconds until the quota is full again. */
                    RateLimit?: string;
                    /** @description With LEDGER_RATE_LIMIT: the quota of requests and its window in seconds. */
                    "RateLimit-Policy"?: string;
                    /** @description Present if an earlier request with the same Idempotency-Key made the transaction. */
                    "Idempotency-Replayed"?: "true";
                    /** @description The transaction of the write. */
                    "X-Transaction-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ResponseEnvelope"] & {
                        data: components["schemas"]["RecordType"];
                    };
                };
            };
            /** @description Accepted */
            202: {
                headers: {
                    /** @description The caller's X-Request-Id, or a generated one. */
                    "X-Request-Id"?: string;
                    /** @description With LEDGER_RATE_LIMIT: the remaining requests of the caller, and seconds until the quota is full again. */
                    RateLimit?: string;
                    /** @description With LEDGER_RATE_LIMIT: the quota of requests and its window in seconds. */
                    "RateLimit-Policy"?: string;
                    /** @description The transaction of the write. */
                    "X-Transaction-Id"?: string;
                    /** @description The path of the transaction, which is a 404 with Retry-After until it is recorded. */
                    Location?: string;
                    /** @description The preference that was applied. */
                    "Preference-Applied"?: "respond-async";
                    /** @description Seconds after which the transaction may be recorded. */
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ResponseEnvelope"] & {
                        data: components["schemas"]["AcceptedTransaction"];
                    };
                };
            };
            /** @description Bad Request */
            400: {
                headers: {
                    /** @description The caller's X-Request-Id, or a generated one. */
                    "X-Request-Id"?: string;
                    /** @description The stable code of the error, for programs. See docs/errors.md. */
                    "X-Error-Code"?: "LEDGER.RECORD_TYPE_INVALID" | "LEDGER.INVALID_ARGUMENT" | "API.INVALID_REQUEST" | "API.SECRET_IN_URL";
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    /** @description The caller's X-Request-Id, or a generated one. */
                    "X-Request-Id"?: string;
                    /** @description The stable code of the error, for programs. See docs/errors.md. */
                    "X-Error-Code"?: "API.LOGIN_NEEDED" | "API.LOGIN_REFUSED";
                    /** @description How callers log in (RFC 6750, section 3). */
                    "WWW-Authenticate"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Forbidden */
            403: {
                headers: {
                    /** @description The caller's X-Request-Id, or a generated one. */
                    "X-Request-Id"?: string;
                    /** @description The stable code of the error, for programs. See docs/errors.md. */
                    "X-Error-Code"?: "LEDGER.UNKNOWN_CALLER" | "LEDGER.CALLER_REFUSED" | "API.CROSS_SITE" | "API.ROLE_NEEDED" | "API.NO_CALLER" | "API.TLS_NEEDED" | "API.FOREIGN_HOST";
                    /** @description How callers log in (RFC 6750, section 3). */
                    "WWW-Authenticate"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Not Found */
            404: {
                headers: {
                    /** @description The caller's X-Request-Id, or a generated one. */
                    "X-Request-Id"?: string;
                    /** @description The stable code of the error, for programs. See docs/errors.md. */
                    "X-Error-Code"?: "LEDGER.CHANNEL_UNKNOWN";
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Conflict */
            409: {
                headers: {
                    /** @description The caller's X-Request-Id, or a generated one. */
                    "X-Request-Id"?: string;
                    /** @description The stable code of the error, for programs. See docs/errors.md. */
                    "X-Error-Code"?: "LEDGER.RECORD_TYPE_CONFLICT" | "LEDGER.KEY_IN_USE" | "LEDGER.OUTCOME_PRUNED";
                    /** @description Seconds. Present if nothing was written and the same call may be sent again, and for a transaction that may still be recorded. */
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Payload Too Large */
            413: {
                headers: {
                    /** @description The caller's X-Request-Id, or a generated one. */
                    "X-Request-Id"?: string;
                    /** @description The stable code of the error, for programs. See docs/errors.md. */
                    "X-Error-Code"?: "API.BODY_TOO_LARGE";
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description URI Too Long */
            414: {
                headers: {
                    /** @description The caller's X-Request-Id, or a generated one. */
                    "X-Request-Id"?: string;
                    /** @description The stable code of the error, for programs. See docs/errors.md. */
                    "X-Error-Code"?: "API.PATH_TOO_LONG";
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Unsupported Media Type */
            415: {
                headers: {
                    /** @description The caller's X-Request-Id, or a generated one. */
                    "X-Request-Id"?: string;
                    /** @description The stable code of the error, for programs. See docs/errors.md. */
                    "X-Error-Code"?: "API.UNSUPPORTED_BODY";
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Unprocessable Entity */
            422: {
                headers: {
                    /** @description The caller's X-Request-Id, or a generated one. */
                    "X-Request-Id"?: string;
                    /** @description The stable code of the error, for programs. See docs/errors.md. */
                    "X-Error-Code"?: "LEDGER.KEY_REUSED";
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Too Many Requests */
            429: {
                headers: {
                    /** @description The caller's X-Request-Id, or a generated one. */
                    "X-Request-Id"?: string;
                    /** @description The stable code of the error, for programs. See docs/errors.md. */
                    "X-Error-Code"?: "API.TOO_MANY_LOGINS" | "API.TOO_MANY_REQUESTS";
                    /** @description With LEDGER_RATE_LIMIT: the remaining requests of the caller, and seconds until the quota is full again. */
                    RateLimit?: string;
                    /** @description With LEDGER_RATE_LIMIT: the quota of requests and its window in seconds. */
                    "RateLimit-Policy"?: string;
                    /** @description Seconds. Present if nothing was written and the same call may be sent again, and for a transaction that may still be recorded. */
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Internal Server Error */
            500: {
                headers: {
                    /** @description The caller's X-Request-Id, or a generated one. */
                    "X-Request-Id"?: string;
                    /** @description The stable code of the error, for programs. See docs/errors.md. */
                    "X-Error-Code"?: "LEDGER.INVALID_TRANSACTION" | "LEDGER.NOT_DETERMINISTIC" | "LEDGER.OVERLOADED" | "LEDGER.DAMAGED" | "LEDGER.MISCONFIGURED" | "API.INTERNAL" | "LEDGER.CONFLICT" | "LEDGER.OUTCOME_UNKNOWN" | "LEDGER.READ_ONLY" | "LEDGER.FUNCTION_UNKNOWN";
                    /** @description Seconds. Present if nothing was written and the same call may be sent again, and for a transaction that may still be recorded. */
                    "Retry-After"?: string;
                    /** @description The transaction whose outcome is unknown: look it up before you send anything again. */
                    "X-Transaction-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Not Implemented */
            501: {
                headers: {
                    /** @description The caller's X-Request-Id, or a generated one. */
                    "X-Request-Id"?: string;
                    /** @description The stable code of the error, for programs. See docs/errors.md. */
                    "X-Error-Code"?: "LEDGER.NOT_SUPPORTED";
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Service Unavailable */
            503: {
                headers: {
                    /** @description The caller's X-Request-Id, or a generated one. */
                    "X-Request-Id"?: string;
                    /** @description The stable code of the error, for programs. See docs/errors.md. */
                    "X-Error-Code"?: "LEDGER.WRITES_DISABLED" | "API.CALLERS_UNAVAILABLE" | "API.ISSUER_UNAVAILABLE" | "LEDGER.UNAVAILABLE" | "LEDGER.TIMEOUT";
                    /** @description Seconds. Present if nothing was written and the same call may be sent again, and for a transaction that may still be recorded. */
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
        };
    };
    listRecords: {
        parameters: {
            query?: {
                /** @description The maximum number of items on the page. The Link header names the next page. A page may be short. */
                limit?: number;
                /** @description The token of a Link header. */
                after?: string;
                /** @description true: X-Total-Count is the number of all matches, wherever the page begins. */
                count?: "true";
                /** @description Only records whose indexed field has this value: where.user=ana. Several conditions must all hold. Texts are compared as they are, numbers, true, false and null as in JSON; of an array one element must be equal. */
                "where.FIELD"?: string;
            };
            header?: never;
            path: {
                /** @description The name of the record type. */
                type: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    /** @description The caller's X-Request-Id, or a generated one. */
                    "X-Request-Id"?: string;
                    /** @description With LEDGER_RATE_LIMIT: the remaining requests of the caller, and seconds until the quota is full again. */
                    RateLimit?: string;
                    /** @description With LEDGER_RATE_LIMIT: the quota of requests and its window in seconds. */
                    "RateLimit-Policy"?: string;
                    /** @description The name of the file, if the answer is one. */
                    "Content-Disposition"?: string;
                    /** @description The next page, rel="next". */
                    Link?: string;
                    /** @description With count=true: the number of all matches, such as 1111. Counting ends after 10,000 matches or 20 examined pages with "10000; more", a structured field (RFC 9651). Absent where nothing indexes the channel. */
                    "X-Total-Count"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ResponseEnvelope"] & {
                        data: components["schemas"]["RecordPage"];
                    };
                };
            };
            /** @description Bad Request */
            400: {
                headers: {
                    /** @description The caller's X-Request-Id, or a generated one. */
                    "X-Request-Id"?: string;
                    /** @description The stable code of the error, for programs. See docs/errors.md. */
                    "X-Error-Code"?: "API.INVALID_REQUEST" | "API.SECRET_IN_URL";
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    /** @description The caller's X-Request-Id, or a generated one. */
                    "X-Request-Id"?: string;
                    /** @description The stable code of the error, for programs. See docs/errors.md. */
                    "X-Error-Code"?: "API.LOGIN_NEEDED" | "API.LOGIN_REFUSED";
                    /** @description How callers log in (RFC 6750, section 3). */
                    "WWW-Authenticate"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Forbidden */
            403: {
                headers: {
                    /** @description The caller's X-Request-Id, or a generated one. */
                    "X-Request-Id"?: string;
                    /** @description The stable code of the error, for programs. See docs/errors.md. */
                    "X-Error-Code"?: "LEDGER.UNKNOWN_CALLER" | "LEDGER.CALLER_REFUSED" | "API.ROLE_NEEDED" | "API.NO_CALLER" | "API.TLS_NEEDED" | "API.FOREIGN_HOST";
                    /** @description How callers log in (RFC 6750, section 3). */
                    "WWW-Authenticate"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Not Found */
            404: {
                headers: {
                    /** @description The caller's X-Request-Id, or a generated one. */
                    "X-Request-Id"?: string;
                    /** @description The stable code of the error, for programs. See docs/errors.md. */
                    "X-Error-Code"?: "LEDGER.RECORD_TYPE_UNKNOWN";
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description URI Too Long */
            414: {
                headers: {
                    /** @description The caller's X-Request-Id, or a generated one. */
                    "X-Request-Id"?: string;
                    /** @description The stable code of the error, for programs. See docs/errors.md. */
                    "X-Error-Code"?: "API.PATH_TOO_LONG";
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Too Many Requests */
            429: {
                headers: {
                    /** @description The caller's X-Request-Id, or a generated one. */
                    "X-Request-Id"?: string;
                    /** @description The stable code of the error, for programs. See docs/errors.md. */
                    "X-Error-Code"?: "API.TOO_MANY_LOGINS" | "API.TOO_MANY_REQUESTS";
                    /** @description With LEDGER_RATE_LIMIT: the remaining requests of the caller, and seconds until the quota is full again. */
                    RateLimit?: string;
                    /** @description With LEDGER_RATE_LIMIT: the quota of requests and its window in seconds. */
                    "RateLimit-Policy"?: string;
                    /** @description Seconds. Present if nothing was written and the same call may be sent again, and for a transaction that may still be recorded. */
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Internal Server Error */
            500: {
                headers: {
                    /** @description The caller's X-Request-Id, or a generated one. */
                    "X-Request-Id"?: string;
                    /** @description The stable code of the error, for programs. See docs/errors.md. */
                    "X-Error-Code"?: "LEDGER.UNAVAILABLE" | "LEDGER.TIMEOUT" | "LEDGER.OVERLOADED" | "LEDGER.DAMAGED" | "LEDGER.MISCONFIGURED" | "API.INTERNAL" | "LEDGER.FUNCTION_UNKNOWN" | "LEDGER.REFUSED";
                    /** @description Seconds. Present if nothing was written and the same call may be sent again, and for a transaction that may still be recorded. */
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Not Implemented */
            501: {
                headers: {
                    /** @description The caller's X-Request-Id, or a generated one. */
                    "X-Request-Id"?: string;
                    /** @description The stable code of the error, for programs. See docs/errors.md. */
                    "X-Error-Code"?: "LEDGER.NOT_SUPPORTED";
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Service Unavailable */
            503: {
                headers: {
                    /** @description The caller's X-Request-Id, or a generated one. */
                    "X-Request-Id"?: string;
                    /** @description The stable code of the error, for programs. See docs/errors.md. */
                    "X-Error-Code"?: "API.CALLERS_UNAVAILABLE" | "API.ISSUER_UNAVAILABLE";
                    /** @description Seconds. Present if nothing was written and the same call may be sent again, and for a transaction that may still be recorded. */
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
        };
    };
    createRecord: {
        parameters: {
            query?: {
                /** @description The id of the record: 1 to 256 bytes without control characters. */
                id?: string;
                /** @description The member of the document, or of each document of an upload, that is the id of the record. */
                key?: string;
            };
            header?: {
                /** @description Makes the write safe to repeat after any failure: the same key with the same request is one transaction. Use a random value such as a UUID, and a new one for each write. Bare or in double quotes. */
                "Idempotency-Key"?: string;
                /** @description With respond-async the answer is a 202 as soon as an orderer has accepted the transaction, or the embedded ledger has recorded it (RFC 7240). */
                Prefer?: string;
            };
            path: {
                /** @description The name of the record type. */
                type: string;
            };
            cookie?: never;
        };
        /** @description The document: any JSON of at most 64 KiB that meets the schema. */
        requestBody: {
            content: {
                "application/json": unknown;
                "application/x-ndjson": unknown;
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    /** @description The caller's X-Request-Id, or a generated one. */
                    "X-Request-Id"?: string;
                    /** @description With LEDGER_RATE_LIMIT: the remaining requests of the caller, and seconds until the quota is full again. */
                    RateLimit?: string;
                    /** @description With LEDGER_RATE_LIMIT: the quota of requests and its window in seconds. */
                    "RateLimit-Policy"?: string;
                    /** @description The name of the file, if the answer is one. */
                    "Content-Disposition"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ResponseEnvelope"] & {
                        data: components["schemas"]["UploadReport"];
                    };
                };
            };
            /** @description Created */
            201: {
                headers: {
                    /** @description The caller's X-Request-Id, or a generated one. */
                    "X-Request-Id"?: string;
                    /** @description With LEDGER_RATE_LIMIT: the remaining requests of the caller, and seconds until the quota is full again. */
                    RateLimit?: string;
                    /** @description With LEDGER_RATE_LIMIT: the quota of requests and its window in seconds. */
                    "RateLimit-Policy"?: string;
                    /** @description Present if an earlier request with the same Idempotency-Key made the transaction. */
                    "Idempotency-Replayed"?: "true";
                    /** @description The transaction of the write. */
                    "X-Transaction-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ResponseEnvelope"] & {
                        data: components["schemas"]["WrittenRecord"];
                    };
                };
            };
            /** @description Accepted */
            202: {
                headers: {
                    /** @description The caller's X-Request-Id, or a generated one. */
                    "X-Request-Id"?: string;
                    /** @description With LEDGER_RATE_LIMIT: the remaining requests of the caller, and seconds until the quota is full again. */
                    RateLimit?: string;
                    /** @description With LEDGER_RATE_LIMIT: the quota of requests and its window in seconds. */
                    "RateLimit-Policy"?: string;
                    /** @description The transaction of the write. */
                    "X-Transaction-Id"?: string;
                    /** @description The path of the transaction, which is a 404 with Retry-After until it is recorded. */
                    Location?: string;
                    /** @description The preference that was applied. */
                    "Preference-Applied"?: "respond-async";
                    /** @description Seconds after which the transaction may be recorded. */
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ResponseEnvelope"] & {
                        data: components["schemas"]["AcceptedTransaction"];
                    };
                };
            };
            /** @description Bad Request */
            400: {
                headers: {
                    /** @description The caller's X-Request-Id, or a generated one. */
                    "X-Request-Id"?: string;
                    /** @description The stable code of the error, for programs. See docs/errors.md. */
                    "X-Error-Code"?: "API.INVALID_REQUEST" | "LEDGER.INVALID_ARGUMENT" | "LEDGER.RECORD_INVALID" | "API.SECRET_IN_URL";
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    /** @description The caller's X-Request-Id, or a generated one. */
                    "X-Request-Id"?: string;
                    /** @description The stable code of the error, for programs. See docs/errors.md. */
                    "X-Error-Code"?: "API.LOGIN_NEEDED" | "API.LOGIN_REFUSED";
                    /** @description How callers log in (RFC 6750, section 3). */
                    "WWW-Authenticate"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Forbidden */
            403: {
                headers: {
                    /** @description The caller's X-Request-Id, or a generated one. */
                    "X-Request-Id"?: string;
                    /** @description The stable code of the error, for programs. See docs/errors.md. */
                    "X-Error-Code"?: "LEDGER.UNKNOWN_CALLER" | "LEDGER.CALLER_REFUSED" | "API.CROSS_SITE" | "API.ROLE_NEEDED" | "API.NO_CALLER" | "API.TLS_NEEDED" | "API.FOREIGN_HOST";
                    /** @description How callers log in (RFC 6750, section 3). */
                    "WWW-Authenticate"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Not Found */
            404: {
                headers: {
                    /** @description The caller's X-Request-Id, or a generated one. */
                    "X-Request-Id"?: string;
                    /** @description The stable code of the error, for programs. See docs/errors.md. */
                    "X-Error-Code"?: "LEDGER.RECORD_TYPE_UNKNOWN";
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Request Timeout */
            408: {
                headers: {
                    /** @description The caller's X-Request-Id, or a generated one. */
                    "X-Request-Id"?: string;
                    /** @description The stable code of the error, for programs. See docs/errors.md. */
                    "X-Error-Code"?: "API.REQUEST_TIMEOUT";
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Conflict */
            409: {
                headers: {
                    /** @description The caller's X-Request-Id, or a generated one. */
                    "X-Request-Id"?: string;
                    /** @description The stable code of the error, for programs. See docs/errors.md. */
                    "X-Error-Code"?: "LEDGER.RECORD_EXISTS" | "LEDGER.KEY_IN_USE" | "LEDGER.OUTCOME_PRUNED";
                    /** @description Seconds. Present if nothing was written and the same call may be sent again, and for a transaction that may still be recorded. */
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Precondition Failed */
            412: {
                headers: {
                    /** @description The caller's X-Request-Id, or a generated one. */
                    "X-Request-Id"?: string;
                    /** @description The stable code of the error, for programs. See docs/errors.md. */
                    "X-Error-Code"?: "API.PRECONDITION_FAILED";
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Payload Too Large */
            413: {
                headers: {
                    /** @description The caller's X-Request-Id, or a generated one. */
                    "X-Request-Id"?: string;
                    /** @description The stable code of the error, for programs. See docs/errors.md. */
                    "X-Error-Code"?: "API.BODY_TOO_LARGE";
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description URI Too Long */
            414: {
                headers: {
                    /** @description The caller's X-Request-Id, or a generated one. */
                    "X-Request-Id"?: string;
                    /** @description The stable code of the error, for programs. See docs/errors.md. */
                    "X-Error-Code"?: "API.PATH_TOO_LONG";
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Unsupported Media Type */
            415: {
                headers: {
                    /** @description The caller's X-Request-Id, or a generated one. */
                    "X-Request-Id"?: string;
                    /** @description The stable code of the error, for programs. See docs/errors.md. */
                    "X-Error-Code"?: "API.UNSUPPORTED_BODY";
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Unprocessable Entity */
            422: {
                headers: {
                    /** @description The caller's X-Request-Id, or a generated one. */
                    "X-Request-Id"?: string;
                    /** @description The stable code of the error, for programs. See docs/errors.md. */
                    "X-Error-Code"?: "LEDGER.KEY_REUSED";
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Too Many Requests */
            429: {
                headers: {
                    /** @description The caller's X-Request-Id, or a generated one. */
                    "X-Request-Id"?: string;
                    /** @description The stable code of the error, for programs. See docs/errors.md. */
                    "X-Error-Code"?: "API.TOO_MANY_LOGINS" | "API.TOO_MANY_REQUESTS";
                    /** @description With LEDGER_RATE_LIMIT: the remaining requests of the caller, and seconds until the quota is full again. */
                    RateLimit?: string;
                    /** @description With LEDGER_RATE_LIMIT: the quota of requests and its window in seconds. */
                    "RateLimit-Policy"?: string;
                    /** @description Seconds. Present if nothing was written and the same call may be sent again, and for a transaction that may still be recorded. */
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Internal Server Error */
            500: {
                headers: {
                    /** @description The caller's X-Request-Id, or a generated one. */
                    "X-Request-Id"?: string;
                    /** @description The stable code of the error, for programs. See docs/errors.md. */
                    "X-Error-Code"?: "LEDGER.INVALID_TRANSACTION" | "LEDGER.NOT_DETERMINISTIC" | "LEDGER.UNAVAILABLE" | "LEDGER.TIMEOUT" | "LEDGER.OVERLOADED" | "LEDGER.DAMAGED" | "LEDGER.MISCONFIGURED" | "API.INTERNAL" | "LEDGER.CONFLICT" | "LEDGER.OUTCOME_UNKNOWN" | "LEDGER.READ_ONLY" | "LEDGER.FUNCTION_UNKNOWN";
                    /** @description Seconds. Present if nothing was written and the same call may be sent again, and for a transaction that may still be recorded. */
                    "Retry-After"?: string;
                    /** @description The transaction whose outcome is unknown: look it up before you send anything again. */
                    "X-Transaction-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Not Implemented */
            501: {
                headers: {
                    /** @description The caller's X-Request-Id, or a generated one. */
                    "X-Request-Id"?: string;
                    /** @description The stable code of the error, for programs. See docs/errors.md. */
                    "X-Error-Code"?: "LEDGER.NOT_SUPPORTED";
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Service Unavailable */
            503: {
                headers: {
                    /** @description The caller's X-Request-Id, or a generated one. */
                    "X-Request-Id"?: string;
                    /** @description The stable code of the error, for programs. See docs/errors.md. */
                    "X-Error-Code"?: "LEDGER.WRITES_DISABLED" | "API.CALLERS_UNAVAILABLE" | "API.ISSUER_UNAVAILABLE";
                    /** @description Seconds. Present if nothing was written and the same call may be sent again, and for a transaction that may still be recorded. */
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
        };
    };
    listRecordsOfChannel: {
        parameters: {
            query?: {
                /** @description The maximum number of items on the page. The Link header names the next page. A page may be short. */
                limit?: number;
                /** @description The token of a Link header. */
                after?: string;
                /** @description true: X-Total-Count is the number of all matches, wherever the page begins. */
                count?: "true";
                /** @description Only records whose indexed field has this value: where.user=ana. Several conditions must all hold. Texts are compared as they are, numbers, true, false and null as in JSON; of an array one element must be equal. */
                "where.FIELD"?: string;
            };
            header?: never;
            path: {
                /**
                 * @description The name of a channel: the default one, or one of LEDGER_CHANNELS.
                 * @example mychannel
                 */
                channel: string;
                /** @description The name of the record type. */
                type: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    /** @description The caller's X-Request-Id, or a generated one. */
                    "X-Request-Id"?: string;
                    /** @description With LEDGER_RATE_LIMIT: the remaining requests of the caller, and seconds until the quota is full again. */
                    RateLimit?: string;
                    /** @description With LEDGER_RATE_LIMIT: the quota of requests and its window in seconds. */
                    "RateLimit-Policy"?: string;
                    /** @description The name of the file, if the answer is one. */
                    "Content-Disposition"?: string;
                    /** @description The next page, rel="next". */
                    Link?: string;
                    /** @description With count=true: the number of all matches, such as 1111. Counting ends after 10,000 matches or 20 examined pages with "10000; more", a structured field (RFC 9651). Absent where nothing indexes the channel. */
                    "X-Total-Count"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ResponseEnvelope"] & {
                        data: components["schemas"]["RecordPage"];
                    };
                };
            };
            /** @description Bad Request */
            400: {
                headers: {
                    /** @description The caller's X-Request-Id, or a generated one. */
                    "X-Request-Id"?: string;
                    /** @description The stable code of the error, for programs. See docs/errors.md. */
                    "X-Error-Code"?: "API.INVALID_REQUEST" | "API.SECRET_IN_URL";
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    /** @description The caller's X-Request-Id, or a generated one. */
                    "X-Request-Id"?: string;
                    /** @description The stable code of the error, for programs. See docs/errors.md. */
                    "X-Error-Code"?: "API.LOGIN_NEEDED" | "API.LOGIN_REFUSED";
                    /** @description How callers log in (RFC 6750, section 3). */
                    "WWW-Authenticate"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Forbidden */
            403: {
                headers: {
                    /** @description The caller's X-Request-Id, or a generated one. */
                    "X-Request-Id"?: string;
                    /** @description The stable code of the error, for programs. See docs/errors.md. */
                    "X-Error-Code"?: "LEDGER.UNKNOWN_CALLER" | "LEDGER.CALLER_REFUSED" | "API.ROLE_NEEDED" | "API.NO_CALLER" | "API.TLS_NEEDED" | "API.FOREIGN_HOST";
                    /** @description How callers log in (RFC 6750, section 3). */
                    "WWW-Authenticate"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Not Found */
            404: {
                headers: {
                    /** @description The caller's X-Request-Id, or a generated one. */
                    "X-Request-Id"?: string;
                    /** @description The stable code of the error, for programs. See docs/errors.md. */
                    "X-Error-Code"?: "LEDGER.RECORD_TYPE_UNKNOWN" | "LEDGER.CHANNEL_UNKNOWN";
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description URI Too Long */
            414: {
                headers: {
                    /** @description The caller's X-Request-Id, or a generated one. */
                    "X-Request-Id"?: string;
                    /** @description The stable code of the error, for programs. See docs/errors.md. */
                    "X-Error-Code"?: "API.PATH_TOO_LONG";
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Too Many Requests */
            429: {
                headers: {
                    /** @description The caller's X-Request-Id, or a generated one. */
                    "X-Request-Id"?: string;
                    /** @description The stable code of the error, for programs. See docs/errors.md. */
                    "X-Error-Code"?: "API.TOO_MANY_LOGINS" | "API.TOO_MANY_REQUESTS";
                    /** @description With LEDGER_RATE_LIMIT: the remaining requests of the caller, and seconds until the quota is full again. */
                    RateLimit?: string;
                    /** @description With LEDGER_RATE_LIMIT: the quota of requests and its window in seconds. */
                    "RateLimit-Policy"?: string;
                    /** @description Seconds. Present if nothing was written and the same call may be sent again, and for a transaction that may still be recorded. */
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Internal Server Error */
            500: {
                headers: {
                    /** @description The caller's X-Request-Id, or a generated one. */
                    "X-Request-Id"?: string;
                    /** @description The stable code of the error, for programs. See docs/errors.md. */
                    "X-Error-Code"?: "LEDGER.OVERLOADED" | "LEDGER.DAMAGED" | "LEDGER.MISCONFIGURED" | "API.INTERNAL" | "LEDGER.FUNCTION_UNKNOWN" | "LEDGER.REFUSED";
                    /** @description Seconds. Present if nothing was written and the same call may be sent again, and for a transaction that may still be recorded. */
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Not Implemented */
            501: {
                headers: {
                    /** @description The caller's X-Request-Id, or a generated one. */
                    "X-Request-Id"?: string;
                    /** @description The stable code of the error, for programs. See docs/errors.md. */
                    "X-Error-Code"?: "LEDGER.NOT_SUPPORTED";
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Service Unavailable */
            503: {
                headers: {
                    /** @description The caller's X-Request-Id, or a generated one. */
                    "X-Request-Id"?: string;
                    /** @description The stable code of the error, for programs. See docs/errors.md. */
                    "X-Error-Code"?: "API.CALLERS_UNAVAILABLE" | "API.ISSUER_UNAVAILABLE" | "LEDGER.UNAVAILABLE" | "LEDGER.TIMEOUT";
                    /** @description Seconds. Present if nothing was written and the same call may be sent again, and for a transaction that may still be recorded. */
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
        };
    };
    createRecordOfChannel: {
        parameters: {
            query?: {
                /** @description The id of the record: 1 to 256 bytes without control characters. */
                id?: string;
                /** @description The member of the document, or of each document of an upload, that is the id of the record. */
                key?: string;
            };
            header?: {
                /** @description Makes the write safe to repeat after any failure: the same key with the same request is one transaction. Use a random value such as a UUID, and a new one for each write. Bare or in double quotes. */
                "Idempotency-Key"?: string;
                /** @description With respond-async the answer is a 202 as soon as an orderer has accepted the transaction, or the embedded ledger has recorded it (RFC 7240). */
                Prefer?: string;
            };
            path: {
                /**
                 * @description The name of a channel: the default one, or one of LEDGER_CHANNELS.
                 * @example mychannel
                 */
                channel: string;
                /** @description The name of the record type. */
                type: string;
            };
            cookie?: never;
        };
        /** @description The document: any JSON of at most 64 KiB that meets the schema. */
        requestBody: {
            content: {
                "application/json": unknown;
                "application/x-ndjson": unknown;
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    /** @description The caller's X-Request-Id, or a generated one. */
                    "X-Request-Id"?: string;
                    /** @description With LEDGER_RATE_LIMIT: the remaining requests of the caller, and seconds until the quota is full again. */
                    RateLimit?: string;
                    /** @description With LEDGER_RATE_LIMIT: the quota of requests and its window in seconds. */
                    "RateLimit-Policy"?: string;
                    /** @description The name of the file, if the answer is one. */
                    "Content-Disposition"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ResponseEnvelope"] & {
                        data: components["schemas"]["UploadReport"];
                    };
                };
            };
            /** @description Created */
            201: {
                headers: {
                    /** @description The caller's X-Request-Id, or a generated one. */
                    "X-Request-Id"?: string;
                    /** @description With LEDGER_RATE_LIMIT: the remaining requests of the caller, and seconds until the quota is full again. */
                    RateLimit?: string;
                    /** @description With LEDGER_RATE_LIMIT: the quota of requests and its window in seconds. */
                    "RateLimit-Policy"?: string;
                    /** @description Present if an earlier request with the same Idempotency-Key made the transaction. */
                    "Idempotency-Replayed"?: "true";
                    /** @description The transaction of the write. */
                    "X-Transaction-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ResponseEnvelope"] & {
                        data: components["schemas"]["WrittenRecord"];
                    };
                };
            };
            /** @description Accepted */
            202: {
                headers: {
                    /** @description The caller's X-Request-Id, or a generated one. */
                    "X-Request-Id"?: string;
                    /** @description With LEDGER_RATE_LIMIT: the remaining requests of the caller, and seconds until the quota is full again. */
                    RateLimit?: string;
                    /** @description With LEDGER_RATE_LIMIT: the quota of requests and its window in seconds. */
                    "RateLimit-Policy"?: string;
                    /** @description The transaction of the write. */
                    "X-Transaction-Id"?: string;
                    /** @description The path of the transaction, which is a 404 with Retry-After until it is recorded. */
                    Location?: string;
                    /** @description The preference that was applied. */
                    "Preference-Applied"?: "respond-async";
                    /** @description Seconds after which the transaction may be recorded. */
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ResponseEnvelope"] & {
                        data: components["schemas"]["AcceptedTransaction"];
                    };
                };
            };
            /** @description Bad Request */
            400: {
                headers: {
                    /** @description The caller's X-Request-Id, or a generated one. */
                    "X-Request-Id"?: string;
                    /** @description The stable code of the error, for programs. See docs/errors.md. */
                    "X-Error-Code"?: "API.INVALID_REQUEST" | "LEDGER.INVALID_ARGUMENT" | "LEDGER.RECORD_INVALID" | "API.SECRET_IN_URL";
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    /** @description The caller's X-Request-Id, or a generated one. */
                    "X-Request-Id"?: string;
                    /** @description The stable code of the error, for programs. See docs/errors.md. */
                    "X-Error-Code"?: "API.LOGIN_NEEDED" | "API.LOGIN_REFUSED";
                    /** @description How callers log in (RFC 6750, section 3). */
                    "WWW-Authenticate"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Forbidden */
            403: {
                headers: {
                    /** @description The caller's X-Request-Id, or a generated one. */
                    "X-Request-Id"?: string;
                    /** @description The stable code of the error, for programs. See docs/errors.md. */
                    "X-Error-Code"?: "LEDGER.UNKNOWN_CALLER" | "LEDGER.CALLER_REFUSED" | "API.CROSS_SITE" | "API.ROLE_NEEDED" | "API.NO_CALLER" | "API.TLS_NEEDED" | "API.FOREIGN_HOST";
                    /** @description How callers log in (RFC 6750, section 3). */
                    "WWW-Authenticate"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Not Found */
            404: {
                headers: {
                    /** @description The caller's X-Request-Id, or a generated one. */
                    "X-Request-Id"?: string;
                    /** @description The stable code of the error, for programs. See docs/errors.md. */
                    "X-Error-Code"?: "LEDGER.RECORD_TYPE_UNKNOWN" | "LEDGER.CHANNEL_UNKNOWN";
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Request Timeout */
            408: {
                headers: {
                    /** @description The caller's X-Request-Id, or a generated one. */
                    "X-Request-Id"?: string;
                    /** @description The stable code of the error, for programs. See docs/errors.md. */
                    "X-Error-Code"?: "API.REQUEST_TIMEOUT";
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Conflict */
            409: {
                headers: {
                    /** @description The caller's X-Request-Id, or a generated one. */
                    "X-Request-Id"?: string;
                    /** @description The stable code of the error, for programs. See docs/errors.md. */
                    "X-Error-Code"?: "LEDGER.RECORD_EXISTS" | "LEDGER.KEY_IN_USE" | "LEDGER.OUTCOME_PRUNED";
                    /** @description Seconds. Present if nothing was written and the same call may be sent again, and for a transaction that may still be recorded. */
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Precondition Failed */
            412: {
                headers: {
                    /** @description The caller's X-Request-Id, or a generated one. */
                    "X-Request-Id"?: string;
                    /** @description The stable code of the error, for programs. See docs/errors.md. */
                    "X-Error-Code"?: "API.PRECONDITION_FAILED";
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Payload Too Large */
            413: {
                headers: {
                    /** @description The caller's X-Request-Id, or a generated one. */
                    "X-Request-Id"?: string;
                    /** @description The stable code of the error, for programs. See docs/errors.md. */
                    "X-Error-Code"?: "API.BODY_TOO_LARGE";
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description URI Too Long */
            414: {
                headers: {
                    /** @description The caller's X-Request-Id, or a generated one. */
                    "X-Request-Id"?: string;
                    /** @description The stable code of the error, for programs. See docs/errors.md. */
                    "X-Error-Code"?: "API.PATH_TOO_LONG";
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Unsupported Media Type */
            415: {
                headers: {
                    /** @description The caller's X-Request-Id, or a generated one. */
                    "X-Request-Id"?: string;
                    /** @description The stable code of the error, for programs. See docs/errors.md. */
                    "X-Error-Code"?: "API.UNSUPPORTED_BODY";
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Unprocessable Entity */
            422: {
                headers: {
                    /** @description The caller's X-Request-Id, or a generated one. */
                    "X-Request-Id"?: string;
                    /** @description The stable code of the error, for programs. See docs/errors.md. */
                    "X-Error-Code"?: "LEDGER.KEY_REUSED";
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Too Many Requests */
            429: {
                headers: {
                    /** @description The caller's X-Request-Id, or a generated one. */
                    "X-Request-Id"?: string;
                    /** @description The stable code of the error, for programs. See docs/errors.md. */
                    "X-Error-Code"?: "API.TOO_MANY_LOGINS" | "API.TOO_MANY_REQUESTS";
                    /** @description With LEDGER_RATE_LIMIT: the remaining requests of the caller, and seconds until the quota is full again. */
                    RateLimit?: string;
                    /** @description With LEDGER_RATE_LIMIT: the quota of requests and its window in seconds. */
                    "RateLimit-Policy"?: string;
                    /** @description Seconds. Present if nothing was written and the same call may be sent again, and for a transaction that may still be recorded. */
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Internal Server Error */
            500: {
                headers: {
                    /** @description The caller's X-Request-Id, or a generated one. */
                    "X-Request-Id"?: string;
                    /** @description The stable code of the error, for programs. See docs/errors.md. */
                    "X-Error-Code"?: "LEDGER.INVALID_TRANSACTION" | "LEDGER.NOT_DETERMINISTIC" | "LEDGER.OVERLOADED" | "LEDGER.DAMAGED" | "LEDGER.MISCONFIGURED" | "API.INTERNAL" | "LEDGER.CONFLICT" | "LEDGER.OUTCOME_UNKNOWN" | "LEDGER.READ_ONLY" | "LEDGER.FUNCTION_UNKNOWN";
                    /** @description Seconds. Present if nothing was written and the same call may be sent again, and for a transaction that may still be recorded. */
                    "Retry-After"?: string;
                    /** @description The transaction whose outcome is unknown: look it up before you send anything again. */
                    "X-Transaction-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Not Implemented */
            501: {
                headers: {
                    /** @description The caller's X-Request-Id, or a generated one. */
                    "X-Request-Id"?: string;
                    /** @description The stable code of the error, for programs. See docs/errors.md. */
                    "X-Error-Code"?: "LEDGER.NOT_SUPPORTED";
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Service Unavailable */
            503: {
                headers: {
                    /** @description The caller's X-Request-Id, or a generated one. */
                    "X-Request-Id"?: string;
                    /** @description The stable code of the error, for programs. See docs/errors.md. */
                    "X-Error-Code"?: "LEDGER.WRITES_DISABLED" | "API.CALLERS_UNAVAILABLE" | "API.ISSUER_UNAVAILABLE" | "LEDGER.UNAVAILABLE" | "LEDGER.TIMEOUT";
                    /** @description Seconds. Present if nothing was written and the same call may be sent again, and for a transaction that may still be recorded. */
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
        };
    };
    readRecord: {
        parameters: {
            query?: {
                /** @description The number of a block. The answer is the record as it was after this block, without an ETag. */
                at?: number;
            };
            header?: {
                /** @description The ETag of an earlier answer. If it is still the same, the answer is 304 without a body. */
                "If-None-Match"?: string;
            };
            path: {
                /** @description The name of the record type. */
                type: string;
                /** @description The id of the record, percent-encoded as one path segment. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    /** @description The caller's X-Request-Id, or a generated one. */
                    "X-Request-Id"?: string;
                    /** @description With LEDGER_RATE_LIMIT: the remaining requests of the caller, and seconds until the quota is full again. */
                    RateLimit?: string;
                    /** @description With LEDGER_RATE_LIMIT: the quota of requests and its window in seconds. */
                    "RateLimit-Policy"?: string;
                    /** @description Identifies the answer, for If-None-Match, and the state of an asset, for If-Match. */
                    ETag?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ResponseEnvelope"] & {
                        data: components["schemas"]["StoredDocument"];
                    };
                };
            };
            /** @description Not Modified */
            304: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Bad Request */
            400: {
                headers: {
                    /** @description The caller's X-Request-Id, or a generated one. */
                    "X-Request-Id"?: string;
                    /** @description The stable code of the error, for programs. See docs/errors.md. */
                    "X-Error-Code"?: "API.INVALID_REQUEST" | "LEDGER.INVALID_ARGUMENT" | "API.SECRET_IN_URL";
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    /** @description The caller's X-Request-Id, or a generated one. */
                    "X-Request-Id"?: string;
                    /** @description The stable code of the error, for programs. See docs/errors.md. */
                    "X-Error-Code"?: "API.LOGIN_NEEDED" | "API.LOGIN_REFUSED";
                    /** @description How callers log in (RFC 6750, section 3). */
                    "WWW-Authenticate"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Forbidden */
            403: {
                headers: {
                    /** @description The caller's X-Request-Id, or a generated one. */
                    "X-Request-Id"?: string;
                    /** @description The stable code of the error, for programs. See docs/errors.md. */
                    "X-Error-Code"?: "LEDGER.UNKNOWN_CALLER" | "LEDGER.CALLER_REFUSED" | "API.ROLE_NEEDED" | "API.NO_CALLER" | "API.TLS_NEEDED" | "API.FOREIGN_HOST";
                    /** @description How callers log in (RFC 6750, section 3). */
                    "WWW-Authenticate"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Not Found */
            404: {
                headers: {
                    /** @description The caller's X-Request-Id, or a generated one. */
                    "X-Request-Id"?: string;
                    /** @description The stable code of the error, for programs. See docs/errors.md. */
                    "X-Error-Code"?: "LEDGER.RECORD_TYPE_UNKNOWN" | "LEDGER.RECORD_NOT_FOUND";
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description URI Too Long */
            414: {
                headers: {
                    /** @description The caller's X-Request-Id, or a generated one. */
                    "X-Request-Id"?: string;
                    /** @description The stable code of the error, for programs. See docs/errors.md. */
                    "X-Error-Code"?: "API.PATH_TOO_LONG";
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Too Many Requests */
            429: {
                headers: {
                    /** @description The caller's X-Request-Id, or a generated one. */
                    "X-Request-Id"?: string;
                    /** @description The stable code of the error, for programs. See docs/errors.md. */
                    "X-Error-Code"?: "API.TOO_MANY_LOGINS" | "API.TOO_MANY_REQUESTS";
                    /** @description With LEDGER_RATE_LIMIT: the remaining requests of the caller, and seconds until the quota is full again. */
                    RateLimit?: string;
                    /** @description With LEDGER_RATE_LIMIT: the quota of requests and its window in seconds. */
                    "RateLimit-Policy"?: string;
                    /** @description Seconds. Present if nothing was written and the same call may be sent again, and for a transaction that may still be recorded. */
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Internal Server Error */
            500: {
                headers: {
                    /** @description The caller's X-Request-Id, or a generated one. */
                    "X-Request-Id"?: string;
                    /** @description The stable code of the error, for programs. See docs/errors.md. */
                    "X-Error-Code"?: "LEDGER.UNAVAILABLE" | "LEDGER.TIMEOUT" | "LEDGER.OVERLOADED" | "LEDGER.DAMAGED" | "LEDGER.MISCONFIGURED" | "API.INTERNAL" | "LEDGER.FUNCTION_UNKNOWN" | "LEDGER.REFUSED";
                    /** @description Seconds. Present if nothing was written and the same call may be sent again, and for a transaction that may still be recorded. */
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Not Implemented */
            501: {
                headers: {
                    /** @description The caller's X-Request-Id, or a generated one. */
                    "X-Request-Id"?: string;
                    /** @description The stable code of the error, for programs. See docs/errors.md. */
                    "X-Error-Code"?: "LEDGER.NOT_SUPPORTED";
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Service Unavailable */
            503: {
                headers: {
                    /** @description The caller's X-Request-Id, or a generated one. */
                    "X-Request-Id"?: string;
                    /** @description The stable code of the error, for programs. See docs/errors.md. */
                    "X-Error-Code"?: "API.CALLERS_UNAVAILABLE" | "API.ISSUER_UNAVAILABLE";
                    /** @description Seconds. Present if nothing was written and the same call may be sent again, and for a transaction that may still be recorded. */
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
        };
    };
    updateRecord: {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes the write safe to repeat after any failure: the same key with the same request is one transaction. Use a random value such as a UUID, and a new one for each write. Bare or in double quotes. */
                "Idempotency-Key"?: string;
                /** @description With respond-async the answer is a 202 as soon as an orderer has accepted the transaction, or the embedded ledger has recorded it (RFC 7240). */
                Prefer?: string;
                /** @description An ETag of the asset, or up to 8 with commas between them. The write takes effect only if the asset still has one of them; otherwise the answer is 412. */
                "If-Match"?: string;
            };
            path: {
                /** @description The name of the record type. */
                type: string;
                /** @description The id of the record, percent-encoded as one path segment. */
                id: string;
            };
            cookie?: never;
        };
        /** @description The document: any JSON of at most 64 KiB that meets the schema. */
        requestBody: {
            content: {
                "application/json": unknown;
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    /** @description The caller's X-Request-Id, or a generated one. */
                    "X-Request-Id"?: string;
                    /** @description With LEDGER_RATE_LIMIT: the remaining requests of the caller, and seconds until the quota is full again. */
                    RateLimit?: string;
                    /** @description With LEDGER_RATE_LIMIT: the quota of requests and its window in seconds. */
                    "RateLimit-Policy"?: string;
                    /** @description Present if an earlier request with the same Idempotency-Key made the transaction. */
                    "Idempotency-Replayed"?: "true";
                    /** @description The transaction of the write. */
                    "X-Transaction-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ResponseEnvelope"] & {
                        data: components["schemas"]["WrittenRecord"];
                    };
                };
            };
            /** @description Accepted */
            202: {
                headers: {
                    /** @description The caller's X-Request-Id, or a generated one. */
                    "X-Request-Id"?: string;
                    /** @description With LEDGER_RATE_LIMIT: the remaining requests of the caller, and seconds until the quota is full again. */
                    RateLimit?: string;
                    /** @description With LEDGER_RATE_LIMIT: the quota of requests and its window in seconds. */
                    "RateLimit-Policy"?: string;
                    /** @description The transaction of the write. */
                    "X-Transaction-Id"?: string;
                    /** @description The path of the transaction, which is a 404 with Retry-After until it is recorded. */
                    Location?: string;
                    /** @description The preference that was applied. */
                    "Preference-Applied"?: "respond-async";
                    /** @description Seconds after which the transaction may be recorded. */
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ResponseEnvelope"] & {
                        data: components["schemas"]["AcceptedTransaction"];
                    };
                };
            };
            /** @description Bad Request */
            400: {
                headers: {
                    /** @description The caller's X-Request-Id, or a generated one. */
                    "X-Request-Id"?: string;
                    /** @description The stable code of the error, for programs. See docs/errors.md. */
                    "X-Error-Code"?: "LEDGER.RECORD_APPEND_ONLY" | "API.INVALID_REQUEST" | "LEDGER.RECORD_INVALID" | "API.SECRET_IN_URL";
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    /** @description The caller's X-Request-Id, or a generated one. */
                    "X-Request-Id"?: string;
                    /** @description The stable code of the error, for programs. See docs/errors.md. */
                    "X-Error-Code"?: "API.LOGIN_NEEDED" | "API.LOGIN_REFUSED";
                    /** @description How callers log in (RFC 6750, section 3). */
                    "WWW-Authenticate"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Forbidden */
            403: {
                headers: {
                    /** @description The caller's X-Request-Id, or a generated one. */
                    "X-Request-Id"?: string;
                    /** @description The stable code of the error, for programs. See docs/errors.md. */
                    "X-Error-Code"?: "LEDGER.UNKNOWN_CALLER" | "LEDGER.CALLER_REFUSED" | "API.CROSS_SITE" | "API.ROLE_NEEDED" | "API.NO_CALLER" | "API.TLS_NEEDED" | "API.FOREIGN_HOST";
                    /** @description How callers log in (RFC 6750, section 3). */
                    "WWW-Authenticate"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Not Found */
            404: {
                headers: {
                    /** @description The caller's X-Request-Id, or a generated one. */
                    "X-Request-Id"?: string;
                    /** @description The stable code of the error, for programs. See docs/errors.md. */
                    "X-Error-Code"?: "LEDGER.RECORD_TYPE_UNKNOWN" | "LEDGER.RECORD_NOT_FOUND";
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Conflict */
            409: {
                headers: {
                    /** @description The caller's X-Request-Id, or a generated one. */
                    "X-Request-Id"?: string;
                    /** @description The stable code of the error, for programs. See docs/errors.md. */
                    "X-Error-Code"?: "LEDGER.KEY_IN_USE" | "LEDGER.OUTCOME_PRUNED";
                    /** @description Seconds. Present if nothing was written and the same call may be sent again, and for a transaction that may still be recorded. */
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Precondition Failed */
            412: {
                headers: {
                    /** @description The caller's X-Request-Id, or a generated one. */
                    "X-Request-Id"?: string;
                    /** @description The stable code of the error, for programs. See docs/errors.md. */
                    "X-Error-Code"?: "LEDGER.RECORD_CHANGED" | "LEDGER.ASSET_CHANGED";
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Payload Too Large */
            413: {
                headers: {
                    /** @description The caller's X-Request-Id, or a generated one. */
                    "X-Request-Id"?: string;
                    /** @description The stable code of the error, for programs. See docs/errors.md. */
                    "X-Error-Code"?: "API.BODY_TOO_LARGE";
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description URI Too Long */
            414: {
                headers: {
                    /** @description The caller's X-Request-Id, or a generated one. */
                    "X-Request-Id"?: string;
                    /** @description The stable code of the error, for programs. See docs/errors.md. */
                    "X-Error-Code"?: "API.PATH_TOO_LONG";
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Unsupported Media Type */
            415: {
                headers: {
                    /** @description The caller's X-Request-Id, or a generated one. */
                    "X-Request-Id"?: string;
                    /** @description The stable code of the error, for programs. See docs/errors.md. */
                    "X-Error-Code"?: "API.UNSUPPORTED_BODY";
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Unprocessable Entity */
            422: {
                headers: {
                    /** @description The caller's X-Request-Id, or a generated one. */
                    "X-Request-Id"?: string;
                    /** @description The stable code of the error, for programs. See docs/errors.md. */
                    "X-Error-Code"?: "LEDGER.KEY_REUSED";
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Too Many Requests */
            429: {
                headers: {
                    /** @description The caller's X-Request-Id, or a generated one. */
                    "X-Request-Id"?: string;
                    /** @description The stable code of the error, for programs. See docs/errors.md. */
                    "X-Error-Code"?: "API.TOO_MANY_LOGINS" | "API.TOO_MANY_REQUESTS";
                    /** @description With LEDGER_RATE_LIMIT: the remaining requests of the caller, and seconds until the quota is full again. */
                    RateLimit?: string;
                    /** @description With LEDGER_RATE_LIMIT: the quota of requests and its window in seconds. */
                    "RateLimit-Policy"?: string;
                    /** @description Seconds. Present if nothing was written and the same call may be sent again, and for a transaction that may still be recorded. */
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Internal Server Error */
            500: {
                headers: {
                    /** @description The caller's X-Request-Id, or a generated one. */
                    "X-Request-Id"?: string;
                    /** @description The stable code of the error, for programs. See docs/errors.md. */
                    "X-Error-Code"?: "LEDGER.INVALID_TRANSACTION" | "LEDGER.NOT_DETERMINISTIC" | "LEDGER.UNAVAILABLE" | "LEDGER.TIMEOUT" | "LEDGER.OVERLOADED" | "LEDGER.DAMAGED" | "LEDGER.MISCONFIGURED" | "API.INTERNAL" | "LEDGER.CONFLICT" | "LEDGER.OUTCOME_UNKNOWN" | "LEDGER.READ_ONLY" | "LEDGER.FUNCTION_UNKNOWN";
                    /** @description Seconds. Present if nothing was written and the same call may be sent again, and for a transaction that may still be recorded. */
                    "Retry-After"?: string;
                    /** @description The transaction whose outcome is unknown: look it up before you send anything again. */
                    "X-Transaction-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Not Implemented */
            501: {
                headers: {
                    /** @description The caller's X-Request-Id, or a generated one. */
                    "X-Request-Id"?: string;
                    /** @description The stable code of the error, for programs. See docs/errors.md. */
                    "X-Error-Code"?: "LEDGER.NOT_SUPPORTED";
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Service Unavailable */
            503: {
                headers: {
                    /** @description The caller's X-Request-Id, or a generated one. */
                    "X-Request-Id"?: string;
                    /** @description The stable code of the error, for programs. See docs/errors.md. */
                    "X-Error-Code"?: "LEDGER.WRITES_DISABLED" | "API.CALLERS_UNAVAILABLE" | "API.ISSUER_UNAVAILABLE";
                    /** @description Seconds. Present if nothing was written and the same call may be sent again, and for a transaction that may still be recorded. */
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
        };
    };
    deleteRecord: {
        parameters: {
            query?: {
                /** @description true erases the documents of all versions. */
                purge?: boolean;
            };
            header?: {
                /** @description Makes the write safe to repeat after any failure: the same key with the same request is one transaction. Use a random value such as a UUID, and a new one for each write. Bare or in double quotes. */
                "Idempotency-Key"?: string;
                /** @description With respond-async the answer is a 202 as soon as an orderer has accepted the transaction, or the embedded ledger has recorded it (RFC 7240). */
                Prefer?: string;
                /** @description An ETag of the asset, or up to 8 with commas between them. The write takes effect only if the asset still has one of them; otherwise the answer is 412. */
                "If-Match"?: string;
            };
            path: {
                /** @description The name of the record type. */
                type: string;
                /** @description The id of the record, percent-encoded as one path segment. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    /** @description The caller's X-Request-Id, or a generated one. */
                    "X-Request-Id"?: string;
                    /** @description With LEDGER_RATE_LIMIT: the remaining requests of the caller, and seconds until the quota is full again. */
                    RateLimit?: string;
                    /** @description With LEDGER_RATE_LIMIT: the quota of requests and its window in seconds. */
                    "RateLimit-Policy"?: string;
                    /** @description Present if an earlier request with the same Idempotency-Key made the transaction. */
                    "Idempotency-Replayed"?: "true";
                    /** @description The transaction of the write. */
                    "X-Transaction-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ResponseEnvelope"] & {
                        data: components["schemas"]["DeletedRecord"];
                    };
                };
            };
            /** @description Accepted */
            202: {
                headers: {
                    /** @description The caller's X-Request-Id, or a generated one. */
                    "X-Request-Id"?: string;
                    /** @description With LEDGER_RATE_LIMIT: the remaining requests of the caller, and seconds until the quota is full again. */
                    RateLimit?: string;
                    /** @description With LEDGER_RATE_LIMIT: the quota of requests and its window in seconds. */
                    "RateLimit-Policy"?: string;
                    /** @description The transaction of the write. */
                    "X-Transaction-Id"?: string;
                    /** @description The path of the transaction, which is a 404 with Retry-After until it is recorded. */
                    Location?: string;
                    /** @description The preference that was applied. */
                    "Preference-Applied"?: "respond-async";
                    /** @description Seconds after which the transaction may be recorded. */
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ResponseEnvelope"] & {
                        data: components["schemas"]["AcceptedTransaction"];
                    };
                };
            };
            /** @description Bad Request */
            400: {
                headers: {
                    /** @description The caller's X-Request-Id, or a generated one. */
                    "X-Request-Id"?: string;
                    /** @description The stable code of the error, for programs. See docs/errors.md. */
                    "X-Error-Code"?: "LEDGER.RECORD_APPEND_ONLY" | "API.INVALID_REQUEST" | "API.SECRET_IN_URL";
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    /** @description The caller's X-Request-Id, or a generated one. */
                    "X-Request-Id"?: string;
                    /** @description The stable code of the error, for programs. See docs/errors.md. */
                    "X-Error-Code"?: "API.LOGIN_NEEDED" | "API.LOGIN_REFUSED";
                    /** @description How callers log in (RFC 6750, section 3). */
                    "WWW-Authenticate"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Forbidden */
            403: {
                headers: {
                    /** @description The caller's X-Request-Id, or a generated one. */
                    "X-Request-Id"?: string;
                    /** @description The stable code of the error, for programs. See docs/errors.md. */
                    "X-Error-Code"?: "LEDGER.UNKNOWN_CALLER" | "LEDGER.CALLER_REFUSED" | "API.CROSS_SITE" | "API.ROLE_NEEDED" | "API.NO_CALLER" | "API.TLS_NEEDED" | "API.FOREIGN_HOST";
                    /** @description How callers log in (RFC 6750, section 3). */
                    "WWW-Authenticate"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Not Found */
            404: {
                headers: {
                    /** @description The caller's X-Request-Id, or a generated one. */
                    "X-Request-Id"?: string;
                    /** @description The stable code of the error, for programs. See docs/errors.md. */
                    "X-Error-Code"?: "LEDGER.RECORD_TYPE_UNKNOWN" | "LEDGER.RECORD_NOT_FOUND";
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Conflict */
            409: {
                headers: {
                    /** @description The caller's X-Request-Id, or a generated one. */
                    "X-Request-Id"?: string;
                    /** @description The stable code of the error, for programs. See docs/errors.md. */
                    "X-Error-Code"?: "LEDGER.RECORD_NOT_ERASABLE" | "LEDGER.KEY_IN_USE" | "LEDGER.OUTCOME_PRUNED";
                    /** @description Seconds. Present if nothing was written and the same call may be sent again, and for a transaction that may still be recorded. */
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Precondition Failed */
            412: {
                headers: {
                    /** @description The caller's X-Request-Id, or a generated one. */
                    "X-Request-Id"?: string;
                    /** @description The stable code of the error, for programs. See docs/errors.md. */
                    "X-Error-Code"?: "LEDGER.RECORD_CHANGED" | "LEDGER.ASSET_CHANGED";
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description URI Too Long */
            414: {
                headers: {
                    /** @description The caller's X-Request-Id, or a generated one. */
                    "X-Request-Id"?: string;
                    /** @description The stable code of the error, for programs. See docs/errors.md. */
                    "X-Error-Code"?: "API.PATH_TOO_LONG";
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Unprocessable Entity */
            422: {
                headers: {
                    /** @description The caller's X-Request-Id, or a generated one. */
                    "X-Request-Id"?: string;
                    /** @description The stable code of the error, for programs. See docs/errors.md. */
                    "X-Error-Code"?: "LEDGER.KEY_REUSED";
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Too Many Requests */
            429: {
                headers: {
                    /** @description The caller's X-Request-Id, or a generated one. */
                    "X-Request-Id"?: string;
                    /** @description The stable code of the error, for programs. See docs/errors.md. */
                    "X-Error-Code"?: "API.TOO_MANY_LOGINS" | "API.TOO_MANY_REQUESTS";
                    /** @description With LEDGER_RATE_LIMIT: the remaining requests of the caller, and seconds until the quota is full again. */
                    RateLimit?: string;
                    /** @description With LEDGER_RATE_LIMIT: the quota of requests and its window in seconds. */
                    "RateLimit-Policy"?: string;
                    /** @description Seconds. Present if nothing was written and the same call may be sent again, and for a transaction that may still be recorded. */
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Internal Server Error */
            500: {
                headers: {
                    /** @description The caller's X-Request-Id, or a generated one. */
                    "X-Request-Id"?: string;
                    /** @description The stable code of the error, for programs. See docs/errors.md. */
                    "X-Error-Code"?: "LEDGER.INVALID_TRANSACTION" | "LEDGER.NOT_DETERMINISTIC" | "LEDGER.UNAVAILABLE" | "LEDGER.TIMEOUT" | "LEDGER.OVERLOADED" | "LEDGER.DAMAGED" | "LEDGER.MISCONFIGURED" | "API.INTERNAL" | "LEDGER.CONFLICT" | "LEDGER.OUTCOME_UNKNOWN" | "LEDGER.READ_ONLY" | "LEDGER.FUNCTION_UNKNOWN";
                    /** @description Seconds. Present if nothing was written and the same call may be sent again, and for a transaction that may still be recorded. */
                    "Retry-After"?: string;
                    /** @description The transaction whose outcome is unknown: look it up before you send anything again. */
                    "X-Transaction-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Not Implemented */
            501: {
                headers: {
                    /** @description The caller's X-Request-Id, or a generated one. */
                    "X-Request-Id"?: string;
                    /** @description The stable code of the error, for programs. See docs/errors.md. */
                    "X-Error-Code"?: "LEDGER.NOT_SUPPORTED";
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Service Unavailable */
            503: {
                headers: {
                    /** @description The caller's X-Request-Id, or a generated one. */
                    "X-Request-Id"?: string;
                    /** @description The stable code of the error, for programs. See docs/errors.md. */
                    "X-Error-Code"?: "LEDGER.ERASURE_INCOMPLETE" | "LEDGER.WRITES_DISABLED" | "API.CALLERS_UNAVAILABLE" | "API.ISSUER_UNAVAILABLE";
                    /** @description Seconds. Present if nothing was written and the same call may be sent again, and for a transaction that may still be recorded. */
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
        };
    };
    readRecordOfChannel: {
        parameters: {
            query?: {
                /** @description The number of a block. The answer is the record as it was after this block, without an ETag. */
                at?: number;
            };
            header?: {
                /** @description The ETag of an earlier answer. If it is still the same, the answer is 304 without a body. */
                "If-None-Match"?: string;
            };
            path: {
                /**
                 * @description The name of a channel: the default one, or one of LEDGER_CHANNELS.
                 * @example mychannel
                 */
                channel: string;
                /** @description The name of the record type. */
                type: string;
                /** @description The id of the record, percent-encoded as one path segment. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    /** @description The caller's X-Request-Id, or a generated one. */
                    "X-Request-Id"?: string;
                    /** @description With LEDGER_RATE_LIMIT: the remaining requests of the caller, and seconds until the quota is full again. */
                    RateLimit?: string;
                    /** @description With LEDGER_RATE_LIMIT: the quota of requests and its window in seconds. */
                    "RateLimit-Policy"?: string;
                    /** @description Identifies the answer, for If-None-Match, and the state of an asset, for If-Match. */
                    ETag?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ResponseEnvelope"] & {
                        data: components["schemas"]["StoredDocument"];
                    };
                };
            };
            /** @description Not Modified */
            304: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Bad Request */
            400: {
                headers: {
                    /** @description The caller's X-Request-Id, or a generated one. */
                    "X-Request-Id"?: string;
                    /** @description The stable code of the error, for programs. See docs/errors.md. */
                    "X-Error-Code"?: "API.INVALID_REQUEST" | "LEDGER.INVALID_ARGUMENT" | "API.SECRET_IN_URL";
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    /** @description The caller's X-Request-Id, or a generated one. */
                    "X-Request-Id"?: string;
                    /** @description The stable code of the error, for programs. See docs/errors.md. */
                    "X-Error-Code"?: "API.LOGIN_NEEDED" | "API.LOGIN_REFUSED";
                    /** @description How callers log in (RFC 6750, section 3). */
                    "WWW-Authenticate"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Forbidden */
            403: {
                headers: {
                    /** @description The caller's X-Request-Id, or a generated one. */
                    "X-Request-Id"?: string;
                    /** @description The stable code of the error, for programs. See docs/errors.md. */
                    "X-Error-Code"?: "LEDGER.UNKNOWN_CALLER" | "LEDGER.CALLER_REFUSED" | "API.ROLE_NEEDED" | "API.NO_CALLER" | "API.TLS_NEEDED" | "API.FOREIGN_HOST";
                    /** @description How callers log in (RFC 6750, section 3). */
                    "WWW-Authenticate"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Not Found */
            404: {
                headers: {
                    /** @description The caller's X-Request-Id, or a generated one. */
                    "X-Request-Id"?: string;
                    /** @description The stable code of the error, for programs. See docs/errors.md. */
                    "X-Error-Code"?: "LEDGER.RECORD_TYPE_UNKNOWN" | "LEDGER.RECORD_NOT_FOUND" | "LEDGER.CHANNEL_UNKNOWN";
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description URI Too Long */
            414: {
                headers: {
                    /** @description The caller's X-Request-Id, or a generated one. */
                    "X-Request-Id"?: string;
                    /** @description The stable code of the error, for programs. See docs/errors.md. */
                    "X-Error-Code"?: "API.PATH_TOO_LONG";
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Too Many Requests */
            429: {
                headers: {
                    /** @description The caller's X-Request-Id, or a generated one. */
                    "X-Request-Id"?: string;
                    /** @description The stable code of the error, for programs. See docs/errors.md. */
                    "X-Error-Code"?: "API.TOO_MANY_LOGINS" | "API.TOO_MANY_REQUESTS";
                    /** @description With LEDGER_RATE_LIMIT: the remaining requests of the caller, and seconds until the quota is full again. */
                    RateLimit?: string;
                    /** @description With LEDGER_RATE_LIMIT: the quota of requests and its window in seconds. */
                    "RateLimit-Policy"?: string;
                    /** @description Seconds. Present if nothing was written and the same call may be sent again, and for a transaction that may still be recorded. */
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Internal Server Error */
            500: {
                headers: {
                    /** @description The caller's X-Request-Id, or a generated one. */
                    "X-Request-Id"?: string;
                    /** @description The stable code of the error, for programs. See docs/errors.md. */
                    "X-Error-Code"?: "LEDGER.OVERLOADED" | "LEDGER.DAMAGED" | "LEDGER.MISCONFIGURED" | "API.INTERNAL" | "LEDGER.FUNCTION_UNKNOWN" | "LEDGER.REFUSED";
                    /** @description Seconds. Present if nothing was written and the same call may be sent again, and for a transaction that may still be recorded. */
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Not Implemented */
            501: {
                headers: {
                    /** @description The caller's X-Request-Id, or a generated one. */
                    "X-Request-Id"?: string;
                    /** @description The stable code of the error, for programs. See docs/errors.md. */
                    "X-Error-Code"?: "LEDGER.NOT_SUPPORTED";
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Service Unavailable */
            503: {
                headers: {
                    /** @description The caller's X-Request-Id, or a generated one. */
                    "X-Request-Id"?: string;
                    /** @description The stable code of the error, for programs. See docs/errors.md. */
                    "X-Error-Code"?: "API.CALLERS_UNAVAILABLE" | "API.ISSUER_UNAVAILABLE" | "LEDGER.UNAVAILABLE" | "LEDGER.TIMEOUT";
                    /** @description Seconds. Present if nothing was written and the same call may be sent again, and for a transaction that may still be recorded. */
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
        };
    };
    updateRecordOfChannel: {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes the write safe to repeat after any failure: the same key with the same request is one transaction. Use a random value such as a UUID, and a new one for each write. Bare or in double quotes. */
                "Idempotency-Key"?: string;
                /** @description With respond-async the answer is a 202 as soon as an orderer has accepted the transaction, or the embedded ledger has recorded it (RFC 7240). */
                Prefer?: string;
                /** @description An ETag of the asset, or up to 8 with commas between them. The write takes effect only if the asset still has one of them; otherwise the answer is 412. */
                "If-Match"?: string;
            };
            path: {
                /**
                 * @description The name of a channel: the default one, or one of LEDGER_CHANNELS.
                 * @example mychannel
                 */
                channel: string;
                /** @description The name of the record type. */
                type: string;
                /** @description The id of the record, percent-encoded as one path segment. */
                id: string;
            };
            cookie?: never;
        };
        /** @description The document: any JSON of at most 64 KiB that meets the schema. */
        requestBody: {
            content: {
                "application/json": unknown;
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    /** @description The caller's X-Request-Id, or a generated one. */
                    "X-Request-Id"?: string;
                    /** @description With LEDGER_RATE_LIMIT: the remaining requests of the caller, and seconds until the quota is full again. */
                    RateLimit?: string;
                    /** @description With LEDGER_RATE_LIMIT: the quota of requests and its window in seconds. */
                    "RateLimit-Policy"?: string;
                    /** @description Present if an earlier request with the same Idempotency-Key made the transaction. */
                    "Idempotency-Replayed"?: "true";
                    /** @description The transaction of the write. */
                    "X-Transaction-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ResponseEnvelope"] & {
                        data: components["schemas"]["WrittenRecord"];
                    };
                };
            };
            /** @description Accepted */
            202: {
                headers: {
                    /** @description The caller's X-Request-Id, or a generated one. */
                    "X-Request-Id"?: string;
                    /** @description With LEDGER_RATE_LIMIT: the remaining requests of the caller, and seconds until the quota is full again. */
                    RateLimit?: string;
                    /** @description With LEDGER_RATE_LIMIT: the quota of requests and its window in seconds. */
                    "RateLimit-Policy"?: string;
                    /** @description The transaction of the write. */
                    "X-Transaction-Id"?: string;
                    /** @description The path of the transaction, which is a 404 with Retry-After until it is recorded. */
                    Location?: string;
                    /** @description The preference that was applied. */
                    "Preference-Applied"?: "respond-async";
                    /** @description Seconds after which the transaction may be recorded. */
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ResponseEnvelope"] & {
                        data: components["schemas"]["AcceptedTransaction"];
                    };
                };
            };
            /** @description Bad Request */
            400: {
                headers: {
                    /** @description The caller's X-Request-Id, or a generated one. */
                    "X-Request-Id"?: string;
                    /** @description The stable code of the error, for programs. See docs/errors.md. */
                    "X-Error-Code"?: "LEDGER.RECORD_APPEND_ONLY" | "API.INVALID_REQUEST" | "LEDGER.RECORD_INVALID" | "API.SECRET_IN_URL";
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    /** @description The caller's X-Request-Id, or a generated one. */
                    "X-Request-Id"?: string;
                    /** @description The stable code of the error, for programs. See docs/errors.md. */
                    "X-Error-Code"?: "API.LOGIN_NEEDED" | "API.LOGIN_REFUSED";
                    /** @description How callers log in (RFC 6750, section 3). */
                    "WWW-Authenticate"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Forbidden */
            403: {
                headers: {
                    /** @description The caller's X-Request-Id, or a generated one. */
                    "X-Request-Id"?: string;
                    /** @description The stable code of the error, for programs. See docs/errors.md. */
                    "X-Error-Code"?: "LEDGER.UNKNOWN_CALLER" | "LEDGER.CALLER_REFUSED" | "API.CROSS_SITE" | "API.ROLE_NEEDED" | "API.NO_CALLER" | "API.TLS_NEEDED" | "API.FOREIGN_HOST";
                    /** @description How callers log in (RFC 6750, section 3). */
                    "WWW-Authenticate"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Not Found */
            404: {
                headers: {
                    /** @description The caller's X-Request-Id, or a generated one. */
                    "X-Request-Id"?: string;
                    /** @description The stable code of the error, for programs. See docs/errors.md. */
                    "X-Error-Code"?: "LEDGER.RECORD_TYPE_UNKNOWN" | "LEDGER.RECORD_NOT_FOUND" | "LEDGER.CHANNEL_UNKNOWN";
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Conflict */
            409: {
                headers: {
                    /** @description The caller's X-Request-Id, or a generated one. */
                    "X-Request-Id"?: string;
                    /** @description The stable code of the error, for programs. See docs/errors.md. */
                    "X-Error-Code"?: "LEDGER.KEY_IN_USE" | "LEDGER.OUTCOME_PRUNED";
                    /** @description Seconds. Present if nothing was written and the same call may be sent again, and for a transaction that may still be recorded. */
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Precondition Failed */
            412: {
                headers: {
                    /** @description The caller's X-Request-Id, or a generated one. */
                    "X-Request-Id"?: string;
                    /** @description The stable code of the error, for programs. See docs/errors.md. */
                    "X-Error-Code"?: "LEDGER.RECORD_CHANGED" | "LEDGER.ASSET_CHANGED";
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Payload Too Large */
            413: {
                headers: {
                    /** @description The caller's X-Request-Id, or a generated one. */
                    "X-Request-Id"?: string;
                    /** @description The stable code of the error, for programs. See docs/errors.md. */
                    "X-Error-Code"?: "API.BODY_TOO_LARGE";
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description URI Too Long */
            414: {
                headers: {
                    /** @description The caller's X-Request-Id, or a generated one. */
                    "X-Request-Id"?: string;
                    /** @description The stable code of the error, for programs. See docs/errors.md. */
                    "X-Error-Code"?: "API.PATH_TOO_LONG";
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Unsupported Media Type */
            415: {
                headers: {
                    /** @description The caller's X-Request-Id, or a generated one. */
                    "X-Request-Id"?: string;
                    /** @description The stable code of the error, for programs. See docs/errors.md. */
                    "X-Error-Code"?: "API.UNSUPPORTED_BODY";
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Unprocessable Entity */
            422: {
                headers: {
                    /** @description The caller's X-Request-Id, or a generated one. */
                    "X-Request-Id"?: string;
                    /** @description The stable code of the error, for programs. See docs/errors.md. */
                    "X-Error-Code"?: "LEDGER.KEY_REUSED";
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Too Many Requests */
            429: {
                headers: {
                    /** @description The caller's X-Request-Id, or a generated one. */
                    "X-Request-Id"?: string;
                    /** @description The stable code of the error, for programs. See docs/errors.md. */
                    "X-Error-Code"?: "API.TOO_MANY_LOGINS" | "API.TOO_MANY_REQUESTS";
                    /** @description With LEDGER_RATE_LIMIT: the remaining requests of the caller, and seconds until the quota is full again. */
                    RateLimit?: string;
                    /** @description With LEDGER_RATE_LIMIT: the quota of requests and its window in seconds. */
                    "RateLimit-Policy"?: string;
                    /** @description Seconds. Present if nothing was written and the same call may be sent again, and for a transaction that may still be recorded. */
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Internal Server Error */
            500: {
                headers: {
                    /** @description The caller's X-Request-Id, or a generated one. */
                    "X-Request-Id"?: string;
                    /** @description The stable code of the error, for programs. See docs/errors.md. */
                    "X-Error-Code"?: "LEDGER.INVALID_TRANSACTION" | "LEDGER.NOT_DETERMINISTIC" | "LEDGER.OVERLOADED" | "LEDGER.DAMAGED" | "LEDGER.MISCONFIGURED" | "API.INTERNAL" | "LEDGER.CONFLICT" | "LEDGER.OUTCOME_UNKNOWN" | "LEDGER.READ_ONLY" | "LEDGER.FUNCTION_UNKNOWN";
                    /** @description Seconds. Present if nothing was written and the same call may be sent again, and for a transaction that may still be recorded. */
                    "Retry-After"?: string;
                    /** @description The transaction whose outcome is unknown: look it up before you send anything again. */
                    "X-Transaction-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Not Implemented */
            501: {
                headers: {
                    /** @description The caller's X-Request-Id, or a generated one. */
                    "X-Request-Id"?: string;
                    /** @description The stable code of the error, for programs. See docs/errors.md. */
                    "X-Error-Code"?: "LEDGER.NOT_SUPPORTED";
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Service Unavailable */
            503: {
                headers: {
                    /** @description The caller's X-Request-Id, or a generated one. */
                    "X-Request-Id"?: string;
                    /** @description The stable code of the error, for programs. See docs/errors.md. */
                    "X-Error-Code"?: "LEDGER.WRITES_DISABLED" | "API.CALLERS_UNAVAILABLE" | "API.ISSUER_UNAVAILABLE" | "LEDGER.UNAVAILABLE" | "LEDGER.TIMEOUT";
                    /** @description Seconds. Present if nothing was written and the same call may be sent again, and for a transaction that may still be recorded. */
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
        };
    };
    deleteRecordOfChannel: {
        parameters: {
            query?: {
                /** @description true erases the documents of all versions. */
                purge?: boolean;
            };
            header?: {
                /** @description Makes the write safe to repeat after any failure: the same key with the same request is one transaction. Use a random value such as a UUID, and a new one for each write. Bare or in double quotes. */
                "Idempotency-Key"?: string;
                /** @description With respond-async the answer is a 202 as soon as an orderer has accepted the transaction, or the embedded ledger has recorded it (RFC 7240). */
                Prefer?: string;
                /** @description An ETag of the asset, or up to 8 with commas between them. The write takes effect only if the asset still has one of them; otherwise the answer is 412. */
                "If-Match"?: string;
            };
            path: {
                /**
                 * @description The name of a channel: the default one, or one of LEDGER_CHANNELS.
                 * @example mychannel
                 */
                channel: string;
                /** @description The name of the record type. */
                type: string;
                /** @description The id of the record, percent-encoded as one path segment. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    /** @description The caller's X-Request-Id, or a generated one. */
                    "X-Request-Id"?: string;
                    /** @description With LEDGER_RATE_LIMIT: the remaining requests of the caller, and seconds until the quota is full again. */
                    RateLimit?: string;
                    /** @description With LEDGER_RATE_LIMIT: the quota of requests and its window in seconds. */
                    "RateLimit-Policy"?: string;
                    /** @description Present if an earlier request with the same Idempotency-Key made the transaction. */
                    "Idempotency-Replayed"?: "true";
                    /** @description The transaction of the write. */
                    "X-Transaction-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ResponseEnvelope"] & {
                        data: components["schemas"]["DeletedRecord"];
                    };
                };
            };
            /** @description Accepted */
            202: {
                headers: {
                    /** @description The caller's X-Request-Id, or a generated one. */
                    "X-Request-Id"?: string;
                    /** @description With LEDGER_RATE_LIMIT: the remaining requests of the caller, and seconds until the quota is full again. */
                    RateLimit?: string;
                    /** @description With LEDGER_RATE_LIMIT: the quota of requests and its window in seconds. */
                    "RateLimit-Policy"?: string;
                    /** @description The transaction of the write. */
                    "X-Transaction-Id"?: string;
                    /** @description The path of the transaction, which is a 404 with Retry-After until it is recorded. */
                    Location?: string;
                    /** @description The preference that was applied. */
                    "Preference-Applied"?: "respond-async";
                    /** @description Seconds after which the transaction may be recorded. */
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ResponseEnvelope"] & {
                        data: components["schemas"]["AcceptedTransaction"];
                    };
                };
            };
            /** @description Bad Request */
            400: {
                headers: {
                    /** @description The caller's X-Request-Id, or a generated one. */
                    "X-Request-Id"?: string;
                    /** @description The stable code of the error, for programs. See docs/errors.md. */
                    "X-Error-Code"?: "LEDGER.RECORD_APPEND_ONLY" | "API.INVALID_REQUEST" | "API.SECRET_IN_URL";
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    /** @description The caller's X-Request-Id, or a generated one. */
                    "X-Request-Id"?: string;
                    /** @description The stable code of the error, for programs. See docs/errors.md. */
                    "X-Error-Code"?: "API.LOGIN_NEEDED" | "API.LOGIN_REFUSED";
                    /** @description How callers log in (RFC 6750, section 3). */
                    "WWW-Authenticate"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Forbidden */
            403: {
                headers: {
                    /** @description The caller's X-Request-Id, or a generated one. */
                    "X-Request-Id"?: string;
                    /** @description The stable code of the error, for programs. See docs/errors.md. */
                    "X-Error-Code"?: "LEDGER.UNKNOWN_CALLER" | "LEDGER.CALLER_REFUSED" | "API.CROSS_SITE" | "API.ROLE_NEEDED" | "API.NO_CALLER" | "API.TLS_NEEDED" | "API.FOREIGN_HOST";
                    /** @description How callers log in (RFC 6750, section 3). */
                    "WWW-Authenticate"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Not Found */
            404: {
                headers: {
                    /** @description The caller's X-Request-Id, or a generated one. */
                    "X-Request-Id"?: string;
                    /** @description The stable code of the error, for programs. See docs/errors.md. */
                    "X-Error-Code"?: "LEDGER.RECORD_TYPE_UNKNOWN" | "LEDGER.RECORD_NOT_FOUND" | "LEDGER.CHANNEL_UNKNOWN";
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Conflict */
            409: {
                headers: {
                    /** @description The caller's X-Request-Id, or a generated one. */
                    "X-Request-Id"?: string;
                    /** @description The stable code of the error, for programs. See docs/errors.md. */
                    "X-Error-Code"?: "LEDGER.RECORD_NOT_ERASABLE" | "LEDGER.KEY_IN_USE" | "LEDGER.OUTCOME_PRUNED";
                    /** @description Seconds. Present if nothing was written and the same call may be sent again, and for a transaction that may still be recorded. */
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Precondition Failed */
            412: {
                headers: {
                    /** @description The caller's X-Request-Id, or a generated one. */
                    "X-Request-Id"?: string;
                    /** @description The stable code of the error, for programs. See docs/errors.md. */
                    "X-Error-Code"?: "LEDGER.RECORD_CHANGED" | "LEDGER.ASSET_CHANGED";
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description URI Too Long */
            414: {
                headers: {
                    /** @description The caller's X-Request-Id, or a generated one. */
                    "X-Request-Id"?: string;
                    /** @description The stable code of the error, for programs. See docs/errors.md. */
                    "X-Error-Code"?: "API.PATH_TOO_LONG";
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Unprocessable Entity */
            422: {
                headers: {
                    /** @description The caller's X-Request-Id, or a generated one. */
                    "X-Request-Id"?: string;
                    /** @description The stable code of the error, for programs. See docs/errors.md. */
                    "X-Error-Code"?: "LEDGER.KEY_REUSED";
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Too Many Requests */
            429: {
                headers: {
                    /** @description The caller's X-Request-Id, or a generated one. */
                    "X-Request-Id"?: string;
                    /** @description The stable code of the error, for programs. See docs/errors.md. */
                    "X-Error-Code"?: "API.TOO_MANY_LOGINS" | "API.TOO_MANY_REQUESTS";
                    /** @description With LEDGER_RATE_LIMIT: the remaining requests of the caller, and seconds until the quota is full again. */
                    RateLimit?: string;
                    /** @description With LEDGER_RATE_LIMIT: the quota of requests and its window in seconds. */
                    "RateLimit-Policy"?: string;
                    /** @description Seconds. Present if nothing was written and the same call may be sent again, and for a transaction that may still be recorded. */
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Internal Server Error */
            500: {
                headers: {
                    /** @description The caller's X-Request-Id, or a generated one. */
                    "X-Request-Id"?: string;
                    /** @description The stable code of the error, for programs. See docs/errors.md. */
                    "X-Error-Code"?: "LEDGER.INVALID_TRANSACTION" | "LEDGER.NOT_DETERMINISTIC" | "LEDGER.OVERLOADED" | "LEDGER.DAMAGED" | "LEDGER.MISCONFIGURED" | "API.INTERNAL" | "LEDGER.CONFLICT" | "LEDGER.OUTCOME_UNKNOWN" | "LEDGER.READ_ONLY" | "LEDGER.FUNCTION_UNKNOWN";
                    /** @description Seconds. Present if nothing was written and the same call may be sent again, and for a transaction that may still be recorded. */
                    "Retry-After"?: string;
                    /** @description The transaction whose outcome is unknown: look it up before you send anything again. */
                    "X-Transaction-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Not Implemented */
            501: {
                headers: {
                    /** @description The caller's X-Request-Id, or a generated one. */
                    "X-Request-Id"?: string;
                    /** @description The stable code of the error, for programs. See docs/errors.md. */
                    "X-Error-Code"?: "LEDGER.NOT_SUPPORTED";
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Service Unavailable */
            503: {
                headers: {
                    /** @description The caller's X-Request-Id, or a generated one. */
                    "X-Request-Id"?: string;
                    /** @description The stable code of the error, for programs. See docs/errors.md. */
                    "X-Error-Code"?: "LEDGER.ERASURE_INCOMPLETE" | "LEDGER.WRITES_DISABLED" | "API.CALLERS_UNAVAILABLE" | "API.ISSUER_UNAVAILABLE" | "LEDGER.UNAVAILABLE" | "LEDGER.TIMEOUT";
                    /** @description Seconds. Present if nothing was written and the same call may be sent again, and for a transaction that may still be recorded. */
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
        };
    };
    listRecordChanges: {
        parameters: {
            query?: {
                /** @description The maximum number of items on the page. The Link header names the next page. A page may be short. */
                limit?: number;
                /** @description The token of a Link header. */
                after?: string;
            };
            header?: never;
            path: {
                /** @description The name of the record type. */
                type: string;
                /** @description The id of the record, percent-encoded as one path segment. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    /** @description The caller's X-Request-Id, or a generated one. */
                    "X-Request-Id"?: string;
                    /** @description With LEDGER_RATE_LIMIT: the remaining requests of the caller, and seconds until the quota is full again. */
                    RateLimit?: string;
                    /** @description With LEDGER_RATE_LIMIT: the quota of requests and its window in seconds. */
                    "RateLimit-Policy"?: string;
                    /** @description The next page, rel="next". */
                    Link?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ResponseEnvelope"] & {
                        data: components["schemas"]["RecordHistoryPage"];
                    };
                };
            };
            /** @description Bad Request */
            400: {
                headers: {
                    /** @description The caller's X-Request-Id, or a generated one. */
                    "X-Request-Id"?: string;
                    /** @description The stable code of the error, for programs. See docs/errors.md. */
                    "X-Error-Code"?: "API.INVALID_REQUEST" | "API.SECRET_IN_URL";
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    /** @description The caller's X-Request-Id, or a generated one. */
                    "X-Request-Id"?: string;
                    /** @description The stable code of the error, for programs. See docs/errors.md. */
                    "X-Error-Code"?: "API.LOGIN_NEEDED" | "API.LOGIN_REFUSED";
                    /** @description How callers log in (RFC 6750, section 3). */
                    "WWW-Authenticate"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Forbidden */
            403: {
                headers: {
                    /** @description The caller's X-Request-Id, or a generated one. */
                    "X-Request-Id"?: string;
                    /** @description The stable code of the error, for programs. See docs/errors.md. */
                    "X-Error-Code"?: "LEDGER.UNKNOWN_CALLER" | "LEDGER.CALLER_REFUSED" | "API.ROLE_NEEDED" | "API.NO_CALLER" | "API.TLS_NEEDED" | "API.FOREIGN_HOST";
                    /** @description How callers log in (RFC 6750, section 3). */
                    "WWW-Authenticate"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Not Found */
            404: {
                headers: {
                    /** @description The caller's X-Request-Id, or a generated one. */
                    "X-Request-Id"?: string;
                    /** @description The stable code of the error, for programs. See docs/errors.md. */
                    "X-Error-Code"?: "LEDGER.RECORD_TYPE_UNKNOWN" | "LEDGER.RECORD_NOT_FOUND";
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description URI Too Long */
            414: {
                headers: {
                    /** @description The caller's X-Request-Id, or a generated one. */
                    "X-Request-Id"?: string;
                    /** @description The stable code of the error, for programs. See docs/errors.md. */
                    "X-Error-Code"?: "API.PATH_TOO_LONG";
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Too Many Requests */
            429: {
                headers: {
                    /** @description The caller's X-Request-Id, or a generated one. */
                    "X-Request-Id"?: string;
                    /** @description The stable code of the error, for programs. See docs/errors.md. */
                    "X-Error-Code"?: "API.TOO_MANY_LOGINS" | "API.TOO_MANY_REQUESTS";
                    /** @description With LEDGER_RATE_LIMIT: the remaining requests of the caller, and seconds until the quota is full again. */
                    RateLimit?: string;
                    /** @description With LEDGER_RATE_LIMIT: the quota of requests and its window in seconds. */
                    "RateLimit-Policy"?: string;
                    /** @description Seconds. Present if nothing was written and the same call may be sent again, and for a transaction that may still be recorded. */
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Internal Server Error */
            500: {
                headers: {
                    /** @description The caller's X-Request-Id, or a generated one. */
                    "X-Request-Id"?: string;
                    /** @description The stable code of the error, for programs. See docs/errors.md. */
                    "X-Error-Code"?: "LEDGER.UNAVAILABLE" | "LEDGER.TIMEOUT" | "LEDGER.OVERLOADED" | "LEDGER.DAMAGED" | "LEDGER.MISCONFIGURED" | "API.INTERNAL" | "LEDGER.FUNCTION_UNKNOWN" | "LEDGER.REFUSED";
                    /** @description Seconds. Present if nothing was written and the same call may be sent again, and for a transaction that may still be recorded. */
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Not Implemented */
            501: {
                headers: {
                    /** @description The caller's X-Request-Id, or a generated one. */
                    "X-Request-Id"?: string;
                    /** @description The stable code of the error, for programs. See docs/errors.md. */
                    "X-Error-Code"?: "LEDGER.NOT_SUPPORTED";
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Service Unavailable */
            503: {
                headers: {
                    /** @description The caller's X-Request-Id, or a generated one. */
                    "X-Request-Id"?: string;
                    /** @description The stable code of the error, for programs. See docs/errors.md. */
                    "X-Error-Code"?: "API.CALLERS_UNAVAILABLE" | "API.ISSUER_UNAVAILABLE";
                    /** @description Seconds. Present if nothing was written and the same call may be sent again, and for a transaction that may still be recorded. */
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
        };
    };
    listRecordChangesOfChannel: {
        parameters: {
            query?: {
                /** @description The maximum number of items on the page. The Link header names the next page. A page may be short. */
                limit?: number;
                /** @description The token of a Link header. */
                after?: string;
            };
            header?: never;
            path: {
                /**
                 * @description The name of a channel: the default one, or one of LEDGER_CHANNELS.
                 * @example mychannel
                 */
                channel: string;
                /** @description The name of the record type. */
                type: string;
                /** @description The id of the record, percent-encoded as one path segment. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    /** @description The caller's X-Request-Id, or a generated one. */
                    "X-Request-Id"?: string;
                    /** @description With LEDGER_RATE_LIMIT: the remaining requests of the caller, and seconds until the quota is full again. */
                    RateLimit?: string;
                    /** @description With LEDGER_RATE_LIMIT: the quota of requests and its window in seconds. */
                    "RateLimit-Policy"?: string;
                    /** @description The next page, rel="next". */
                    Link?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ResponseEnvelope"] & {
                        data: components["schemas"]["RecordHistoryPage"];
                    };
                };
            };
            /** @description Bad Request */
            400: {
                headers: {
                    /** @description The caller's X-Request-Id, or a generated one. */
                    "X-Request-Id"?: string;
                    /** @description The stable code of the error, for programs. See docs/errors.md. */
                    "X-Error-Code"?: "API.INVALID_REQUEST" | "API.SECRET_IN_URL";
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    /** @description The caller's X-Request-Id, or a generated one. */
                    "X-Request-Id"?: string;
                    /** @description The stable code of the error, for programs. See docs/errors.md. */
                    "X-Error-Code"?: "API.LOGIN_NEEDED" | "API.LOGIN_REFUSED";
                    /** @description How callers log in (RFC 6750, section 3). */
                    "WWW-Authenticate"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Forbidden */
            403: {
                headers: {
                    /** @description The caller's X-Request-Id, or a generated one. */
                    "X-Request-Id"?: string;
                    /** @description The stable code of the error, for programs. See docs/errors.md. */
                    "X-Error-Code"?: "LEDGER.UNKNOWN_CALLER" | "LEDGER.CALLER_REFUSED" | "API.ROLE_NEEDED" | "API.NO_CALLER" | "API.TLS_NEEDED" | "API.FOREIGN_HOST";
                    /** @description How callers log in (RFC 6750, section 3). */
                    "WWW-Authenticate"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Not Found */
            404: {
                headers: {
                    /** @description The caller's X-Request-Id, or a generated one. */
                    "X-Request-Id"?: string;
                    /** @description The stable code of the error, for programs. See docs/errors.md. */
                    "X-Error-Code"?: "LEDGER.RECORD_TYPE_UNKNOWN" | "LEDGER.RECORD_NOT_FOUND" | "LEDGER.CHANNEL_UNKNOWN";
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description URI Too Long */
            414: {
                headers: {
                    /** @description The caller's X-Request-Id, or a generated one. */
                    "X-Request-Id"?: string;
                    /** @description The stable code of the error, for programs. See docs/errors.md. */
                    "X-Error-Code"?: "API.PATH_TOO_LONG";
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Too Many Requests */
            429: {
                headers: {
                    /** @description The caller's X-Request-Id, or a generated one. */
                    "X-Request-Id"?: string;
                    /** @description The stable code of the error, for programs. See docs/errors.md. */
                    "X-Error-Code"?: "API.TOO_MANY_LOGINS" | "API.TOO_MANY_REQUESTS";
                    /** @description With LEDGER_RATE_LIMIT: the remaining requests of the caller, and seconds until the quota is full again. */
                    RateLimit?: string;
                    /** @description With LEDGER_RATE_LIMIT: the quota of requests and its window in seconds. */
                    "RateLimit-Policy"?: string;
                    /** @description Seconds. Present if nothing was written and the same call may be sent again, and for a transaction that may still be recorded. */
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Internal Server Error */
            500: {
                headers: {
                    /** @description The caller's X-Request-Id, or a generated one. */
                    "X-Request-Id"?: string;
                    /** @description The stable code of the error, for programs. See docs/errors.md. */
                    "X-Error-Code"?: "LEDGER.OVERLOADED" | "LEDGER.DAMAGED" | "LEDGER.MISCONFIGURED" | "API.INTERNAL" | "LEDGER.FUNCTION_UNKNOWN" | "LEDGER.REFUSED";
                    /** @description Seconds. Present if nothing was written and the same call may be sent again, and for a transaction that may still be recorded. */
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Not Implemented */
            501: {
                headers: {
                    /** @description The caller's X-Request-Id, or a generated one. */
                    "X-Request-Id"?: string;
                    /** @description The stable code of the error, for programs. See docs/errors.md. */
                    "X-Error-Code"?: "LEDGER.NOT_SUPPORTED";
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Service Unavailable */
            503: {
                headers: {
                    /** @description The caller's X-Request-Id, or a generated one. */
                    "X-Request-Id"?: string;
                    /** @description The stable code of the error, for programs. See docs/errors.md. */
                    "X-Error-Code"?: "API.CALLERS_UNAVAILABLE" | "API.ISSUER_UNAVAILABLE" | "LEDGER.UNAVAILABLE" | "LEDGER.TIMEOUT";
                    /** @description Seconds. Present if nothing was written and the same call may be sent again, and for a transaction that may still be recorded. */
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
        };
    };
    listContracts: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    /** @description The caller's X-Request-Id, or a generated one. */
                    "X-Request-Id"?: string;
                    /** @description With LEDGER_RATE_LIMIT: the remaining requests of the caller, and seconds until the quota is full again. */
                    RateLimit?: string;
                    /** @description With LEDGER_RATE_LIMIT: the quota of requests and its window in seconds. */
                    "RateLimit-Policy"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ResponseEnvelope"] & {
                        data: components["schemas"]["ContractName"][];
                    };
                };
            };
            /** @description Bad Request */
            400: {
                headers: {
                    /** @description The caller's X-Request-Id, or a generated one. */
                    "X-Request-Id"?: string;
                    /** @description The stable code of the error, for programs. See docs/errors.md. */
                    "X-Error-Code"?: "API.INVALID_REQUEST" | "API.SECRET_IN_URL";
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    /** @description The caller's X-Request-Id, or a generated one. */
                    "X-Request-Id"?: string;
                    /** @description The stable code of the error, for programs. See docs/errors.md. */
                    "X-Error-Code"?: "API.LOGIN_NEEDED" | "API.LOGIN_REFUSED";
                    /** @description How callers log in (RFC 6750, section 3). */
                    "WWW-Authenticate"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Forbidden */
            403: {
                headers: {
                    /** @description The caller's X-Request-Id, or a generated one. */
                    "X-Request-Id"?: string;
                    /** @description The stable code of the error, for programs. See docs/errors.md. */
                    "X-Error-Code"?: "API.ROLE_NEEDED" | "API.NO_CALLER" | "API.TLS_NEEDED" | "API.FOREIGN_HOST";
                    /** @description How callers log in (RFC 6750, section 3). */
                    "WWW-Authenticate"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Too Many Requests */
            429: {
                headers: {
                    /** @description The caller's X-Request-Id, or a generated one. */
                    "X-Request-Id"?: string;
                    /** @description The stable code of the error, for programs. See docs/errors.md. */
                    "X-Error-Code"?: "API.TOO_MANY_LOGINS" | "API.TOO_MANY_REQUESTS";
                    /** @description With LEDGER_RATE_LIMIT: the remaining requests of the caller, and seconds until the quota is full again. */
                    RateLimit?: string;
                    /** @description With LEDGER_RATE_LIMIT: the quota of requests and its window in seconds. */
                    "RateLimit-Policy"?: string;
                    /** @description Seconds. Present if nothing was written and the same call may be sent again, and for a transaction that may still be recorded. */
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Service Unavailable */
            503: {
                headers: {
                    /** @description The caller's X-Request-Id, or a generated one. */
                    "X-Request-Id"?: string;
                    /** @description The stable code of the error, for programs. See docs/errors.md. */
                    "X-Error-Code"?: "API.CALLERS_UNAVAILABLE" | "API.ISSUER_UNAVAILABLE";
                    /** @description Seconds. Present if nothing was written and the same call may be sent again, and for a transaction that may still be recorded. */
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
        };
    };
    listContractsOfChannel: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The name of a channel: the default one, or one of LEDGER_CHANNELS.
                 * @example mychannel
                 */
                channel: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    /** @description The caller's X-Request-Id, or a generated one. */
                    "X-Request-Id"?: string;
                    /** @description With LEDGER_RATE_LIMIT: the remaining requests of the caller, and seconds until the quota is full again. */
                    RateLimit?: string;
                    /** @description With LEDGER_RATE_LIMIT: the quota of requests and its window in seconds. */
                    "RateLimit-Policy"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ResponseEnvelope"] & {
                        data: components["schemas"]["ContractName"][];
                    };
                };
            };
            /** @description Bad Request */
            400: {
                headers: {
                    /** @description The caller's X-Request-Id, or a generated one. */
                    "X-Request-Id"?: string;
                    /** @description The stable code of the error, for programs. See docs/errors.md. */
                    "X-Error-Code"?: "API.INVALID_REQUEST" | "API.SECRET_IN_URL";
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    /** @description The caller's X-Request-Id, or a generated one. */
                    "X-Request-Id"?: string;
                    /** @description The stable code of the error, for programs. See docs/errors.md. */
                    "X-Error-Code"?: "API.LOGIN_NEEDED" | "API.LOGIN_REFUSED";
                    /** @description How callers log in (RFC 6750, section 3). */
                    "WWW-Authenticate"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Forbidden */
            403: {
                headers: {
                    /** @description The caller's X-Request-Id, or a generated one. */
                    "X-Request-Id"?: string;
                    /** @description The stable code of the error, for programs. See docs/errors.md. */
                    "X-Error-Code"?: "API.ROLE_NEEDED" | "API.NO_CALLER" | "API.TLS_NEEDED" | "API.FOREIGN_HOST";
                    /** @description How callers log in (RFC 6750, section 3). */
                    "WWW-Authenticate"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Not Found */
            404: {
                headers: {
                    /** @description The caller's X-Request-Id, or a generated one. */
                    "X-Request-Id"?: string;
                    /** @description The stable code of the error, for programs. See docs/errors.md. */
                    "X-Error-Code"?: "LEDGER.CHANNEL_UNKNOWN";
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Too Many Requests */
            429: {
                headers: {
                    /** @description The caller's X-Request-Id, or a generated one. */
                    "X-Request-Id"?: string;
                    /** @description The stable code of the error, for programs. See docs/errors.md. */
                    "X-Error-Code"?: "API.TOO_MANY_LOGINS" | "API.TOO_MANY_REQUESTS";
                    /** @description With LEDGER_RATE_LIMIT: the remaining requests of the caller, and seconds until the quota is full again. */
                    RateLimit?: string;
                    /** @description With LEDGER_RATE_LIMIT: the quota of requests and its window in seconds. */
                    "RateLimit-Policy"?: string;
                    /** @description Seconds. Present if nothing was written and the same call may be sent again, and for a transaction that may still be recorded. */
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Service Unavailable */
            503: {
                headers: {
                    /** @description The caller's X-Request-Id, or a generated one. */
                    "X-Request-Id"?: string;
                    /** @description The stable code of the error, for programs. See docs/errors.md. */
                    "X-Error-Code"?: "API.CALLERS_UNAVAILABLE" | "API.ISSUER_UNAVAILABLE";
                    /** @description Seconds. Present if nothing was written and the same call may be sent again, and for a transaction that may still be recorded. */
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
        };
    };
    describeContract: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The name of a chaincode of the channel. */
                chaincode: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    /** @description The caller's X-Request-Id, or a generated one. */
                    "X-Request-Id"?: string;
                    /** @description With LEDGER_RATE_LIMIT: the remaining requests of the caller, and seconds until the quota is full again. */
                    RateLimit?: string;
                    /** @description With LEDGER_RATE_LIMIT: the quota of requests and its window in seconds. */
                    "RateLimit-Policy"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ResponseEnvelope"] & {
                        data: components["schemas"]["ContractDescription"];
                    };
                };
            };
            /** @description Bad Request */
            400: {
                headers: {
                    /** @description The caller's X-Request-Id, or a generated one. */
                    "X-Request-Id"?: string;
                    /** @description The stable code of the error, for programs. See docs/errors.md. */
                    "X-Error-Code"?: "API.INVALID_REQUEST" | "API.SECRET_IN_URL";
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    /** @description The caller's X-Request-Id, or a generated one. */
                    "X-Request-Id"?: string;
                    /** @description The stable code of the error, for programs. See docs/errors.md. */
                    "X-Error-Code"?: "API.LOGIN_NEEDED" | "API.LOGIN_REFUSED";
                    /** @description How callers log in (RFC 6750, section 3). */
                    "WWW-Authenticate"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Forbidden */
            403: {
                headers: {
                    /** @description The caller's X-Request-Id, or a generated one. */
                    "X-Request-Id"?: string;
                    /** @description The stable code of the error, for programs. See docs/errors.md. */
                    "X-Error-Code"?: "API.NOT_LISTED" | "LEDGER.UNKNOWN_CALLER" | "LEDGER.CALLER_REFUSED" | "API.ROLE_NEEDED" | "API.NO_CALLER" | "API.TLS_NEEDED" | "API.FOREIGN_HOST";
                    /** @description How callers log in (RFC 6750, section 3). */
                    "WWW-Authenticate"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Not Found */
            404: {
                headers: {
                    /** @description The caller's X-Request-Id, or a generated one. */
                    "X-Request-Id"?: string;
                    /** @description The stable code of the error, for programs. See docs/errors.md. */
                    "X-Error-Code"?: "LEDGER.CHAINCODE_UNKNOWN";
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description URI Too Long */
            414: {
                headers: {
                    /** @description The caller's X-Request-Id, or a generated one. */
                    "X-Request-Id"?: string;
                    /** @description The stable code of the error, for programs. See docs/errors.md. */
                    "X-Error-Code"?: "API.PATH_TOO_LONG";
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Too Many Requests */
            429: {
                headers: {
                    /** @description The caller's X-Request-Id, or a generated one. */
                    "X-Request-Id"?: string;
                    /** @description The stable code of the error, for programs. See docs/errors.md. */
                    "X-Error-Code"?: "API.TOO_MANY_LOGINS" | "API.TOO_MANY_REQUESTS";
                    /** @description With LEDGER_RATE_LIMIT: the remaining requests of the caller, and seconds until the quota is full again. */
                    RateLimit?: string;
                    /** @description With LEDGER_RATE_LIMIT: the quota of requests and its window in seconds. */
                    "RateLimit-Policy"?: string;
                    /** @description Seconds. Present if nothing was written and the same call may be sent again, and for a transaction that may still be recorded. */
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Internal Server Error */
            500: {
                headers: {
                    /** @description The caller's X-Request-Id, or a generated one. */
                    "X-Request-Id"?: string;
                    /** @description The stable code of the error, for programs. See docs/errors.md. */
                    "X-Error-Code"?: "LEDGER.UNAVAILABLE" | "LEDGER.TIMEOUT" | "LEDGER.OVERLOADED" | "LEDGER.DAMAGED" | "LEDGER.MISCONFIGURED" | "API.INTERNAL";
                    /** @description Seconds. Present if nothing was written and the same call may be sent again, and for a transaction that may still be recorded. */
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Not Implemented */
            501: {
                headers: {
                    /** @description The caller's X-Request-Id, or a generated one. */
                    "X-Request-Id"?: string;
                    /** @description The stable code of the error, for programs. See docs/errors.md. */
                    "X-Error-Code"?: "LEDGER.NOT_SUPPORTED";
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Service Unavailable */
            503: {
                headers: {
                    /** @description The caller's X-Request-Id, or a generated one. */
                    "X-Request-Id"?: string;
                    /** @description The stable code of the error, for programs. See docs/errors.md. */
                    "X-Error-Code"?: "API.CALLERS_UNAVAILABLE" | "API.ISSUER_UNAVAILABLE";
                    /** @description Seconds. Present if nothing was written and the same call may be sent again, and for a transaction that may still be recorded. */
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
        };
    };
    describeContractOfChannel: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The name of a channel: the default one, or one of LEDGER_CHANNELS.
                 * @example mychannel
                 */
                channel: string;
                /** @description The name of a chaincode of the channel. */
                chaincode: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    /** @description The caller's X-Request-Id, or a generated one. */
                    "X-Request-Id"?: string;
                    /** @description With LEDGER_RATE_LIMIT: the remaining requests of the caller, and seconds until the quota is full again. */
                    RateLimit?: string;
                    /** @description With LEDGER_RATE_LIMIT: the quota of requests and its window in seconds. */
                    "RateLimit-Policy"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ResponseEnvelope"] & {
                        data: components["schemas"]["ContractDescription"];
                    };
                };
            };
            /** @description Bad Request */
            400: {
                headers: {
                    /** @description The caller's X-Request-Id, or a generated one. */
                    "X-Request-Id"?: string;
                    /** @description The stable code of the error, for programs. See docs/errors.md. */
                    "X-Error-Code"?: "API.INVALID_REQUEST" | "API.SECRET_IN_URL";
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    /** @description The caller's X-Request-Id, or a generated one. */
                    "X-Request-Id"?: string;
                    /** @description The stable code of the error, for programs. See docs/errors.md. */
                    "X-Error-Code"?: "API.LOGIN_NEEDED" | "API.LOGIN_REFUSED";
                    /** @description How callers log in (RFC 6750, section 3). */
                    "WWW-Authenticate"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Forbidden */
            403: {
                headers: {
                    /** @description The caller's X-Request-Id, or a generated one. */
                    "X-Request-Id"?: string;
                    /** @description The stable code of the error, for programs. See docs/errors.md. */
                    "X-Error-Code"?: "API.NOT_LISTED" | "LEDGER.UNKNOWN_CALLER" | "LEDGER.CALLER_REFUSED" | "API.ROLE_NEEDED" | "API.NO_CALLER" | "API.TLS_NEEDED" | "API.FOREIGN_HOST";
                    /** @description How callers log in (RFC 6750, section 3). */
                    "WWW-Authenticate"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Not Found */
            404: {
                headers: {
                    /** @description The caller's X-Request-Id, or a generated one. */
                    "X-Request-Id"?: string;
                    /** @description The stable code of the error, for programs. See docs/errors.md. */
                    "X-Error-Code"?: "LEDGER.CHAINCODE_UNKNOWN" | "LEDGER.CHANNEL_UNKNOWN";
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description URI Too Long */
            414: {
                headers: {
                    /** @description The caller's X-Request-Id, or a generated one. */
                    "X-Request-Id"?: string;
                    /** @description The stable code of the error, for programs. See docs/errors.md. */
                    "X-Error-Code"?: "API.PATH_TOO_LONG";
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Too Many Requests */
            429: {
                headers: {
                    /** @description The caller's X-Request-Id, or a generated one. */
                    "X-Request-Id"?: string;
                    /** @description The stable code of the error, for programs. See docs/errors.md. */
                    "X-Error-Code"?: "API.TOO_MANY_LOGINS" | "API.TOO_MANY_REQUESTS";
                    /** @description With LEDGER_RATE_LIMIT: the remaining requests of the caller, and seconds until the quota is full again. */
                    RateLimit?: string;
                    /** @description With LEDGER_RATE_LIMIT: the quota of requests and its window in seconds. */
                    "RateLimit-Policy"?: string;
                    /** @description Seconds. Present if nothing was written and the same call may be sent again, and for a transaction that may still be recorded. */
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Internal Server Error */
            500: {
                headers: {
                    /** @description The caller's X-Request-Id, or a generated one. */
                    "X-Request-Id"?: string;
                    /** @description The stable code of the error, for programs. See docs/errors.md. */
                    "X-Error-Code"?: "LEDGER.OVERLOADED" | "LEDGER.DAMAGED" | "LEDGER.MISCONFIGURED" | "API.INTERNAL";
                    /** @description Seconds. Present if nothing was written and the same call may be sent again, and for a transaction that may still be recorded. */
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Not Implemented */
            501: {
                headers: {
                    /** @description The caller's X-Request-Id, or a generated one. */
                    "X-Request-Id"?: string;
                    /** @description The stable code of the error, for programs. See docs/errors.md. */
                    "X-Error-Code"?: "LEDGER.NOT_SUPPORTED";
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Service Unavailable */
            503: {
                headers: {
                    /** @description The caller's X-Request-Id, or a generated one. */
                    "X-Request-Id"?: string;
                    /** @description The stable code of the error, for programs. See docs/errors.md. */
                    "X-Error-Code"?: "API.CALLERS_UNAVAILABLE" | "API.ISSUER_UNAVAILABLE" | "LEDGER.UNAVAILABLE" | "LEDGER.TIMEOUT";
                    /** @description Seconds. Present if nothing was written and the same call may be sent again, and for a transaction that may still be recorded. */
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
        };
    };
    getContractMetadata: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The name of a chaincode of the channel. */
                chaincode: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    /** @description The caller's X-Request-Id, or a generated one. */
                    "X-Request-Id"?: string;
                    /** @description With LEDGER_RATE_LIMIT: the remaining requests of the caller, and seconds until the quota is full again. */
                    RateLimit?: string;
                    /** @description With LEDGER_RATE_LIMIT: the quota of requests and its window in seconds. */
                    "RateLimit-Policy"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ResponseEnvelope"] & {
                        data: components["schemas"]["ContractMetadata"];
                    };
                };
            };
            /** @description Bad Request */
            400: {
                headers: {
                    /** @description The caller's X-Request-Id, or a generated one. */
                    "X-Request-Id"?: string;
                    /** @description The stable code of the error, for programs. See docs/errors.md. */
                    "X-Error-Code"?: "API.INVALID_REQUEST" | "API.SECRET_IN_URL";
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    /** @description The caller's X-Request-Id, or a generated one. */
                    "X-Request-Id"?: string;
                    /** @description The stable code of the error, for programs. See docs/errors.md. */
                    "X-Error-Code"?: "API.LOGIN_NEEDED" | "API.LOGIN_REFUSED";
                    /** @description How callers log in (RFC 6750, section 3). */
                    "WWW-Authenticate"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Forbidden */
            403: {
                headers: {
                    /** @description The caller's X-Request-Id, or a generated one. */
                    "X-Request-Id"?: string;
                    /** @description The stable code of the error, for programs. See docs/errors.md. */
                    "X-Error-Code"?: "API.NOT_LISTED" | "LEDGER.UNKNOWN_CALLER" | "LEDGER.CALLER_REFUSED" | "API.ROLE_NEEDED" | "API.NO_CALLER" | "API.TLS_NEEDED" | "API.FOREIGN_HOST";
                    /** @description How callers log in (RFC 6750, section 3). */
                    "WWW-Authenticate"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Not Found */
            404: {
                headers: {
                    /** @description The caller's X-Request-Id, or a generated one. */
                    "X-Request-Id"?: string;
                    /** @description The stable code of the error, for programs. See docs/errors.md. */
                    "X-Error-Code"?: "LEDGER.CHAINCODE_UNKNOWN";
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description URI Too Long */
            414: {
                headers: {
                    /** @description The caller's X-Request-Id, or a generated one. */
                    "X-Request-Id"?: string;
                    /** @description The stable code of the error, for programs. See docs/errors.md. */
                    "X-Error-Code"?: "API.PATH_TOO_LONG";
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Too Many Requests */
            429: {
                headers: {
                    /** @description The caller's X-Request-Id, or a generated one. */
                    "X-Request-Id"?: string;
                    /** @description The stable code of the error, for programs. See docs/errors.md. */
                    "X-Error-Code"?: "API.TOO_MANY_LOGINS" | "API.TOO_MANY_REQUESTS";
                    /** @description With LEDGER_RATE_LIMIT: the remaining requests of the caller, and seconds until the quota is full again. */
                    RateLimit?: string;
                    /** @description With LEDGER_RATE_LIMIT: the quota of requests and its window in seconds. */
                    "RateLimit-Policy"?: string;
                    /** @description Seconds. Present if nothing was written and the same call may be sent again, and for a transaction that may still be recorded. */
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Internal Server Error */
            500: {
                headers: {
                    /** @description The caller's X-Request-Id, or a generated one. */
                    "X-Request-Id"?: string;
                    /** @description The stable code of the error, for programs. See docs/errors.md. */
                    "X-Error-Code"?: "LEDGER.UNAVAILABLE" | "LEDGER.TIMEOUT" | "LEDGER.OVERLOADED" | "LEDGER.DAMAGED" | "LEDGER.MISCONFIGURED" | "API.INTERNAL";
                    /** @description Seconds. Present if nothing was written and the same call may be sent again, and for a transaction that may still be recorded. */
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Not Implemented */
            501: {
                headers: {
                    /** @description The caller's X-Request-Id, or a generated one. */
                    "X-Request-Id"?: string;
                    /** @description The stable code of the error, for programs. See docs/errors.md. */
                    "X-Error-Code"?: "LEDGER.NOT_SUPPORTED";
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Service Unavailable */
            503: {
                headers: {
                    /** @description The caller's X-Request-Id, or a generated one. */
                    "X-Request-Id"?: string;
                    /** @description The stable code of the error, for programs. See docs/errors.md. */
                    "X-Error-Code"?: "API.CALLERS_UNAVAILABLE" | "API.ISSUER_UNAVAILABLE";
                    /** @description Seconds. Present if nothing was written and the same call may be sent again, and for a transaction that may still be recorded. */
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
        };
    };
    getContractMetadataOfChannel: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The name of a channel: the default one, or one of LEDGER_CHANNELS.
                 * @example mychannel
                 */
                channel: string;
                /** @description The name of a chaincode of the channel. */
                chaincode: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    /** @description The caller's X-Request-Id, or a generated one. */
                    "X-Request-Id"?: string;
                    /** @description With LEDGER_RATE_LIMIT: the remaining requests of the caller, and seconds until the quota is full again. */
                    RateLimit?: string;
                    /** @description With LEDGER_RATE_LIMIT: the quota of requests and its window in seconds. */
                    "RateLimit-Policy"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ResponseEnvelope"] & {
                        data: components["schemas"]["ContractMetadata"];
                    };
                };
            };
            /** @description Bad Request */
            400: {
                headers: {
                    /** @description The caller's X-Request-Id, or a generated one. */
                    "X-Request-Id"?: string;
                    /** @description The stable code of the error, for programs. See docs/errors.md. */
                    "X-Error-Code"?: "API.INVALID_REQUEST" | "API.SECRET_IN_URL";
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    /** @description The caller's X-Request-Id, or a generated one. */
                    "X-Request-Id"?: string;
                    /** @description The stable code of the error, for programs. See docs/errors.md. */
                    "X-Error-Code"?: "API.LOGIN_NEEDED" | "API.LOGIN_REFUSED";
                    /** @description How callers log in (RFC 6750, section 3). */
                    "WWW-Authenticate"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Forbidden */
            403: {
                headers: {
                    /** @description The caller's X-Request-Id, or a generated one. */
                    "X-Request-Id"?: string;
                    /** @description The stable code of the error, for programs. See docs/errors.md. */
                    "X-Error-Code"?: "API.NOT_LISTED" | "LEDGER.UNKNOWN_CALLER" | "LEDGER.CALLER_REFUSED" | "API.ROLE_NEEDED" | "API.NO_CALLER" | "API.TLS_NEEDED" | "API.FOREIGN_HOST";
                    /** @description How callers log in (RFC 6750, section 3). */
                    "WWW-Authenticate"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Not Found */
            404: {
                headers: {
                    /** @description The caller's X-Request-Id, or a generated one. */
                    "X-Request-Id"?: string;
                    /** @description The stable code of the error, for programs. See docs/errors.md. */
                    "X-Error-Code"?: "LEDGER.CHAINCODE_UNKNOWN" | "LEDGER.CHANNEL_UNKNOWN";
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description URI Too Long */
            414: {
                headers: {
                    /** @description The caller's X-Request-Id, or a generated one. */
                    "X-Request-Id"?: string;
                    /** @description The stable code of the error, for programs. See docs/errors.md. */
                    "X-Error-Code"?: "API.PATH_TOO_LONG";
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Too Many Requests */
            429: {
                headers: {
                    /** @description The caller's X-Request-Id, or a generated one. */
                    "X-Request-Id"?: string;
                    /** @description The stable code of the error, for programs. See docs/errors.md. */
                    "X-Error-Code"?: "API.TOO_MANY_LOGINS" | "API.TOO_MANY_REQUESTS";
                    /** @description With LEDGER_RATE_LIMIT: the remaining requests of the caller, and seconds until the quota is full again. */
                    RateLimit?: string;
                    /** @description With LEDGER_RATE_LIMIT: the quota of requests and its window in seconds. */
                    "RateLimit-Policy"?: string;
                    /** @description Seconds. Present if nothing was written and the same call may be sent again, and for a transaction that may still be recorded. */
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Internal Server Error */
            500: {
                headers: {
                    /** @description The caller's X-Request-Id, or a generated one. */
                    "X-Request-Id"?: string;
                    /** @description The stable code of the error, for programs. See docs/errors.md. */
                    "X-Error-Code"?: "LEDGER.OVERLOADED" | "LEDGER.DAMAGED" | "LEDGER.MISCONFIGURED" | "API.INTERNAL";
                    /** @description Seconds. Present if nothing was written and the same call may be sent again, and for a transaction that may still be recorded. */
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Not Implemented */
            501: {
                headers: {
                    /** @description The caller's X-Request-Id, or a generated one. */
                    "X-Request-Id"?: string;
                    /** @description The stable code of the error, for programs. See docs/errors.md. */
                    "X-Error-Code"?: "LEDGER.NOT_SUPPORTED";
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Service Unavailable */
            503: {
                headers: {
                    /** @description The caller's X-Request-Id, or a generated one. */
                    "X-Request-Id"?: string;
                    /** @description The stable code of the error, for programs. See docs/errors.md. */
                    "X-Error-Code"?: "API.CALLERS_UNAVAILABLE" | "API.ISSUER_UNAVAILABLE" | "LEDGER.UNAVAILABLE" | "LEDGER.TIMEOUT";
                    /** @description Seconds. Present if nothing was written and the same call may be sent again, and for a transaction that may still be recorded. */
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
        };
    };
    evaluateContract: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The name of a chaincode of the channel. */
                chaincode: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ContractCall"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    /** @description The caller's X-Request-Id, or a generated one. */
                    "X-Request-Id"?: string;
                    /** @description With LEDGER_RATE_LIMIT: the remaining requests of the caller, and seconds until the quota is full again. */
                    RateLimit?: string;
                    /** @description With LEDGER_RATE_LIMIT: the quota of requests and its window in seconds. */
                    "RateLimit-Policy"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ResponseEnvelope"] & {
                        data: components["schemas"]["ContractResult"];
                    };
                };
            };
            /** @description Bad Request */
            400: {
                headers: {
                    /** @description The caller's X-Request-Id, or a generated one. */
                    "X-Request-Id"?: string;
                    /** @description The stable code of the error, for programs. See docs/errors.md. */
                    "X-Error-Code"?: "API.INVALID_REQUEST" | "LEDGER.ORGANIZATION_UNKNOWN" | "LEDGER.POLICY_UNSATISFIABLE" | "API.SECRET_IN_URL";
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    /** @description The caller's X-Request-Id, or a generated one. */
                    "X-Request-Id"?: string;
                    /** @description The stable code of the error, for programs. See docs/errors.md. */
                    "X-Error-Code"?: "API.LOGIN_NEEDED" | "API.LOGIN_REFUSED";
                    /** @description How callers log in (RFC 6750, section 3). */
                    "WWW-Authenticate"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Forbidden */
            403: {
                headers: {
                    /** @description The caller's X-Request-Id, or a generated one. */
                    "X-Request-Id"?: string;
                    /** @description The stable code of the error, for programs. See docs/errors.md. */
                    "X-Error-Code"?: "API.CROSS_SITE" | "API.NOT_LISTED" | "LEDGER.UNKNOWN_CALLER" | "LEDGER.CALLER_REFUSED" | "API.ROLE_NEEDED" | "API.NO_CALLER" | "API.TLS_NEEDED" | "API.FOREIGN_HOST";
                    /** @description How callers log in (RFC 6750, section 3). */
                    "WWW-Authenticate"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Not Found */
            404: {
                headers: {
                    /** @description The caller's X-Request-Id, or a generated one. */
                    "X-Request-Id"?: string;
                    /** @description The stable code of the error, for programs. See docs/errors.md. */
                    "X-Error-Code"?: "LEDGER.CHAINCODE_UNKNOWN";
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Payload Too Large */
            413: {
                headers: {
                    /** @description The caller's X-Request-Id, or a generated one. */
                    "X-Request-Id"?: string;
                    /** @description The stable code of the error, for programs. See docs/errors.md. */
                    "X-Error-Code"?: "API.BODY_TOO_LARGE";
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description URI Too Long */
            414: {
                headers: {
                    /** @description The caller's X-Request-Id, or a generated one. */
                    "X-Request-Id"?: string;
                    /** @description The stable code of the error, for programs. See docs/errors.md. */
                    "X-Error-Code"?: "API.PATH_TOO_LONG";
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Unsupported Media Type */
            415: {
                headers: {
                    /** @description The caller's X-Request-Id, or a generated one. */
                    "X-Request-Id"?: string;
                    /** @description The stable code of the error, for programs. See docs/errors.md. */
                    "X-Error-Code"?: "API.UNSUPPORTED_BODY";
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Unprocessable Entity */
            422: {
                headers: {
                    /** @description The caller's X-Request-Id, or a generated one. */
                    "X-Request-Id"?: string;
                    /** @description The stable code of the error, for programs. See docs/errors.md. */
                    "X-Error-Code"?: "API.CHAINCODE_REFUSED";
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ContractErrorResponse"];
                };
            };
            /** @description Too Many Requests */
            429: {
                headers: {
                    /** @description The caller's X-Request-Id, or a generated one. */
                    "X-Request-Id"?: string;
                    /** @description The stable code of the error, for programs. See docs/errors.md. */
                    "X-Error-Code"?: "API.TOO_MANY_LOGINS" | "API.TOO_MANY_REQUESTS";
                    /** @description With LEDGER_RATE_LIMIT: the remaining requests of the caller, and seconds until the quota is full again. */
                    RateLimit?: string;
                    /** @description With LEDGER_RATE_LIMIT: the quota of requests and its window in seconds. */
                    "RateLimit-Policy"?: string;
                    /** @description Seconds. Present if nothing was written and the same call may be sent again, and for a transaction that may still be recorded. */
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Internal Server Error */
            500: {
                headers: {
                    /** @description The caller's X-Request-Id, or a generated one. */
                    "X-Request-Id"?: string;
                    /** @description The stable code of the error, for programs. See docs/errors.md. */
                    "X-Error-Code"?: "LEDGER.UNAVAILABLE" | "LEDGER.TIMEOUT" | "LEDGER.OVERLOADED" | "LEDGER.DAMAGED" | "LEDGER.MISCONFIGURED" | "API.INTERNAL";
                    /** @description Seconds. Present if nothing was written and the same call may be sent again, and for a transaction that may still be recorded. */
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Not Implemented */
            501: {
                headers: {
                    /** @description The caller's X-Request-Id, or a generated one. */
                    "X-Request-Id"?: string;
                    /** @description The stable code of the error, for programs. See docs/errors.md. */
                    "X-Error-Code"?: "LEDGER.NOT_SUPPORTED";
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Service Unavailable */
            503: {
                headers: {
                    /** @description The caller's X-Request-Id, or a generated one. */
                    "X-Request-Id"?: string;
                    /** @description The stable code of the error, for programs. See docs/errors.md. */
                    "X-Error-Code"?: "API.CALLERS_UNAVAILABLE" | "API.ISSUER_UNAVAILABLE";
                    /** @description Seconds. Present if nothing was written and the same call may be sent again, and for a transaction that may still be recorded. */
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
        };
    };
    evaluateContractOfChannel: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The name of a channel: the default one, or one of LEDGER_CHANNELS.
                 * @example mychannel
                 */
                channel: string;
                /** @description The name of a chaincode of the channel. */
                chaincode: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ContractCall"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    /** @description The caller's X-Request-Id, or a generated one. */
                    "X-Request-Id"?: string;
                    /** @description With LEDGER_RATE_LIMIT: the remaining requests of the caller, and seconds until the quota is full again. */
                    RateLimit?: string;
                    /** @description With LEDGER_RATE_LIMIT: the quota of requests and its window in seconds. */
                    "RateLimit-Policy"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ResponseEnvelope"] & {
                        data: components["schemas"]["ContractResult"];
                    };
                };
            };
            /** @description Bad Request */
            400: {
                headers: {
                    /** @description The caller's X-Request-Id, or a generated one. */
                    "X-Request-Id"?: string;
                    /** @description The stable code of the error, for programs. See docs/errors.md. */
                    "X-Error-Code"?: "API.INVALID_REQUEST" | "LEDGER.ORGANIZATION_UNKNOWN" | "LEDGER.POLICY_UNSATISFIABLE" | "API.SECRET_IN_URL";
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    /** @description The caller's X-Request-Id, or a generated one. */
                    "X-Request-Id"?: string;
                    /** @description The stable code of the error, for programs. See docs/errors.md. */
                    "X-Error-Code"?: "API.LOGIN_NEEDED" | "API.LOGIN_REFUSED";
                    /** @description How callers log in (RFC 6750, section 3). */
                    "WWW-Authenticate"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Forbidden */
            403: {
                headers: {
                    /** @description The caller's X-Request-Id, or a generated one. */
                    "X-Request-Id"?: string;
                    /** @description The stable code of the error, for programs. See docs/errors.md. */
                    "X-Error-Code"?: "API.CROSS_SITE" | "API.NOT_LISTED" | "LEDGER.UNKNOWN_CALLER" | "LEDGER.CALLER_REFUSED" | "API.ROLE_NEEDED" | "API.NO_CALLER" | "API.TLS_NEEDED" | "API.FOREIGN_HOST";
                    /** @description How callers log in (RFC 6750, section 3). */
                    "WWW-Authenticate"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Not Found */
            404: {
                headers: {
                    /** @description The caller's X-Request-Id, or a generated one. */
                    "X-Request-Id"?: string;
                    /** @description The stable code of the error, for programs. See docs/errors.md. */
                    "X-Error-Code"?: "LEDGER.CHAINCODE_UNKNOWN" | "LEDGER.CHANNEL_UNKNOWN";
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Payload Too Large */
            413: {
                headers: {
                    /** @description The caller's X-Request-Id, or a generated one. */
                    "X-Request-Id"?: string;
                    /** @description The stable code of the error, for programs. See docs/errors.md. */
                    "X-Error-Code"?: "API.BODY_TOO_LARGE";
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description URI Too Long */
            414: {
                headers: {
                    /** @description The caller's X-Request-Id, or a generated one. */
                    "X-Request-Id"?: string;
                    /** @description The stable code of the error, for programs. See docs/errors.md. */
                    "X-Error-Code"?: "API.PATH_TOO_LONG";
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Unsupported Media Type */
            415: {
                headers: {
                    /** @description The caller's X-Request-Id, or a generated one. */
                    "X-Request-Id"?: string;
                    /** @description The stable code of the error, for programs. See docs/errors.md. */
                    "X-Error-Code"?: "API.UNSUPPORTED_BODY";
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Unprocessable Entity */
            422: {
                headers: {
                    /** @description The caller's X-Request-Id, or a generated one. */
                    "X-Request-Id"?: string;
                    /** @description The stable code of the error, for programs. See docs/errors.md. */
                    "X-Error-Code"?: "API.CHAINCODE_REFUSED";
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ContractErrorResponse"];
                };
            };
            /** @description Too Many Requests */
            429: {
                headers: {
                    /** @description The caller's X-Request-Id, or a generated one. */
                    "X-Request-Id"?: string;
                    /** @description The stable code of the error, for programs. See docs/errors.md. */
                    "X-Error-Code"?: "API.TOO_MANY_LOGINS" | "API.TOO_MANY_REQUESTS";
                    /** @description With LEDGER_RATE_LIMIT: the remaining requests of the caller, and seconds until the quota is full again. */
                    RateLimit?: string;
                    /** @description With LEDGER_RATE_LIMIT: the quota of requests and its window in seconds. */
                    "RateLimit-Policy"?: string;
                    /** @description Seconds. Present if nothing was written and the same call may be sent again, and for a transaction that may still be recorded. */
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Internal Server Error */
            500: {
                headers: {
                    /** @description The caller's X-Request-Id, or a generated one. */
                    "X-Request-Id"?: string;
                    /** @description The stable code of the error, for programs. See docs/errors.md. */
                    "X-Error-Code"?: "LEDGER.OVERLOADED" | "LEDGER.DAMAGED" | "LEDGER.MISCONFIGURED" | "API.INTERNAL";
                    /** @description Seconds. Present if nothing was written and the same call may be sent again, and for a transaction that may still be recorded. */
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Not Implemented */
            501: {
                headers: {
                    /** @description The caller's X-Request-Id, or a generated one. */
                    "X-Request-Id"?: string;
                    /** @description The stable code of the error, for programs. See docs/errors.md. */
                    "X-Error-Code"?: "LEDGER.NOT_SUPPORTED";
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Service Unavailable */
            503: {
                headers: {
                    /** @description The caller's X-Request-Id, or a generated one. */
                    "X-Request-Id"?: string;
                    /** @description The stable code of the error, for programs. See docs/errors.md. */
                    "X-Error-Code"?: "API.CALLERS_UNAVAILABLE" | "API.ISSUER_UNAVAILABLE" | "LEDGER.UNAVAILABLE" | "LEDGER.TIMEOUT";
                    /** @description Seconds. Present if nothing was written and the same call may be sent again, and for a transaction that may still be recorded. */
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
        };
    };
    submitContract: {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes the write safe to repeat after any failure: the same key with the same request is one transaction. Use a random value such as a UUID, and a new one for each write. Bare or in double quotes. */
                "Idempotency-Key"?: string;
                /** @description With respond-async the answer is a 202 as soon as an orderer has accepted the transaction, or the embedded ledger has recorded it (RFC 7240). */
                Prefer?: string;
            };
            path: {
                /** @description The name of a chaincode of the channel. */
                chaincode: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ContractCall"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    /** @description The caller's X-Request-Id, or a generated one. */
                    "X-Request-Id"?: string;
                    /** @description With LEDGER_RATE_LIMIT: the remaining requests of the caller, and seconds until the quota is full again. */
                    RateLimit?: string;
                    /** @description With LEDGER_RATE_LIMIT: the quota of requests and its window in seconds. */
                    "RateLimit-Policy"?: string;
                    /** @description Present if an earlier request with the same Idempotency-Key made the transaction. */
                    "Idempotency-Replayed"?: "true";
                    /** @description The transaction of the write. */
                    "X-Transaction-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ResponseEnvelope"] & {
                        data: components["schemas"]["ContractTransaction"];
                    };
                };
            };
            /** @description Accepted */
            202: {
                headers: {
                    /** @description The caller's X-Request-Id, or a generated one. */
                    "X-Request-Id"?: string;
                    /** @description With LEDGER_RATE_LIMIT: the remaining requests of the caller, and seconds until the quota is full again. */
                    RateLimit?: string;
                    /** @description With LEDGER_RATE_LIMIT: the quota of requests and its window in seconds. */
                    "RateLimit-Policy"?: string;
                    /** @description The transaction of the write. */
                    "X-Transaction-Id"?: string;
                    /** @description The path of the transaction, which is a 404 with Retry-After until it is recorded. */
                    Location?: string;
                    /** @description The preference that was applied. */
                    "Preference-Applied"?: "respond-async";
                    /** @description Seconds after which the transaction may be recorded. */
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ResponseEnvelope"] & {
                        data: components["schemas"]["AcceptedTransaction"];
                    };
                };
            };
            /** @description Bad Request */
            400: {
                headers: {
                    /** @description The caller's X-Request-Id, or a generated one. */
                    "X-Request-Id"?: string;
                    /** @description The stable code of the error, for programs. See docs/errors.md. */
                    "X-Error-Code"?: "API.INVALID_REQUEST" | "LEDGER.ORGANIZATION_UNKNOWN" | "LEDGER.POLICY_UNSATISFIABLE" | "API.SECRET_IN_URL";
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    /** @description The caller's X-Request-Id, or a generated one. */
                    "X-Request-Id"?: string;
                    /** @description The stable code of the error, for programs. See docs/errors.md. */
                    "X-Error-Code"?: "API.LOGIN_NEEDED" | "API.LOGIN_REFUSED";
                    /** @description How callers log in (RFC 6750, section 3). */
                    "WWW-Authenticate"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Forbidden */
            403: {
                headers: {
                    /** @description The caller's X-Request-Id, or a generated one. */
                    "X-Request-Id"?: string;
                    /** @description The stable code of the error, for programs. See docs/errors.md. */
                    "X-Error-Code"?: "API.NOT_LISTED" | "LEDGER.UNKNOWN_CALLER" | "LEDGER.CALLER_REFUSED" | "API.CROSS_SITE" | "API.ROLE_NEEDED" | "API.NO_CALLER" | "API.TLS_NEEDED" | "API.FOREIGN_HOST";
                    /** @description How callers log in (RFC 6750, section 3). */
                    "WWW-Authenticate"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Not Found */
            404: {
                headers: {
                    /** @description The caller's X-Request-Id, or a generated one. */
                    "X-Request-Id"?: string;
                    /** @description The stable code of the error, for programs. See docs/errors.md. */
                    "X-Error-Code"?: "LEDGER.CHAINCODE_UNKNOWN";
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Conflict */
            409: {
                headers: {
                    /** @description The caller's X-Request-Id, or a generated one. */
                    "X-Request-Id"?: string;
                    /** @description The stable code of the error, for programs. See docs/errors.md. */
                    "X-Error-Code"?: "LEDGER.KEY_IN_USE" | "LEDGER.OUTCOME_PRUNED";
                    /** @description Seconds. Present if nothing was written and the same call may be sent again, and for a transaction that may still be recorded. */
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Payload Too Large */
            413: {
                headers: {
                    /** @description The caller's X-Request-Id, or a generated one. */
                    "X-Request-Id"?: string;
                    /** @description The stable code of the error, for programs. See docs/errors.md. */
                    "X-Error-Code"?: "API.BODY_TOO_LARGE";
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description URI Too Long */
            414: {
                headers: {
                    /** @description The caller's X-Request-Id, or a generated one. */
                    "X-Request-Id"?: string;
                    /** @description The stable code of the error, for programs. See docs/errors.md. */
                    "X-Error-Code"?: "API.PATH_TOO_LONG";
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Unsupported Media Type */
            415: {
                headers: {
                    /** @description The caller's X-Request-Id, or a generated one. */
                    "X-Request-Id"?: string;
                    /** @description The stable code of the error, for programs. See docs/errors.md. */
                    "X-Error-Code"?: "API.UNSUPPORTED_BODY";
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Unprocessable Entity */
            422: {
                headers: {
                    /** @description The caller's X-Request-Id, or a generated one. */
                    "X-Request-Id"?: string;
                    /** @description The stable code of the error, for programs. See docs/errors.md. */
                    "X-Error-Code"?: "API.CHAINCODE_REFUSED" | "LEDGER.KEY_REUSED";
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ContractErrorResponse"];
                };
            };
            /** @description Too Many Requests */
            429: {
                headers: {
                    /** @description The caller's X-Request-Id, or a generated one. */
                    "X-Request-Id"?: string;
                    /** @description The stable code of the error, for programs. See docs/errors.md. */
                    "X-Error-Code"?: "API.TOO_MANY_LOGINS" | "API.TOO_MANY_REQUESTS";
                    /** @description With LEDGER_RATE_LIMIT: the remaining requests of the caller, and seconds until the quota is full again. */
                    RateLimit?: string;
                    /** @description With LEDGER_RATE_LIMIT: the quota of requests and its window in seconds. */
                    "RateLimit-Policy"?: string;
                    /** @description Seconds. Present if nothing was written and the same call may be sent again, and for a transaction that may still be recorded. */
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Internal Server Error */
            500: {
                headers: {
                    /** @description The caller's X-Request-Id, or a generated one. */
                    "X-Request-Id"?: string;
                    /** @description The stable code of the error, for programs. See docs/errors.md. */
                    "X-Error-Code"?: "LEDGER.INVALID_TRANSACTION" | "LEDGER.NOT_DETERMINISTIC" | "LEDGER.UNAVAILABLE" | "LEDGER.TIMEOUT" | "LEDGER.OVERLOADED" | "LEDGER.DAMAGED" | "LEDGER.MISCONFIGURED" | "API.INTERNAL" | "LEDGER.CONFLICT" | "LEDGER.OUTCOME_UNKNOWN" | "LEDGER.READ_ONLY";
                    /** @description Seconds. Present if nothing was written and the same call may be sent again, and for a transaction that may still be recorded. */
                    "Retry-After"?: string;
                    /** @description The transaction whose outcome is unknown: look it up before you send anything again. */
                    "X-Transaction-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Not Implemented */
            501: {
                headers: {
                    /** @description The caller's X-Request-Id, or a generated one. */
                    "X-Request-Id"?: string;
                    /** @description The stable code of the error, for programs. See docs/errors.md. */
                    "X-Error-Code"?: "LEDGER.NOT_SUPPORTED";
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Service Unavailable */
            503: {
                headers: {
                    /** @description The caller's X-Request-Id, or a generated one. */
                    "X-Request-Id"?: string;
                    /** @description The stable code of the error, for programs. See docs/errors.md. */
                    "X-Error-Code"?: "LEDGER.ERASURE_INCOMPLETE" | "LEDGER.WRITES_DISABLED" | "API.CALLERS_UNAVAILABLE" | "API.ISSUER_UNAVAILABLE";
                    /** @description Seconds. Present if nothing was written and the same call may be sent again, and for a transaction that may still be recorded. */
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
        };
    };
    submitContractOfChannel: {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes the write safe to repeat after any failure: the same key with the same request is one transaction. Use a random value such as a UUID, and a new one for each write. Bare or in double quotes. */
                "Idempotency-Key"?: string;
                /** @description With respond-async the answer is a 202 as soon as an orderer has accepted the transaction, or the embedded ledger has recorded it (RFC 7240). */
                Prefer?: string;
            };
            path: {
                /**
                 * @description The name of a channel: the default one, or one of LEDGER_CHANNELS.
                 * @example mychannel
                 */
                channel: string;
                /** @description The name of a chaincode of the channel. */
                chaincode: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ContractCall"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    /** @description The caller's X-Request-Id, or a generated one. */
                    "X-Request-Id"?: string;
                    /** @description With LEDGER_RATE_LIMIT: the remaining requests of the caller, and seconds until the quota is full again. */
                    RateLimit?: string;
                    /** @description With LEDGER_RATE_LIMIT: the quota of requests and its window in seconds. */
                    "RateLimit-Policy"?: string;
                    /** @description Present if an earlier request with the same Idempotency-Key made the transaction. */
                    "Idempotency-Replayed"?: "true";
                    /** @description The transaction of the write. */
                    "X-Transaction-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ResponseEnvelope"] & {
                        data: components["schemas"]["ContractTransaction"];
                    };
                };
            };
            /** @description Accepted */
            202: {
                headers: {
                    /** @description The caller's X-Request-Id, or a generated one. */
                    "X-Request-Id"?: string;
                    /** @description With LEDGER_RATE_LIMIT: the remaining requests of the caller, and seconds until the quota is full again. */
                    RateLimit?: string;
                    /** @description With LEDGER_RATE_LIMIT: the quota of requests and its window in seconds. */
                    "RateLimit-Policy"?: string;
                    /** @description The transaction of the write. */
                    "X-Transaction-Id"?: string;
                    /** @description The path of the transaction, which is a 404 with Retry-After until it is recorded. */
                    Location?: string;
                    /** @description The preference that was applied. */
                    "Preference-Applied"?: "respond-async";
                    /** @description Seconds after which the transaction may be recorded. */
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ResponseEnvelope"] & {
                        data: components["schemas"]["AcceptedTransaction"];
                    };
                };
            };
            /** @description Bad Request */
            400: {
                headers: {
                    /** @description The caller's X-Request-Id, or a generated one. */
                    "X-Request-Id"?: string;
                    /** @description The stable code of the error, for programs. See docs/errors.md. */
                    "X-Error-Code"?: "API.INVALID_REQUEST" | "LEDGER.ORGANIZATION_UNKNOWN" | "LEDGER.POLICY_UNSATISFIABLE" | "API.SECRET_IN_URL";
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    /** @description The caller's X-Request-Id, or a generated one. */
                    "X-Request-Id"?: string;
                    /** @description The stable code of the error, for programs. See docs/errors.md. */
                    "X-Error-Code"?: "API.LOGIN_NEEDED" | "API.LOGIN_REFUSED";
                    /** @description How callers log in (RFC 6750, section 3). */
                    "WWW-Authenticate"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Forbidden */
            403: {
                headers: {
                    /** @description The caller's X-Request-Id, or a generated one. */
                    "X-Request-Id"?: string;
                    /** @description The stable code of the error, for programs. See docs/errors.md. */
                    "X-Error-Code"?: "API.NOT_LISTED" | "LEDGER.UNKNOWN_CALLER" | "LEDGER.CALLER_REFUSED" | "API.CROSS_SITE" | "API.ROLE_NEEDED" | "API.NO_CALLER" | "API.TLS_NEEDED" | "API.FOREIGN_HOST";
                    /** @description How callers log in (RFC 6750, section 3). */
                    "WWW-Authenticate"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Not Found */
            404: {
                headers: {
                    /** @description The caller's X-Request-Id, or a generated one. */
                    "X-Request-Id"?: string;
                    /** @description The stable code of the error, for programs. See docs/errors.md. */
                    "X-Error-Code"?: "LEDGER.CHAINCODE_UNKNOWN" | "LEDGER.CHANNEL_UNKNOWN";
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Conflict */
            409: {
                headers: {
                    /** @description The caller's X-Request-Id, or a generated one. */
                    "X-Request-Id"?: string;
                    /** @description The stable code of the error, for programs. See docs/errors.md. */
                    "X-Error-Code"?: "LEDGER.KEY_IN_USE" | "LEDGER.OUTCOME_PRUNED";
                    /** @description Seconds. Present if nothing was written and the same call may be sent again, and for a transaction that may still be recorded. */
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Payload Too Large */
            413: {
                headers: {
                    /** @description The caller's X-Request-Id, or a generated one. */
                    "X-Request-Id"?: string;
                    /** @description The stable code of the error, for programs. See docs/errors.md. */
                    "X-Error-Code"?: "API.BODY_TOO_LARGE";
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description URI Too Long */
            414: {
                headers: {
                    /** @description The caller's X-Request-Id, or a generated one. */
                    "X-Request-Id"?: string;
                    /** @description The stable code of the error, for programs. See docs/errors.md. */
                    "X-Error-Code"?: "API.PATH_TOO_LONG";
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Unsupported Media Type */
            415: {
                headers: {
                    /** @description The caller's X-Request-Id, or a generated one. */
                    "X-Request-Id"?: string;
                    /** @description The stable code of the error, for programs. See docs/errors.md. */
                    "X-Error-Code"?: "API.UNSUPPORTED_BODY";
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Unprocessable Entity */
            422: {
                headers: {
                    /** @description The caller's X-Request-Id, or a generated one. */
                    "X-Request-Id"?: string;
                    /** @description The stable code of the error, for programs. See docs/errors.md. */
                    "X-Error-Code"?: "API.CHAINCODE_REFUSED" | "LEDGER.KEY_REUSED";
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ContractErrorResponse"];
                };
            };
            /** @description Too Many Requests */
            429: {
                headers: {
                    /** @description The caller's X-Request-Id, or a generated one. */
                    "X-Request-Id"?: string;
                    /** @description The stable code of the error, for programs. See docs/errors.md. */
                    "X-Error-Code"?: "API.TOO_MANY_LOGINS" | "API.TOO_MANY_REQUESTS";
                    /** @description With LEDGER_RATE_LIMIT: the remaining requests of the caller, and seconds until the quota is full again. */
                    RateLimit?: string;
                    /** @description With LEDGER_RATE_LIMIT: the quota of requests and its window in seconds. */
                    "RateLimit-Policy"?: string;
                    /** @description Seconds. Present if nothing was written and the same call may be sent again, and for a transaction that may still be recorded. */
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Internal Server Error */
            500: {
                headers: {
                    /** @description The caller's X-Request-Id, or a generated one. */
                    "X-Request-Id"?: string;
                    /** @description The stable code of the error, for programs. See docs/errors.md. */
                    "X-Error-Code"?: "LEDGER.INVALID_TRANSACTION" | "LEDGER.NOT_DETERMINISTIC" | "LEDGER.OVERLOADED" | "LEDGER.DAMAGED" | "LEDGER.MISCONFIGURED" | "API.INTERNAL" | "LEDGER.CONFLICT" | "LEDGER.OUTCOME_UNKNOWN" | "LEDGER.READ_ONLY";
                    /** @description Seconds. Present if nothing was written and the same call may be sent again, and for a transaction that may still be recorded. */
                    "Retry-After"?: string;
                    /** @description The transaction whose outcome is unknown: look it up before you send anything again. */
                    "X-Transaction-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Not Implemented */
            501: {
                headers: {
                    /** @description The caller's X-Request-Id, or a generated one. */
                    "X-Request-Id"?: string;
                    /** @description The stable code of the error, for programs. See docs/errors.md. */
                    "X-Error-Code"?: "LEDGER.NOT_SUPPORTED";
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Service Unavailable */
            503: {
                headers: {
                    /** @description The caller's X-Request-Id, or a generated one. */
                    "X-Request-Id"?: string;
                    /** @description The stable code of the error, for programs. See docs/errors.md. */
                    "X-Error-Code"?: "LEDGER.ERASURE_INCOMPLETE" | "LEDGER.WRITES_DISABLED" | "API.CALLERS_UNAVAILABLE" | "API.ISSUER_UNAVAILABLE" | "LEDGER.UNAVAILABLE" | "LEDGER.TIMEOUT";
                    /** @description Seconds. Present if nothing was written and the same call may be sent again, and for a transaction that may still be recorded. */
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
        };
    };
    callFunction: {
        parameters: {
            query?: {
                /** @description true evaluates the call and false submits it, whatever the metadata specify. By default functions that are tagged so are evaluated, and others are submitted. */
                evaluate?: boolean;
            };
            header?: {
                /** @description Makes the write safe to repeat after any failure: the same key with the same request is one transaction. Use a random value such as a UUID, and a new one for each write. Bare or in double quotes. */
                "Idempotency-Key"?: string;
                /** @description With respond-async the answer is a 202 as soon as an orderer has accepted the transaction, or the embedded ledger has recorded it (RFC 7240). */
                Prefer?: string;
            };
            path: {
                /** @description The name of a chaincode of the channel. */
                chaincode: string;
                /** @description The function, as CONTRACT:FUNCTION if the chaincode has several contracts; percent-encoded. */
                function: string;
            };
            cookie?: never;
        };
        /** @description The arguments: an object by the names of the parameters, or an array of them in their order; the array if the metadata do not name the parameters. They are passed on as those of evaluateContract are. */
        requestBody?: {
            content: {
                "application/json": {
                    [key: string]: unknown;
                } | unknown[];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    /** @description The caller's X-Request-Id, or a generated one. */
                    "X-Request-Id"?: string;
                    /** @description With LEDGER_RATE_LIMIT: the remaining requests of the caller, and seconds until the quota is full again. */
                    RateLimit?: string;
                    /** @description With LEDGER_RATE_LIMIT: the quota of requests and its window in seconds. */
                    "RateLimit-Policy"?: string;
                    /** @description Present if an earlier request with the same Idempotency-Key made the transaction. */
                    "Idempotency-Replayed"?: "true";
                    /** @description The transaction of the write. */
                    "X-Transaction-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ResponseEnvelope"] & {
                        data: components["schemas"]["FunctionResult"];
                    };
                };
            };
            /** @description Accepted */
            202: {
                headers: {
                    /** @description The caller's X-Request-Id, or a generated one. */
                    "X-Request-Id"?: string;
                    /** @description With LEDGER_RATE_LIMIT: the remaining requests of the caller, and seconds until the quota is full again. */
                    RateLimit?: string;
                    /** @description With LEDGER_RATE_LIMIT: the quota of requests and its window in seconds. */
                    "RateLimit-Policy"?: string;
                    /** @description The transaction of the write. */
                    "X-Transaction-Id"?: string;
                    /** @description The path of the transaction, which is a 404 with Retry-After until it is recorded. */
                    Location?: string;
                    /** @description The preference that was applied. */
                    "Preference-Applied"?: "respond-async";
                    /** @description Seconds after which the transaction may be recorded. */
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ResponseEnvelope"] & {
                        data: components["schemas"]["AcceptedTransaction"];
                    };
                };
            };
            /** @description Bad Request */
            400: {
                headers: {
                    /** @description The caller's X-Request-Id, or a generated one. */
                    "X-Request-Id"?: string;
                    /** @description The stable code of the error, for programs. See docs/errors.md. */
                    "X-Error-Code"?: "API.INVALID_REQUEST" | "API.SECRET_IN_URL";
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    /** @description The caller's X-Request-Id, or a generated one. */
                    "X-Request-Id"?: string;
                    /** @description The stable code of the error, for programs. See docs/errors.md. */
                    "X-Error-Code"?: "API.LOGIN_NEEDED" | "API.LOGIN_REFUSED";
                    /** @description How callers log in (RFC 6750, section 3). */
                    "WWW-Authenticate"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Forbidden */
            403: {
                headers: {
                    /** @description The caller's X-Request-Id, or a generated one. */
                    "X-Request-Id"?: string;
                    /** @description The stable code of the error, for programs. See docs/errors.md. */
                    "X-Error-Code"?: "API.NOT_LISTED" | "LEDGER.UNKNOWN_CALLER" | "LEDGER.CALLER_REFUSED" | "API.CROSS_SITE" | "API.ROLE_NEEDED" | "API.NO_CALLER" | "API.TLS_NEEDED" | "API.FOREIGN_HOST";
                    /** @description How callers log in (RFC 6750, section 3). */
                    "WWW-Authenticate"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Not Found */
            404: {
                headers: {
                    /** @description The caller's X-Request-Id, or a generated one. */
                    "X-Request-Id"?: string;
                    /** @description The stable code of the error, for programs. See docs/errors.md. */
                    "X-Error-Code"?: "API.NOT_FOUND" | "LEDGER.CHAINCODE_UNKNOWN";
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Conflict */
            409: {
                headers: {
                    /** @description The caller's X-Request-Id, or a generated one. */
                    "X-Request-Id"?: string;
                    /** @description The stable code of the error, for programs. See docs/errors.md. */
                    "X-Error-Code"?: "LEDGER.KEY_IN_USE" | "LEDGER.OUTCOME_PRUNED";
                    /** @description Seconds. Present if nothing was written and the same call may be sent again, and for a transaction that may still be recorded. */
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Payload Too Large */
            413: {
                headers: {
                    /** @description The caller's X-Request-Id, or a generated one. */
                    "X-Request-Id"?: string;
                    /** @description The stable code of the error, for programs. See docs/errors.md. */
                    "X-Error-Code"?: "API.BODY_TOO_LARGE";
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description URI Too Long */
            414: {
                headers: {
                    /** @description The caller's X-Request-Id, or a generated one. */
                    "X-Request-Id"?: string;
                    /** @description The stable code of the error, for programs. See docs/errors.md. */
                    "X-Error-Code"?: "API.PATH_TOO_LONG";
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Unsupported Media Type */
            415: {
                headers: {
                    /** @description The caller's X-Request-Id, or a generated one. */
                    "X-Request-Id"?: string;
                    /** @description The stable code of the error, for programs. See docs/errors.md. */
                    "X-Error-Code"?: "API.UNSUPPORTED_BODY";
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Unprocessable Entity */
            422: {
                headers: {
                    /** @description The caller's X-Request-Id, or a generated one. */
                    "X-Request-Id"?: string;
                    /** @description The stable code of the error, for programs. See docs/errors.md. */
                    "X-Error-Code"?: "API.CHAINCODE_REFUSED" | "LEDGER.KEY_REUSED";
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ContractErrorResponse"];
                };
            };
            /** @description Too Many Requests */
            429: {
                headers: {
                    /** @description The caller's X-Request-Id, or a generated one. */
                    "X-Request-Id"?: string;
                    /** @description The stable code of the error, for programs. See docs/errors.md. */
                    "X-Error-Code"?: "API.TOO_MANY_LOGINS" | "API.TOO_MANY_REQUESTS";
                    /** @description With LEDGER_RATE_LIMIT: the remaining requests of the caller, and seconds until the quota is full again. */
                    RateLimit?: string;
                    /** @description With LEDGER_RATE_LIMIT: the quota of requests and its window in seconds. */
                    "RateLimit-Policy"?: string;
                    /** @description Seconds. Present if nothing was written and the same call may be sent again, and for a transaction that may still be recorded. */
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Internal Server Error */
            500: {
                headers: {
                    /** @description The caller's X-Request-Id, or a generated one. */
                    "X-Request-Id"?: string;
                    /** @description The stable code of the error, for programs. See docs/errors.md. */
                    "X-Error-Code"?: "LEDGER.INVALID_TRANSACTION" | "LEDGER.NOT_DETERMINISTIC" | "LEDGER.UNAVAILABLE" | "LEDGER.TIMEOUT" | "LEDGER.OVERLOADED" | "LEDGER.DAMAGED" | "LEDGER.MISCONFIGURED" | "API.INTERNAL" | "LEDGER.CONFLICT" | "LEDGER.OUTCOME_UNKNOWN" | "LEDGER.READ_ONLY";
                    /** @description Seconds. Present if nothing was written and the same call may be sent again, and for a transaction that may still be recorded. */
                    "Retry-After"?: string;
                    /** @description The transaction whose outcome is unknown: look it up before you send anything again. */
                    "X-Transaction-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Not Implemented */
            501: {
                headers: {
                    /** @description The caller's X-Request-Id, or a generated one. */
                    "X-Request-Id"?: string;
                    /** @description The stable code of the error, for programs. See docs/errors.md. */
                    "X-Error-Code"?: "LEDGER.NOT_SUPPORTED";
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Service Unavailable */
            503: {
                headers: {
                    /** @description The caller's X-Request-Id, or a generated one. */
                    "X-Request-Id"?: string;
                    /** @description The stable code of the error, for programs. See docs/errors.md. */
                    "X-Error-Code"?: "LEDGER.WRITES_DISABLED" | "API.CALLERS_UNAVAILABLE" | "API.ISSUER_UNAVAILABLE";
                    /** @description Seconds. Present if nothing was written and the same call may be sent again, and for a transaction that may still be recorded. */
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
        };
    };
    callFunctionOfChannel: {
        parameters: {
            query?: {
                /** @description true evaluates the call and false submits it, whatever the metadata specify. By default functions that are tagged so are evaluated, and others are submitted. */
                evaluate?: boolean;
            };
            header?: {
                /** @description Makes the write safe to repeat after any failure: the same key with the same request is one transaction. Use a random value such as a UUID, and a new one for each write. Bare or in double quotes. */
                "Idempotency-Key"?: string;
                /** @description With respond-async the answer is a 202 as soon as an orderer has accepted the transaction, or the embedded ledger has recorded it (RFC 7240). */
                Prefer?: string;
            };
            path: {
                /**
                 * @description The name of a channel: the default one, or one of LEDGER_CHANNELS.
                 * @example mychannel
                 */
                channel: string;
                /** @description The name of a chaincode of the channel. */
                chaincode: string;
                /** @description The function, as CONTRACT:FUNCTION if the chaincode has several contracts; percent-encoded. */
                function: string;
            };
            cookie?: never;
        };
        /** @description The arguments: an object by the names of the parameters, or an array of them in their order; the array if the metadata do not name the parameters. They are passed on as those of evaluateContract are. */
        requestBody?: {
            content: {
                "application/json": {
                    [key: string]: unknown;
                } | unknown[];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    /** @description The caller's X-Request-Id, or a generated one. */
                    "X-Request-Id"?: string;
                    /** @description With LEDGER_RATE_LIMIT: the remaining requests of the caller, and seconds until the quota is full again. */
                    RateLimit?: string;
                    /** @description With LEDGER_RATE_LIMIT: the quota of requests and its window in seconds. */
                    "RateLimit-Policy"?: string;
                    /** @description Present if an earlier request with the same Idempotency-Key made the transaction. */
                    "Idempotency-Replayed"?: "true";
                    /** @description The transaction of the write. */
                    "X-Transaction-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ResponseEnvelope"] & {
                        data: components["schemas"]["FunctionResult"];
                    };
                };
            };
            /** @description Accepted */
            202: {
                headers: {
                    /** @description The caller's X-Request-Id, or a generated one. */
                    "X-Request-Id"?: string;
                    /** @description With LEDGER_RATE_LIMIT: the remaining requests of the caller, and seconds until the quota is full again. */
                    RateLimit?: string;
                    /** @description With LEDGER_RATE_LIMIT: the quota of requests and its window in seconds. */
                    "RateLimit-Policy"?: string;
                    /** @description The transaction of the write. */
                    "X-Transaction-Id"?: string;
                    /** @description The path of the transaction, which is a 404 with Retry-After until it is recorded. */
                    Location?: string;
                    /** @description The preference that was applied. */
                    "Preference-Applied"?: "respond-async";
                    /** @description Seconds after which the transaction may be recorded. */
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ResponseEnvelope"] & {
                        data: components["schemas"]["AcceptedTransaction"];
                    };
                };
            };
            /** @description Bad Request */
            400: {
                headers: {
                    /** @description The caller's X-Request-Id, or a generated one. */
                    "X-Request-Id"?: string;
                    /** @description The stable code of the error, for programs. See docs/errors.md. */
                    "X-Error-Code"?: "API.INVALID_REQUEST" | "API.SECRET_IN_URL";
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    /** @description The caller's X-Request-Id, or a generated one. */
                    "X-Request-Id"?: string;
                    /** @description The stable code of the error, for programs. See docs/errors.md. */
                    "X-Error-Code"?: "API.LOGIN_NEEDED" | "API.LOGIN_REFUSED";
                    /** @description How callers log in (RFC 6750, section 3). */
                    "WWW-Authenticate"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Forbidden */
            403: {
                headers: {
                    /** @description The caller's X-Request-Id, or a generated one. */
                    "X-Request-Id"?: string;
                    /** @description The stable code of the error, for programs. See docs/errors.md. */
                    "X-Error-Code"?: "API.NOT_LISTED" | "LEDGER.UNKNOWN_CALLER" | "LEDGER.CALLER_REFUSED" | "API.CROSS_SITE" | "API.ROLE_NEEDED" | "API.NO_CALLER" | "API.TLS_NEEDED" | "API.FOREIGN_HOST";
                    /** @description How callers log in (RFC 6750, section 3). */
                    "WWW-Authenticate"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Not Found */
            404: {
                headers: {
                    /** @description The caller's X-Request-Id, or a generated one. */
                    "X-Request-Id"?: string;
                    /** @description The stable code of the error, for programs. See docs/errors.md. */
                    "X-Error-Code"?: "API.NOT_FOUND" | "LEDGER.CHAINCODE_UNKNOWN" | "LEDGER.CHANNEL_UNKNOWN";
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Conflict */
            409: {
                headers: {
                    /** @description The caller's X-Request-Id, or a generated one. */
                    "X-Request-Id"?: string;
                    /** @description The stable code of the error, for programs. See docs/errors.md. */
                    "X-Error-Code"?: "LEDGER.KEY_IN_USE" | "LEDGER.OUTCOME_PRUNED";
                    /** @description Seconds. Present if nothing was written and the same call may be sent again, and for a transaction that may still be recorded. */
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Payload Too Large */
            413: {
                headers: {
                    /** @description The caller's X-Request-Id, or a generated one. */
                    "X-Request-Id"?: string;
                    /** @description The stable code of the error, for programs. See docs/errors.md. */
                    "X-Error-Code"?: "API.BODY_TOO_LARGE";
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description URI Too Long */
            414: {
                headers: {
                    /** @description The caller's X-Request-Id, or a generated one. */
                    "X-Request-Id"?: string;
                    /** @description The stable code of the error, for programs. See docs/errors.md. */
                    "X-Error-Code"?: "API.PATH_TOO_LONG";
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Unsupported Media Type */
            415: {
                headers: {
                    /** @description The caller's X-Request-Id, or a generated one. */
                    "X-Request-Id"?: string;
                    /** @description The stable code of the error, for programs. See docs/errors.md. */
                    "X-Error-Code"?: "API.UNSUPPORTED_BODY";
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Unprocessable Entity */
            422: {
                headers: {
                    /** @description The caller's X-Request-Id, or a generated one. */
                    "X-Request-Id"?: string;
                    /** @description The stable code of the error, for programs. See docs/errors.md. */
                    "X-Error-Code"?: "API.CHAINCODE_REFUSED" | "LEDGER.KEY_REUSED";
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ContractErrorResponse"];
                };
            };
            /** @description Too Many Requests */
            429: {
                headers: {
                    /** @description The caller's X-Request-Id, or a generated one. */
                    "X-Request-Id"?: string;
                    /** @description The stable code of the error, for programs. See docs/errors.md. */
                    "X-Error-Code"?: "API.TOO_MANY_LOGINS" | "API.TOO_MANY_REQUESTS";
                    /** @description With LEDGER_RATE_LIMIT: the remaining requests of the caller, and seconds until the quota is full again. */
                    RateLimit?: string;
                    /** @description With LEDGER_RATE_LIMIT: the quota of requests and its window in seconds. */
                    "RateLimit-Policy"?: string;
                    /** @description Seconds. Present if nothing was written and the same call may be sent again, and for a transaction that may still be recorded. */
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Internal Server Error */
            500: {
                headers: {
                    /** @description The caller's X-Request-Id, or a generated one. */
                    "X-Request-Id"?: string;
                    /** @description The stable code of the error, for programs. See docs/errors.md. */
                    "X-Error-Code"?: "LEDGER.INVALID_TRANSACTION" | "LEDGER.NOT_DETERMINISTIC" | "LEDGER.OVERLOADED" | "LEDGER.DAMAGED" | "LEDGER.MISCONFIGURED" | "API.INTERNAL" | "LEDGER.CONFLICT" | "LEDGER.OUTCOME_UNKNOWN" | "LEDGER.READ_ONLY";
                    /** @description Seconds. Present if nothing was written and the same call may be sent again, and for a transaction that may still be recorded. */
                    "Retry-After"?: string;
                    /** @description The transaction whose outcome is unknown: look it up before you send anything again. */
                    "X-Transaction-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Not Implemented */
            501: {
                headers: {
                    /** @description The caller's X-Request-Id, or a generated one. */
                    "X-Request-Id"?: string;
                    /** @description The stable code of the error, for programs. See docs/errors.md. */
                    "X-Error-Code"?: "LEDGER.NOT_SUPPORTED";
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Service Unavailable */
            503: {
                headers: {
                    /** @description The caller's X-Request-Id, or a generated one. */
                    "X-Request-Id"?: string;
                    /** @description The stable code of the error, for programs. See docs/errors.md. */
                    "X-Error-Code"?: "LEDGER.WRITES_DISABLED" | "API.CALLERS_UNAVAILABLE" | "API.ISSUER_UNAVAILABLE" | "LEDGER.UNAVAILABLE" | "LEDGER.TIMEOUT";
                    /** @description Seconds. Present if nothing was written and the same call may be sent again, and for a transaction that may still be recorded. */
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
        };
    };
    getContractDocument: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The name of a chaincode of the channel. */
                chaincode: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    /** @description The caller's X-Request-Id, or a generated one. */
                    "X-Request-Id"?: string;
                    /** @description With LEDGER_RATE_LIMIT: the remaining requests of the caller, and seconds until the quota is full again. */
                    RateLimit?: string;
                    /** @description With LEDGER_RATE_LIMIT: the quota of requests and its window in seconds. */
                    "RateLimit-Policy"?: string;
                    /** @description The name of the file, if the answer is one. */
                    "Content-Disposition"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        [key: string]: unknown;
                    };
                };
            };
            /** @description Bad Request */
            400: {
                headers: {
                    /** @description The caller's X-Request-Id, or a generated one. */
                    "X-Request-Id"?: string;
                    /** @description The stable code of the error, for programs. See docs/errors.md. */
                    "X-Error-Code"?: "API.INVALID_REQUEST" | "API.SECRET_IN_URL";
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    /** @description The caller's X-Request-Id, or a generated one. */
                    "X-Request-Id"?: string;
                    /** @description The stable code of the error, for programs. See docs/errors.md. */
                    "X-Error-Code"?: "API.LOGIN_NEEDED" | "API.LOGIN_REFUSED";
                    /** @description How callers log in (RFC 6750, section 3). */
                    "WWW-Authenticate"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Forbidden */
            403: {
                headers: {
                    /** @description The caller's X-Request-Id, or a generated one. */
                    "X-Request-Id"?: string;
                    /** @description The stable code of the error, for programs. See docs/errors.md. */
                    "X-Error-Code"?: "API.NOT_LISTED" | "LEDGER.UNKNOWN_CALLER" | "LEDGER.CALLER_REFUSED" | "API.ROLE_NEEDED" | "API.NO_CALLER" | "API.TLS_NEEDED" | "API.FOREIGN_HOST";
                    /** @description How callers log in (RFC 6750, section 3). */
                    "WWW-Authenticate"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Not Found */
            404: {
                headers: {
                    /** @description The caller's X-Request-Id, or a generated one. */
                    "X-Request-Id"?: string;
                    /** @description The stable code of the error, for programs. See docs/errors.md. */
                    "X-Error-Code"?: "LEDGER.CHAINCODE_UNKNOWN";
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description URI Too Long */
            414: {
                headers: {
                    /** @description The caller's X-Request-Id, or a generated one. */
                    "X-Request-Id"?: string;
                    /** @description The stable code of the error, for programs. See docs/errors.md. */
                    "X-Error-Code"?: "API.PATH_TOO_LONG";
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Too Many Requests */
            429: {
                headers: {
                    /** @description The caller's X-Request-Id, or a generated one. */
                    "X-Request-Id"?: string;
                    /** @description The stable code of the error, for programs. See docs/errors.md. */
                    "X-Error-Code"?: "API.TOO_MANY_LOGINS" | "API.TOO_MANY_REQUESTS";
                    /** @description With LEDGER_RATE_LIMIT: the remaining requests of the caller, and seconds until the quota is full again. */
                    RateLimit?: string;
                    /** @description With LEDGER_RATE_LIMIT: the quota of requests and its window in seconds. */
                    "RateLimit-Policy"?: string;
                    /** @description Seconds. Present if nothing was written and the same call may be sent again, and for a transaction that may still be recorded. */
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Internal Server Error */
            500: {
                headers: {
                    /** @description The caller's X-Request-Id, or a generated one. */
                    "X-Request-Id"?: string;
                    /** @description The stable code of the error, for programs. See docs/errors.md. */
                    "X-Error-Code"?: "LEDGER.UNAVAILABLE" | "LEDGER.TIMEOUT" | "LEDGER.OVERLOADED" | "LEDGER.DAMAGED" | "LEDGER.MISCONFIGURED" | "API.INTERNAL";
                    /** @description Seconds. Present if nothing was written and the same call may be sent again, and for a transaction that may still be recorded. */
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Not Implemented */
            501: {
                headers: {
                    /** @description The caller's X-Request-Id, or a generated one. */
                    "X-Request-Id"?: string;
                    /** @description The stable code of the error, for programs. See docs/errors.md. */
                    "X-Error-Code"?: "LEDGER.NOT_SUPPORTED";
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Service Unavailable */
            503: {
                headers: {
                    /** @description The caller's X-Request-Id, or a generated one. */
                    "X-Request-Id"?: string;
                    /** @description The stable code of the error, for programs. See docs/errors.md. */
                    "X-Error-Code"?: "API.CALLERS_UNAVAILABLE" | "API.ISSUER_UNAVAILABLE";
                    /** @description Seconds. Present if nothing was written and the same call may be sent again, and for a transaction that may still be recorded. */
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
        };
    };
    getContractDocumentOfChannel: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The name of a channel: the default one, or one of LEDGER_CHANNELS.
                 * @example mychannel
                 */
                channel: string;
                /** @description The name of a chaincode of the channel. */
                chaincode: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    /** @description The caller's X-Request-Id, or a generated one. */
                    "X-Request-Id"?: string;
                    /** @description With LEDGER_RATE_LIMIT: the remaining requests of the caller, and seconds until the quota is full again. */
                    RateLimit?: string;
                    /** @description With LEDGER_RATE_LIMIT: the quota of requests and its window in seconds. */
                    "RateLimit-Policy"?: string;
                    /** @description The name of the file, if the answer is one. */
                    "Content-Disposition"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        [key: string]: unknown;
                    };
                };
            };
            /** @description Bad Request */
            400: {
                headers: {
                    /** @description The caller's X-Request-Id, or a generated one. */
                    "X-Request-Id"?: string;
                    /** @description The stable code of the error, for programs. See docs/errors.md. */
                    "X-Error-Code"?: "API.INVALID_REQUEST" | "API.SECRET_IN_URL";
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    /** @description The caller's X-Request-Id, or a generated one. */
                    "X-Request-Id"?: string;
                    /** @description The stable code of the error, for programs. See docs/errors.md. */
                    "X-Error-Code"?: "API.LOGIN_NEEDED" | "API.LOGIN_REFUSED";
                    /** @description How callers log in (RFC 6750, section 3). */
                    "WWW-Authenticate"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Forbidden */
            403: {
                headers: {
                    /** @description The caller's X-Request-Id, or a generated one. */
                    "X-Request-Id"?: string;
                    /** @description The stable code of the error, for programs. See docs/errors.md. */
                    "X-Error-Code"?: "API.NOT_LISTED" | "LEDGER.UNKNOWN_CALLER" | "LEDGER.CALLER_REFUSED" | "API.ROLE_NEEDED" | "API.NO_CALLER" | "API.TLS_NEEDED" | "API.FOREIGN_HOST";
                    /** @description How callers log in (RFC 6750, section 3). */
                    "WWW-Authenticate"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Not Found */
            404: {
                headers: {
                    /** @description The caller's X-Request-Id, or a generated one. */
                    "X-Request-Id"?: string;
                    /** @description The stable code of the error, for programs. See docs/errors.md. */
                    "X-Error-Code"?: "LEDGER.CHAINCODE_UNKNOWN" | "LEDGER.CHANNEL_UNKNOWN";
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description URI Too Long */
            414: {
                headers: {
                    /** @description The caller's X-Request-Id, or a generated one. */
                    "X-Request-Id"?: string;
                    /** @description The stable code of the error, for programs. See docs/errors.md. */
                    "X-Error-Code"?: "API.PATH_TOO_LONG";
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Too Many Requests */
            429: {
                headers: {
                    /** @description The caller's X-Request-Id, or a generated one. */
                    "X-Request-Id"?: string;
                    /** @description The stable code of the error, for programs. See docs/errors.md. */
                    "X-Error-Code"?: "API.TOO_MANY_LOGINS" | "API.TOO_MANY_REQUESTS";
                    /** @description With LEDGER_RATE_LIMIT: the remaining requests of the caller, and seconds until the quota is full again. */
                    RateLimit?: string;
                    /** @description With LEDGER_RATE_LIMIT: the quota of requests and its window in seconds. */
                    "RateLimit-Policy"?: string;
                    /** @description Seconds. Present if nothing was written and the same call may be sent again, and for a transaction that may still be recorded. */
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Internal Server Error */
            500: {
                headers: {
                    /** @description The caller's X-Request-Id, or a generated one. */
                    "X-Request-Id"?: string;
                    /** @description The stable code of the error, for programs. See docs/errors.md. */
                    "X-Error-Code"?: "LEDGER.OVERLOADED" | "LEDGER.DAMAGED" | "LEDGER.MISCONFIGURED" | "API.INTERNAL";
                    /** @description Seconds. Present if nothing was written and the same call may be sent again, and for a transaction that may still be recorded. */
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Not Implemented */
            501: {
                headers: {
                    /** @description The caller's X-Request-Id, or a generated one. */
                    "X-Request-Id"?: string;
                    /** @description The stable code of the error, for programs. See docs/errors.md. */
                    "X-Error-Code"?: "LEDGER.NOT_SUPPORTED";
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Service Unavailable */
            503: {
                headers: {
                    /** @description The caller's X-Request-Id, or a generated one. */
                    "X-Request-Id"?: string;
                    /** @description The stable code of the error, for programs. See docs/errors.md. */
                    "X-Error-Code"?: "API.CALLERS_UNAVAILABLE" | "API.ISSUER_UNAVAILABLE" | "LEDGER.UNAVAILABLE" | "LEDGER.TIMEOUT";
                    /** @description Seconds. Present if nothing was written and the same call may be sent again, and for a transaction that may still be recorded. */
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
        };
    };
    getHeight: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    /** @description The caller's X-Request-Id, or a generated one. */
                    "X-Request-Id"?: string;
                    /** @description With LEDGER_RATE_LIMIT: the remaining requests of the caller, and seconds until the quota is full again. */
                    RateLimit?: string;
                    /** @description With LEDGER_RATE_LIMIT: the quota of requests and its window in seconds. */
                    "RateLimit-Policy"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ResponseEnvelope"] & {
                        data: components["schemas"]["BlockHeightResponse"];
                    };
                };
            };
            /** @description Bad Request */
            400: {
                headers: {
                    /** @description The caller's X-Request-Id, or a generated one. */
                    "X-Request-Id"?: string;
                    /** @description The stable code of the error, for programs. See docs/errors.md. */
                    "X-Error-Code"?: "API.INVALID_REQUEST" | "API.SECRET_IN_URL";
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    /** @description The caller's X-Request-Id, or a generated one. */
                    "X-Request-Id"?: string;
                    /** @description The stable code of the error, for programs. See docs/errors.md. */
                    "X-Error-Code"?: "API.LOGIN_NEEDED" | "API.LOGIN_REFUSED";
                    /** @description How callers log in (RFC 6750, section 3). */
                    "WWW-Authenticate"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Forbidden */
            403: {
                headers: {
                    /** @description The caller's X-Request-Id, or a generated one. */
                    "X-Request-Id"?: string;
                    /** @description The stable code of the error, for programs. See docs/errors.md. */
                    "X-Error-Code"?: "LEDGER.UNKNOWN_CALLER" | "LEDGER.CALLER_REFUSED" | "API.ROLE_NEEDED" | "API.NO_CALLER" | "API.TLS_NEEDED" | "API.FOREIGN_HOST";
                    /** @description How callers log in (RFC 6750, section 3). */
                    "WWW-Authenticate"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Too Many Requests */
            429: {
                headers: {
                    /** @description The caller's X-Request-Id, or a generated one. */
                    "X-Request-Id"?: string;
                    /** @description The stable code of the error, for programs. See docs/errors.md. */
                    "X-Error-Code"?: "API.TOO_MANY_LOGINS" | "API.TOO_MANY_REQUESTS";
                    /** @description With LEDGER_RATE_LIMIT: the remaining requests of the caller, and seconds until the quota is full again. */
                    RateLimit?: string;
                    /** @description With LEDGER_RATE_LIMIT: the quota of requests and its window in seconds. */
                    "RateLimit-Policy"?: string;
                    /** @description Seconds. Present if nothing was written and the same call may be sent again, and for a transaction that may still be recorded. */
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Internal Server Error */
            500: {
                headers: {
                    /** @description The caller's X-Request-Id, or a generated one. */
                    "X-Request-Id"?: string;
                    /** @description The stable code of the error, for programs. See docs/errors.md. */
                    "X-Error-Code"?: "LEDGER.UNAVAILABLE" | "LEDGER.TIMEOUT" | "LEDGER.OVERLOADED" | "LEDGER.DAMAGED" | "LEDGER.MISCONFIGURED" | "API.INTERNAL";
                    /** @description Seconds. Present if nothing was written and the same call may be sent again, and for a transaction that may still be recorded. */
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Service Unavailable */
            503: {
                headers: {
                    /** @description The caller's X-Request-Id, or a generated one. */
                    "X-Request-Id"?: string;
                    /** @description The stable code of the error, for programs. See docs/errors.md. */
                    "X-Error-Code"?: "API.CALLERS_UNAVAILABLE" | "API.ISSUER_UNAVAILABLE";
                    /** @description Seconds. Present if nothing was written and the same call may be sent again, and for a transaction that may still be recorded. */
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
        };
    };
    getHeightOfChannel: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The name of a channel: the default one, or one of LEDGER_CHANNELS.
                 * @example mychannel
                 */
                channel: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    /** @description The caller's X-Request-Id, or a generated one. */
                    "X-Request-Id"?: string;
                    /** @description With LEDGER_RATE_LIMIT: the remaining requests of the caller, and seconds until the quota is full again. */
                    RateLimit?: string;
                    /** @description With LEDGER_RATE_LIMIT: the quota of requests and its window in seconds. */
                    "RateLimit-Policy"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ResponseEnvelope"] & {
                        data: components["schemas"]["BlockHeightResponse"];
                    };
                };
            };
            /** @description Bad Request */
            400: {
                headers: {
                    /** @description The caller's X-Request-Id, or a generated one. */
                    "X-Request-Id"?: string;
                    /** @description The stable code of the error, for programs. See docs/errors.md. */
                    "X-Error-Code"?: "API.INVALID_REQUEST" | "API.SECRET_IN_URL";
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    /** @description The caller's X-Request-Id, or a generated one. */
                    "X-Request-Id"?: string;
                    /** @description The stable code of the error, for programs. See docs/errors.md. */
                    "X-Error-Code"?: "API.LOGIN_NEEDED" | "API.LOGIN_REFUSED";
                    /** @description How callers log in (RFC 6750, section 3). */
                    "WWW-Authenticate"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Forbidden */
            403: {
                headers: {
                    /** @description The caller's X-Request-Id, or a generated one. */
                    "X-Request-Id"?: string;
                    /** @description The stable code of the error, for programs. See docs/errors.md. */
                    "X-Error-Code"?: "LEDGER.UNKNOWN_CALLER" | "LEDGER.CALLER_REFUSED" | "API.ROLE_NEEDED" | "API.NO_CALLER" | "API.TLS_NEEDED" | "API.FOREIGN_HOST";
                    /** @description How callers log in (RFC 6750, section 3). */
                    "WWW-Authenticate"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Not Found */
            404: {
                headers: {
                    /** @description The caller's X-Request-Id, or a generated one. */
                    "X-Request-Id"?: string;
                    /** @description The stable code of the error, for programs. See docs/errors.md. */
                    "X-Error-Code"?: "LEDGER.CHANNEL_UNKNOWN";
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Too Many Requests */
            429: {
                headers: {
                    /** @description The caller's X-Request-Id, or a generated one. */
                    "X-Request-Id"?: string;
                    /** @description The stable code of the error, for programs. See docs/errors.md. */
                    "X-Error-Code"?: "API.TOO_MANY_LOGINS" | "API.TOO_MANY_REQUESTS";
                    /** @description With LEDGER_RATE_LIMIT: the remaining requests of the caller, and seconds until the quota is full again. */
                    RateLimit?: string;
                    /** @description With LEDGER_RATE_LIMIT: the quota of requests and its window in seconds. */
                    "RateLimit-Policy"?: string;
                    /** @description Seconds. Present if nothing was written and the same call may be sent again, and for a transaction that may still be recorded. */
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Internal Server Error */
            500: {
                headers: {
                    /** @description The caller's X-Request-Id, or a generated one. */
                    "X-Request-Id"?: string;
                    /** @description The stable code of the error, for programs. See docs/errors.md. */
                    "X-Error-Code"?: "LEDGER.OVERLOADED" | "LEDGER.DAMAGED" | "LEDGER.MISCONFIGURED" | "API.INTERNAL";
                    /** @description Seconds. Present if nothing was written and the same call may be sent again, and for a transaction that may still be recorded. */
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Service Unavailable */
            503: {
                headers: {
                    /** @description The caller's X-Request-Id, or a generated one. */
                    "X-Request-Id"?: string;
                    /** @description The stable code of the error, for programs. See docs/errors.md. */
                    "X-Error-Code"?: "API.CALLERS_UNAVAILABLE" | "API.ISSUER_UNAVAILABLE" | "LEDGER.UNAVAILABLE" | "LEDGER.TIMEOUT";
                    /** @description Seconds. Present if nothing was written and the same call may be sent again, and for a transaction that may still be recorded. */
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
        };
    };
    getChainInfo: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    /** @description The caller's X-Request-Id, or a generated one. */
                    "X-Request-Id"?: string;
                    /** @description With LEDGER_RATE_LIMIT: the remaining requests of the caller, and seconds until the quota is full again. */
                    RateLimit?: string;
                    /** @description With LEDGER_RATE_LIMIT: the quota of requests and its window in seconds. */
                    "RateLimit-Policy"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ResponseEnvelope"] & {
                        data: components["schemas"]["ChainInfoResponse"];
                    };
                };
            };
            /** @description Bad Request */
            400: {
                headers: {
                    /** @description The caller's X-Request-Id, or a generated one. */
                    "X-Request-Id"?: string;
                    /** @description The stable code of the error, for programs. See docs/errors.md. */
                    "X-Error-Code"?: "API.INVALID_REQUEST" | "API.SECRET_IN_URL";
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    /** @description The caller's X-Request-Id, or a generated one. */
                    "X-Request-Id"?: string;
                    /** @description The stable code of the error, for programs. See docs/errors.md. */
                    "X-Error-Code"?: "API.LOGIN_NEEDED" | "API.LOGIN_REFUSED";
                    /** @description How callers log in (RFC 6750, section 3). */
                    "WWW-Authenticate"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Forbidden */
            403: {
                headers: {
                    /** @description The caller's X-Request-Id, or a generated one. */
                    "X-Request-Id"?: string;
                    /** @description The stable code of the error, for programs. See docs/errors.md. */
                    "X-Error-Code"?: "LEDGER.UNKNOWN_CALLER" | "LEDGER.CALLER_REFUSED" | "API.ROLE_NEEDED" | "API.NO_CALLER" | "API.TLS_NEEDED" | "API.FOREIGN_HOST";
                    /** @description How callers log in (RFC 6750, section 3). */
                    "WWW-Authenticate"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Too Many Requests */
            429: {
                headers: {
                    /** @description The caller's X-Request-Id, or a generated one. */
                    "X-Request-Id"?: string;
                    /** @description The stable code of the error, for programs. See docs/errors.md. */
                    "X-Error-Code"?: "API.TOO_MANY_LOGINS" | "API.TOO_MANY_REQUESTS";
                    /** @description With LEDGER_RATE_LIMIT: the remaining requests of the caller, and seconds until the quota is full again. */
                    RateLimit?: string;
                    /** @description With LEDGER_RATE_LIMIT: the quota of requests and its window in seconds. */
                    "RateLimit-Policy"?: string;
                    /** @description Seconds. Present if nothing was written and the same call may be sent again, and for a transaction that may still be recorded. */
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Internal Server Error */
            500: {
                headers: {
                    /** @description The caller's X-Request-Id, or a generated one. */
                    "X-Request-Id"?: string;
                    /** @description The stable code of the error, for programs. See docs/errors.md. */
                    "X-Error-Code"?: "LEDGER.UNAVAILABLE" | "LEDGER.TIMEOUT" | "LEDGER.OVERLOADED" | "LEDGER.DAMAGED" | "LEDGER.MISCONFIGURED" | "API.INTERNAL";
                    /** @description Seconds. Present if nothing was written and the same call may be sent again, and for a transaction that may still be recorded. */
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Service Unavailable */
            503: {
                headers: {
                    /** @description The caller's X-Request-Id, or a generated one. */
                    "X-Request-Id"?: string;
                    /** @description The stable code of the error, for programs. See docs/errors.md. */
                    "X-Error-Code"?: "API.CALLERS_UNAVAILABLE" | "API.ISSUER_UNAVAILABLE";
                    /** @description Seconds. Present if nothing was written and the same call may be sent again, and for a transaction that may still be recorded. */
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
        };
    };
    getChainInfoOfChannel: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The name of a channel: the default one, or one of LEDGER_CHANNELS.
                 * @example mychannel
                 */
                channel: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    /** @description The caller's X-Request-Id, or a generated one. */
                    "X-Request-Id"?: string;
                    /** @description With LEDGER_RATE_LIMIT: the remaining requests of the caller, and seconds until the quota is full again. */
                    RateLimit?: string;
                    /** @description With LEDGER_RATE_LIMIT: the quota of requests and its window in seconds. */
                    "RateLimit-Policy"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ResponseEnvelope"] & {
                        data: components["schemas"]["ChainInfoResponse"];
                    };
                };
            };
            /** @description Bad Request */
            400: {
                headers: {
                    /** @description The caller's X-Request-Id, or a generated one. */
                    "X-Request-Id"?: string;
                    /** @description The stable code of the error, for programs. See docs/errors.md. */
                    "X-Error-Code"?: "API.INVALID_REQUEST" | "API.SECRET_IN_URL";
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    /** @description The caller's X-Request-Id, or a generated one. */
                    "X-Request-Id"?: string;
                    /** @description The stable code of the error, for programs. See docs/errors.md. */
                    "X-Error-Code"?: "API.LOGIN_NEEDED" | "API.LOGIN_REFUSED";
                    /** @description How callers log in (RFC 6750, section 3). */
                    "WWW-Authenticate"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Forbidden */
            403: {
                headers: {
                    /** @description The caller's X-Request-Id, or a generated one. */
                    "X-Request-Id"?: string;
                    /** @description The stable code of the error, for programs. See docs/errors.md. */
                    "X-Error-Code"?: "LEDGER.UNKNOWN_CALLER" | "LEDGER.CALLER_REFUSED" | "API.ROLE_NEEDED" | "API.NO_CALLER" | "API.TLS_NEEDED" | "API.FOREIGN_HOST";
                    /** @description How callers log in (RFC 6750, section 3). */
                    "WWW-Authenticate"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Not Found */
            404: {
                headers: {
                    /** @description The caller's X-Request-Id, or a generated one. */
                    "X-Request-Id"?: string;
                    /** @description The stable code of the error, for programs. See docs/errors.md. */
                    "X-Error-Code"?: "LEDGER.CHANNEL_UNKNOWN";
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Too Many Requests */
            429: {
                headers: {
                    /** @description The caller's X-Request-Id, or a generated one. */
                    "X-Request-Id"?: string;
                    /** @description The stable code of the error, for programs. See docs/errors.md. */
                    "X-Error-Code"?: "API.TOO_MANY_LOGINS" | "API.TOO_MANY_REQUESTS";
                    /** @description With LEDGER_RATE_LIMIT: the remaining requests of the caller, and seconds until the quota is full again. */
                    RateLimit?: string;
                    /** @description With LEDGER_RATE_LIMIT: the quota of requests and its window in seconds. */
                    "RateLimit-Policy"?: string;
                    /** @description Seconds. Present if nothing was written and the same call may be sent again, and for a transaction that may still be recorded. */
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Internal Server Error */
            500: {
                headers: {
                    /** @description The caller's X-Request-Id, or a generated one. */
                    "X-Request-Id"?: string;
                    /** @description The stable code of the error, for programs. See docs/errors.md. */
                    "X-Error-Code"?: "LEDGER.OVERLOADED" | "LEDGER.DAMAGED" | "LEDGER.MISCONFIGURED" | "API.INTERNAL";
                    /** @description Seconds. Present if nothing was written and the same call may be sent again, and for a transaction that may still be recorded. */
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Service Unavailable */
            503: {
                headers: {
                    /** @description The caller's X-Request-Id, or a generated one. */
                    "X-Request-Id"?: string;
                    /** @description The stable code of the error, for programs. See docs/errors.md. */
                    "X-Error-Code"?: "API.CALLERS_UNAVAILABLE" | "API.ISSUER_UNAVAILABLE" | "LEDGER.UNAVAILABLE" | "LEDGER.TIMEOUT";
                    /** @description Seconds. Present if nothing was written and the same call may be sent again, and for a transaction that may still be recorded. */
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
        };
    };
    listBlocks: {
        parameters: {
            query?: {
                /** @description The maximum number of items on the page. The Link header names the next page. A page may be short. */
                limit?: number;
                /** @description The number of a block. The page begins with the block before it. */
                before?: string;
                /** @description Only what has this timestamp or a later one. Timestamps are from the clocks of submitters. */
                since?: string;
                /** @description Only what has an earlier timestamp than this. */
                until?: string;
                /** @description true: X-Total-Count is the number of all matches, wherever the page begins. */
                count?: "true";
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    /** @description The caller's X-Request-Id, or a generated one. */
                    "X-Request-Id"?: string;
                    /** @description With LEDGER_RATE_LIMIT: the remaining requests of the caller, and seconds until the quota is full again. */
                    RateLimit?: string;
                    /** @description With LEDGER_RATE_LIMIT: the quota of requests and its window in seconds. */
                    "RateLimit-Policy"?: string;
                    /** @description The name of the file, if the answer is one. */
                    "Content-Disposition"?: string;
                    /** @description The next page, rel="next". */
                    Link?: string;
                    /** @description With count=true: the number of all matches, such as 1111. Counting ends after 10,000 matches or 20 examined pages with "10000; more", a structured field (RFC 9651). Absent where nothing indexes the channel. */
                    "X-Total-Count"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ResponseEnvelope"] & {
                        data: components["schemas"]["Block"][];
                    };
                };
            };
            /** @description Bad Request */
            400: {
                headers: {
                    /** @description The caller's X-Request-Id, or a generated one. */
                    "X-Request-Id"?: string;
                    /** @description The stable code of the error, for programs. See docs/errors.md. */
                    "X-Error-Code"?: "API.INVALID_REQUEST" | "API.SECRET_IN_URL";
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    /** @description The caller's X-Request-Id, or a generated one. */
                    "X-Request-Id"?: string;
                    /** @description The stable code of the error, for programs. See docs/errors.md. */
                    "X-Error-Code"?: "API.LOGIN_NEEDED" | "API.LOGIN_REFUSED";
                    /** @description How callers log in (RFC 6750, section 3). */
                    "WWW-Authenticate"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Forbidden */
            403: {
                headers: {
                    /** @description The caller's X-Request-Id, or a generated one. */
                    "X-Request-Id"?: string;
                    /** @description The stable code of the error, for programs. See docs/errors.md. */
                    "X-Error-Code"?: "LEDGER.UNKNOWN_CALLER" | "LEDGER.CALLER_REFUSED" | "API.ROLE_NEEDED" | "API.NO_CALLER" | "API.TLS_NEEDED" | "API.FOREIGN_HOST";
                    /** @description How callers log in (RFC 6750, section 3). */
                    "WWW-Authenticate"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Too Many Requests */
            429: {
                headers: {
                    /** @description The caller's X-Request-Id, or a generated one. */
                    "X-Request-Id"?: string;
                    /** @description The stable code of the error, for programs. See docs/errors.md. */
                    "X-Error-Code"?: "API.TOO_MANY_LOGINS" | "API.TOO_MANY_REQUESTS";
                    /** @description With LEDGER_RATE_LIMIT: the remaining requests of the caller, and seconds until the quota is full again. */
                    RateLimit?: string;
                    /** @description With LEDGER_RATE_LIMIT: the quota of requests and its window in seconds. */
                    "RateLimit-Policy"?: string;
                    /** @description Seconds. Present if nothing was written and the same call may be sent again, and for a transaction that may still be recorded. */
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Internal Server Error */
            500: {
                headers: {
                    /** @description The caller's X-Request-Id, or a generated one. */
                    "X-Request-Id"?: string;
                    /** @description The stable code of the error, for programs. See docs/errors.md. */
                    "X-Error-Code"?: "LEDGER.UNAVAILABLE" | "LEDGER.TIMEOUT" | "LEDGER.OVERLOADED" | "LEDGER.DAMAGED" | "LEDGER.MISCONFIGURED" | "API.INTERNAL";
                    /** @description Seconds. Present if nothing was written and the same call may be sent again, and for a transaction that may still be recorded. */
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Service Unavailable */
            503: {
                headers: {
                    /** @description The caller's X-Request-Id, or a generated one. */
                    "X-Request-Id"?: string;
                    /** @description The stable code of the error, for programs. See docs/errors.md. */
                    "X-Error-Code"?: "API.CALLERS_UNAVAILABLE" | "API.ISSUER_UNAVAILABLE";
                    /** @description Seconds. Present if nothing was written and the same call may be sent again, and for a transaction that may still be recorded. */
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
        };
    };
    listBlocksOfChannel: {
        parameters: {
            query?: {
                /** @description The maximum number of items on the page. The Link header names the next page. A page may be short. */
                limit?: number;
                /** @description The number of a block. The page begins with the block before it. */
                before?: string;
                /** @description Only what has this timestamp or a later one. Timestamps are from the clocks of submitters. */
                since?: string;
                /** @description Only what has an earlier timestamp than this. */
                until?: string;
                /** @description true: X-Total-Count is the number of all matches, wherever the page begins. */
                count?: "true";
            };
            header?: never;
            path: {
                /**
                 * @description The name of a channel: the default one, or one of LEDGER_CHANNELS.
                 * @example mychannel
                 */
                channel: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    /** @description The caller's X-Request-Id, or a generated one. */
                    "X-Request-Id"?: string;
                    /** @description With LEDGER_RATE_LIMIT: the remaining requests of the caller, and seconds until the quota is full again. */
                    RateLimit?: string;
                    /** @description With LEDGER_RATE_LIMIT: the quota of requests and its window in seconds. */
                    "RateLimit-Policy"?: string;
                    /** @description The name of the file, if the answer is one. */
                    "Content-Disposition"?: string;
                    /** @description The next page, rel="next". */
                    Link?: string;
                    /** @description With count=true: the number of all matches, such as 1111. Counting ends after 10,000 matches or 20 examined pages with "10000; more", a structured field (RFC 9651). Absent where nothing indexes the channel. */
                    "X-Total-Count"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ResponseEnvelope"] & {
                        data: components["schemas"]["Block"][];
                    };
                };
            };
            /** @description Bad Request */
            400: {
                headers: {
                    /** @description The caller's X-Request-Id, or a generated one. */
                    "X-Request-Id"?: string;
                    /** @description The stable code of the error, for programs. See docs/errors.md. */
                    "X-Error-Code"?: "API.INVALID_REQUEST" | "API.SECRET_IN_URL";
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    /** @description The caller's X-Request-Id, or a generated one. */
                    "X-Request-Id"?: string;
                    /** @description The stable code of the error, for programs. See docs/errors.md. */
                    "X-Error-Code"?: "API.LOGIN_NEEDED" | "API.LOGIN_REFUSED";
                    /** @description How callers log in (RFC 6750, section 3). */
                    "WWW-Authenticate"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Forbidden */
            403: {
                headers: {
                    /** @description The caller's X-Request-Id, or a generated one. */
                    "X-Request-Id"?: string;
                    /** @description The stable code of the error, for programs. See docs/errors.md. */
                    "X-Error-Code"?: "LEDGER.UNKNOWN_CALLER" | "LEDGER.CALLER_REFUSED" | "API.ROLE_NEEDED" | "API.NO_CALLER" | "API.TLS_NEEDED" | "API.FOREIGN_HOST";
                    /** @description How callers log in (RFC 6750, section 3). */
                    "WWW-Authenticate"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Not Found */
            404: {
                headers: {
                    /** @description The caller's X-Request-Id, or a generated one. */
                    "X-Request-Id"?: string;
                    /** @description The stable code of the error, for programs. See docs/errors.md. */
                    "X-Error-Code"?: "LEDGER.CHANNEL_UNKNOWN";
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Too Many Requests */
            429: {
                headers: {
                    /** @description The caller's X-Request-Id, or a generated one. */
                    "X-Request-Id"?: string;
                    /** @description The stable code of the error, for programs. See docs/errors.md. */
                    "X-Error-Code"?: "API.TOO_MANY_LOGINS" | "API.TOO_MANY_REQUESTS";
                    /** @description With LEDGER_RATE_LIMIT: the remaining requests of the caller, and seconds until the quota is full again. */
                    RateLimit?: string;
                    /** @description With LEDGER_RATE_LIMIT: the quota of requests and its window in seconds. */
                    "RateLimit-Policy"?: string;
                    /** @description Seconds. Present if nothing was written and the same call may be sent again, and for a transaction that may still be recorded. */
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Internal Server Error */
            500: {
                headers: {
                    /** @description The caller's X-Request-Id, or a generated one. */
                    "X-Request-Id"?: string;
                    /** @description The stable code of the error, for programs. See docs/errors.md. */
                    "X-Error-Code"?: "LEDGER.OVERLOADED" | "LEDGER.DAMAGED" | "LEDGER.MISCONFIGURED" | "API.INTERNAL";
                    /** @description Seconds. Present if nothing was written and the same call may be sent again, and for a transaction that may still be recorded. */
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Service Unavailable */
            503: {
                headers: {
                    /** @description The caller's X-Request-Id, or a generated one. */
                    "X-Request-Id"?: string;
                    /** @description The stable code of the error, for programs. See docs/errors.md. */
                    "X-Error-Code"?: "API.CALLERS_UNAVAILABLE" | "API.ISSUER_UNAVAILABLE" | "LEDGER.UNAVAILABLE" | "LEDGER.TIMEOUT";
                    /** @description Seconds. Present if nothing was written and the same call may be sent again, and for a transaction that may still be recorded. */
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
        };
    };
    readBlock: {
        parameters: {
            query?: never;
            header?: {
                /** @description The ETag of an earlier answer. If it is still the same, the answer is 304 without a body. */
                "If-None-Match"?: string;
            };
            path: {
                /** @description The block number; 0 is the first block. */
                number: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    /** @description The caller's X-Request-Id, or a generated one. */
                    "X-Request-Id"?: string;
                    /** @description With LEDGER_RATE_LIMIT: the remaining requests of the caller, and seconds until the quota is full again. */
                    RateLimit?: string;
                    /** @description With LEDGER_RATE_LIMIT: the quota of requests and its window in seconds. */
                    "RateLimit-Policy"?: string;
                    /** @description The name of the file, if the answer is one. */
                    "Content-Disposition"?: string;
                    /** @description Identifies the answer, for If-None-Match, and the state of an asset, for If-Match. */
                    ETag?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ResponseEnvelope"] & {
                        data: components["schemas"]["Block"];
                    };
                };
            };
            /** @description Not Modified */
            304: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Bad Request */
            400: {
                headers: {
                    /** @description The caller's X-Request-Id, or a generated one. */
                    "X-Request-Id"?: string;
                    /** @description The stable code of the error, for programs. See docs/errors.md. */
                    "X-Error-Code"?: "API.INVALID_REQUEST" | "API.SECRET_IN_URL";
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    /** @description The caller's X-Request-Id, or a generated one. */
                    "X-Request-Id"?: string;
                    /** @description The stable code of the error, for programs. See docs/errors.md. */
                    "X-Error-Code"?: "API.LOGIN_NEEDED" | "API.LOGIN_REFUSED";
                    /** @description How callers log in (RFC 6750, section 3). */
                    "WWW-Authenticate"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Forbidden */
            403: {
                headers: {
                    /** @description The caller's X-Request-Id, or a generated one. */
                    "X-Request-Id"?: string;
                    /** @description The stable code of the error, for programs. See docs/errors.md. */
                    "X-Error-Code"?: "LEDGER.UNKNOWN_CALLER" | "LEDGER.CALLER_REFUSED" | "API.ROLE_NEEDED" | "API.NO_CALLER" | "API.TLS_NEEDED" | "API.FOREIGN_HOST";
                    /** @description How callers log in (RFC 6750, section 3). */
                    "WWW-Authenticate"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Not Found */
            404: {
                headers: {
                    /** @description The caller's X-Request-Id, or a generated one. */
                    "X-Request-Id"?: string;
                    /** @description The stable code of the error, for programs. See docs/errors.md. */
                    "X-Error-Code"?: "API.NOT_FOUND";
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Too Many Requests */
            429: {
                headers: {
                    /** @description The caller's X-Request-Id, or a generated one. */
                    "X-Request-Id"?: string;
                    /** @description The stable code of the error, for programs. See docs/errors.md. */
                    "X-Error-Code"?: "API.TOO_MANY_LOGINS" | "API.TOO_MANY_REQUESTS";
                    /** @description With LEDGER_RATE_LIMIT: the remaining requests of the caller, and seconds until the quota is full again. */
                    RateLimit?: string;
                    /** @description With LEDGER_RATE_LIMIT: the quota of requests and its window in seconds. */
                    "RateLimit-Policy"?: string;
                    /** @description Seconds. Present if nothing was written and the same call may be sent again, and for a transaction that may still be recorded. */
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Internal Server Error */
            500: {
                headers: {
                    /** @description The caller's X-Request-Id, or a generated one. */
                    "X-Request-Id"?: string;
                    /** @description The stable code of the error, for programs. See docs/errors.md. */
                    "X-Error-Code"?: "LEDGER.UNAVAILABLE" | "LEDGER.TIMEOUT" | "LEDGER.OVERLOADED" | "LEDGER.DAMAGED" | "LEDGER.MISCONFIGURED" | "API.INTERNAL";
                    /** @description Seconds. Present if nothing was written and the same call may be sent again, and for a transaction that may still be recorded. */
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Service Unavailable */
            503: {
                headers: {
                    /** @description The caller's X-Request-Id, or a generated one. */
                    "X-Request-Id"?: string;
                    /** @description The stable code of the error, for programs. See docs/errors.md. */
                    "X-Error-Code"?: "API.CALLERS_UNAVAILABLE" | "API.ISSUER_UNAVAILABLE";
                    /** @description Seconds. Present if nothing was written and the same call may be sent again, and for a transaction that may still be recorded. */
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
        };
    };
    readBlockOfChannel: {
        parameters: {
            query?: never;
            header?: {
                /** @description The ETag of an earlier answer. If it is still the same, the answer is 304 without a body. */
                "If-None-Match"?: string;
            };
            path: {
                /**
                 * @description The name of a channel: the default one, or one of LEDGER_CHANNELS.
                 * @example mychannel
                 */
                channel: string;
                /** @description The block number; 0 is the first block. */
                number: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    /** @description The caller's X-Request-Id, or a generated one. */
                    "X-Request-Id"?: string;
                    /** @description With LEDGER_RATE_LIMIT: the remaining requests of the caller, and seconds until the quota is full again. */
                    RateLimit?: string;
                    /** @description With LEDGER_RATE_LIMIT: the quota of requests and its window in seconds. */
                    "RateLimit-Policy"?: string;
                    /** @description The name of the file, if the answer is one. */
                    "Content-Disposition"?: string;
                    /** @description Identifies the answer, for If-None-Match, and the state of an asset, for If-Match. */
                    ETag?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ResponseEnvelope"] & {
                        data: components["schemas"]["Block"];
                    };
                };
            };
            /** @description Not Modified */
            304: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Bad Request */
            400: {
                headers: {
                    /** @description The caller's X-Request-Id, or a generated one. */
                    "X-Request-Id"?: string;
                    /** @description The stable code of the error, for programs. See docs/errors.md. */
                    "X-Error-Code"?: "API.INVALID_REQUEST" | "API.SECRET_IN_URL";
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    /** @description The caller's X-Request-Id, or a generated one. */
                    "X-Request-Id"?: string;
                    /** @description The stable code of the error, for programs. See docs/errors.md. */
                    "X-Error-Code"?: "API.LOGIN_NEEDED" | "API.LOGIN_REFUSED";
                    /** @description How callers log in (RFC 6750, section 3). */
                    "WWW-Authenticate"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Forbidden */
            403: {
                headers: {
                    /** @description The caller's X-Request-Id, or a generated one. */
                    "X-Request-Id"?: string;
                    /** @description The stable code of the error, for programs. See docs/errors.md. */
                    "X-Error-Code"?: "LEDGER.UNKNOWN_CALLER" | "LEDGER.CALLER_REFUSED" | "API.ROLE_NEEDED" | "API.NO_CALLER" | "API.TLS_NEEDED" | "API.FOREIGN_HOST";
                    /** @description How callers log in (RFC 6750, section 3). */
                    "WWW-Authenticate"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Not Found */
            404: {
                headers: {
                    /** @description The caller's X-Request-Id, or a generated one. */
                    "X-Request-Id"?: string;
                    /** @description The stable code of the error, for programs. See docs/errors.md. */
                    "X-Error-Code"?: "API.NOT_FOUND" | "LEDGER.CHANNEL_UNKNOWN";
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Too Many Requests */
            429: {
                headers: {
                    /** @description The caller's X-Request-Id, or a generated one. */
                    "X-Request-Id"?: string;
                    /** @description The stable code of the error, for programs. See docs/errors.md. */
                    "X-Error-Code"?: "API.TOO_MANY_LOGINS" | "API.TOO_MANY_REQUESTS";
                    /** @description With LEDGER_RATE_LIMIT: the remaining requests of the caller, and seconds until the quota is full again. */
                    RateLimit?: string;
                    /** @description With LEDGER_RATE_LIMIT: the quota of requests and its window in seconds. */
                    "RateLimit-Policy"?: string;
                    /** @description Seconds. Present if nothing was written and the same call may be sent again, and for a transaction that may still be recorded. */
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Internal Server Error */
            500: {
                headers: {
                    /** @description The caller's X-Request-Id, or a generated one. */
                    "X-Request-Id"?: string;
                    /** @description The stable code of the error, for programs. See docs/errors.md. */
                    "X-Error-Code"?: "LEDGER.OVERLOADED" | "LEDGER.DAMAGED" | "LEDGER.MISCONFIGURED" | "API.INTERNAL";
                    /** @description Seconds. Present if nothing was written and the same call may be sent again, and for a transaction that may still be recorded. */
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Service Unavailable */
            503: {
                headers: {
                    /** @description The caller's X-Request-Id, or a generated one. */
                    "X-Request-Id"?: string;
                    /** @description The stable code of the error, for programs. See docs/errors.md. */
                    "X-Error-Code"?: "API.CALLERS_UNAVAILABLE" | "API.ISSUER_UNAVAILABLE" | "LEDGER.UNAVAILABLE" | "LEDGER.TIMEOUT";
                    /** @description Seconds. Present if nothing was written and the same call may be sent again, and for a transaction that may still be recorded. */
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
        };
    };
    listTransactions: {
        parameters: {
            query?: {
                /** @description The maximum number of items on the page. The Link header names the next page. A page may be short. */
                limit?: number;
                /** @description A position in the chain, BLOCK or BLOCK:POSITION. The page begins with the transaction before it. */
                before?: string;
                /** @description Only transactions of this creator: the common name of its certificate, creatorId in the answer. */
                creator?: string;
                /** @description Only calls of this function, compared exactly: UpdateAsset does not include UpdateAssetIfMatch, which updates with If-Match record. */
                function?: string;
                /** @description Only transactions whose id begins with these hexadecimal characters. */
                prefix?: string;
                /** @description Only what has this timestamp or a later one. Timestamps are from the clocks of submitters. */
                since?: string;
                /** @description Only what has an earlier timestamp than this. */
                until?: string;
                /** @description With Accept: text/csv, keys: one row for each key that a transaction changed. The default is one for each transaction. */
                rows?: "keys";
                /** @description true: X-Total-Count is the number of all matches, wherever the page begins. */
                count?: "true";
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    /** @description The caller's X-Request-Id, or a generated one. */
                    "X-Request-Id"?: string;
                    /** @description With LEDGER_RATE_LIMIT: the remaining requests of the caller, and seconds until the quota is full again. */
                    RateLimit?: string;
                    /** @description With LEDGER_RATE_LIMIT: the quota of requests and its window in seconds. */
                    "RateLimit-Policy"?: string;
                    /** @description The name of the file, if the answer is one. */
                    "Content-Disposition"?: string;
                    /** @description The next page, rel="next". */
                    Link?: string;
                    /** @description With count=true: the number of all matches, such as 1111. Counting ends after 10,000 matches or 20 examined pages with "10000; more", a structured field (RFC 9651). Absent where nothing indexes the channel. */
                    "X-Total-Count"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ResponseEnvelope"] & {
                        data: components["schemas"]["TransactionSummary"][];
                    };
                };
            };
            /** @description Bad Request */
            400: {
                headers: {
                    /** @description The caller's X-Request-Id, or a generated one. */
                    "X-Request-Id"?: string;
                    /** @description The stable code of the error, for programs. See docs/errors.md. */
                    "X-Error-Code"?: "API.INVALID_REQUEST" | "API.SECRET_IN_URL";
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    /** @description The caller's X-Request-Id, or a generated one. */
                    "X-Request-Id"?: string;
                    /** @description The stable code of the error, for programs. See docs/errors.md. */
                    "X-Error-Code"?: "API.LOGIN_NEEDED" | "API.LOGIN_REFUSED";
                    /** @description How callers log in (RFC 6750, section 3). */
                    "WWW-Authenticate"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Forbidden */
            403: {
                headers: {
                    /** @description The caller's X-Request-Id, or a generated one. */
                    "X-Request-Id"?: string;
                    /** @description The stable code of the error, for programs. See docs/errors.md. */
                    "X-Error-Code"?: "LEDGER.UNKNOWN_CALLER" | "LEDGER.CALLER_REFUSED" | "API.ROLE_NEEDED" | "API.NO_CALLER" | "API.TLS_NEEDED" | "API.FOREIGN_HOST";
                    /** @description How callers log in (RFC 6750, section 3). */
                    "WWW-Authenticate"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Too Many Requests */
            429: {
                headers: {
                    /** @description The caller's X-Request-Id, or a generated one. */
                    "X-Request-Id"?: string;
                    /** @description The stable code of the error, for programs. See docs/errors.md. */
                    "X-Error-Code"?: "API.TOO_MANY_LOGINS" | "API.TOO_MANY_REQUESTS";
                    /** @description With LEDGER_RATE_LIMIT: the remaining requests of the caller, and seconds until the quota is full again. */
                    RateLimit?: string;
                    /** @description With LEDGER_RATE_LIMIT: the quota of requests and its window in seconds. */
                    "RateLimit-Policy"?: string;
                    /** @description Seconds. Present if nothing was written and the same call may be sent again, and for a transaction that may still be recorded. */
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Internal Server Error */
            500: {
                headers: {
                    /** @description The caller's X-Request-Id, or a generated one. */
                    "X-Request-Id"?: string;
                    /** @description The stable code of the error, for programs. See docs/errors.md. */
                    "X-Error-Code"?: "LEDGER.UNAVAILABLE" | "LEDGER.TIMEOUT" | "LEDGER.OVERLOADED" | "LEDGER.DAMAGED" | "LEDGER.MISCONFIGURED" | "API.INTERNAL";
                    /** @description Seconds. Present if nothing was written and the same call may be sent again, and for a transaction that may still be recorded. */
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Service Unavailable */
            503: {
                headers: {
                    /** @description The caller's X-Request-Id, or a generated one. */
                    "X-Request-Id"?: string;
                    /** @description The stable code of the error, for programs. See docs/errors.md. */
                    "X-Error-Code"?: "API.CALLERS_UNAVAILABLE" | "API.ISSUER_UNAVAILABLE";
                    /** @description Seconds. Present if nothing was written and the same call may be sent again, and for a transaction that may still be recorded. */
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
        };
    };
    listTransactionsOfChannel: {
        parameters: {
            query?: {
                /** @description The maximum number of items on the page. The Link header names the next page. A page may be short. */
                limit?: number;
                /** @description A position in the chain, BLOCK or BLOCK:POSITION. The page begins with the transaction before it. */
                before?: string;
                /** @description Only transactions of this creator: the common name of its certificate, creatorId in the answer. */
                creator?: string;
                /** @description Only calls of this function, compared exactly: UpdateAsset does not include UpdateAssetIfMatch, which updates with If-Match record. */
                function?: string;
                /** @description Only transactions whose id begins with these hexadecimal characters. */
                prefix?: string;
                /** @description Only what has this timestamp or a later one. Timestamps are from the clocks of submitters. */
                since?: string;
                /** @description Only what has an earlier timestamp than this. */
                until?: string;
                /** @description With Accept: text/csv, keys: one row for each key that a transaction changed. The default is one for each transaction. */
                rows?: "keys";
                /** @description true: X-Total-Count is the number of all matches, wherever the page begins. */
                count?: "true";
            };
            header?: never;
            path: {
                /**
                 * @description The name of a channel: the default one, or one of LEDGER_CHANNELS.
                 * @example mychannel
                 */
                channel: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    /** @description The caller's X-Request-Id, or a generated one. */
                    "X-Request-Id"?: string;
                    /** @description With LEDGER_RATE_LIMIT: the remaining requests of the caller, and seconds until the quota is full again. */
                    RateLimit?: string;
                    /** @description With LEDGER_RATE_LIMIT: the quota of requests and its window in seconds. */
                    "RateLimit-Policy"?: string;
                    /** @description The name of the file, if the answer is one. */
                    "Content-Disposition"?: string;
                    /** @description The next page, rel="next". */
                    Link?: string;
                    /** @description With count=true: the number of all matches, such as 1111. Counting ends after 10,000 matches or 20 examined pages with "10000; more", a structured field (RFC 9651). Absent where nothing indexes the channel. */
                    "X-Total-Count"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ResponseEnvelope"] & {
                        data: components["schemas"]["TransactionSummary"][];
                    };
                };
            };
            /** @description Bad Request */
            400: {
                headers: {
                    /** @description The caller's X-Request-Id, or a generated one. */
                    "X-Request-Id"?: string;
                    /** @description The stable code of the error, for programs. See docs/errors.md. */
                    "X-Error-Code"?: "API.INVALID_REQUEST" | "API.SECRET_IN_URL";
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    /** @description The caller's X-Request-Id, or a generated one. */
                    "X-Request-Id"?: string;
                    /** @description The stable code of the error, for programs. See docs/errors.md. */
                    "X-Error-Code"?: "API.LOGIN_NEEDED" | "API.LOGIN_REFUSED";
                    /** @description How callers log in (RFC 6750, section 3). */
                    "WWW-Authenticate"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Forbidden */
            403: {
                headers: {
                    /** @description The caller's X-Request-Id, or a generated one. */
                    "X-Request-Id"?: string;
                    /** @description The stable code of the error, for programs. See docs/errors.md. */
                    "X-Error-Code"?: "LEDGER.UNKNOWN_CALLER" | "LEDGER.CALLER_REFUSED" | "API.ROLE_NEEDED" | "API.NO_CALLER" | "API.TLS_NEEDED" | "API.FOREIGN_HOST";
                    /** @description How callers log in (RFC 6750, section 3). */
                    "WWW-Authenticate"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Not Found */
            404: {
                headers: {
                    /** @description The caller's X-Request-Id, or a generated one. */
                    "X-Request-Id"?: string;
                    /** @description The stable code of the error, for programs. See docs/errors.md. */
                    "X-Error-Code"?: "LEDGER.CHANNEL_UNKNOWN";
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Too Many Requests */
            429: {
                headers: {
                    /** @description The caller's X-Request-Id, or a generated one. */
                    "X-Request-Id"?: string;
                    /** @description The stable code of the error, for programs. See docs/errors.md. */
                    "X-Error-Code"?: "API.TOO_MANY_LOGINS" | "API.TOO_MANY_REQUESTS";
                    /** @description With LEDGER_RATE_LIMIT: the remaining requests of the caller, and seconds until the quota is full again. */
                    RateLimit?: string;
                    /** @description With LEDGER_RATE_LIMIT: the quota of requests and its window in seconds. */
                    "RateLimit-Policy"?: string;
                    /** @description Seconds. Present if nothing was written and the same call may be sent again, and for a transaction that may still be recorded. */
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Internal Server Error */
            500: {
                headers: {
                    /** @description The caller's X-Request-Id, or a generated one. */
                    "X-Request-Id"?: string;
                    /** @description The stable code of the error, for programs. See docs/errors.md. */
                    "X-Error-Code"?: "LEDGER.OVERLOADED" | "LEDGER.DAMAGED" | "LEDGER.MISCONFIGURED" | "API.INTERNAL";
                    /** @description Seconds. Present if nothing was written and the same call may be sent again, and for a transaction that may still be recorded. */
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Service Unavailable */
            503: {
                headers: {
                    /** @description The caller's X-Request-Id, or a generated one. */
                    "X-Request-Id"?: string;
                    /** @description The stable code of the error, for programs. See docs/errors.md. */
                    "X-Error-Code"?: "API.CALLERS_UNAVAILABLE" | "API.ISSUER_UNAVAILABLE" | "LEDGER.UNAVAILABLE" | "LEDGER.TIMEOUT";
                    /** @description Seconds. Present if nothing was written and the same call may be sent again, and for a transaction that may still be recorded. */
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
        };
    };
    getTransaction: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The transaction: 64 hexadecimal characters, as in the X-Transaction-Id of a write. */
                txid: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    /** @description The caller's X-Request-Id, or a generated one. */
                    "X-Request-Id"?: string;
                    /** @description With LEDGER_RATE_LIMIT: the remaining requests of the caller, and seconds until the quota is full again. */
                    RateLimit?: string;
                    /** @description With LEDGER_RATE_LIMIT: the quota of requests and its window in seconds. */
                    "RateLimit-Policy"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ResponseEnvelope"] & {
                        data: components["schemas"]["TransactionDetail"];
                    };
                };
            };
            /** @description Bad Request */
            400: {
                headers: {
                    /** @description The caller's X-Request-Id, or a generated one. */
                    "X-Request-Id"?: string;
                    /** @description The stable code of the error, for programs. See docs/errors.md. */
                    "X-Error-Code"?: "API.INVALID_REQUEST" | "API.SECRET_IN_URL";
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    /** @description The caller's X-Request-Id, or a generated one. */
                    "X-Request-Id"?: string;
                    /** @description The stable code of the error, for programs. See docs/errors.md. */
                    "X-Error-Code"?: "API.LOGIN_NEEDED" | "API.LOGIN_REFUSED";
                    /** @description How callers log in (RFC 6750, section 3). */
                    "WWW-Authenticate"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Forbidden */
            403: {
                headers: {
                    /** @description The caller's X-Request-Id, or a generated one. */
                    "X-Request-Id"?: string;
                    /** @description The stable code of the error, for programs. See docs/errors.md. */
                    "X-Error-Code"?: "LEDGER.UNKNOWN_CALLER" | "LEDGER.CALLER_REFUSED" | "API.ROLE_NEEDED" | "API.NO_CALLER" | "API.TLS_NEEDED" | "API.FOREIGN_HOST";
                    /** @description How callers log in (RFC 6750, section 3). */
                    "WWW-Authenticate"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Not Found */
            404: {
                headers: {
                    /** @description The caller's X-Request-Id, or a generated one. */
                    "X-Request-Id"?: string;
                    /** @description The stable code of the error, for programs. See docs/errors.md. */
                    "X-Error-Code"?: "API.NOT_FOUND";
                    /** @description Seconds. Present if nothing was written and the same call may be sent again, and for a transaction that may still be recorded. */
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Too Many Requests */
            429: {
                headers: {
                    /** @description The caller's X-Request-Id, or a generated one. */
                    "X-Request-Id"?: string;
                    /** @description The stable code of the error, for programs. See docs/errors.md. */
                    "X-Error-Code"?: "API.TOO_MANY_LOGINS" | "API.TOO_MANY_REQUESTS";
                    /** @description With LEDGER_RATE_LIMIT: the remaining requests of the caller, and seconds until the quota is full again. */
                    RateLimit?: string;
                    /** @description With LEDGER_RATE_LIMIT: the quota of requests and its window in seconds. */
                    "RateLimit-Policy"?: string;
                    /** @description Seconds. Present if nothing was written and the same call may be sent again, and for a transaction that may still be recorded. */
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Internal Server Error */
            500: {
                headers: {
                    /** @description The caller's X-Request-Id, or a generated one. */
                    "X-Request-Id"?: string;
                    /** @description The stable code of the error, for programs. See docs/errors.md. */
                    "X-Error-Code"?: "LEDGER.UNAVAILABLE" | "LEDGER.TIMEOUT" | "LEDGER.OVERLOADED" | "LEDGER.DAMAGED" | "LEDGER.MISCONFIGURED" | "API.INTERNAL";
                    /** @description Seconds. Present if nothing was written and the same call may be sent again, and for a transaction that may still be recorded. */
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Service Unavailable */
            503: {
                headers: {
                    /** @description The caller's X-Request-Id, or a generated one. */
                    "X-Request-Id"?: string;
                    /** @description The stable code of the error, for programs. See docs/errors.md. */
                    "X-Error-Code"?: "API.CALLERS_UNAVAILABLE" | "API.ISSUER_UNAVAILABLE";
                    /** @description Seconds. Present if nothing was written and the same call may be sent again, and for a transaction that may still be recorded. */
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
        };
    };
    getTransactionOfChannel: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The name of a channel: the default one, or one of LEDGER_CHANNELS.
                 * @example mychannel
                 */
                channel: string;
                /** @description The transaction: 64 hexadecimal characters, as in the X-Transaction-Id of a write. */
                txid: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    /** @description The caller's X-Request-Id, or a generated one. */
                    "X-Request-Id"?: string;
                    /** @description With LEDGER_RATE_LIMIT: the remaining requests of the caller, and seconds until the quota is full again. */
                    RateLimit?: string;
                    /** @description With LEDGER_RATE_LIMIT: the quota of requests and its window in seconds. */
                    "RateLimit-Policy"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ResponseEnvelope"] & {
                        data: components["schemas"]["TransactionDetail"];
                    };
                };
            };
            /** @description Bad Request */
            400: {
                headers: {
                    /** @description The caller's X-Request-Id, or a generated one. */
                    "X-Request-Id"?: string;
                    /** @description The stable code of the error, for programs. See docs/errors.md. */
                    "X-Error-Code"?: "API.INVALID_REQUEST" | "API.SECRET_IN_URL";
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    /** @description The caller's X-Request-Id, or a generated one. */
                    "X-Request-Id"?: string;
                    /** @description The stable code of the error, for programs. See docs/errors.md. */
                    "X-Error-Code"?: "API.LOGIN_NEEDED" | "API.LOGIN_REFUSED";
                    /** @description How callers log in (RFC 6750, section 3). */
                    "WWW-Authenticate"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Forbidden */
            403: {
                headers: {
                    /** @description The caller's X-Request-Id, or a generated one. */
                    "X-Request-Id"?: string;
                    /** @description The stable code of the error, for programs. See docs/errors.md. */
                    "X-Error-Code"?: "LEDGER.UNKNOWN_CALLER" | "LEDGER.CALLER_REFUSED" | "API.ROLE_NEEDED" | "API.NO_CALLER" | "API.TLS_NEEDED" | "API.FOREIGN_HOST";
                    /** @description How callers log in (RFC 6750, section 3). */
                    "WWW-Authenticate"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Not Found */
            404: {
                headers: {
                    /** @description The caller's X-Request-Id, or a generated one. */
                    "X-Request-Id"?: string;
                    /** @description The stable code of the error, for programs. See docs/errors.md. */
                    "X-Error-Code"?: "API.NOT_FOUND" | "LEDGER.CHANNEL_UNKNOWN";
                    /** @description Seconds. Present if nothing was written and the same call may be sent again, and for a transaction that may still be recorded. */
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Too Many Requests */
            429: {
                headers: {
                    /** @description The caller's X-Request-Id, or a generated one. */
                    "X-Request-Id"?: string;
                    /** @description The stable code of the error, for programs. See docs/errors.md. */
                    "X-Error-Code"?: "API.TOO_MANY_LOGINS" | "API.TOO_MANY_REQUESTS";
                    /** @description With LEDGER_RATE_LIMIT: the remaining requests of the caller, and seconds until the quota is full again. */
                    RateLimit?: string;
                    /** @description With LEDGER_RATE_LIMIT: the quota of requests and its window in seconds. */
                    "RateLimit-Policy"?: string;
                    /** @description Seconds. Present if nothing was written and the same call may be sent again, and for a transaction that may still be recorded. */
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Internal Server Error */
            500: {
                headers: {
                    /** @description The caller's X-Request-Id, or a generated one. */
                    "X-Request-Id"?: string;
                    /** @description The stable code of the error, for programs. See docs/errors.md. */
                    "X-Error-Code"?: "LEDGER.OVERLOADED" | "LEDGER.DAMAGED" | "LEDGER.MISCONFIGURED" | "API.INTERNAL";
                    /** @description Seconds. Present if nothing was written and the same call may be sent again, and for a transaction that may still be recorded. */
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Service Unavailable */
            503: {
                headers: {
                    /** @description The caller's X-Request-Id, or a generated one. */
                    "X-Request-Id"?: string;
                    /** @description The stable code of the error, for programs. See docs/errors.md. */
                    "X-Error-Code"?: "API.CALLERS_UNAVAILABLE" | "API.ISSUER_UNAVAILABLE" | "LEDGER.UNAVAILABLE" | "LEDGER.TIMEOUT";
                    /** @description Seconds. Present if nothing was written and the same call may be sent again, and for a transaction that may still be recorded. */
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
        };
    };
    listChannels: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    /** @description The caller's X-Request-Id, or a generated one. */
                    "X-Request-Id"?: string;
                    /** @description With LEDGER_RATE_LIMIT: the remaining requests of the caller, and seconds until the quota is full again. */
                    RateLimit?: string;
                    /** @description With LEDGER_RATE_LIMIT: the quota of requests and its window in seconds. */
                    "RateLimit-Policy"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ResponseEnvelope"] & {
                        data: components["schemas"]["ChannelState"][];
                    };
                };
            };
            /** @description Bad Request */
            400: {
                headers: {
                    /** @description The caller's X-Request-Id, or a generated one. */
                    "X-Request-Id"?: string;
                    /** @description The stable code of the error, for programs. See docs/errors.md. */
                    "X-Error-Code"?: "API.INVALID_REQUEST" | "API.SECRET_IN_URL";
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    /** @description The caller's X-Request-Id, or a generated one. */
                    "X-Request-Id"?: string;
                    /** @description The stable code of the error, for programs. See docs/errors.md. */
                    "X-Error-Code"?: "API.LOGIN_NEEDED" | "API.LOGIN_REFUSED";
                    /** @description How callers log in (RFC 6750, section 3). */
                    "WWW-Authenticate"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Forbidden */
            403: {
                headers: {
                    /** @description The caller's X-Request-Id, or a generated one. */
                    "X-Request-Id"?: string;
                    /** @description The stable code of the error, for programs. See docs/errors.md. */
                    "X-Error-Code"?: "API.ROLE_NEEDED" | "API.NO_CALLER" | "API.TLS_NEEDED" | "API.FOREIGN_HOST";
                    /** @description How callers log in (RFC 6750, section 3). */
                    "WWW-Authenticate"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Too Many Requests */
            429: {
                headers: {
                    /** @description The caller's X-Request-Id, or a generated one. */
                    "X-Request-Id"?: string;
                    /** @description The stable code of the error, for programs. See docs/errors.md. */
                    "X-Error-Code"?: "API.TOO_MANY_LOGINS" | "API.TOO_MANY_REQUESTS";
                    /** @description With LEDGER_RATE_LIMIT: the remaining requests of the caller, and seconds until the quota is full again. */
                    RateLimit?: string;
                    /** @description With LEDGER_RATE_LIMIT: the quota of requests and its window in seconds. */
                    "RateLimit-Policy"?: string;
                    /** @description Seconds. Present if nothing was written and the same call may be sent again, and for a transaction that may still be recorded. */
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Internal Server Error */
            500: {
                headers: {
                    /** @description The caller's X-Request-Id, or a generated one. */
                    "X-Request-Id"?: string;
                    /** @description The stable code of the error, for programs. See docs/errors.md. */
                    "X-Error-Code"?: "API.INTERNAL";
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Service Unavailable */
            503: {
                headers: {
                    /** @description The caller's X-Request-Id, or a generated one. */
                    "X-Request-Id"?: string;
                    /** @description The stable code of the error, for programs. See docs/errors.md. */
                    "X-Error-Code"?: "API.CALLERS_UNAVAILABLE" | "API.ISSUER_UNAVAILABLE";
                    /** @description Seconds. Present if nothing was written and the same call may be sent again, and for a transaction that may still be recorded. */
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
        };
    };
    getAuthorities: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The MSP id, such as creatorMspId. */
                mspId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    /** @description The caller's X-Request-Id, or a generated one. */
                    "X-Request-Id"?: string;
                    /** @description With LEDGER_RATE_LIMIT: the remaining requests of the caller, and seconds until the quota is full again. */
                    RateLimit?: string;
                    /** @description With LEDGER_RATE_LIMIT: the quota of requests and its window in seconds. */
                    "RateLimit-Policy"?: string;
                    /** @description The name of the file, if the answer is one. */
                    "Content-Disposition"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/x-pem-file": string;
                };
            };
            /** @description Bad Request */
            400: {
                headers: {
                    /** @description The caller's X-Request-Id, or a generated one. */
                    "X-Request-Id"?: string;
                    /** @description The stable code of the error, for programs. See docs/errors.md. */
                    "X-Error-Code"?: "API.INVALID_REQUEST" | "API.SECRET_IN_URL";
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    /** @description The caller's X-Request-Id, or a generated one. */
                    "X-Request-Id"?: string;
                    /** @description The stable code of the error, for programs. See docs/errors.md. */
                    "X-Error-Code"?: "API.LOGIN_NEEDED" | "API.LOGIN_REFUSED";
                    /** @description How callers log in (RFC 6750, section 3). */
                    "WWW-Authenticate"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Forbidden */
            403: {
                headers: {
                    /** @description The caller's X-Request-Id, or a generated one. */
                    "X-Request-Id"?: string;
                    /** @description The stable code of the error, for programs. See docs/errors.md. */
                    "X-Error-Code"?: "LEDGER.UNKNOWN_CALLER" | "LEDGER.CALLER_REFUSED" | "API.ROLE_NEEDED" | "API.NO_CALLER" | "API.TLS_NEEDED" | "API.FOREIGN_HOST";
                    /** @description How callers log in (RFC 6750, section 3). */
                    "WWW-Authenticate"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Not Found */
            404: {
                headers: {
                    /** @description The caller's X-Request-Id, or a generated one. */
                    "X-Request-Id"?: string;
                    /** @description The stable code of the error, for programs. See docs/errors.md. */
                    "X-Error-Code"?: "API.NOT_FOUND";
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description URI Too Long */
            414: {
                headers: {
                    /** @description The caller's X-Request-Id, or a generated one. */
                    "X-Request-Id"?: string;
                    /** @description The stable code of the error, for programs. See docs/errors.md. */
                    "X-Error-Code"?: "API.PATH_TOO_LONG";
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Too Many Requests */
            429: {
                headers: {
                    /** @description The caller's X-Request-Id, or a generated one. */
                    "X-Request-Id"?: string;
                    /** @description The stable code of the error, for programs. See docs/errors.md. */
                    "X-Error-Code"?: "API.TOO_MANY_LOGINS" | "API.TOO_MANY_REQUESTS";
                    /** @description With LEDGER_RATE_LIMIT: the remaining requests of the caller, and seconds until the quota is full again. */
                    RateLimit?: string;
                    /** @description With LEDGER_RATE_LIMIT: the quota of requests and its window in seconds. */
                    "RateLimit-Policy"?: string;
                    /** @description Seconds. Present if nothing was written and the same call may be sent again, and for a transaction that may still be recorded. */
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Internal Server Error */
            500: {
                headers: {
                    /** @description The caller's X-Request-Id, or a generated one. */
                    "X-Request-Id"?: string;
                    /** @description The stable code of the error, for programs. See docs/errors.md. */
                    "X-Error-Code"?: "LEDGER.UNAVAILABLE" | "LEDGER.TIMEOUT" | "LEDGER.OVERLOADED" | "LEDGER.DAMAGED" | "LEDGER.MISCONFIGURED" | "API.INTERNAL";
                    /** @description Seconds. Present if nothing was written and the same call may be sent again, and for a transaction that may still be recorded. */
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Not Implemented */
            501: {
                headers: {
                    /** @description The caller's X-Request-Id, or a generated one. */
                    "X-Request-Id"?: string;
                    /** @description The stable code of the error, for programs. See docs/errors.md. */
                    "X-Error-Code"?: "LEDGER.NOT_SUPPORTED";
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Service Unavailable */
            503: {
                headers: {
                    /** @description The caller's X-Request-Id, or a generated one. */
                    "X-Request-Id"?: string;
                    /** @description The stable code of the error, for programs. See docs/errors.md. */
                    "X-Error-Code"?: "API.CALLERS_UNAVAILABLE" | "API.ISSUER_UNAVAILABLE";
                    /** @description Seconds. Present if nothing was written and the same call may be sent again, and for a transaction that may still be recorded. */
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
        };
    };
    getAuthoritiesOfChannel: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The name of a channel: the default one, or one of LEDGER_CHANNELS.
                 * @example mychannel
                 */
                channel: string;
                /** @description The MSP id, such as creatorMspId. */
                mspId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    /** @description The caller's X-Request-Id, or a generated one. */
                    "X-Request-Id"?: string;
                    /** @description With LEDGER_RATE_LIMIT: the remaining requests of the caller, and seconds until the quota is full again. */
                    RateLimit?: string;
                    /** @description With LEDGER_RATE_LIMIT: the quota of requests and its window in seconds. */
                    "RateLimit-Policy"?: string;
                    /** @description The name of the file, if the answer is one. */
                    "Content-Disposition"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/x-pem-file": string;
                };
            };
            /** @description Bad Request */
            400: {
                headers: {
                    /** @description The caller's X-Request-Id, or a generated one. */
                    "X-Request-Id"?: string;
                    /** @description The stable code of the error, for programs. See docs/errors.md. */
                    "X-Error-Code"?: "API.INVALID_REQUEST" | "API.SECRET_IN_URL";
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    /** @description The caller's X-Request-Id, or a generated one. */
                    "X-Request-Id"?: string;
                    /** @description The stable code of the error, for programs. See docs/errors.md. */
                    "X-Error-Code"?: "API.LOGIN_NEEDED" | "API.LOGIN_REFUSED";
                    /** @description How callers log in (RFC 6750, section 3). */
                    "WWW-Authenticate"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Forbidden */
            403: {
                headers: {
                    /** @description The caller's X-Request-Id, or a generated one. */
                    "X-Request-Id"?: string;
                    /** @description The stable code of the error, for programs. See docs/errors.md. */
                    "X-Error-Code"?: "LEDGER.UNKNOWN_CALLER" | "LEDGER.CALLER_REFUSED" | "API.ROLE_NEEDED" | "API.NO_CALLER" | "API.TLS_NEEDED" | "API.FOREIGN_HOST";
                    /** @description How callers log in (RFC 6750, section 3). */
                    "WWW-Authenticate"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Not Found */
            404: {
                headers: {
                    /** @description The caller's X-Request-Id, or a generated one. */
                    "X-Request-Id"?: string;
                    /** @description The stable code of the error, for programs. See docs/errors.md. */
                    "X-Error-Code"?: "API.NOT_FOUND" | "LEDGER.CHANNEL_UNKNOWN";
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description URI Too Long */
            414: {
                headers: {
                    /** @description The caller's X-Request-Id, or a generated one. */
                    "X-Request-Id"?: string;
                    /** @description The stable code of the error, for programs. See docs/errors.md. */
                    "X-Error-Code"?: "API.PATH_TOO_LONG";
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Too Many Requests */
            429: {
                headers: {
                    /** @description The caller's X-Request-Id, or a generated one. */
                    "X-Request-Id"?: string;
                    /** @description The stable code of the error, for programs. See docs/errors.md. */
                    "X-Error-Code"?: "API.TOO_MANY_LOGINS" | "API.TOO_MANY_REQUESTS";
                    /** @description With LEDGER_RATE_LIMIT: the remaining requests of the caller, and seconds until the quota is full again. */
                    RateLimit?: string;
                    /** @description With LEDGER_RATE_LIMIT: the quota of requests and its window in seconds. */
                    "RateLimit-Policy"?: string;
                    /** @description Seconds. Present if nothing was written and the same call may be sent again, and for a transaction that may still be recorded. */
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Internal Server Error */
            500: {
                headers: {
                    /** @description The caller's X-Request-Id, or a generated one. */
                    "X-Request-Id"?: string;
                    /** @description The stable code of the error, for programs. See docs/errors.md. */
                    "X-Error-Code"?: "LEDGER.OVERLOADED" | "LEDGER.DAMAGED" | "LEDGER.MISCONFIGURED" | "API.INTERNAL";
                    /** @description Seconds. Present if nothing was written and the same call may be sent again, and for a transaction that may still be recorded. */
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Not Implemented */
            501: {
                headers: {
                    /** @description The caller's X-Request-Id, or a generated one. */
                    "X-Request-Id"?: string;
                    /** @description The stable code of the error, for programs. See docs/errors.md. */
                    "X-Error-Code"?: "LEDGER.NOT_SUPPORTED";
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Service Unavailable */
            503: {
                headers: {
                    /** @description The caller's X-Request-Id, or a generated one. */
                    "X-Request-Id"?: string;
                    /** @description The stable code of the error, for programs. See docs/errors.md. */
                    "X-Error-Code"?: "API.CALLERS_UNAVAILABLE" | "API.ISSUER_UNAVAILABLE" | "LEDGER.UNAVAILABLE" | "LEDGER.TIMEOUT";
                    /** @description Seconds. Present if nothing was written and the same call may be sent again, and for a transaction that may still be recorded. */
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
        };
    };
    getTotals: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    /** @description The caller's X-Request-Id, or a generated one. */
                    "X-Request-Id"?: string;
                    /** @description With LEDGER_RATE_LIMIT: the remaining requests of the caller, and seconds until the quota is full again. */
                    RateLimit?: string;
                    /** @description With LEDGER_RATE_LIMIT: the quota of requests and its window in seconds. */
                    "RateLimit-Policy"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ResponseEnvelope"] & {
                        data: components["schemas"]["LedgerTotals"];
                    };
                };
            };
            /** @description Bad Request */
            400: {
                headers: {
                    /** @description The caller's X-Request-Id, or a generated one. */
                    "X-Request-Id"?: string;
                    /** @description The stable code of the error, for programs. See docs/errors.md. */
                    "X-Error-Code"?: "API.INVALID_REQUEST" | "API.SECRET_IN_URL";
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    /** @description The caller's X-Request-Id, or a generated one. */
                    "X-Request-Id"?: string;
                    /** @description The stable code of the error, for programs. See docs/errors.md. */
                    "X-Error-Code"?: "API.LOGIN_NEEDED" | "API.LOGIN_REFUSED";
                    /** @description How callers log in (RFC 6750, section 3). */
                    "WWW-Authenticate"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Forbidden */
            403: {
                headers: {
                    /** @description The caller's X-Request-Id, or a generated one. */
                    "X-Request-Id"?: string;
                    /** @description The stable code of the error, for programs. See docs/errors.md. */
                    "X-Error-Code"?: "LEDGER.UNKNOWN_CALLER" | "LEDGER.CALLER_REFUSED" | "API.ROLE_NEEDED" | "API.NO_CALLER" | "API.TLS_NEEDED" | "API.FOREIGN_HOST";
                    /** @description How callers log in (RFC 6750, section 3). */
                    "WWW-Authenticate"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Too Many Requests */
            429: {
                headers: {
                    /** @description The caller's X-Request-Id, or a generated one. */
                    "X-Request-Id"?: string;
                    /** @description The stable code of the error, for programs. See docs/errors.md. */
                    "X-Error-Code"?: "API.TOO_MANY_LOGINS" | "API.TOO_MANY_REQUESTS";
                    /** @description With LEDGER_RATE_LIMIT: the remaining requests of the caller, and seconds until the quota is full again. */
                    RateLimit?: string;
                    /** @description With LEDGER_RATE_LIMIT: the quota of requests and its window in seconds. */
                    "RateLimit-Policy"?: string;
                    /** @description Seconds. Present if nothing was written and the same call may be sent again, and for a transaction that may still be recorded. */
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Internal Server Error */
            500: {
                headers: {
                    /** @description The caller's X-Request-Id, or a generated one. */
                    "X-Request-Id"?: string;
                    /** @description The stable code of the error, for programs. See docs/errors.md. */
                    "X-Error-Code"?: "LEDGER.UNAVAILABLE" | "LEDGER.TIMEOUT" | "LEDGER.OVERLOADED" | "LEDGER.DAMAGED" | "LEDGER.MISCONFIGURED" | "API.INTERNAL";
                    /** @description Seconds. Present if nothing was written and the same call may be sent again, and for a transaction that may still be recorded. */
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Not Implemented */
            501: {
                headers: {
                    /** @description The caller's X-Request-Id, or a generated one. */
                    "X-Request-Id"?: string;
                    /** @description The stable code of the error, for programs. See docs/errors.md. */
                    "X-Error-Code"?: "LEDGER.NOT_SUPPORTED";
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Service Unavailable */
            503: {
                headers: {
                    /** @description The caller's X-Request-Id, or a generated one. */
                    "X-Request-Id"?: string;
                    /** @description The stable code of the error, for programs. See docs/errors.md. */
                    "X-Error-Code"?: "API.CALLERS_UNAVAILABLE" | "API.ISSUER_UNAVAILABLE";
                    /** @description Seconds. Present if nothing was written and the same call may be sent again, and for a transaction that may still be recorded. */
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
        };
    };
    initLedger: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    /** @description The caller's X-Request-Id, or a generated one. */
                    "X-Request-Id"?: string;
                    /** @description With LEDGER_RATE_LIMIT: the remaining requests of the caller, and seconds until the quota is full again. */
                    RateLimit?: string;
                    /** @description With LEDGER_RATE_LIMIT: the quota of requests and its window in seconds. */
                    "RateLimit-Policy"?: string;
                    /** @description The transaction of the write. */
                    "X-Transaction-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ResponseEnvelope"] & {
                        data: components["schemas"]["LedgerInitResult"];
                    };
                };
            };
            /** @description Bad Request */
            400: {
                headers: {
                    /** @description The caller's X-Request-Id, or a generated one. */
                    "X-Request-Id"?: string;
                    /** @description The stable code of the error, for programs. See docs/errors.md. */
                    "X-Error-Code"?: "API.INVALID_REQUEST" | "API.SECRET_IN_URL";
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    /** @description The caller's X-Request-Id, or a generated one. */
                    "X-Request-Id"?: string;
                    /** @description The stable code of the error, for programs. See docs/errors.md. */
                    "X-Error-Code"?: "API.LOGIN_NEEDED" | "API.LOGIN_REFUSED";
                    /** @description How callers log in (RFC 6750, section 3). */
                    "WWW-Authenticate"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Forbidden */
            403: {
                headers: {
                    /** @description The caller's X-Request-Id, or a generated one. */
                    "X-Request-Id"?: string;
                    /** @description The stable code of the error, for programs. See docs/errors.md. */
                    "X-Error-Code"?: "LEDGER.UNKNOWN_CALLER" | "LEDGER.CALLER_REFUSED" | "API.CROSS_SITE" | "API.ROLE_NEEDED" | "API.NO_CALLER" | "API.TLS_NEEDED" | "API.FOREIGN_HOST";
                    /** @description How callers log in (RFC 6750, section 3). */
                    "WWW-Authenticate"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Too Many Requests */
            429: {
                headers: {
                    /** @description The caller's X-Request-Id, or a generated one. */
                    "X-Request-Id"?: string;
                    /** @description The stable code of the error, for programs. See docs/errors.md. */
                    "X-Error-Code"?: "API.TOO_MANY_LOGINS" | "API.TOO_MANY_REQUESTS";
                    /** @description With LEDGER_RATE_LIMIT: the remaining requests of the caller, and seconds until the quota is full again. */
                    RateLimit?: string;
                    /** @description With LEDGER_RATE_LIMIT: the quota of requests and its window in seconds. */
                    "RateLimit-Policy"?: string;
                    /** @description Seconds. Present if nothing was written and the same call may be sent again, and for a transaction that may still be recorded. */
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Internal Server Error */
            500: {
                headers: {
                    /** @description The caller's X-Request-Id, or a generated one. */
                    "X-Request-Id"?: string;
                    /** @description The stable code of the error, for programs. See docs/errors.md. */
                    "X-Error-Code"?: "LEDGER.REFUSED" | "LEDGER.UNAVAILABLE" | "LEDGER.TIMEOUT" | "LEDGER.OVERLOADED" | "LEDGER.DAMAGED" | "LEDGER.MISCONFIGURED" | "API.INTERNAL" | "LEDGER.CONFLICT" | "LEDGER.OUTCOME_UNKNOWN" | "LEDGER.READ_ONLY" | "LEDGER.FUNCTION_UNKNOWN";
                    /** @description Seconds. Present if nothing was written and the same call may be sent again, and for a transaction that may still be recorded. */
                    "Retry-After"?: string;
                    /** @description The transaction whose outcome is unknown: look it up before you send anything again. */
                    "X-Transaction-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Service Unavailable */
            503: {
                headers: {
                    /** @description The caller's X-Request-Id, or a generated one. */
                    "X-Request-Id"?: string;
                    /** @description The stable code of the error, for programs. See docs/errors.md. */
                    "X-Error-Code"?: "LEDGER.WRITES_DISABLED" | "API.CALLERS_UNAVAILABLE" | "API.ISSUER_UNAVAILABLE";
                    /** @description Seconds. Present if nothing was written and the same call may be sent again, and for a transaction that may still be recorded. */
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
        };
    };
    search: {
        parameters: {
            query: {
                /** @description The maximum number of suggestions. */
                limit?: number;
                /** @description The first characters of an id, an owner, a caller, a function, a transaction id, a block number or a block hash. */
                text: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    /** @description The caller's X-Request-Id, or a generated one. */
                    "X-Request-Id"?: string;
                    /** @description With LEDGER_RATE_LIMIT: the remaining requests of the caller, and seconds until the quota is full again. */
                    RateLimit?: string;
                    /** @description With LEDGER_RATE_LIMIT: the quota of requests and its window in seconds. */
                    "RateLimit-Policy"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ResponseEnvelope"] & {
                        data: components["schemas"]["Suggestion"][];
                    };
                };
            };
            /** @description Bad Request */
            400: {
                headers: {
                    /** @description The caller's X-Request-Id, or a generated one. */
                    "X-Request-Id"?: string;
                    /** @description The stable code of the error, for programs. See docs/errors.md. */
                    "X-Error-Code"?: "API.INVALID_REQUEST" | "API.SECRET_IN_URL";
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    /** @description The caller's X-Request-Id, or a generated one. */
                    "X-Request-Id"?: string;
                    /** @description The stable code of the error, for programs. See docs/errors.md. */
                    "X-Error-Code"?: "API.LOGIN_NEEDED" | "API.LOGIN_REFUSED";
                    /** @description How callers log in (RFC 6750, section 3). */
                    "WWW-Authenticate"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Forbidden */
            403: {
                headers: {
                    /** @description The caller's X-Request-Id, or a generated one. */
                    "X-Request-Id"?: string;
                    /** @description The stable code of the error, for programs. See docs/errors.md. */
                    "X-Error-Code"?: "LEDGER.UNKNOWN_CALLER" | "LEDGER.CALLER_REFUSED" | "API.ROLE_NEEDED" | "API.NO_CALLER" | "API.TLS_NEEDED" | "API.FOREIGN_HOST";
                    /** @description How callers log in (RFC 6750, section 3). */
                    "WWW-Authenticate"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Too Many Requests */
            429: {
                headers: {
                    /** @description The caller's X-Request-Id, or a generated one. */
                    "X-Request-Id"?: string;
                    /** @description The stable code of the error, for programs. See docs/errors.md. */
                    "X-Error-Code"?: "API.TOO_MANY_LOGINS" | "API.TOO_MANY_REQUESTS";
                    /** @description With LEDGER_RATE_LIMIT: the remaining requests of the caller, and seconds until the quota is full again. */
                    RateLimit?: string;
                    /** @description With LEDGER_RATE_LIMIT: the quota of requests and its window in seconds. */
                    "RateLimit-Policy"?: string;
                    /** @description Seconds. Present if nothing was written and the same call may be sent again, and for a transaction that may still be recorded. */
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Internal Server Error */
            500: {
                headers: {
                    /** @description The caller's X-Request-Id, or a generated one. */
                    "X-Request-Id"?: string;
                    /** @description The stable code of the error, for programs. See docs/errors.md. */
                    "X-Error-Code"?: "LEDGER.UNAVAILABLE" | "LEDGER.TIMEOUT" | "LEDGER.OVERLOADED" | "LEDGER.DAMAGED" | "LEDGER.MISCONFIGURED" | "API.INTERNAL" | "LEDGER.FUNCTION_UNKNOWN" | "LEDGER.REFUSED";
                    /** @description Seconds. Present if nothing was written and the same call may be sent again, and for a transaction that may still be recorded. */
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Service Unavailable */
            503: {
                headers: {
                    /** @description The caller's X-Request-Id, or a generated one. */
                    "X-Request-Id"?: string;
                    /** @description The stable code of the error, for programs. See docs/errors.md. */
                    "X-Error-Code"?: "API.CALLERS_UNAVAILABLE" | "API.ISSUER_UNAVAILABLE";
                    /** @description Seconds. Present if nothing was written and the same call may be sent again, and for a transaction that may still be recorded. */
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
        };
    };
    searchOfChannel: {
        parameters: {
            query: {
                /** @description The maximum number of suggestions. */
                limit?: number;
                /** @description The first characters of an id, an owner, a caller, a function, a transaction id, a block number or a block hash. */
                text: string;
            };
            header?: never;
            path: {
                /**
                 * @description The name of a channel: the default one, or one of LEDGER_CHANNELS.
                 * @example mychannel
                 */
                channel: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    /** @description The caller's X-Request-Id, or a generated one. */
                    "X-Request-Id"?: string;
                    /** @description With LEDGER_RATE_LIMIT: the remaining requests of the caller, and seconds until the quota is full again. */
                    RateLimit?: string;
                    /** @description With LEDGER_RATE_LIMIT: the quota of requests and its window in seconds. */
                    "RateLimit-Policy"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ResponseEnvelope"] & {
                        data: components["schemas"]["Suggestion"][];
                    };
                };
            };
            /** @description Bad Request */
            400: {
                headers: {
                    /** @description The caller's X-Request-Id, or a generated one. */
                    "X-Request-Id"?: string;
                    /** @description The stable code of the error, for programs. See docs/errors.md. */
                    "X-Error-Code"?: "API.INVALID_REQUEST" | "API.SECRET_IN_URL";
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    /** @description The caller's X-Request-Id, or a generated one. */
                    "X-Request-Id"?: string;
                    /** @description The stable code of the error, for programs. See docs/errors.md. */
                    "X-Error-Code"?: "API.LOGIN_NEEDED" | "API.LOGIN_REFUSED";
                    /** @description How callers log in (RFC 6750, section 3). */
                    "WWW-Authenticate"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Forbidden */
            403: {
                headers: {
                    /** @description The caller's X-Request-Id, or a generated one. */
                    "X-Request-Id"?: string;
                    /** @description The stable code of the error, for programs. See docs/errors.md. */
                    "X-Error-Code"?: "LEDGER.UNKNOWN_CALLER" | "LEDGER.CALLER_REFUSED" | "API.ROLE_NEEDED" | "API.NO_CALLER" | "API.TLS_NEEDED" | "API.FOREIGN_HOST";
                    /** @description How callers log in (RFC 6750, section 3). */
                    "WWW-Authenticate"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Not Found */
            404: {
                headers: {
                    /** @description The caller's X-Request-Id, or a generated one. */
                    "X-Request-Id"?: string;
                    /** @description The stable code of the error, for programs. See docs/errors.md. */
                    "X-Error-Code"?: "LEDGER.CHANNEL_UNKNOWN";
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Too Many Requests */
            429: {
                headers: {
                    /** @description The caller's X-Request-Id, or a generated one. */
                    "X-Request-Id"?: string;
                    /** @description The stable code of the error, for programs. See docs/errors.md. */
                    "X-Error-Code"?: "API.TOO_MANY_LOGINS" | "API.TOO_MANY_REQUESTS";
                    /** @description With LEDGER_RATE_LIMIT: the remaining requests of the caller, and seconds until the quota is full again. */
                    RateLimit?: string;
                    /** @description With LEDGER_RATE_LIMIT: the quota of requests and its window in seconds. */
                    "RateLimit-Policy"?: string;
                    /** @description Seconds. Present if nothing was written and the same call may be sent again, and for a transaction that may still be recorded. */
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Internal Server Error */
            500: {
                headers: {
                    /** @description The caller's X-Request-Id, or a generated one. */
                    "X-Request-Id"?: string;
                    /** @description The stable code of the error, for programs. See docs/errors.md. */
                    "X-Error-Code"?: "LEDGER.OVERLOADED" | "LEDGER.DAMAGED" | "LEDGER.MISCONFIGURED" | "API.INTERNAL" | "LEDGER.FUNCTION_UNKNOWN" | "LEDGER.REFUSED";
                    /** @description Seconds. Present if nothing was written and the same call may be sent again, and for a transaction that may still be recorded. */
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Service Unavailable */
            503: {
                headers: {
                    /** @description The caller's X-Request-Id, or a generated one. */
                    "X-Request-Id"?: string;
                    /** @description The stable code of the error, for programs. See docs/errors.md. */
                    "X-Error-Code"?: "API.CALLERS_UNAVAILABLE" | "API.ISSUER_UNAVAILABLE" | "LEDGER.UNAVAILABLE" | "LEDGER.TIMEOUT";
                    /** @description Seconds. Present if nothing was written and the same call may be sent again, and for a transaction that may still be recorded. */
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
        };
    };
    followEvents: {
        parameters: {
            query?: {
                /** @description The first block, instead of the next one; 0 for the whole chain. */
                from?: number;
            };
            header?: {
                /** @description The id of the last processed event. The stream resumes after it and ignores "from". */
                "Last-Event-ID"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    /** @description The caller's X-Request-Id, or a generated one. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "asset.created",
                     *       "transactionId": "4f1b2a9c07d3e86558b1f0a3c2d4e5f60718293a4b5c6d7e8f9012a3b4c5d6e7",
                     *       "blockNumber": 7,
                     *       "timestamp": "2026-11-21T12:00:00.000Z",
                     *       "creatorId": "User1@org1.example.com",
                     *       "creatorMspId": "Org1MSP",
                     *       "assetId": "asset7",
                     *       "asset": {
                     *         "ID": "asset7",
                     *         "appraisedValue": "300",
                     *         "color": "blue",
                     *         "owner": "Tomoko",
                     *         "size": "5"
                     *       }
                     *     }
                     */
                    "text/event-stream": components["schemas"]["AssetEvent"] | components["schemas"]["BlockEvent"];
                };
            };
            /** @description Bad Request */
            400: {
                headers: {
                    /** @description The caller's X-Request-Id, or a generated one. */
                    "X-Request-Id"?: string;
                    /** @description The stable code of the error, for programs. See docs/errors.md. */
                    "X-Error-Code"?: "API.INVALID_REQUEST" | "API.SECRET_IN_URL";
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    /** @description The caller's X-Request-Id, or a generated one. */
                    "X-Request-Id"?: string;
                    /** @description The stable code of the error, for programs. See docs/errors.md. */
                    "X-Error-Code"?: "API.LOGIN_NEEDED" | "API.LOGIN_REFUSED";
                    /** @description How callers log in (RFC 6750, section 3). */
                    "WWW-Authenticate"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Forbidden */
            403: {
                headers: {
                    /** @description The caller's X-Request-Id, or a generated one. */
                    "X-Request-Id"?: string;
                    /** @description The stable code of the error, for programs. See docs/errors.md. */
                    "X-Error-Code"?: "LEDGER.UNKNOWN_CALLER" | "LEDGER.CALLER_REFUSED" | "API.ROLE_NEEDED" | "API.NO_CALLER" | "API.TLS_NEEDED" | "API.FOREIGN_HOST";
                    /** @description How callers log in (RFC 6750, section 3). */
                    "WWW-Authenticate"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Too Many Requests */
            429: {
                headers: {
                    /** @description The caller's X-Request-Id, or a generated one. */
                    "X-Request-Id"?: string;
                    /** @description The stable code of the error, for programs. See docs/errors.md. */
                    "X-Error-Code"?: "API.TOO_MANY_LOGINS" | "API.TOO_MANY_REQUESTS";
                    /** @description With LEDGER_RATE_LIMIT: the remaining requests of the caller, and seconds until the quota is full again. */
                    RateLimit?: string;
                    /** @description With LEDGER_RATE_LIMIT: the quota of requests and its window in seconds. */
                    "RateLimit-Policy"?: string;
                    /** @description Seconds. Present if nothing was written and the same call may be sent again, and for a transaction that may still be recorded. */
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Internal Server Error */
            500: {
                headers: {
                    /** @description The caller's X-Request-Id, or a generated one. */
                    "X-Request-Id"?: string;
                    /** @description The stable code of the error, for programs. See docs/errors.md. */
                    "X-Error-Code"?: "LEDGER.UNAVAILABLE" | "LEDGER.TIMEOUT" | "LEDGER.OVERLOADED" | "LEDGER.DAMAGED" | "LEDGER.MISCONFIGURED" | "API.INTERNAL";
                    /** @description Seconds. Present if nothing was written and the same call may be sent again, and for a transaction that may still be recorded. */
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Service Unavailable */
            503: {
                headers: {
                    /** @description The caller's X-Request-Id, or a generated one. */
                    "X-Request-Id"?: string;
                    /** @description The stable code of the error, for programs. See docs/errors.md. */
                    "X-Error-Code"?: "API.NOT_READY" | "API.CALLERS_UNAVAILABLE" | "API.ISSUER_UNAVAILABLE";
                    /** @description Seconds. Present if nothing was written and the same call may be sent again, and for a transaction that may still be recorded. */
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
        };
    };
    followEventsOfChannel: {
        parameters: {
            query?: {
                /** @description The first block, instead of the next one; 0 for the whole chain. */
                from?: number;
            };
            header?: {
                /** @description The id of the last processed event. The stream resumes after it and ignores "from". */
                "Last-Event-ID"?: string;
            };
            path: {
                /**
                 * @description The name of a channel: the default one, or one of LEDGER_CHANNELS.
                 * @example mychannel
                 */
                channel: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    /** @description The caller's X-Request-Id, or a generated one. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "asset.created",
                     *       "transactionId": "4f1b2a9c07d3e86558b1f0a3c2d4e5f60718293a4b5c6d7e8f9012a3b4c5d6e7",
                     *       "blockNumber": 7,
                     *       "timestamp": "2026-11-21T12:00:00.000Z",
                     *       "creatorId": "User1@org1.example.com",
                     *       "creatorMspId": "Org1MSP",
                     *       "assetId": "asset7",
                     *       "asset": {
                     *         "ID": "asset7",
                     *         "appraisedValue": "300",
                     *         "color": "blue",
                     *         "owner": "Tomoko",
                     *         "size": "5"
                     *       }
                     *     }
                     */
                    "text/event-stream": components["schemas"]["AssetEvent"] | components["schemas"]["BlockEvent"];
                };
            };
            /** @description Bad Request */
            400: {
                headers: {
                    /** @description The caller's X-Request-Id, or a generated one. */
                    "X-Request-Id"?: string;
                    /** @description The stable code of the error, for programs. See docs/errors.md. */
                    "X-Error-Code"?: "API.INVALID_REQUEST" | "API.SECRET_IN_URL";
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    /** @description The caller's X-Request-Id, or a generated one. */
                    "X-Request-Id"?: string;
                    /** @description The stable code of the error, for programs. See docs/errors.md. */
                    "X-Error-Code"?: "API.LOGIN_NEEDED" | "API.LOGIN_REFUSED";
                    /** @description How callers log in (RFC 6750, section 3). */
                    "WWW-Authenticate"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Forbidden */
            403: {
                headers: {
                    /** @description The caller's X-Request-Id, or a generated one. */
                    "X-Request-Id"?: string;
                    /** @description The stable code of the error, for programs. See docs/errors.md. */
                    "X-Error-Code"?: "LEDGER.UNKNOWN_CALLER" | "LEDGER.CALLER_REFUSED" | "API.ROLE_NEEDED" | "API.NO_CALLER" | "API.TLS_NEEDED" | "API.FOREIGN_HOST";
                    /** @description How callers log in (RFC 6750, section 3). */
                    "WWW-Authenticate"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Not Found */
            404: {
                headers: {
                    /** @description The caller's X-Request-Id, or a generated one. */
                    "X-Request-Id"?: string;
                    /** @description The stable code of the error, for programs. See docs/errors.md. */
                    "X-Error-Code"?: "LEDGER.CHANNEL_UNKNOWN";
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Too Many Requests */
            429: {
                headers: {
                    /** @description The caller's X-Request-Id, or a generated one. */
                    "X-Request-Id"?: string;
                    /** @description The stable code of the error, for programs. See docs/errors.md. */
                    "X-Error-Code"?: "API.TOO_MANY_LOGINS" | "API.TOO_MANY_REQUESTS";
                    /** @description With LEDGER_RATE_LIMIT: the remaining requests of the caller, and seconds until the quota is full again. */
                    RateLimit?: string;
                    /** @description With LEDGER_RATE_LIMIT: the quota of requests and its window in seconds. */
                    "RateLimit-Policy"?: string;
                    /** @description Seconds. Present if nothing was written and the same call may be sent again, and for a transaction that may still be recorded. */
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Internal Server Error */
            500: {
                headers: {
                    /** @description The caller's X-Request-Id, or a generated one. */
                    "X-Request-Id"?: string;
                    /** @description The stable code of the error, for programs. See docs/errors.md. */
                    "X-Error-Code"?: "LEDGER.OVERLOADED" | "LEDGER.DAMAGED" | "LEDGER.MISCONFIGURED" | "API.INTERNAL";
                    /** @description Seconds. Present if nothing was written and the same call may be sent again, and for a transaction that may still be recorded. */
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Service Unavailable */
            503: {
                headers: {
                    /** @description The caller's X-Request-Id, or a generated one. */
                    "X-Request-Id"?: string;
                    /** @description The stable code of the error, for programs. See docs/errors.md. */
                    "X-Error-Code"?: "API.NOT_READY" | "API.CALLERS_UNAVAILABLE" | "API.ISSUER_UNAVAILABLE" | "LEDGER.UNAVAILABLE" | "LEDGER.TIMEOUT";
                    /** @description Seconds. Present if nothing was written and the same call may be sent again, and for a transaction that may still be recorded. */
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
        };
    };
    followContractEvents: {
        parameters: {
            query?: {
                /** @description Only events with this name. Repeat it for several names. */
                event?: string[];
                /** @description The first block, instead of the next one; 0 for the whole chain. */
                from?: number;
            };
            header?: {
                /** @description The id of the last processed event. The stream resumes after it and ignores "from". */
                "Last-Event-ID"?: string;
            };
            path: {
                /** @description The name of a chaincode of the channel. */
                chaincode: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    /** @description The caller's X-Request-Id, or a generated one. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "chaincode",
                     *       "transactionId": "4f1b2a9c07d3e86558b1f0a3c2d4e5f60718293a4b5c6d7e8f9012a3b4c5d6e7",
                     *       "blockNumber": 7,
                     *       "timestamp": "2026-11-21T12:00:00.000Z",
                     *       "creatorId": "User1@org1.example.com",
                     *       "creatorMspId": "Org1MSP",
                     *       "chaincode": "basic",
                     *       "eventName": "CreateAsset",
                     *       "payload": "{\"ID\":\"asset7\",\"appraisedValue\":\"300\",\"color\":\"blue\",\"owner\":\"Tomoko\",\"size\":\"5\"}",
                     *       "encoding": "text"
                     *     }
                     */
                    "text/event-stream": components["schemas"]["ChaincodeEvent"];
                };
            };
            /** @description Bad Request */
            400: {
                headers: {
                    /** @description The caller's X-Request-Id, or a generated one. */
                    "X-Request-Id"?: string;
                    /** @description The stable code of the error, for programs. See docs/errors.md. */
                    "X-Error-Code"?: "API.INVALID_REQUEST" | "API.SECRET_IN_URL";
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    /** @description The caller's X-Request-Id, or a generated one. */
                    "X-Request-Id"?: string;
                    /** @description The stable code of the error, for programs. See docs/errors.md. */
                    "X-Error-Code"?: "API.LOGIN_NEEDED" | "API.LOGIN_REFUSED";
                    /** @description How callers log in (RFC 6750, section 3). */
                    "WWW-Authenticate"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Forbidden */
            403: {
                headers: {
                    /** @description The caller's X-Request-Id, or a generated one. */
                    "X-Request-Id"?: string;
                    /** @description The stable code of the error, for programs. See docs/errors.md. */
                    "X-Error-Code"?: "API.NOT_LISTED" | "LEDGER.UNKNOWN_CALLER" | "LEDGER.CALLER_REFUSED" | "API.ROLE_NEEDED" | "API.NO_CALLER" | "API.TLS_NEEDED" | "API.FOREIGN_HOST";
                    /** @description How callers log in (RFC 6750, section 3). */
                    "WWW-Authenticate"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Not Found */
            404: {
                headers: {
                    /** @description The caller's X-Request-Id, or a generated one. */
                    "X-Request-Id"?: string;
                    /** @description The stable code of the error, for programs. See docs/errors.md. */
                    "X-Error-Code"?: "LEDGER.CHAINCODE_UNKNOWN";
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description URI Too Long */
            414: {
                headers: {
                    /** @description The caller's X-Request-Id, or a generated one. */
                    "X-Request-Id"?: string;
                    /** @description The stable code of the error, for programs. See docs/errors.md. */
                    "X-Error-Code"?: "API.PATH_TOO_LONG";
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Too Many Requests */
            429: {
                headers: {
                    /** @description The caller's X-Request-Id, or a generated one. */
                    "X-Request-Id"?: string;
                    /** @description The stable code of the error, for programs. See docs/errors.md. */
                    "X-Error-Code"?: "API.TOO_MANY_LOGINS" | "API.TOO_MANY_REQUESTS";
                    /** @description With LEDGER_RATE_LIMIT: the remaining requests of the caller, and seconds until the quota is full again. */
                    RateLimit?: string;
                    /** @description With LEDGER_RATE_LIMIT: the quota of requests and its window in seconds. */
                    "RateLimit-Policy"?: string;
                    /** @description Seconds. Present if nothing was written and the same call may be sent again, and for a transaction that may still be recorded. */
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Internal Server Error */
            500: {
                headers: {
                    /** @description The caller's X-Request-Id, or a generated one. */
                    "X-Request-Id"?: string;
                    /** @description The stable code of the error, for programs. See docs/errors.md. */
                    "X-Error-Code"?: "LEDGER.UNAVAILABLE" | "LEDGER.TIMEOUT" | "LEDGER.OVERLOADED" | "LEDGER.DAMAGED" | "LEDGER.MISCONFIGURED" | "API.INTERNAL";
                    /** @description Seconds. Present if nothing was written and the same call may be sent again, and for a transaction that may still be recorded. */
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Service Unavailable */
            503: {
                headers: {
                    /** @description The caller's X-Request-Id, or a generated one. */
                    "X-Request-Id"?: string;
                    /** @description The stable code of the error, for programs. See docs/errors.md. */
                    "X-Error-Code"?: "API.NOT_READY" | "API.CALLERS_UNAVAILABLE" | "API.ISSUER_UNAVAILABLE";
                    /** @description Seconds. Present if nothing was written and the same call may be sent again, and for a transaction that may still be recorded. */
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
        };
    };
    followContractEventsOfChannel: {
        parameters: {
            query?: {
                /** @description Only events with this name. Repeat it for several names. */
                event?: string[];
                /** @description The first block, instead of the next one; 0 for the whole chain. */
                from?: number;
            };
            header?: {
                /** @description The id of the last processed event. The stream resumes after it and ignores "from". */
                "Last-Event-ID"?: string;
            };
            path: {
                /**
                 * @description The name of a channel: the default one, or one of LEDGER_CHANNELS.
                 * @example mychannel
                 */
                channel: string;
                /** @description The name of a chaincode of the channel. */
                chaincode: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    /** @description The caller's X-Request-Id, or a generated one. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "chaincode",
                     *       "transactionId": "4f1b2a9c07d3e86558b1f0a3c2d4e5f60718293a4b5c6d7e8f9012a3b4c5d6e7",
                     *       "blockNumber": 7,
                     *       "timestamp": "2026-11-21T12:00:00.000Z",
                     *       "creatorId": "User1@org1.example.com",
                     *       "creatorMspId": "Org1MSP",
                     *       "chaincode": "basic",
                     *       "eventName": "CreateAsset",
                     *       "payload": "{\"ID\":\"asset7\",\"appraisedValue\":\"300\",\"color\":\"blue\",\"owner\":\"Tomoko\",\"size\":\"5\"}",
                     *       "encoding": "text"
                     *     }
                     */
                    "text/event-stream": components["schemas"]["ChaincodeEvent"];
                };
            };
            /** @description Bad Request */
            400: {
                headers: {
                    /** @description The caller's X-Request-Id, or a generated one. */
                    "X-Request-Id"?: string;
                    /** @description The stable code of the error, for programs. See docs/errors.md. */
                    "X-Error-Code"?: "API.INVALID_REQUEST" | "API.SECRET_IN_URL";
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    /** @description The caller's X-Request-Id, or a generated one. */
                    "X-Request-Id"?: string;
                    /** @description The stable code of the error, for programs. See docs/errors.md. */
                    "X-Error-Code"?: "API.LOGIN_NEEDED" | "API.LOGIN_REFUSED";
                    /** @description How callers log in (RFC 6750, section 3). */
                    "WWW-Authenticate"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Forbidden */
            403: {
                headers: {
                    /** @description The caller's X-Request-Id, or a generated one. */
                    "X-Request-Id"?: string;
                    /** @description The stable code of the error, for programs. See docs/errors.md. */
                    "X-Error-Code"?: "API.NOT_LISTED" | "LEDGER.UNKNOWN_CALLER" | "LEDGER.CALLER_REFUSED" | "API.ROLE_NEEDED" | "API.NO_CALLER" | "API.TLS_NEEDED" | "API.FOREIGN_HOST";
                    /** @description How callers log in (RFC 6750, section 3). */
                    "WWW-Authenticate"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Not Found */
            404: {
                headers: {
                    /** @description The caller's X-Request-Id, or a generated one. */
                    "X-Request-Id"?: string;
                    /** @description The stable code of the error, for programs. See docs/errors.md. */
                    "X-Error-Code"?: "LEDGER.CHAINCODE_UNKNOWN" | "LEDGER.CHANNEL_UNKNOWN";
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description URI Too Long */
            414: {
                headers: {
                    /** @description The caller's X-Request-Id, or a generated one. */
                    "X-Request-Id"?: string;
                    /** @description The stable code of the error, for programs. See docs/errors.md. */
                    "X-Error-Code"?: "API.PATH_TOO_LONG";
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Too Many Requests */
            429: {
                headers: {
                    /** @description The caller's X-Request-Id, or a generated one. */
                    "X-Request-Id"?: string;
                    /** @description The stable code of the error, for programs. See docs/errors.md. */
                    "X-Error-Code"?: "API.TOO_MANY_LOGINS" | "API.TOO_MANY_REQUESTS";
                    /** @description With LEDGER_RATE_LIMIT: the remaining requests of the caller, and seconds until the quota is full again. */
                    RateLimit?: string;
                    /** @description With LEDGER_RATE_LIMIT: the quota of requests and its window in seconds. */
                    "RateLimit-Policy"?: string;
                    /** @description Seconds. Present if nothing was written and the same call may be sent again, and for a transaction that may still be recorded. */
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Internal Server Error */
            500: {
                headers: {
                    /** @description The caller's X-Request-Id, or a generated one. */
                    "X-Request-Id"?: string;
                    /** @description The stable code of the error, for programs. See docs/errors.md. */
                    "X-Error-Code"?: "LEDGER.OVERLOADED" | "LEDGER.DAMAGED" | "LEDGER.MISCONFIGURED" | "API.INTERNAL";
                    /** @description Seconds. Present if nothing was written and the same call may be sent again, and for a transaction that may still be recorded. */
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Service Unavailable */
            503: {
                headers: {
                    /** @description The caller's X-Request-Id, or a generated one. */
                    "X-Request-Id"?: string;
                    /** @description The stable code of the error, for programs. See docs/errors.md. */
                    "X-Error-Code"?: "API.NOT_READY" | "API.CALLERS_UNAVAILABLE" | "API.ISSUER_UNAVAILABLE" | "LEDGER.UNAVAILABLE" | "LEDGER.TIMEOUT";
                    /** @description Seconds. Present if nothing was written and the same call may be sent again, and for a transaction that may still be recorded. */
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
        };
    };
    getBlockProof: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The block number; 0 is the first block. */
                number: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    /** @description The caller's X-Request-Id, or a generated one. */
                    "X-Request-Id"?: string;
                    /** @description With LEDGER_RATE_LIMIT: the remaining requests of the caller, and seconds until the quota is full again. */
                    RateLimit?: string;
                    /** @description With LEDGER_RATE_LIMIT: the quota of requests and its window in seconds. */
                    "RateLimit-Policy"?: string;
                    /** @description The name of the file, if the answer is one. */
                    "Content-Disposition"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "text/plain": string;
                };
            };
            /** @description Bad Request */
            400: {
                headers: {
                    /** @description The caller's X-Request-Id, or a generated one. */
                    "X-Request-Id"?: string;
                    /** @description The stable code of the error, for programs. See docs/errors.md. */
                    "X-Error-Code"?: "API.INVALID_REQUEST" | "API.SECRET_IN_URL";
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    /** @description The caller's X-Request-Id, or a generated one. */
                    "X-Request-Id"?: string;
                    /** @description The stable code of the error, for programs. See docs/errors.md. */
                    "X-Error-Code"?: "API.LOGIN_NEEDED" | "API.LOGIN_REFUSED";
                    /** @description How callers log in (RFC 6750, section 3). */
                    "WWW-Authenticate"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Forbidden */
            403: {
                headers: {
                    /** @description The caller's X-Request-Id, or a generated one. */
                    "X-Request-Id"?: string;
                    /** @description The stable code of the error, for programs. See docs/errors.md. */
                    "X-Error-Code"?: "LEDGER.UNKNOWN_CALLER" | "LEDGER.CALLER_REFUSED" | "API.ROLE_NEEDED" | "API.NO_CALLER" | "API.TLS_NEEDED" | "API.FOREIGN_HOST";
                    /** @description How callers log in (RFC 6750, section 3). */
                    "WWW-Authenticate"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Not Found */
            404: {
                headers: {
                    /** @description The caller's X-Request-Id, or a generated one. */
                    "X-Request-Id"?: string;
                    /** @description The stable code of the error, for programs. See docs/errors.md. */
                    "X-Error-Code"?: "API.NOT_FOUND";
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Too Many Requests */
            429: {
                headers: {
                    /** @description The caller's X-Request-Id, or a generated one. */
                    "X-Request-Id"?: string;
                    /** @description The stable code of the error, for programs. See docs/errors.md. */
                    "X-Error-Code"?: "API.TOO_MANY_LOGINS" | "API.TOO_MANY_REQUESTS";
                    /** @description With LEDGER_RATE_LIMIT: the remaining requests of the caller, and seconds until the quota is full again. */
                    RateLimit?: string;
                    /** @description With LEDGER_RATE_LIMIT: the quota of requests and its window in seconds. */
                    "RateLimit-Policy"?: string;
                    /** @description Seconds. Present if nothing was written and the same call may be sent again, and for a transaction that may still be recorded. */
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Internal Server Error */
            500: {
                headers: {
                    /** @description The caller's X-Request-Id, or a generated one. */
                    "X-Request-Id"?: string;
                    /** @description The stable code of the error, for programs. See docs/errors.md. */
                    "X-Error-Code"?: "LEDGER.UNAVAILABLE" | "LEDGER.TIMEOUT" | "LEDGER.OVERLOADED" | "LEDGER.DAMAGED" | "LEDGER.MISCONFIGURED" | "API.INTERNAL";
                    /** @description Seconds. Present if nothing was written and the same call may be sent again, and for a transaction that may still be recorded. */
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Not Implemented */
            501: {
                headers: {
                    /** @description The caller's X-Request-Id, or a generated one. */
                    "X-Request-Id"?: string;
                    /** @description The stable code of the error, for programs. See docs/errors.md. */
                    "X-Error-Code"?: "LEDGER.NOT_SUPPORTED";
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Service Unavailable */
            503: {
                headers: {
                    /** @description The caller's X-Request-Id, or a generated one. */
                    "X-Request-Id"?: string;
                    /** @description The stable code of the error, for programs. See docs/errors.md. */
                    "X-Error-Code"?: "LEDGER.TREE_INCOMPLETE" | "API.CALLERS_UNAVAILABLE" | "API.ISSUER_UNAVAILABLE";
                    /** @description Seconds. Present if nothing was written and the same call may be sent again, and for a transaction that may still be recorded. */
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
        };
    };
    getBlockProofOfChannel: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The name of a channel: the default one, or one of LEDGER_CHANNELS.
                 * @example mychannel
                 */
                channel: string;
                /** @description The block number; 0 is the first block. */
                number: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    /** @description The caller's X-Request-Id, or a generated one. */
                    "X-Request-Id"?: string;
                    /** @description With LEDGER_RATE_LIMIT: the remaining requests of the caller, and seconds until the quota is full again. */
                    RateLimit?: string;
                    /** @description With LEDGER_RATE_LIMIT: the quota of requests and its window in seconds. */
                    "RateLimit-Policy"?: string;
                    /** @description The name of the file, if the answer is one. */
                    "Content-Disposition"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "text/plain": string;
                };
            };
            /** @description Bad Request */
            400: {
                headers: {
                    /** @description The caller's X-Request-Id, or a generated one. */
                    "X-Request-Id"?: string;
                    /** @description The stable code of the error, for programs. See docs/errors.md. */
                    "X-Error-Code"?: "API.INVALID_REQUEST" | "API.SECRET_IN_URL";
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    /** @description The caller's X-Request-Id, or a generated one. */
                    "X-Request-Id"?: string;
                    /** @description The stable code of the error, for programs. See docs/errors.md. */
                    "X-Error-Code"?: "API.LOGIN_NEEDED" | "API.LOGIN_REFUSED";
                    /** @description How callers log in (RFC 6750, section 3). */
                    "WWW-Authenticate"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Forbidden */
            403: {
                headers: {
                    /** @description The caller's X-Request-Id, or a generated one. */
                    "X-Request-Id"?: string;
                    /** @description The stable code of the error, for programs. See docs/errors.md. */
                    "X-Error-Code"?: "LEDGER.UNKNOWN_CALLER" | "LEDGER.CALLER_REFUSED" | "API.ROLE_NEEDED" | "API.NO_CALLER" | "API.TLS_NEEDED" | "API.FOREIGN_HOST";
                    /** @description How callers log in (RFC 6750, section 3). */
                    "WWW-Authenticate"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Not Found */
            404: {
                headers: {
                    /** @description The caller's X-Request-Id, or a generated one. */
                    "X-Request-Id"?: string;
                    /** @description The stable code of the error, for programs. See docs/errors.md. */
                    "X-Error-Code"?: "API.NOT_FOUND" | "LEDGER.CHANNEL_UNKNOWN";
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Too Many Requests */
            429: {
                headers: {
                    /** @description The caller's X-Request-Id, or a generated one. */
                    "X-Request-Id"?: string;
                    /** @description The stable code of the error, for programs. See docs/errors.md. */
                    "X-Error-Code"?: "API.TOO_MANY_LOGINS" | "API.TOO_MANY_REQUESTS";
                    /** @description With LEDGER_RATE_LIMIT: the remaining requests of the caller, and seconds until the quota is full again. */
                    RateLimit?: string;
                    /** @description With LEDGER_RATE_LIMIT: the quota of requests and its window in seconds. */
                    "RateLimit-Policy"?: string;
                    /** @description Seconds. Present if nothing was written and the same call may be sent again, and for a transaction that may still be recorded. */
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Internal Server Error */
            500: {
                headers: {
                    /** @description The caller's X-Request-Id, or a generated one. */
                    "X-Request-Id"?: string;
                    /** @description The stable code of the error, for programs. See docs/errors.md. */
                    "X-Error-Code"?: "LEDGER.OVERLOADED" | "LEDGER.DAMAGED" | "LEDGER.MISCONFIGURED" | "API.INTERNAL";
                    /** @description Seconds. Present if nothing was written and the same call may be sent again, and for a transaction that may still be recorded. */
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Not Implemented */
            501: {
                headers: {
                    /** @description The caller's X-Request-Id, or a generated one. */
                    "X-Request-Id"?: string;
                    /** @description The stable code of the error, for programs. See docs/errors.md. */
                    "X-Error-Code"?: "LEDGER.NOT_SUPPORTED";
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Service Unavailable */
            503: {
                headers: {
                    /** @description The caller's X-Request-Id, or a generated one. */
                    "X-Request-Id"?: string;
                    /** @description The stable code of the error, for programs. See docs/errors.md. */
                    "X-Error-Code"?: "LEDGER.TREE_INCOMPLETE" | "API.CALLERS_UNAVAILABLE" | "API.ISSUER_UNAVAILABLE" | "LEDGER.UNAVAILABLE" | "LEDGER.TIMEOUT";
                    /** @description Seconds. Present if nothing was written and the same call may be sent again, and for a transaction that may still be recorded. */
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
        };
    };
    getReceipt: {
        parameters: {
            query?: {
                /** @description true: version 2 contains the block too, whose orderers can be checked then. Version 1 has it always. */
                block?: boolean;
            };
            header?: never;
            path: {
                /** @description The transaction: 64 hexadecimal characters, as in the X-Transaction-Id of a write. */
                txid: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    /** @description The caller's X-Request-Id, or a generated one. */
                    "X-Request-Id"?: string;
                    /** @description With LEDGER_RATE_LIMIT: the remaining requests of the caller, and seconds until the quota is full again. */
                    RateLimit?: string;
                    /** @description With LEDGER_RATE_LIMIT: the quota of requests and its window in seconds. */
                    "RateLimit-Policy"?: string;
                    /** @description The name of the file, if the answer is one. */
                    "Content-Disposition"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Receipt"];
                };
            };
            /** @description Bad Request */
            400: {
                headers: {
                    /** @description The caller's X-Request-Id, or a generated one. */
                    "X-Request-Id"?: string;
                    /** @description The stable code of the error, for programs. See docs/errors.md. */
                    "X-Error-Code"?: "API.INVALID_REQUEST" | "API.SECRET_IN_URL";
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    /** @description The caller's X-Request-Id, or a generated one. */
                    "X-Request-Id"?: string;
                    /** @description The stable code of the error, for programs. See docs/errors.md. */
                    "X-Error-Code"?: "API.LOGIN_NEEDED" | "API.LOGIN_REFUSED";
                    /** @description How callers log in (RFC 6750, section 3). */
                    "WWW-Authenticate"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Forbidden */
            403: {
                headers: {
                    /** @description The caller's X-Request-Id, or a generated one. */
                    "X-Request-Id"?: string;
                    /** @description The stable code of the error, for programs. See docs/errors.md. */
                    "X-Error-Code"?: "LEDGER.UNKNOWN_CALLER" | "LEDGER.CALLER_REFUSED" | "API.ROLE_NEEDED" | "API.NO_CALLER" | "API.TLS_NEEDED" | "API.FOREIGN_HOST";
                    /** @description How callers log in (RFC 6750, section 3). */
                    "WWW-Authenticate"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Not Found */
            404: {
                headers: {
                    /** @description The caller's X-Request-Id, or a generated one. */
                    "X-Request-Id"?: string;
                    /** @description The stable code of the error, for programs. See docs/errors.md. */
                    "X-Error-Code"?: "API.NOT_FOUND";
                    /** @description Seconds. Present if nothing was written and the same call may be sent again, and for a transaction that may still be recorded. */
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Too Many Requests */
            429: {
                headers: {
                    /** @description The caller's X-Request-Id, or a generated one. */
                    "X-Request-Id"?: string;
                    /** @description The stable code of the error, for programs. See docs/errors.md. */
                    "X-Error-Code"?: "API.TOO_MANY_LOGINS" | "API.TOO_MANY_REQUESTS";
                    /** @description With LEDGER_RATE_LIMIT: the remaining requests of the caller, and seconds until the quota is full again. */
                    RateLimit?: string;
                    /** @description With LEDGER_RATE_LIMIT: the quota of requests and its window in seconds. */
                    "RateLimit-Policy"?: string;
                    /** @description Seconds. Present if nothing was written and the same call may be sent again, and for a transaction that may still be recorded. */
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Internal Server Error */
            500: {
                headers: {
                    /** @description The caller's X-Request-Id, or a generated one. */
                    "X-Request-Id"?: string;
                    /** @description The stable code of the error, for programs. See docs/errors.md. */
                    "X-Error-Code"?: "LEDGER.UNAVAILABLE" | "LEDGER.TIMEOUT" | "LEDGER.OVERLOADED" | "LEDGER.DAMAGED" | "LEDGER.MISCONFIGURED" | "API.INTERNAL";
                    /** @description Seconds. Present if nothing was written and the same call may be sent again, and for a transaction that may still be recorded. */
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Not Implemented */
            501: {
                headers: {
                    /** @description The caller's X-Request-Id, or a generated one. */
                    "X-Request-Id"?: string;
                    /** @description The stable code of the error, for programs. See docs/errors.md. */
                    "X-Error-Code"?: "LEDGER.NOT_SUPPORTED";
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Service Unavailable */
            503: {
                headers: {
                    /** @description The caller's X-Request-Id, or a generated one. */
                    "X-Request-Id"?: string;
                    /** @description The stable code of the error, for programs. See docs/errors.md. */
                    "X-Error-Code"?: "LEDGER.TREE_INCOMPLETE" | "API.CALLERS_UNAVAILABLE" | "API.ISSUER_UNAVAILABLE";
                    /** @description Seconds. Present if nothing was written and the same call may be sent again, and for a transaction that may still be recorded. */
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
        };
    };
    getReceiptOfChannel: {
        parameters: {
            query?: {
                /** @description true: version 2 contains the block too, whose orderers can be checked then. Version 1 has it always. */
                block?: boolean;
            };
            header?: never;
            path: {
                /**
                 * @description The name of a channel: the default one, or one of LEDGER_CHANNELS.
                 * @example mychannel
                 */
                channel: string;
                /** @description The transaction: 64 hexadecimal characters, as in the X-Transaction-Id of a write. */
                txid: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    /** @description The caller's X-Request-Id, or a generated one. */
                    "X-Request-Id"?: string;
                    /** @description With LEDGER_RATE_LIMIT: the remaining requests of the caller, and seconds until the quota is full again. */
                    RateLimit?: string;
                    /** @description With LEDGER_RATE_LIMIT: the quota of requests and its window in seconds. */
                    "RateLimit-Policy"?: string;
                    /** @description The name of the file, if the answer is one. */
                    "Content-Disposition"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Receipt"];
                };
            };
            /** @description Bad Request */
            400: {
                headers: {
                    /** @description The caller's X-Request-Id, or a generated one. */
                    "X-Request-Id"?: string;
                    /** @description The stable code of the error, for programs. See docs/errors.md. */
                    "X-Error-Code"?: "API.INVALID_REQUEST" | "API.SECRET_IN_URL";
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    /** @description The caller's X-Request-Id, or a generated one. */
                    "X-Request-Id"?: string;
                    /** @description The stable code of the error, for programs. See docs/errors.md. */
                    "X-Error-Code"?: "API.LOGIN_NEEDED" | "API.LOGIN_REFUSED";
                    /** @description How callers log in (RFC 6750, section 3). */
                    "WWW-Authenticate"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Forbidden */
            403: {
                headers: {
                    /** @description The caller's X-Request-Id, or a generated one. */
                    "X-Request-Id"?: string;
                    /** @description The stable code of the error, for programs. See docs/errors.md. */
                    "X-Error-Code"?: "LEDGER.UNKNOWN_CALLER" | "LEDGER.CALLER_REFUSED" | "API.ROLE_NEEDED" | "API.NO_CALLER" | "API.TLS_NEEDED" | "API.FOREIGN_HOST";
                    /** @description How callers log in (RFC 6750, section 3). */
                    "WWW-Authenticate"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Not Found */
            404: {
                headers: {
                    /** @description The caller's X-Request-Id, or a generated one. */
                    "X-Request-Id"?: string;
                    /** @description The stable code of the error, for programs. See docs/errors.md. */
                    "X-Error-Code"?: "API.NOT_FOUND" | "LEDGER.CHANNEL_UNKNOWN";
                    /** @description Seconds. Present if nothing was written and the same call may be sent again, and for a transaction that may still be recorded. */
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Too Many Requests */
            429: {
                headers: {
                    /** @description The caller's X-Request-Id, or a generated one. */
                    "X-Request-Id"?: string;
                    /** @description The stable code of the error, for programs. See docs/errors.md. */
                    "X-Error-Code"?: "API.TOO_MANY_LOGINS" | "API.TOO_MANY_REQUESTS";
                    /** @description With LEDGER_RATE_LIMIT: the remaining requests of the caller, and seconds until the quota is full again. */
                    RateLimit?: string;
                    /** @description With LEDGER_RATE_LIMIT: the quota of requests and its window in seconds. */
                    "RateLimit-Policy"?: string;
                    /** @description Seconds. Present if nothing was written and the same call may be sent again, and for a transaction that may still be recorded. */
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Internal Server Error */
            500: {
                headers: {
                    /** @description The caller's X-Request-Id, or a generated one. */
                    "X-Request-Id"?: string;
                    /** @description The stable code of the error, for programs. See docs/errors.md. */
                    "X-Error-Code"?: "LEDGER.OVERLOADED" | "LEDGER.DAMAGED" | "LEDGER.MISCONFIGURED" | "API.INTERNAL";
                    /** @description Seconds. Present if nothing was written and the same call may be sent again, and for a transaction that may still be recorded. */
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Not Implemented */
            501: {
                headers: {
                    /** @description The caller's X-Request-Id, or a generated one. */
                    "X-Request-Id"?: string;
                    /** @description The stable code of the error, for programs. See docs/errors.md. */
                    "X-Error-Code"?: "LEDGER.NOT_SUPPORTED";
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Service Unavailable */
            503: {
                headers: {
                    /** @description The caller's X-Request-Id, or a generated one. */
                    "X-Request-Id"?: string;
                    /** @description The stable code of the error, for programs. See docs/errors.md. */
                    "X-Error-Code"?: "LEDGER.TREE_INCOMPLETE" | "API.CALLERS_UNAVAILABLE" | "API.ISSUER_UNAVAILABLE" | "LEDGER.UNAVAILABLE" | "LEDGER.TIMEOUT";
                    /** @description Seconds. Present if nothing was written and the same call may be sent again, and for a transaction that may still be recorded. */
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
        };
    };
    getHealth: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HealthResponse"];
                };
            };
            /** @description Bad Request */
            400: {
                headers: {
                    /** @description The caller's X-Request-Id, or a generated one. */
                    "X-Request-Id"?: string;
                    /** @description The stable code of the error, for programs. See docs/errors.md. */
                    "X-Error-Code"?: "API.INVALID_REQUEST" | "API.SECRET_IN_URL";
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Forbidden */
            403: {
                headers: {
                    /** @description The caller's X-Request-Id, or a generated one. */
                    "X-Request-Id"?: string;
                    /** @description The stable code of the error, for programs. See docs/errors.md. */
                    "X-Error-Code"?: "API.FOREIGN_HOST";
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
        };
    };
}
