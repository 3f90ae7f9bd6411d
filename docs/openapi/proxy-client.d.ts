// npm run openapi
export interface paths {
    "/stats": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Counters since the start */
        get: operations["getStats"];
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
        /** Whether the proxy serves, and how well */
        get: operations["getHealth"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/listeners": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** The listeners for clients */
        get: operations["getListeners"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/proxy.pac": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * The proxy auto-configuration file of the rules
         * @description Names the first listener with pac: true, else the first that accepts HTTP. Returns DIRECT for what the rules connect directly, as far as a browser can evaluate them, else the proxy. A listener with pac: true serves it too, and then no token is required.
         */
        get: operations["getProxyPac"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/upstreams": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** The upstreams and groups of the configuration, with their state */
        get: operations["getUpstreams"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/readyz": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Whether an upstream works
         * @description They are probed if none has accepted the proxy within the last second.
         */
        get: operations["getReadiness"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/connections": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * The requests and tunnels in progress
         * @description Without connections that wait for a request.
         */
        get: operations["getConnections"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/connections/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Ends a connection
         * @description Both sides are reset, so that a truncated response is not taken for a complete one. Refused to pages of other origins.
         */
        delete: operations["endConnection"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/failures": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** The last requests that failed, each with what to check */
        get: operations["getFailures"];
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
         * Server-sent events
         * @description stats once a second (as GET /stats), upstream when one has changed its state ({ name, from, to }), reload after a reload of the configuration ({ at }), end before the proxy exits. The connection of a reader that does not read is closed.
         */
        get: operations["getEvents"];
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
        Stats: {
            /**
             * Format: date-time
             * @description When the proxy started.
             * @example 2026-01-31T08:30:00.000Z
             */
            start_time: string;
            /**
             * @description Running time in hours, minutes and seconds.
             * @example 2h30m15s
             */
            uptime: string;
            /**
             * @description Client connections that carried a proxied request.
             * @example 1042
             */
            total_connections: number;
            /**
             * @description Those that are open.
             * @example 7
             */
            active_connections: number;
            /**
             * @description Requests whose response was relayed completely, and opened tunnels.
             * @example 5120
             */
            successful_requests: number;
            /**
             * @description Requests that the proxy answered with an error or had to cut off.
             * @example 77
             */
            failed_requests: number;
            /**
             * @description Bytes sent to the SOCKS5 upstream after its handshakes.
             * @example 1048576
             */
            bytes_sent: number;
            /**
             * @description Bytes received from the SOCKS5 upstream after its handshakes.
             * @example 73400320
             */
            bytes_received: number;
            /**
             * @description Failures of the SOCKS5 upstream by category. Every category is always present.
             * @example {
             *       "general_failure": 0,
             *       "not_allowed": 0,
             *       "network_unreachable": 0,
             *       "host_unreachable": 3,
             *       "connection_refused": 0,
             *       "ttl_expired": 0,
             *       "command_not_supported": 0,
             *       "address_not_supported": 0,
             *       "auth_failed": 0,
             *       "connection_failed": 0,
             *       "timeout": 0,
             *       "protocol_error": 0
             *     }
             */
            socks5_errors: {
                general_failure: number;
                not_allowed: number;
                network_unreachable: number;
                host_unreachable: number;
                connection_refused: number;
                ttl_expired: number;
                command_not_supported: number;
                address_not_supported: number;
                auth_failed: number;
                connection_failed: number;
                timeout: number;
                protocol_error: number;
            } & {
                [key: string]: number;
            };
        };
        Health: {
            /**
             * @description The proxy serves requests.
             * @enum {string}
             */
            status: "healthy";
            /**
             * @description Running time in hours, minutes and seconds.
             * @example 2h30m15s
             */
            uptime: string;
            /**
             * @description Client connections that carried a proxied request and are open.
             * @example 7
             */
            active_connections: number;
            /**
             * @description Requests that succeeded, in percent of those that ended, with two decimals; 100 before the first.
             * @example 98.52
             */
            success_rate: number;
        };
        ListenerStatus: {
            /** @enum {string} */
            mode: "http" | "socks5" | "mixed" | "tunnel";
            /**
             * @description The bound address; 0.0.0.0 and :: mean all addresses.
             * @example 127.0.0.1
             */
            host: string;
            /** @example 8080 */
            port: number;
            /**
             * @description The host:port that a tunnel leads to; null for other modes.
             * @example null
             */
            to: string | null;
            /**
             * @description Whether clients must log in.
             * @example false
             */
            asks_for_password: boolean;
        };
        ListenerList: {
            /** @description In the order of the configuration. */
            listeners: components["schemas"]["ListenerStatus"][];
        };
        UpstreamFailure: {
            /**
             * @description A category of docs/errors.md.
             * @example upstream_unreachable
             */
            category: string;
            /**
             * Format: date-time
             * @example 2026-01-31T08:30:00.000Z
             */
            at: string;
        };
        UpstreamStatus: {
            /**
             * @description Its name in the configuration.
             * @example work
             */
            name: string;
            /**
             * @description Its address; null for the built-in server.
             * @example 10.0.0.1:1080
             */
            address: string | null;
            /**
             * @description Whether it accepted the proxy at the last attempt; unknown before the first.
             * @enum {string}
             */
            state: "unknown" | "up" | "down";
            /**
             * @description Whether requests for three targets in a row have timed out, though it accepts the authentication: groups try it last.
             * @example false
             */
            suspect: boolean;
            /**
             * Format: date-time
             * @description The time of the last change of its state.
             * @example 2026-01-31T08:30:00.000Z
             */
            since: string;
            /**
             * @description Milliseconds for TCP, greeting and authentication, measured by the health checks of a group, smoothed.
             * @example 12.5
             */
            latency_ms: number | null;
            /**
             * Format: date-time
             * @description The time of the last health check.
             * @example 2026-01-31T08:30:00.000Z
             */
            checked_at: string | null;
            /** @description Its last failure. */
            last_failure: components["schemas"]["UpstreamFailure"] | null;
            /**
             * @description Connections to targets that were opened through it.
             * @example 1042
             */
            connections_opened: number;
            /**
             * @description Connections to targets that failed, whatever the cause.
             * @example 3
             */
            connections_failed: number;
        };
        GroupStatus: {
            /** @example any */
            name: string;
            /** @enum {string} */
            pick: "failover" | "roundrobin" | "fastest";
            /**
             * @description Names of its members in their order.
             * @example [
             *       "work",
             *       "tor"
             *     ]
             */
            members: string[];
            /**
             * @description The number of requests that were passed on to another member.
             * @example 7
             */
            failovers: number;
        };
        UpstreamList: {
            upstreams: components["schemas"]["UpstreamStatus"][];
            groups: components["schemas"]["GroupStatus"][];
        };
        Readiness: {
            /** @enum {string} */
            status: "ready" | "no upstream works";
        };
        LiveConnection: {
            /**
             * @description For DELETE /connections/{id}.
             * @example 17
             */
            id: string;
            /**
             * @description GET, CONNECT, SOCKS5, …; tunnel for a tunnel listener.
             * @example CONNECT
             */
            method: string;
            /**
             * @description host:port
             * @example example.com:443
             */
            target: string;
            /**
             * @description The upstream that carries it.
             * @example work
             */
            upstream: string;
            /**
             * @description The number of the rule that selected the upstream, from 1; null if no rule matches.
             * @example 2
             */
            rule: number | null;
            /**
             * @description Its address.
             * @example 127.0.0.1
             */
            client: string | null;
            /**
             * @description Null if clients need no password.
             * @example ci
             */
            user: string | null;
            /**
             * Format: date-time
             * @description When the request or tunnel started.
             * @example 2026-01-31T08:30:00.000Z
             */
            started_at: string;
            /**
             * @description Milliseconds since then.
             * @example 1250
             */
            age_ms: number;
            /**
             * @description Bytes to the target.
             * @example 1894
             */
            bytes_sent: number;
            /**
             * @description Bytes from the target.
             * @example 52110
             */
            bytes_received: number;
        };
        LiveConnectionList: {
            /**
             * @description The number of all connections.
             * @example 1
             */
            total: number;
            /**
             * @description The number of connections that match `find`.
             * @example 1
             */
            found: number;
            connections: components["schemas"]["LiveConnection"][];
        };
        FailureEntry: {
            /**
             * Format: date-time
             * @example 2026-01-31T08:30:00.000Z
             */
            at: string;
            /**
             * @description A category of docs/errors.md.
             * @example upstream_unreachable
             */
            category: string;
            /**
             * @description The status that an HTTP client received.
             * @example 502
             */
            status: number;
            /**
             * @description What failed and what to check.
             * @example The SOCKS5 server cannot be reached. Check the upstream host and port of the proxy and that the server is running.
             */
            hint: string;
            /** @description The check or step that failed, if known. */
            detail: string | null;
            /** @example CONNECT */
            method: string | null;
            /**
             * @description host:port, if known.
             * @example example.com:443
             */
            target: string | null;
            /**
             * @description Its address.
             * @example 127.0.0.1
             */
            client: string | null;
            /**
             * @description Null if clients need no password.
             * @example ci
             */
            user: string | null;
        };
        FailureList: {
            /** @description The newest first, at most 200. */
            failures: components["schemas"]["FailureEntry"][];
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
    getStats: {
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
                    "application/json": components["schemas"]["Stats"];
                };
            };
            /** @description The Host header is neither an IP address nor localhost nor one of listen.allowedHosts. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/plain": string;
                };
            };
            /** @description On the admin listener, while no listener has the mode http or mixed. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/plain": string;
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
                    "application/json": components["schemas"]["Health"];
                };
            };
            /** @description The Host header is neither an IP address nor localhost nor one of listen.allowedHosts. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/plain": string;
                };
            };
            /** @description On the admin listener, while no listener has the mode http or mixed. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/plain": string;
                };
            };
        };
    };
    getListeners: {
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
                    "application/json": components["schemas"]["ListenerList"];
                };
            };
            /** @description The admin token is required. The log names the file that contains it, or it is admin.token. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/plain": string;
                };
            };
            /** @description The Host header is neither an IP address nor localhost nor one of listen.allowedHosts. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/plain": string;
                };
            };
        };
    };
    getProxyPac: {
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
                    "application/x-ns-proxy-autoconfig": string;
                };
            };
            /** @description The admin token is required. The log names the file that contains it, or it is admin.token. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/plain": string;
                };
            };
            /** @description The Host header is neither an IP address nor localhost nor one of listen.allowedHosts. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/plain": string;
                };
            };
            /** @description No listener accepts HTTP. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/plain": string;
                };
            };
            /** @description The file would be longer than browsers read (1 MiB). */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/plain": string;
                };
            };
        };
    };
    getUpstreams: {
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
                    "application/json": components["schemas"]["UpstreamList"];
                };
            };
            /** @description The admin token is required. The log names the file that contains it, or it is admin.token. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/plain": string;
                };
            };
            /** @description The Host header is neither an IP address nor localhost nor one of listen.allowedHosts. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/plain": string;
                };
            };
        };
    };
    getReadiness: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description An upstream accepts the proxy. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Readiness"];
                };
            };
            /** @description The Host header is neither an IP address nor localhost nor one of listen.allowedHosts. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/plain": string;
                };
            };
            /** @description No upstream accepts the proxy. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Readiness"];
                };
            };
        };
    };
    getConnections: {
        parameters: {
            query?: {
                /** @description Only connections whose target, upstream or user contains this text; case is ignored. */
                find?: string;
                limit?: number;
                order?: "asc" | "desc";
                sort?: "age" | "sent" | "received" | "target" | "upstream" | "user";
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
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["LiveConnectionList"];
                };
            };
            /** @description A parameter is unknown or invalid. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/plain": string;
                };
            };
            /** @description The admin token is required. The log names the file that contains it, or it is admin.token. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/plain": string;
                };
            };
            /** @description The Host header is neither an IP address nor localhost nor one of listen.allowedHosts. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/plain": string;
                };
            };
        };
    };
    endConnection: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The id of GET /connections. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description It was ended. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The admin token is required. The log names the file that contains it, or it is admin.token. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/plain": string;
                };
            };
            /** @description The Host header is neither an IP address nor localhost nor one of listen.allowedHosts. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/plain": string;
                };
            };
            /** @description No connection has this id; it may have ended. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/plain": string;
                };
            };
        };
    };
    getFailures: {
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
                    "application/json": components["schemas"]["FailureList"];
                };
            };
            /** @description The admin token is required. The log names the file that contains it, or it is admin.token. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/plain": string;
                };
            };
            /** @description The Host header is neither an IP address nor localhost nor one of listen.allowedHosts. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/plain": string;
                };
            };
        };
    };
    getEvents: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Until the proxy exits. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/event-stream": string;
                };
            };
            /** @description The admin token is required. The log names the file that contains it, or it is admin.token. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/plain": string;
                };
            };
            /** @description The Host header is neither an IP address nor localhost nor one of listen.allowedHosts. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/plain": string;
                };
            };
            /** @description There are too many readers, or the proxy is about to exit. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/plain": string;
                };
            };
        };
    };
}
