/*
 * The SOCKS5 server that every proxy in the benchmark uses (RFC 1928, no authentication, IPv4 and names that are IPv4
 * literals or localhost), one thread; splices, so that it copies nothing. Takes the whole handshake in one flight.
 * On SIGUSR1 it prints how many CONNECT requests it has served.
 */
#include "common.h"
#include <sys/signalfd.h>

struct pipe { int in, out; struct pipe *next; };
struct half { int from, to; struct pipe *pipe; size_t held; int ended, done; };
enum stage { GREETING, REQUEST, DIALLING, RELAY };
struct session;
struct side { struct session *session; };
struct session {
  enum stage stage;
  int client, target, length, dead;
  struct half up, down;
  struct side client_side, target_side;
  struct session *next_dead;
  unsigned char bytes[1024];
};

static int epoll;
static struct pipe *free_pipes;
static struct session *dead;
static unsigned long served;

static struct pipe *take_pipe(void) {
  struct pipe *p = free_pipes;
  if (p != NULL) {
    free_pipes = p->next;
    return p;
  }
  int ends[2];
  if (pipe2(ends, O_NONBLOCK | O_CLOEXEC)) die("pipe");
  fcntl(ends[1], F_SETPIPE_SZ, 1 << 20);
  p = malloc(sizeof *p);
  p->in = ends[1];
  p->out = ends[0];
  return p;
}

static void end_session(struct session *s) {
  if (s->dead) return;
  s->dead = 1;
  for (struct half *h = &s->up; h != NULL; h = h == &s->up ? &s->down : NULL) {
    if (h->pipe == NULL) continue;
    if (h->held > 0) {
      close(h->pipe->in);
      close(h->pipe->out);
      free(h->pipe);
    } else {
      h->pipe->next = free_pipes;
      free_pipes = h->pipe;
    }
  }
  close(s->client);
  if (s->target >= 0) close(s->target);
  s->next_dead = dead;
  dead = s;
}

/* Moves what can be moved one way; -1 when the session is over. */
static int pump(struct half *h) {
  while (!h->done) {
    if (h->held == 0 && h->ended) {
      shutdown(h->to, SHUT_WR);
      h->done = 1;
      break;
    }
    if (h->held == 0) {
      if (h->pipe == NULL) h->pipe = take_pipe();
      ssize_t got = splice(h->from, NULL, h->pipe->in, NULL, 1 << 20, SPLICE_F_MOVE | SPLICE_F_NONBLOCK);
      if (got < 0 && errno == EAGAIN) break;
      if (got < 0) return -1;
      if (got == 0) h->ended = 1;
      h->held = (size_t)got;
      continue;
    }
    ssize_t sent = splice(h->pipe->out, NULL, h->to, NULL, h->held, SPLICE_F_MOVE | SPLICE_F_NONBLOCK);
    if (sent < 0 && errno == EAGAIN) return 0;
    if (sent <= 0) return -1;
    h->held -= (size_t)sent;
  }
  if (h->pipe != NULL && h->held == 0) {
    h->pipe->next = free_pipes;
    free_pipes = h->pipe;
    h->pipe = NULL;
  }
  return 0;
}

static void relay(struct session *s) {
  if (pump(&s->up) || pump(&s->down) || (s->up.done && s->down.done)) end_session(s);
}

static void dialled(struct session *s) {
  int error = 0;
  socklen_t size = sizeof error;
  getsockopt(s->target, SOL_SOCKET, SO_ERROR, &error, &size);
  unsigned char reply[10] = {5, error ? 5 : 0, 0, 1, 127, 0, 0, 1, 0, 0};
  if (send(s->client, reply, sizeof reply, 0) != (ssize_t)sizeof reply || error) {
    end_session(s);
    return;
  }
  if (s->length > 0 && send(s->target, s->bytes, (size_t)s->length, 0) != s->length) {
    end_session(s);
    return;
  }
  served++;
  s->stage = RELAY;
  s->up = (struct half){.from = s->client, .to = s->target};
  s->down = (struct half){.from = s->target, .to = s->client};
  relay(s);
}

