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
    "/upstreams/{group}/member": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        /**
         * Selects the member that a group tries first
         * @description Until a restart, or until the selection is null (automatic). A member that is down is tried last nevertheless; it is tested at once. Open connections stay where they are. Refused to pages of other origins.
         */
        put: operations["selectMember"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/upstreams/{name}/test": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Measures the latency of an upstream, or of each member of a group, now
         * @description It counts as a health check. A test in progress is shared. Refused to pages of other origins.
         */
        post: operations["testUpstream"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/rules": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** The rules in their order, with the number of their requests */
        get: operations["getRules"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/explain": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Returns the route of a request for a target, and the rules that decide it
         * @description As --explain: no name is resolved, no connection is opened.
         */
        get: operations["explainRoute"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/check": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Checks the route of a request for a target, step by step
         * @description As --check, for the upstream that the rules select, or for each member of the group: the TCP connection, the authentication, and a connection to the target, which is closed at once. The response is a stream of server-sent events: `step` (CheckStep) for each step as it finishes, then `end` (CheckEnd). At most 30 s; closing the connection aborts the check. Direct connections are checked as for a client at the address of the caller. Refused to pages of other origins.
         */
        post: operations["checkRoute"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/asks": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** The questions that wait for the answer of a person */
        get: operations["getAsks"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/asks/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Answers a question
         * @description A yes adds a grant, by which the requests that wait continue. A no refuses them, and is remembered for gate.ask.refusedFor. Refused to pages of other origins.
         */
        post: operations["answerAsk"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/denials": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** The targets that the rules refused last, each with what would allow it */
        get: operations["getDenials"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/grants": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** The grants in force */
        get: operations["getGrants"];
        put?: never;
        /**
         * Allows a host and port for a time
         * @description As `proxy-client allow`. It applies to every client, for requests that match no rule under `default: reject`; rules to reject still apply. One for the same host and port is replaced. It is in memory only. Refused to pages of other origins.
         */
        post: operations["addGrant"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/grants/{id}": {
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
         * Ends a grant, and the connections that only it allowed
         * @description Refused to pages of other origins.
         */
        delete: operations["endGrant"];
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
         * The requests and tunnels in progress, or the last 500 that have ended
         * @description Without connections that wait for a request, and requests that were refused before they had an upstream.
         */
        get: operations["getConnections"];
        put?: never;
        post?: never;
        /**
         * Ends all connections in progress that match the filters
         * @description As DELETE /connections/{id}. Without filters it ends all.
         */
        delete: operations["endConnections"];
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
        /** The last requests that failed, each with what to check, and those that a rule rejected */
        get: operations["getFailures"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/history": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Traffic and failures of the last hour, in intervals of 10 s */
        get: operations["getHistory"];
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
         * @description stats once a second (as GET /stats), problems once a second (Problems), upstream when one has changed its state ({ name, from, to }), ask when a request waits for an answer (Question), answered when its question has ended ({ id, target }), reload after a reload of the configuration ({ at }), end before the proxy exits. The connection of a reader that does not read is closed.
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
             * @description Bytes sent to upstreams after their handshakes.
             * @example 1048576
             */
            bytes_sent: number;
            /**
             * @description Bytes received from upstreams after their handshakes.
             * @example 73400320
             */
            bytes_received: number;
            /**
             * @description Failures of upstreams by category of SOCKS5. Every category is always present.
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
             * @description The bound address; 0.0.0.0 and :: mean all addresses; null for a Unix socket.
             * @example 127.0.0.1
             */
            host: string | null;
            /**
             * @description Null for a Unix socket.
             * @example 8080
             */
            port: number | null;
            /**
             * @description The path of a Unix socket; null for a port.
             * @example null
             */
            socket: string | null;
            /**
             * @description Whether clients may or must use TLS.
             * @enum {string}
             */
            tls: "off" | "optional" | "required";
            /**
             * @description The SHA-256 hash of the public key of the certificate in base64, as browsers write it; null without TLS.
             * @example null
             */
            spki: string | null;
            /**
             * Format: date-time
             * @description When its certificate expires; null without TLS.
             * @example 2026-01-31T08:30:00.000Z
             */
            valid_until: string | null;
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
        Readiness: {
            /** @enum {string} */
            status: "ready" | "no upstream works";
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
             * @description Its address; null for direct connections.
             * @example 10.0.0.1:1080
             */
            address: string | null;
            /**
             * @description socks5, socks5+tls, http or https; null for direct connections.
             * @example socks5
             */
            protocol: string | null;
            /**
             * @description The upstream or group through which it is reached; null: directly.
             * @example null
             */
            via: string | null;
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
             * Format: date-time
             * @description The time since when it has been down; null while it is not.
             * @example 2026-01-31T08:30:00.000Z
             */
            down_since: string | null;
            /**
             * @description Milliseconds for TCP, TLS, greeting and authentication, measured by the health checks of a group, smoothed.
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
            /**
             * @description The member that was selected by hand; null: automatic.
             * @example null
             */
            selected: string | null;
            /**
             * @description The member that the next request tries first; null if that depends on the request.
             * @example work
             */
            current: string | null;
        };
        ListFailure: {
            /**
             * Format: date-time
             * @description When it failed.
             * @example 2026-01-31T08:30:00.000Z
             */
            at: string;
            /**
             * @description Why: for operators, not for programs.
             * @example the server answered HTTP 503
             */
            message: string;
        };
        ScriptAnswer: {
            /**
             * @description The URL that it was asked for.
             * @example https://example.com/
             */
            url: string;
            /**
             * @description The text that it returned, or why there is none.
             * @example PROXY proxy.corp.example:8080; DIRECT
             */
            text: string;
        };
        ScriptStatus: {
            /**
             * @description The name in the configuration.
             * @example company
             */
            name: string;
            /**
             * @description The file as written, or the URL without its query.
             * @example http://wpad.corp.example/proxy.pac
             */
            source: string;
            /**
             * @description The time after which its server is asked again; null for a file.
             * @example 86400
             */
            refresh_seconds: number | null;
            /**
             * Format: date-time
             * @description When it was last read, or confirmed by its server.
             * @example 2026-01-31T08:30:00.000Z
             */
            checked_at: string | null;
            /**
             * @description Failed attempts to load it since the start.
             * @example 1
             */
            failures: number;
            /** @description The last attempt to load it, if that failed: then its previous content is used. */
            last_error: components["schemas"]["ListFailure"] | null;
            /** @description Its last answer. */
            last_answer: components["schemas"]["ScriptAnswer"] | null;
        };
        UpstreamList: {
            upstreams: components["schemas"]["UpstreamStatus"][];
            groups: components["schemas"]["GroupStatus"][];
            /** @description PAC scripts that choose upstreams. */
            scripts: components["schemas"]["ScriptStatus"][];
        };
        MemberSelection: {
            /**
             * @description The name of the member; null: automatic.
             * @example home
             */
            member: string | null;
        };
        UpstreamTest: {
            /**
             * @description Its name.
             * @example work
             */
            upstream: string;
            /**
             * @description Direct connections have no server to test: skipped.
             * @enum {string}
             */
            result: "ok" | "failed" | "skipped";
            /**
             * @description Milliseconds for TCP, greeting and authentication.
             * @example 12.5
             */
            ms: number | null;
            /**
             * @description The category of the failure, see docs/errors.md.
             * @example null
             */
            category: string | null;
            /**
             * @description What failed and what to check.
             * @example null
             */
            hint: string | null;
        };
        UpstreamTestList: {
            /** @description One for an upstream, one for each member of a group. */
            tests: components["schemas"]["UpstreamTest"][];
        };
        RuleStatus: {
            /**
             * @description From 1.
             * @example 4
             */
            number: number;
            /**
             * @description Its conditions and destination, as --explain shows them.
             * @example users ci to tor
             */
            text: string;
            /**
             * @description The name of an upstream or group, direct or reject.
             * @example tor
             */
            to: string;
            /**
             * @description Requests that it decided since the start, or since a reload added or changed it.
             * @example 12
             */
            hits: number;
        };
        ListStatus: {
            /**
             * @description From 1.
             * @example 4
             */
            rule: number;
            /**
             * @description The file as written, or the URL without its query.
             * @example https://lists.example/ads.txt
             */
            name: string;
            /**
             * @description The format as which it was read; null while it is not loaded.
             * @example hosts
             */
            format: string | null;
            /**
             * @description Names, exceptions and addresses.
             * @example 40000
             */
            entries: number;
            /**
             * @description Lines with an entry.
             * @example 40000
             */
            used_lines: number;
            /**
             * @description Lines with content that is no entry.
             * @example 2
             */
            unused_lines: number;
            /**
             * @description The number of the first of them.
             * @example 17
             */
            first_unused_line: number | null;
            /**
             * @description The time after which its server is asked again; null for a file.
             * @example 86400
             */
            refresh_seconds: number | null;
            /**
             * Format: date-time
             * @description When it was last read, or confirmed by its server.
             * @example 2026-01-31T08:30:00.000Z
             */
            checked_at: string | null;
            /**
             * @description Failed attempts to load it since the start.
             * @example 1
             */
            failures: number;
            /** @description The last attempt to load it, if that failed: then its previous content is used. */
            last_error: components["schemas"]["ListFailure"] | null;
        };
        DefaultRule: {
            /**
             * @description The name of the first upstream, or reject (default: reject).
             * @example work
             */
            to: string;
            /**
             * @description Requests that matched no rule since the start.
             * @example 1030
             */
            hits: number;
        };
        RuleStatusList: {
            /** @description In their order: the first match applies. */
            rules: components["schemas"]["RuleStatus"][];
            /** @description The lists of the rules. */
            lists: components["schemas"]["ListStatus"][];
            default: components["schemas"]["DefaultRule"];
        };
        ComparedRule: {
            /**
             * @description From 1.
             * @example 4
             */
            number: number;
            /**
             * @description Its conditions and destination, as --explain shows them.
             * @example users ci to tor
             */
            text: string;
            /**
             * @description Only the last one can match.
             * @example true
             */
            matches: boolean;
        };
        RouteExplanation: {
            /**
             * @description host:port as it was requested.
             * @example 0xa.1:22
             */
            target: string;
            /**
             * @description The user of the request.
             * @example null
             */
            user: string | null;
            /**
             * @description The canonical forms of the host, if they differ from the text.
             * @example [
             *       "10.0.0.1"
             *     ]
             */
            read_as: string[];
            /**
             * @description asked: it waits for the answer of a person (ask). rejected: by a rule, or because no rule matches (default: reject). own_address: the target is a port of this proxy itself, which is always refused.
             * @enum {string}
             */
            decision: "forwarded" | "rejected" | "asked" | "own_address";
            /**
             * @description The number of the matching rule, from 1; null if none matches.
             * @example 2
             */
            rule: number | null;
            /**
             * @description The selected upstream or group, or direct; null if it is refused.
             * @example work
             */
            upstream: string | null;
            /**
             * @description The member of the group that is tried first now; null if it is no group or depends on the request.
             * @example null
             */
            member: string | null;
            /**
             * @description The upstreams on the way, in their order; more than one if the upstream is reached via others.
             * @example [
             *       "work"
             *     ]
             */
            hops: string[];
            /**
             * @description What the PAC script returned, if the upstream is one.
             * @example null
             */
            pac: string | null;
            /** @description The rules that were compared, in their order. */
            rules: components["schemas"]["ComparedRule"][];
            /**
             * @description The output of --explain.
             * @example [
             *       "0xa.1:22 is read as 10.0.0.1"
             *     ]
             */
            lines: string[];
        };
        Question: {
            /**
             * @description For POST /asks/{id}.
             * @example 1
             */
            id: string;
            /**
             * @description host:port; all spellings of an address are one target.
             * @example example.com:443
             */
            target: string;
            /**
             * @description The number of the rule that asks; null: no rule matches (default: ask).
             * @example null
             */
            rule: number | null;
            /**
             * @description The address of the client that asked first.
             * @example 127.0.0.1
             */
            client: string | null;
            /**
             * @description Its user; null if clients need no password.
             * @example null
             */
            user: string | null;
            /**
             * @description The number of requests that wait.
             * @example 2
             */
            waiting: number;
            /**
             * @description The number of requests so far, including those whose client has given up.
             * @example 3
             */
            requests: number;
            /**
             * Format: date-time
             * @description When it was asked.
             * @example 2026-01-31T08:30:00.000Z
             */
            asked_at: string;
            /**
             * Format: date-time
             * @description When it expires.
             * @example 2026-01-31T08:30:00.000Z
             */
            until: string;
            /**
             * @description The command that allows the target for an hour.
             * @example proxy-client allow example.com:443 --for 1h
             */
            command: string;
        };
        QuestionList: {
            /** @description The open questions, the oldest first. */
            asks: components["schemas"]["Question"][];
        };
        AnswerRequest: {
            /**
             * @description Whether the target is allowed.
             * @enum {string}
             */
            answer: "yes" | "no";
            /**
             * @description How long a yes applies: a duration from 1s to 24h, once (60 s, for retries), day (24 h), or always (writes a rule to the configuration). Default: 1h.
             * @example 1h
             */
            for?: string;
            /**
             * @description Instead of the host of the question: an entry that covers it.
             * @example *.example.com
             */
            host?: string;
        };
        Denial: {
            /**
             * @description host:port; all spellings of an address are one target.
             * @example example.com:443
             */
            target: string;
            /**
             * @description The number of the rule at the last refusal; null: no rule matched (default: reject).
             * @example null
             */
            rule: number | null;
            /**
             * @description The text of that rule.
             * @example null
             */
            rule_text: string | null;
            /**
             * @description The number of refused requests.
             * @example 3
             */
            count: number;
            /**
             * Format: date-time
             * @description The time of the first one.
             * @example 2026-01-31T08:30:00.000Z
             */
            first_at: string;
            /**
             * Format: date-time
             * @description The time of the last one.
             * @example 2026-01-31T08:30:00.000Z
             */
            last_at: string;
            /**
             * @description The address of its client.
             * @example 127.0.0.1
             */
            client: string | null;
            /**
             * @description Its user; null if clients need no password.
             * @example ci
             */
            user: string | null;
            /**
             * @description The command that would allow it for an hour; null if only a change of the rules can.
             * @example proxy-client allow example.com:443 --for 1h
             */
            command: string | null;
            /**
             * @description The rule that would allow it, as YAML; it must be placed before the rule that refuses it. Null for a name that no rule can contain.
             * @example { hosts: ["example.com"], ports: [443], to: "work" }
             */
            allowing_rule: string | null;
        };
        DenialList: {
            /** @description The targets that were refused last, the newest first, at most 200. */
            denials: components["schemas"]["Denial"][];
        };
        Grant: {
            /**
             * @description For DELETE /grants/{id}.
             * @example 1
             */
            id: string;
            /**
             * @description HOST:PORT. The host is a name, *.name or an address, as in rules.
             * @example example.com:443
             */
            target: string;
            /**
             * Format: date-time
             * @description When it was granted.
             * @example 2026-01-31T08:30:00.000Z
             */
            since: string;
            /**
             * Format: date-time
             * @description When it ends. Its connections are ended then, too.
             * @example 2026-01-31T08:30:00.000Z
             */
            until: string;
            /**
             * @description The number of requests that it allowed.
             * @example 12
             */
            requests: number;
        };
        GrantList: {
            /** @description Those in force, the next to end first. */
            grants: components["schemas"]["Grant"][];
        };
        GrantRequest: {
            /**
             * @description HOST:PORT, as in Grant.
             * @example example.com:443
             */
            target: string;
            /**
             * @description How long, from 1s to 24h.
             * @example 1h
             */
            for: string;
        };
        LiveConnection: {
            /**
             * @description For DELETE /connections/{id}.
             * @example 17
             */
            id: string;
            /**
             * @description connecting: there is no connection to the target yet.
             * @enum {string}
             */
            state: "connecting" | "open" | "finished";
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
             * Format: date-time
             * @description When it finished.
             * @example 2026-01-31T08:30:00.000Z
             */
            ended_at: string | null;
            /**
             * @description The address of the client that ended it by DELETE /connections or DELETE /grants.
             * @example null
             */
            ended_by: string | null;
            /**
             * @description Milliseconds since it started; of a finished one its duration.
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
            /**
             * @description Of a finished one: the status of its answer, as in the request log (docs/proxy-operation.md).
             * @example null
             */
            status: number | null;
            /**
             * @description Of a finished one: a category of docs/errors.md, client_left, broken, stalled, idle, ended_by_operator or grant_ended.
             * @example null
             */
            error: string | null;
        };
        LiveConnectionList: {
            /**
             * @description The number of all connections: in progress, or finished and still listed.
             * @example 1
             */
            total: number;
            /**
             * @description The number of connections that match the filters.
             * @example 1
             */
            found: number;
            connections: components["schemas"]["LiveConnection"][];
        };
        EndedConnections: {
            /**
             * @description The number of connections that were ended.
             * @example 3
             */
            ended: number;
        };
        FailureEntry: {
            /**
             * @description Counts failures and rejected requests since the start, from 1.
             * @example 78
             */
            number: number;
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
             * @example The upstream server cannot be reached. Check the upstream host and port of the proxy and that the server is running.
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
             * @description The upstream; of a group the member that was tried last. Null if none was asked.
             * @example work
             */
            upstream: string | null;
            /**
             * @description The number of the rule that selected the upstream; null if no rule matches.
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
        };
        RejectedRequest: {
            /**
             * @description Counts failures and rejected requests since the start, from 1.
             * @example 78
             */
            number: number;
            /**
             * Format: date-time
             * @example 2026-01-31T08:30:00.000Z
             */
            at: string;
            /**
             * @description By a rule, or because its target is a port of this proxy itself.
             * @enum {string}
             */
            category: "rejected" | "own_address";
            /**
             * @description The number of the rule when the request was rejected; null if no rule matched, or for own_address.
             * @example 3
             */
            rule: number | null;
            /**
             * @description The text of the rule.
             * @example hosts ads.example to reject
             */
            rule_text: string | null;
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
        CategoryCount: {
            /**
             * @description A category of docs/errors.md.
             * @example upstream_unreachable
             */
            category: string;
            /** @example 23 */
            count: number;
        };
        LastMinute: {
            /**
             * @description All failures, rejected requests not included.
             * @example 115
             */
            failures: number;
            /**
             * @description Requests that the configuration refused.
             * @example 4
             */
            rejections: number;
            /** @description The failures by category, the most frequent first. */
            categories: components["schemas"]["CategoryCount"][];
        };
        FailureList: {
            /** @description The newest first, at most 200. */
            failures: components["schemas"]["FailureEntry"][];
            /** @description Requests that the configuration refused; the newest first, at most 200. */
            rejections: components["schemas"]["RejectedRequest"][];
            last_minute: components["schemas"]["LastMinute"];
            /**
             * @description The number of the latest failure or rejected request.
             * @example 78
             */
            latest: number;
        };
        HistorySample: {
            /**
             * Format: date-time
             * @description The end of the interval.
             * @example 2026-01-31T08:30:00.000Z
             */
            at: string;
            /**
             * @description Its length in milliseconds.
             * @example 10000
             */
            ms: number;
            /**
             * @description Bytes to upstreams in the interval.
             * @example 104857
             */
            bytes_sent: number;
            /**
             * @description Bytes from upstreams in the interval.
             * @example 7340032
             */
            bytes_received: number;
            /**
             * @description As in /stats, at the end of the interval.
             * @example 7
             */
            active_connections: number;
            /**
             * @description Requests that succeeded in the interval.
             * @example 51
             */
            successful_requests: number;
            /**
             * @description Requests that failed in the interval.
             * @example 2
             */
            failed_requests: number;
            /**
             * @description Requests that a rule rejected in the interval.
             * @example 1
             */
            rejected_requests: number;
        };
        History: {
            /**
             * @description The regular length of an interval.
             * @example 10000
             */
            interval_ms: number;
            /** @description The last hour, the oldest first. The last interval may be shorter. */
            samples: components["schemas"]["HistorySample"][];
        };
        CheckStep: {
            /**
             * @description route: the decision of the rules. pac: what a PAC script returned. ticket: a Kerberos ticket. hop: a server on the way to the upstream. The others are those of --check.
             * @enum {string}
             */
            step: "route" | "pac" | "hop" | "tcp" | "tls" | "ticket" | "authentication" | "connect";
            /**
             * @description The upstream; null for the route. The members of a group are checked one after the other.
             * @example work
             */
            upstream: string | null;
            /** @enum {string} */
            result: "ok" | "failed" | "skipped";
            /**
             * @description The address, or what failed and what to check.
             * @example 10.0.0.1:1080
             */
            detail: string;
            /**
             * @description Milliseconds since the previous step.
             * @example 12
             */
            ms: number;
        };
        CheckEnd: {
            /**
             * @description ok if the target was reached, through at least one member of a group.
             * @enum {string}
             */
            result: "ok" | "failed";
            /**
             * @description Milliseconds since the start.
             * @example 40
             */
            ms: number;
        };
        DownUpstream: {
            /** @example attic */
            name: string;
            /**
             * Format: date-time
             * @example 2026-01-31T08:30:00.000Z
             */
            since: string;
        };
        Problems: {
            /** @description The upstreams that are down. */
            down: components["schemas"]["DownUpstream"][];
            last_minute: components["schemas"]["LastMinute"];
            /** @description Those since the previous event, the newest first, at most 50. */
            failures: components["schemas"]["FailureEntry"][];
            /** @description Those since the previous event, the newest first, at most 50. */
            rejections: components["schemas"]["RejectedRequest"][];
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
    selectMember: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The name of a group. */
                group: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["MemberSelection"];
            };
        };
        responses: {
            /** @description The state after the selection. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["UpstreamList"];
                };
            };
            /** @description The body is invalid. */
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
            /** @description There is no such group, or it has no such member. */
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
    testUpstream: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The name of an upstream or group. */
                name: string;
            };
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
                    "application/json": components["schemas"]["UpstreamTestList"];
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
            /** @description There is no such upstream or group. */
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
    getRules: {
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
                    "application/json": components["schemas"]["RuleStatusList"];
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
    explainRoute: {
        parameters: {
            query: {
                /** @description host:port */
                target: string;
                /** @description The user of the request. */
                user?: string;
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
                    "application/json": components["schemas"]["RouteExplanation"];
                };
            };
            /** @description A parameter is missing, unknown or invalid. */
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
    checkRoute: {
        parameters: {
            query: {
                /** @description host:port */
                target: string;
                /** @description The user of the request. */
                user?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Until the check finishes. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/event-stream": components["schemas"]["CheckStep"] | components["schemas"]["CheckEnd"];
                };
            };
            /** @description A parameter is missing, unknown or invalid. */
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
            /** @description The caller (its address) has a check in progress, or too many are. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/plain": string;
                };
            };
        };
    };
    getAsks: {
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
                    "application/json": components["schemas"]["QuestionList"];
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
    answerAsk: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The id of GET /asks. */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["AnswerRequest"];
            };
        };
        responses: {
            /** @description The question, as it was before the answer. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Question"];
                };
            };
            /** @description The body is invalid. */
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
            /** @description No question has this id. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/plain": string;
                };
            };
            /** @description It was answered before or has expired, there are too many grants, or the rule cannot be written. */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/plain": string;
                };
            };
        };
    };
    getDenials: {
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
                    "application/json": components["schemas"]["DenialList"];
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
    getGrants: {
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
                    "application/json": components["schemas"]["GrantList"];
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
    addGrant: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["GrantRequest"];
            };
        };
        responses: {
            /** @description The grant. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Grant"];
                };
            };
            /** @description The body is invalid. */
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
            /** @description The configuration has no `default: reject`, a rule rejects the target, or there are too many grants. */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/plain": string;
                };
            };
        };
    };
    endGrant: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The id of GET /grants. */
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
            /** @description No grant has this id; it may have ended. */
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
    getConnections: {
        parameters: {
            query?: {
                /** @description Only connections whose target, upstream or user contains this text; case is ignored. */
                find?: string;
                /** @description The number of a rule, or none: no rule matched. */
                rule?: string;
                /** @description active: connecting or open. finished: the last 500 that have ended; failed: those with an error. */
                state?: "active" | "connecting" | "open" | "finished" | "failed";
                /** @description The name of an upstream. */
                upstream?: string;
                /** @description The name of a user; empty: without a user. */
                user?: string;
                limit?: number;
                order?: "asc" | "desc";
                sort?: "age" | "ended" | "sent" | "received" | "target" | "upstream" | "user";
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
    endConnections: {
        parameters: {
            query?: {
                /** @description Only connections whose target, upstream or user contains this text; case is ignored. */
                find?: string;
                /** @description The number of a rule, or none: no rule matched. */
                rule?: string;
                /** @description active: connecting or open. */
                state?: "active" | "connecting" | "open";
                /** @description The name of an upstream. */
                upstream?: string;
                /** @description The name of a user; empty: without a user. */
                user?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description They were ended. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["EndedConnections"];
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
    getHistory: {
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
                    "application/json": components["schemas"]["History"];
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
                    "text/event-stream": components["schemas"]["Stats"] | components["schemas"]["Problems"];
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
