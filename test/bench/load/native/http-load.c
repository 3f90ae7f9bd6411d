/*
 * The load of the ledger's benchmark: http-load MODE PORT CONNECTIONS MILLISECONDS NAME ASSETS [RATE]
 *   MODE  get     GET /api/v1/assets/NAME-n with n from 0 to ASSETS-1, pseudo-random
 *         post    POST /api/v1/assets, each with its own id, from NAME-ASSETS upwards
 *         scatter the same with ids in no order, as random ones are: each number turned into 16 hexadecimal digits
 *         keyed   the same, each with its own Idempotency-Key
 * The environment variable API_KEYS may hold keys, separated by commas; the connections share them out.
 * One request after the other on each of CONNECTIONS keep-alive connections; with RATE at most so many a second, and those
 * for which no connection was free are made up for. Before the clock starts each connection is
 * served once: a busy Node server accepts one connection a turn of its loop, which would be measured instead of the
 * requests. Prints one line of JSON; `next` is the number behind the last id that was sent; and on standard error the
 * first answer that was neither 200 nor 201.
 */
#include "common.h"
#include <sys/timerfd.h>

struct connection {
  int fd, length;
  const char *key;
  long body_left;
  int status;
  uint64_t started;
  char bytes[65536];
};

static int posting, scattering, keyed, greeting = 1, epoll, working;
static int clock_fd = -1, idle_count;
static struct connection **idle;
static const char *name;
static uint64_t due, assets, next_id, ends_at, done, failed, latency_count, latency_room, random_state = 88172645463325252u;
static uint32_t *latencies;

static void record(uint64_t since) {
  if (latency_count == latency_room) {
    latency_room = latency_room ? latency_room * 2 : 1 << 16;
    latencies = realloc(latencies, latency_room * sizeof *latencies);
  }
  latencies[latency_count++] = (uint32_t)((now_ns() - since) / 1000);
}

/* xorshift: the same order of reads for every candidate. */
static uint64_t pick(void) {
  random_state ^= random_state << 13;
  random_state ^= random_state >> 7;
  random_state ^= random_state << 17;
  return random_state % assets;
}

/* splitmix64: no two numbers give the same one. */
static uint64_t scattered(uint64_t number) {
  number += 0x9e3779b97f4a7c15u;
  number = (number ^ (number >> 30)) * 0xbf58476d1ce4e5b9u;
  number = (number ^ (number >> 27)) * 0x94d049bb133111ebu;
  return number ^ (number >> 31);
}

static void ask(struct connection *c) {
  char request[1024], body[512], id[256], key[300] = "", login[128] = "";
  int length;
  if (c->key) snprintf(login, sizeof login, "X-API-Key: %s\r\n", c->key);
  if (posting) {
    if (scattering) snprintf(id, sizeof id, "%s-%016llx", name, (unsigned long long)scattered(next_id++));
    else snprintf(id, sizeof id, "%s-%llu", name, (unsigned long long)next_id++);
    if (keyed) snprintf(key, sizeof key, "Idempotency-Key: %s\r\n", id);
    int size = snprintf(body, sizeof body,
                        "{\"id\":\"%s\",\"appraisedValue\":\"300\",\"color\":\"blue\",\"owner\":\"Tomoko\",\"size\":\"5\"}", id);
    length = snprintf(request, sizeof request,
                      "POST /api/v1/assets HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n"
                      "%s%sContent-Length: %d\r\n\r\n%s",
                      key, login, size, body);
  } else {
    length = snprintf(request, sizeof request, "GET /api/v1/assets/%s-%llu HTTP/1.1\r\nHost: 127.0.0.1\r\n%s\r\n", name,
                      (unsigned long long)pick(), login);
  }
  c->started = now_ns();
  c->length = 0;
  c->body_left = -1;
  if (send(c->fd, request, (size_t)length, 0) != length) die("send");
}

/* What is answered without the ledger, or with a 404: either way the connection is accepted and stays open. */
static void greet(struct connection *c) {
  static const char request[] = "GET /api/v1/health HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n";
  c->length = 0;
  c->body_left = -1;
  if (send(c->fd, request, sizeof request - 1, 0) != sizeof request - 1) die("send");
}

/* The next request of a connection, at once or when it is due. */
static void go_on(struct connection *c) {
  if (clock_fd < 0) ask(c);
  else if (due > 0) due--, ask(c);
  else idle[idle_count++] = c;
}

static void answered(struct connection *c) {
  if (greeting) {
    working--;
    return;
  }
  record(c->started);
  if (c->status == 200 || c->status == 201) done++;
  else if (failed++ == 0) fprintf(stderr, "%.600s\n", c->bytes);
  if (now_ns() < ends_at) go_on(c);
  else working--;
}

/* The clock of a load with a rate: one beat for each request. Behind the end idle connections stop. */
static void beat(void) {
  uint64_t beats;
  if (read(clock_fd, &beats, sizeof beats) != sizeof beats) return;
  due += beats;
  if (now_ns() >= ends_at) working -= idle_count, idle_count = 0;
  while (due > 0 && idle_count > 0) due--, ask(idle[--idle_count]);
}