static void take(struct session *s, int bytes) {
  memmove(s->bytes, s->bytes + bytes, (size_t)(s->length - bytes));
  s->length -= bytes;
}

/* 1 a message was handled, 0 more bytes are needed, -1 the client is refused. */
static int greeting(struct session *s) {
  if (s->length < 2 || s->length < 2 + s->bytes[1]) return 0;
  take(s, 2 + s->bytes[1]);
  s->stage = REQUEST;
  return send(s->client, "\5\0", 2, 0) == 2 ? 1 : -1;
}

static int request(struct session *s) {
  if (s->length < 5) return 0;
  int is_name = s->bytes[3] == 3, address = is_name ? 1 + s->bytes[4] : 4;
  if (s->bytes[1] != 1 || (s->bytes[3] != 1 && !is_name)) return -1;
  if (s->length < 4 + address + 2) return 0;
  int port = s->bytes[4 + address] << 8 | s->bytes[5 + address];
  take(s, 4 + address + 2);
  s->target = connect_loopback(port);
  if (s->target < 0) return -1;
  s->stage = DIALLING;
  s->target_side.session = s;
  watch(epoll, EPOLL_CTL_ADD, s->target, EPOLLIN | EPOLLOUT | EPOLLRDHUP | EPOLLET, &s->target_side);
  return 0;
}

static void handshake(struct session *s) {
  for (;;) {
    if (s->length == (int)sizeof s->bytes) return;
    ssize_t got = recv(s->client, s->bytes + s->length, sizeof s->bytes - (size_t)s->length, 0);
    if (got < 0 && errno == EAGAIN) return;
    if (got <= 0) {
      end_session(s);
      return;
    }
    s->length += (int)got;
    int handled = 1;
    while (handled == 1 && s->stage < DIALLING) handled = s->stage == GREETING ? greeting(s) : request(s);
    if (handled < 0) {
      end_session(s);
      return;
    }
    if (s->stage == DIALLING) return;
  }
}

static void on_event(struct side *side) {
  struct session *s = side->session;
  if (s->dead) return;
  if (s->stage == RELAY) relay(s);
  else if (side == &s->target_side) dialled(s);
  else if (s->stage < DIALLING) handshake(s);
}

static void accept_all(int listener) {
  int fd;
  while ((fd = accept4(listener, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC)) >= 0) {
    struct session *s = calloc(1, sizeof *s);
    no_delay(fd);
    s->client = fd;
    s->target = -1;
    s->client_side.session = s;
    watch(epoll, EPOLL_CTL_ADD, fd, EPOLLIN | EPOLLOUT | EPOLLRDHUP | EPOLLET, &s->client_side);
  }
}

/* A file descriptor that is readable when SIGUSR1 has come, so that no signal is missed between two waits. */
static int signal_file(void) {
  sigset_t mask;
  sigemptyset(&mask);
  sigaddset(&mask, SIGUSR1);
  sigprocmask(SIG_BLOCK, &mask, NULL);
  return signalfd(-1, &mask, SFD_NONBLOCK | SFD_CLOEXEC);
}

static void print_served(int signals) {
  struct signalfd_siginfo info;
  if (read(signals, &info, sizeof info) != (ssize_t)sizeof info) return;
  printf("%lu\n", served);
  fflush(stdout);
}

int main(void) {
  prepare_process();
  int signals = signal_file(), listener = listen_and_print();
  epoll = epoll_create1(EPOLL_CLOEXEC);
  watch(epoll, EPOLL_CTL_ADD, listener, EPOLLIN, NULL);
  watch(epoll, EPOLL_CTL_ADD, signals, EPOLLIN, &signals);
  struct epoll_event events[256];
  for (;;) {
    int count = epoll_wait(epoll, events, 256, -1);
    for (int i = 0; i < count; i++) {
      if (events[i].data.ptr == NULL) accept_all(listener);
      else if (events[i].data.ptr == &signals) print_served(signals);
      else on_event(events[i].data.ptr);
    }
    while (dead != NULL) {
      struct session *s = dead;
      dead = s->next_dead;
      free(s);
    }
  }
}
