/*
 * The load: client MODE VIA PROXY_PORT ORIGIN_PORT CONNECTIONS AMOUNT [FIELDS]
 *   MODE  down | up   AMOUNT bytes through each of CONNECTIONS tunnels
 *         rate        tunnels with one small exchange each, CONNECTIONS at once, for AMOUNT milliseconds
 *         http        GET of 1 KiB on CONNECTIONS keep-alive connections, for AMOUNT milliseconds
 *         post        the same by a POST of 1 KiB    split  the same with each head in two reads
 *         close       the same with Connection: close
 *         touch       connections that are opened and closed, for AMOUNT milliseconds: what close costs in addition to its request
 *         idle        opens CONNECTIONS tunnels, prints how many stand, holds them until standard input closes
 *   VIA   connect (an HTTP proxy) | socks5 (greeting and request, as SOCKS5 clients send them) | tunnel (nothing to say)
 *         socks (the SOCKS5 server itself, handshake in one flight: the ceiling)
 *   FIELDS  further header lines of each request to an HTTP proxy, each with its CRLF
 * Prints one line of JSON.
 */
#include "common.h"

enum mode { BULK_DOWN, BULK_UP, RATE, HTTP, IDLE, POST, SPLIT, CLOSE, TOUCH };
enum via { VIA_CONNECT, VIA_SOCKS, VIA_SOCKS5, VIA_TUNNEL };
enum stage { CONNECTING, GREETING, OPENING, TUNNEL };
struct connection {
  int fd, length;
  enum stage stage;
  uint64_t left, started;
  char bytes[16384];
};

static enum mode mode, form;
static enum via via;
static const char *fields = "";
static int proxy_port, epoll, pattern, connections, open_now;
static uint64_t amount, ends_at, done, failed, reconnects, latency_count, latency_room, opened_ns;
static uint32_t *latencies;
static char greeting[3] = {5, 1, 0}, opening[1024], request[2048], rotated[2048];
static int opening_length, request_length;

static int tunnels(void) { return via == VIA_TUNNEL ? 0 : (mode != HTTP && mode != TOUCH) || via != VIA_CONNECT; }

static void record(uint64_t since) {
  if (latency_count == latency_room) {
    latency_room = latency_room ? latency_room * 2 : 1 << 16;
    latencies = realloc(latencies, latency_room * sizeof *latencies);
  }
  latencies[latency_count++] = (uint32_t)((now_ns() - since) / 1000);
}

static int put(struct connection *c, const char *bytes, int length) {
  return send(c->fd, bytes, (size_t)length, 0) == length ? 0 : -1;
}

static void start(struct connection *c) {
  c->fd = connect_loopback(proxy_port);
  if (c->fd < 0) die("connect");
  c->stage = CONNECTING;
  c->length = 0;
  c->left = 0;
  c->started = now_ns();
  watch(epoll, EPOLL_CTL_ADD, c->fd, EPOLLOUT, c);
}

static void again(struct connection *c, int ok) {
  close(c->fd);
  if (ok) done++;
  else failed++;
  int timed = mode == RATE || mode == HTTP || mode == TOUCH;
  if (timed && now_ns() < ends_at) start(c);
  else open_now--;
}

static int begin_exchange(struct connection *c) {
  c->stage = TUNNEL;
  c->length = 0;
  if (mode == IDLE) {
    opened_ns = now_ns();
    done++;
    return 0;
  }
  if (mode == TOUCH) {
    again(c, 1);
    return 0;
  }
  if (mode == HTTP) {
    int first = c->left == 0;
    c->started = now_ns();
    c->left = 1;
    if (form != SPLIT) return put(c, request, request_length);
    /* The second half of this request, and the first half of the next one: each head comes in two reads. */
    if (first && put(c, request, request_length / 2)) return -1;
    return put(c, rotated, request_length);
  }
  c->left = amount;
  if (put(c, request, request_length)) return -1;
  if (mode == BULK_UP) watch(epoll, EPOLL_CTL_MOD, c->fd, EPOLLOUT, c);
  return 0;
}

static int open_tunnel(struct connection *c) {
  if (!tunnels()) {
    watch(epoll, EPOLL_CTL_MOD, c->fd, EPOLLIN, c);
    return begin_exchange(c);
  }
  watch(epoll, EPOLL_CTL_MOD, c->fd, EPOLLIN, c);
  c->stage = via == VIA_SOCKS5 ? GREETING : OPENING;
  return c->stage == GREETING ? put(c, greeting, sizeof greeting) : put(c, opening, opening_length);
}

