/* Hand an event to the warm runner, or become the cold runner when none begins to handle it.

   client PYTHON -I -S -c CODE LAUNCHER run --host HOST [EVENT]

   The launcher calls it with the command line of the cold runner. When the warm runner is ready, which one byte says, the
   client passes its standard streams; the runner reads everything else from /proc. It says with another byte that it begins,
   before it reads stdin, and its last byte is the exit code. Until it begins nothing has run, so the cold runner may; after
   that no other runner may, so a missing exit code is reported as a fault. */

#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/un.h>
#include <unistd.h>

enum { STREAMS = 3, LAUNCHER = 6, HOST = 9, PATIENCE_MS = 1000, USAGE = 64, NO_PROGRAM = 127 };

static const int ending[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT};
static volatile sig_atomic_t interrupted;
static int runner = -1;

/* The warm runner gets SIGTERM when a byte arrives or the connection closes. */
static void forward(int number)
{
    int saved = errno;
    interrupted = number;
    if (runner >= 0)
        send(runner, "", 1, MSG_NOSIGNAL | MSG_DONTWAIT);
    errno = saved;
}

static void handle_signals(void (*handler)(int))
{
    struct sigaction action = {.sa_handler = handler, .sa_flags = SA_RESTART}, current;
    for (size_t i = 0; i < sizeof ending / sizeof *ending; i++)
        if (!sigaction(ending[i], NULL, &current) && current.sa_handler != SIG_IGN)
            sigaction(ending[i], &action, NULL);
}

static void end_if_interrupted(void)
{
    handle_signals(SIG_DFL);
    if (interrupted)
        raise(interrupted);
}

/* The directory of the socket, 0700 and ours; its descriptor cannot be swapped, and keeps the socket's path short. */
static int open_directory(void)
{
    char path[4096];
    struct stat status;
    const char *base = getenv("XDG_RUNTIME_DIR");
    int length = base && *base == '/' ? snprintf(path, sizeof path, "%s/hooktui", base)
                                      : snprintf(path, sizeof path, "/tmp/hooktui-%u", (unsigned)getuid());
    if (length >= (int)sizeof path)
        return -1;
    int directory = open(path, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (directory < 0 || fstat(directory, &status) || status.st_uid != geteuid() || status.st_mode & 077)
        return -1;
    return directory;
}

static int connect_to_runner(void)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    struct timeval patience = {.tv_sec = PATIENCE_MS / 1000};
    struct ucred peer;
    socklen_t size = sizeof peer;
    int directory = open_directory();
    int fd = directory < 0 ? -1 : socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (fd < 0)
        return -1;
    snprintf(address.sun_path, sizeof address.sun_path, "/proc/self/fd/%d/warm.socket", directory);
    /* A server that is stopped accepts nobody: once its queue is full, connect would wait for ever, and for no signal. */
    if (setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof patience) ||
        connect(fd, (struct sockaddr *)&address, sizeof address) ||
        getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &size) || peer.uid != geteuid())
        return -1;
    return fd;
}

/* Fails if a stream is closed: the cold runner knows what to do then. */
static int pass_streams(int fd)
{
    char control[CMSG_SPACE(STREAMS * sizeof(int))] = {0};
    struct iovec byte = {.iov_base = "", .iov_len = 1};
    struct msghdr message = {
        .msg_iov = &byte, .msg_iovlen = 1, .msg_control = control, .msg_controllen = sizeof control};
    struct cmsghdr *header = CMSG_FIRSTHDR(&message);
    header->cmsg_level = SOL_SOCKET;
    header->cmsg_type = SCM_RIGHTS;
    header->cmsg_len = CMSG_LEN(STREAMS * sizeof(int));
    for (int stream = 0; stream < STREAMS; stream++)
        memcpy(CMSG_DATA(header) + stream * sizeof stream, &stream, sizeof stream);
    return sendmsg(fd, &message, MSG_NOSIGNAL) == 1;
}

/* The next byte, -1 if the connection has ended. */
static int receive(void)
{
    unsigned char byte;
    ssize_t count;
    do
        count = recv(runner, &byte, 1, 0);
    while (count < 0 && errno == EINTR);
    return count == 1 ? byte : -1;
}

/* Whether a process of the warm runner waits for our streams. It gets none before: one that hangs would keep them open. */
static int is_ready(void)
{
    struct pollfd wait = {.fd = runner, .events = POLLIN};
    int ready;
    do
        ready = poll(&wait, 1, PATIENCE_MS);
    while (ready < 0 && errno == EINTR);
    return ready > 0 && receive() >= 0;
}

static int become_cold(int argc, char **argv)
{
    end_if_interrupted();
    execv(argv[1], argv + 1);
    if (argc > HOST) {
        argv[HOST - 2] = argv[LAUNCHER]; /* Python has gone just now: the launcher says so */
        argv[HOST - 1] = "--gone";
        execv(argv[LAUNCHER], argv + HOST - 2);
    }
    return NO_PROGRAM;
}

static int report_loss(int argc, char **argv)
{
    char **longer = calloc(argc + 2, sizeof *longer);
    if (!longer)
        return 2; /* blocks the event */
    memcpy(longer, argv, argc * sizeof *longer);
    longer[argc] = "--lost";
    become_cold(argc + 1, longer);
    return 2;
}

int main(int argc, char **argv)
{
    if (argc < HOST - 1)
        return USAGE;
    handle_signals(forward);
    runner = connect_to_runner();
    if (runner < 0 || interrupted || !is_ready() || !pass_streams(runner) || receive() < 0)
        return become_cold(argc, argv);
    int code = receive();
    if (code >= 0)
        return code;
    return report_loss(argc, argv);
}
