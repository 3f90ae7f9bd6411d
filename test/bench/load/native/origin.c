/*
 * The origin behind the proxies, one thread. The first bytes of a connection select the behaviour:
 *   "D <bytes>\n"  a download      "U <bytes>\n"  an upload, answered by "OK\n" when whole
 *   "E\n"          64 bytes back   "GET …", "POST …"  HTTP/1.1 keep-alive, 1 KiB a response
 */
#include "common.h"

enum mode { HEAD, DOWN, UP };
struct connection {
  int fd;
  enum mode mode;
  uint64_t left;
  int length;
  char head[8192];
};

static int epoll, pattern;
static char http_response[1400], small[64];
static int http_length;

static void finish(struct connection *c) {
  close(c->fd);
  free(c);
}

static int send_all(int fd, const char *bytes, int length) { return send(fd, bytes, (size_t)length, 0) == length ? 0 : -1; }

static int sink(struct connection *c) {
  while (c->left > 0) {
    size_t wanted = c->left < (8u << 20) ? (size_t)c->left : (8u << 20);
    ssize_t got = recv(c->fd, NULL, wanted, MSG_TRUNC);
    if (got == 0) return -1;
    if (got < 0) return errno == EAGAIN ? 0 : -1;
    c->left -= (uint64_t)got;
  }
  c->mode = HEAD;
  return send_all(c->fd, "OK\n", 3);
}

static int push(struct connection *c) {
  int state = send_pattern(c->fd, pattern, &c->left);
  if (state < 0) return -1;
  if (state == 0) c->mode = HEAD;
  watch(epoll, EPOLL_CTL_MOD, c->fd, state == 1 ? EPOLLOUT : EPOLLIN, c);
  return 0;
}

static void drop(struct connection *c, int bytes) {
  memmove(c->head, c->head + bytes, (size_t)(c->length - bytes));
  c->length -= bytes;
}

/* Handles whole commands at the front of the buffer; 1 more are there, 0 wait for bytes, -1 close. */
static int command(struct connection *c) {
  c->head[c->length] = 0;
  if (c->head[0] == 'G' || c->head[0] == 'P') {
    char *end = strstr(c->head, "\r\n\r\n");
    if (end == NULL) return 0;
    char *body = c->head[0] == 'P' ? strcasestr(c->head, "content-length: ") : NULL;
    int whole = (int)(end + 4 - c->head) + (body != NULL && body < end ? atoi(body + 16) : 0);
    if (c->length < whole) return 0;
    drop(c, whole);
    return send_all(c->fd, http_response, http_length) ? -1 : c->length > 0;
  }
  char *line = strchr(c->head, '\n');
  if (line == NULL) return 0;
  char what = c->head[0];
  c->left = strtoull(c->head + 1, NULL, 10);
  drop(c, (int)(line + 1 - c->head));
  if (what == 'E') return send_all(c->fd, small, sizeof small) ? -1 : c->length > 0;
  if (what == 'D') {
    c->mode = DOWN;
    return push(c);
  }
  if (what != 'U') return -1;
  c->mode = UP;
  c->left -= (uint64_t)c->length;
  c->length = 0;
  return sink(c);
}

static int read_head(struct connection *c) {
  for (;;) {
    ssize_t got = recv(c->fd, c->head + c->length, sizeof c->head - 1 - (size_t)c->length, 0);
    if (got < 0 && errno == EAGAIN) return 0;
    if (got <= 0) return -1;
    c->length += (int)got;
    int more;
    while ((more = command(c)) > 0) continue;
    if (more < 0) return -1;
    if (c->mode != HEAD) return 0;
  }
}

static int step(struct connection *c) {
  switch (c->mode) {
    case DOWN:
      return push(c);
    case UP:
      return sink(c);
    default:
      return read_head(c);
  }
}

int main(void) {
  prepare_process();
  int listener = listen_and_print();
  epoll = epoll_create1(EPOLL_CLOEXEC);
  pattern = pattern_file();
  memset(small, 's', sizeof small);
  char body[1024];
  memset(body, 'b', sizeof body);
  http_length = snprintf(http_response, sizeof http_response,
                         "HTTP/1.1 200 OK\r\nContent-Type: application/octet-stream\r\nContent-Length: 1024\r\n\r\n%.1024s", body);
  watch(epoll, EPOLL_CTL_ADD, listener, EPOLLIN, NULL);
  struct epoll_event events[256];
  for (;;) {
    int count = epoll_wait(epoll, events, 256, -1);
    for (int i = 0; i < count; i++) {
      struct connection *c = events[i].data.ptr;
      if (c != NULL) {
        if (step(c)) finish(c);
        continue;
      }
      int fd;
      while ((fd = accept4(listener, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC)) >= 0) {
        no_delay(fd);
        c = calloc(1, sizeof *c);
        c->fd = fd;
        watch(epoll, EPOLL_CTL_ADD, fd, EPOLLIN, c);
      }
    }
  }
}