/* The answer to the greeting; then the request is sent. */
static int greeted(struct connection *c) {
  if (c->length < 2) return 0;
  if (c->bytes[1] != 0) return -1;
  c->stage = OPENING;
  c->length = 0;
  return put(c, opening, opening_length);
}

/* Whether the answer to CONNECT, or to the SOCKS handshake, is whole and good: 1, 0 not yet, -1 refused. */
static int opened(struct connection *c) {
  if (via == VIA_SOCKS) return c->length < 12 ? 0 : c->bytes[3] == 0 ? 1 : -1;
  if (via == VIA_SOCKS5) return c->length < 10 ? 0 : c->bytes[1] == 0 ? 1 : -1;
  c->bytes[c->length] = 0;
  if (strstr(c->bytes, "\r\n\r\n") == NULL) return 0;
  return strncmp(c->bytes + 8, " 200", 4) == 0 ? 1 : -1;
}

static int receive(struct connection *c) {
  ssize_t got = recv(c->fd, c->bytes + c->length, sizeof c->bytes - 1 - (size_t)c->length, 0);
  if (got < 0 && errno == EAGAIN) return 0;
  if (got <= 0) return -1;
  c->length += (int)got;
  return 1;
}

static int download(struct connection *c) {
  while (c->left > 0) {
    ssize_t got = recv(c->fd, NULL, 8u << 20, MSG_TRUNC);
    if (got < 0 && errno == EAGAIN) return 0;
    if (got <= 0) return -1;
    c->left -= (uint64_t)got;
  }
  again(c, 1);
  return 0;
}

static int upload(struct connection *c) {
  if (c->left > 0) {
    int state = send_pattern(c->fd, pattern, &c->left);
    if (state == 0) watch(epoll, EPOLL_CTL_MOD, c->fd, EPOLLIN, c);
    return state < 0 ? -1 : 0;
  }
  int got = receive(c);
  if (got > 0 && c->length >= 3) again(c, 1);
  return got < 0 ? -1 : 0;
}

static int small_exchange(struct connection *c) {
  int got = receive(c);
  if (got <= 0 || c->length < 64) return got < 0 ? -1 : 0;
  record(c->started);
  again(c, 1);
  return 0;
}

/* A proxy that closes after each answer, with or without a word, costs a new connection and is no failure. */
static int reconnect(struct connection *c) {
  reconnects++;
  close(c->fd);
  start(c);
  return 0;
}

static int http_response(struct connection *c) {
  int got = receive(c);
  if (got < 0 && c->length == 0 && now_ns() < ends_at) return reconnect(c);
  if (got <= 0) return got;
  c->bytes[c->length] = 0;
  char *end = strstr(c->bytes, "\r\n\r\n");
  if (end == NULL || c->bytes + c->length - (end + 4) < 1024) return 0;
  if (strncmp(c->bytes + 8, " 200", 4) != 0) return -1;
  record(c->started);
  done++;
  if (now_ns() >= ends_at) {
    done--;
    again(c, 1);
    return 0;
  }
  *end = 0;
  return strcasestr(c->bytes, "connection: close") != NULL ? reconnect(c) : begin_exchange(c);
}

static int in_tunnel(struct connection *c) {
  switch (mode) {
    case BULK_DOWN:
      return download(c);
    case BULK_UP:
      return upload(c);
    case RATE:
      return small_exchange(c);
    case HTTP:
      return http_response(c);
    default:
      return -1;
  }
}

static int step(struct connection *c) {
  if (c->stage == CONNECTING) return open_tunnel(c);
  if (c->stage == TUNNEL) return in_tunnel(c);
  int got = receive(c);
  if (got <= 0) return got;
  if (c->stage == GREETING) return greeted(c);
  int state = opened(c);
  return state > 0 ? begin_exchange(c) : state;
}

static int compare(const void *a, const void *b) {
  uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
  return (x > y) - (x < y);
}

static double percentile(double share) {
  if (latency_count == 0) return 0;
  return latencies[(uint64_t)((double)(latency_count - 1) * share)] / 1000.0;
}