static void start_clock(long rate, int connections) {
  struct timespec each = {.tv_sec = rate == 1, .tv_nsec = rate == 1 ? 0 : 1000000000 / rate};
  struct itimerspec times = {.it_value = each, .it_interval = each};
  idle = calloc((size_t)connections, sizeof *idle);
  clock_fd = timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK | TFD_CLOEXEC);
  if (clock_fd < 0 || timerfd_settime(clock_fd, 0, &times, NULL)) die("timerfd");
  watch(epoll, EPOLL_CTL_ADD, clock_fd, EPOLLIN, NULL);
}

/* Reads the head once it is whole; answers of this size come in one or two pieces and always name their length. */
static int read_head(struct connection *c) {
  c->bytes[c->length] = 0;
  char *end = strstr(c->bytes, "\r\n\r\n");
  if (!end) return 0;
  char *field = strcasestr(c->bytes, "\r\ncontent-length:");
  if (!field || field > end) {
    fprintf(stderr, "an answer without Content-Length\n");
    exit(1);
  }
  c->status = atoi(c->bytes + 9);
  c->body_left = strtol(field + 17, NULL, 10) - (c->bytes + c->length - (end + 4));
  return 1;
}

static void readable(struct connection *c) {
  ssize_t count = recv(c->fd, c->bytes + (c->body_left < 0 ? c->length : 0), sizeof c->bytes - 1 - (size_t)c->length, 0);
  if (count < 0 && errno == EAGAIN) return;
  if (count <= 0) {
    fprintf(stderr, "the server closed a connection\n");
    exit(1);
  }
  if (c->body_left >= 0) c->body_left -= count;
  else {
    c->length += (int)count;
    if (!read_head(c)) return;
  }
  if (c->body_left == 0) answered(c);
}

/* Handles answers until no connection waits for one. */
static void serve_all(void) {
  while (working > 0) {
    struct epoll_event events[256];
    int ready = epoll_wait(epoll, events, 256, -1);
    for (int i = 0; i < ready; i++) {
      if (events[i].data.ptr) readable(events[i].data.ptr);
      else beat();
    }
  }
}

static int by_value(const void *a, const void *b) {
  uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
  return x < y ? -1 : x > y;
}

static double share(double part) {
  return latency_count ? latencies[(uint64_t)(part * (double)(latency_count - 1))] / 1000.0 : 0;
}

/* The key of a connection: each gets the next one of a list that it goes round. */
static const char *next_key(void) {
  static char *keys[64];
  static int known, given;
  char *list = getenv("API_KEYS");
  if (!list || !*list) return NULL;
  if (known == 0) {
    for (char *key = strtok(list, ","); key && known < 64; key = strtok(NULL, ",")) keys[known++] = key;
  }
  return keys[given++ % known];
}

int main(int count, char **args) {
  if (count < 7 || count > 8)
    return fprintf(stderr, "http-load get|post|scatter|keyed PORT CONNECTIONS MILLISECONDS NAME ASSETS [RATE]\n"), 2;
  prepare_process();
  keyed = strcmp(args[1], "keyed") == 0;
  scattering = keyed || strcmp(args[1], "scatter") == 0;
  posting = scattering || strcmp(args[1], "post") == 0;
  int port = atoi(args[2]), connections = atoi(args[3]);
  name = args[5];
  assets = next_id = strtoull(args[6], NULL, 10);
  epoll = epoll_create1(EPOLL_CLOEXEC);
  struct connection *all = calloc((size_t)connections, sizeof *all);
  for (int i = 0; i < connections; i++) {
    all[i].fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    struct sockaddr_in address = loopback(port);
    all[i].key = next_key();
    no_delay(all[i].fd);
    if (connect(all[i].fd, (struct sockaddr *)&address, sizeof address)) die("connect");
    fcntl(all[i].fd, F_SETFL, O_NONBLOCK);
    watch(epoll, EPOLL_CTL_ADD, all[i].fd, EPOLLIN, &all[i]);
    working++;
    greet(&all[i]);
  }
  serve_all();
  greeting = 0;
  if (count == 8) start_clock(atol(args[7]), connections);
  uint64_t began = now_ns();
  ends_at = began + strtoull(args[4], NULL, 10) * 1000000u;
  working = connections;
  for (int i = 0; i < connections; i++) go_on(&all[i]);
  serve_all();
  double seconds = (double)(now_ns() - began) / 1e9;
  qsort(latencies, latency_count, sizeof *latencies, by_value);
  printf("{\"done\":%llu,\"failed\":%llu,\"seconds\":%.6f,\"p50\":%.3f,\"p99\":%.3f,\"max\":%.3f,\"next\":%llu}\n",
         (unsigned long long)done, (unsigned long long)failed, seconds, share(0.5), share(0.99), share(1),
         (unsigned long long)next_id);
  return 0;
}