static void prepare_texts(int origin_port) {
  const char *bulk = mode == BULK_DOWN ? "D" : "U";
  if (via == VIA_SOCKS || via == VIA_SOCKS5) {
    const unsigned char connect[] = {5, 1, 0, 1, 127, 0, 0, 1, (unsigned char)(origin_port >> 8), (unsigned char)origin_port};
    if (via == VIA_SOCKS) memcpy(opening, greeting, sizeof greeting), opening_length = sizeof greeting;
    memcpy(opening + opening_length, connect, sizeof connect);
    opening_length += (int)sizeof connect;
  } else {
    const char *form = "CONNECT 127.0.0.1:%d HTTP/1.1\r\nHost: 127.0.0.1:%d\r\n%s\r\n";
    opening_length = snprintf(opening, sizeof opening, form, origin_port, origin_port, fields);
  }
  if (mode == RATE) request_length = sprintf(request, "E\n");
  else if (mode == HTTP && via != VIA_CONNECT) request_length = sprintf(request, "GET /x HTTP/1.1\r\nHost: 127.0.0.1:%d\r\n\r\n", origin_port);
  else if (mode == HTTP) {
    const char *own = form == POST ? "Content-Length: 1024\r\n" : form == CLOSE ? "Connection: close\r\n" : "";
    request_length = sprintf(request, "%s http://127.0.0.1:%d/x HTTP/1.1\r\nHost: 127.0.0.1:%d\r\n%s%s\r\n", form == POST ? "POST" : "GET", origin_port,
                             origin_port, own, fields);
    if (form == POST) memset(request + request_length, 'b', 1024), request_length += 1024;
    int half = request_length / 2;
    memcpy(rotated, request + half, (size_t)(request_length - half));
    memcpy(rotated + request_length - half, request, (size_t)half);
  }
  else request_length = sprintf(request, "%s %llu\n", bulk, (unsigned long long)amount);
}

static void hold(void) {
  printf("{\"open\":%llu,\"failed\":%llu}\n", (unsigned long long)done, (unsigned long long)failed);
  fflush(stdout);
  char byte;
  while (read(0, &byte, 1) > 0) continue;
}

int main(int argc, char **argv) {
  if (argc < 7 || argc > 8 || (argc == 8 && strlen(argv[7]) > 512)) {
    fprintf(stderr, "usage: client down|up|rate|http|post|split|close|touch|idle connect|socks|socks5|tunnel PROXY_PORT ORIGIN_PORT CONNECTIONS AMOUNT [FIELDS]\n");
    return 2;
  }
  const char *names[] = {"down", "up", "rate", "http", "idle", "post", "split", "close", "touch"};
  for (int i = 0; i < 9; i++)
    if (strcmp(argv[1], names[i]) == 0) mode = (enum mode)i;
  form = mode;
  if (mode == POST || mode == SPLIT || mode == CLOSE) mode = HTTP;
  const char *ways[] = {"connect", "socks", "socks5", "tunnel"};
  for (int i = 0; i < 4; i++)
    if (strcmp(argv[2], ways[i]) == 0) via = (enum via)i;
  if (argc == 8) fields = argv[7];
  proxy_port = atoi(argv[3]);
  connections = atoi(argv[5]);
  amount = strtoull(argv[6], NULL, 10);
  prepare_process();
  prepare_texts(atoi(argv[4]));
  pattern = pattern_file();
  epoll = epoll_create1(EPOLL_CLOEXEC);
  uint64_t started = now_ns();
  ends_at = started + amount * 1000000u;
  open_now = connections;
  struct connection *all = calloc((size_t)connections, sizeof *all);
  for (int i = 0; i < connections; i++) start(&all[i]);
  struct epoll_event events[256];
  while (open_now > 0 && !(mode == IDLE && done + failed >= (uint64_t)connections)) {
    int count = epoll_wait(epoll, events, 256, mode == IDLE ? 5000 : 20000);
    if (count == 0 && mode == IDLE) break;
    if (count == 0) {
      fprintf(stderr, "client: nothing moved for 20 s, %d connections open\n", open_now);
      return 1;
    }
    for (int i = 0; i < count; i++)
      if (step(events[i].data.ptr)) again(events[i].data.ptr, 0);
  }
  if (mode == IDLE) {
    hold();
    return 0;
  }
  double seconds = (double)(now_ns() - started) / 1e9;
  qsort(latencies, latency_count, sizeof *latencies, compare);
  printf("{\"seconds\":%.6f,\"done\":%llu,\"failed\":%llu,\"reconnects\":%llu,\"p50\":%.3f,\"p99\":%.3f}\n", seconds,
         (unsigned long long)done, (unsigned long long)failed, (unsigned long long)reconnects, percentile(0.5), percentile(0.99));
  return 0;
}
