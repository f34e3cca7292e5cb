// The tries of a hostile candidate. `hostile NAME ARGUMENTS` ends with 0 if the try succeeded, with 1 and the reason
// if it was refused. lib/sandbox/escapes.spec.ts runs each outside of the sandbox, where it must succeed, and inside.
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/bpf.h>
#include <linux/fs.h>
#include <linux/io_uring.h>
#include <linux/netlink.h>
#include <linux/perf_event.h>
#include <mqueue.h>
#include <netinet/in.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/inotify.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/shm.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/uio.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <sys/xattr.h>
#include <unistd.h>

static char** given;
static const char* text(int at) {
  if (given[at] == NULL) {
    fprintf(stderr, "an argument is missing\n");
    exit(2);
  }
  return given[at];
}
static long number(int at) {
  return atol(text(at));
}

static int opens(const char* path, int flags) {
  const int file = open(path, flags, 0600);
  if (file < 0) return -1;
  char byte;
  return (flags & O_ACCMODE) == O_RDONLY && !(flags & O_TRUNC) ? (int)read(file, &byte, 1) : 0;
}

static const char* in_proc(const char* name) {
  static char path[64];
  snprintf(path, sizeof path, "/proc/%ld/%s", number(0), name);
  return path;
}

// Files.
static int try_read(void) {
  return opens(text(0), O_RDONLY);
}
static int try_list(void) {
  return opendir(text(0)) != NULL ? 0 : -1;
}
static int try_write(void) {
  return opens(text(0), O_WRONLY);
}
static int try_create(void) {
  return opens(text(0), O_WRONLY | O_CREAT | O_EXCL);
}
static int try_truncate(void) {
  return truncate(text(0), 0);
}
static int try_truncate_reading(void) {
  return opens(text(0), O_RDONLY | O_TRUNC);
}
static int try_truncate_mode_3(void) {
  return opens(text(0), O_ACCMODE | O_TRUNC);
}
static int try_ioctl_mode_3(void) {
  return open(text(0), O_ACCMODE) < 0 ? -1 : 0;
}
static int try_link(void) {
  return link(text(0), text(1));
}
static int try_symlink(void) {
  return symlink(text(0), text(1));
}
static int try_rename(void) {
  return rename(text(0), text(1));
}
static int try_exchange(void) {
  return renameat2(AT_FDCWD, text(0), AT_FDCWD, text(1), RENAME_EXCHANGE);
}
static int try_unlink(void) {
  return unlink(text(0));
}
static int try_mkdir(void) {
  return mkdir(text(0), 0700);
}
static int try_fifo(void) {
  return mkfifo(text(0), 0600);
}
static int try_node(void) {
  return mknod(text(0), S_IFCHR | 0600, 0x0103);
}
static int try_chmod(void) {
  return chmod(text(0), 0777);
}
static int try_fchmod(void) {
  return fchmod(open(text(0), O_RDONLY), 0777);
}
static int try_chown(void) {
  return chown(text(0), getuid(), getgid());
}
static int try_utimes(void) {
  return utimes(text(0), NULL);
}
static int try_setxattr(void) {
  return setxattr(text(0), "user.kernloop", "x", 1, 0);
}
/// A file that runs as its owner, whoever starts it.
static int try_set_user(void) {
  return open(text(0), O_WRONLY | O_CREAT | O_EXCL, 04755) < 0 ? -1 : 0;
}
static int try_set_user_creat(void) {
  return syscall(SYS_creat, text(0), 02755) < 0 ? -1 : 0;
}
static int try_set_user_unnamed(void) {
  return open(text(0), O_WRONLY | O_TMPFILE, 04755) < 0 ? -1 : 0;
}
static int try_set_user_node(void) {
  return mknod(text(0), S_IFREG | 04755, 0);
}
static int try_execute(void) {
  return execl(text(0), text(0), NULL);
}
static int try_attributes(void) {
  const int file = open(text(0), O_RDONLY);
  int flags = 0;
  ioctl(file, FS_IOC_GETFLAGS, &flags);
  flags |= FS_NODUMP_FL;
  return ioctl(file, FS_IOC_SETFLAGS, &flags);
}
static int try_lease(void) {
  return fcntl(open(text(0), O_RDONLY), F_SETLEASE, F_RDLCK);
}
static int try_watch(void) {
  return inotify_add_watch(inotify_init1(0), text(0), IN_ALL_EVENTS) < 0 ? -1 : 0;
}
static int try_handle(void) {
  struct {
    struct file_handle head;
    unsigned char bytes[128];
  } handle = {.head.handle_bytes = 128};
  int mount;
  return name_to_handle_at(AT_FDCWD, text(0), &handle.head, &mount, 0);
}
static int try_large(void) {
  const int file = open(text(0), O_WRONLY | O_CREAT, 0600);
  signal(SIGXFSZ, SIG_IGN);
  return pwrite(file, "x", 1, 100L << 30) == 1 ? 0 : -1;
}

/// Files of a MiB each, removed while they are open if there is a third argument. Waits then.
static int try_many_files(void) {
  static char bytes[1 << 20];
  for (int file = 0; file < number(1); ++file) {
    char path[4096];
    snprintf(path, sizeof path, "%s/file-%d", text(0), file);
    const int written = open(path, O_WRONLY | O_CREAT, 0600);
    if (write(written, bytes, sizeof bytes) != sizeof bytes) return -1;
    if (given[2] != NULL)
      unlink(path);
    else
      close(written);
  }
  sleep(2);
  return 0;
}
/// Deeper than a path can be.
static int try_deep(void) {
  char name[200];
  memset(name, 'x', sizeof name - 1);
  name[sizeof name - 1] = 0;
  if (chdir(text(0)) != 0) return -1;
  for (int level = 0; level < 50; ++level)
    if (mkdir(name, 0700) != 0 || chdir(name) != 0) return -1;
  static char bytes[1 << 20];
  for (int part = 0; part < number(1); ++part)
    if (write(open("file", O_WRONLY | O_CREAT | O_APPEND, 0600), bytes, sizeof bytes) != sizeof bytes) return -1;
  sleep(2);
  return 0;
}
/// A folder with a file, which its owner cannot list.
static int try_closed_folder(void) {
  umask(0);
  if (mkdir(text(0), 0300) != 0 || chdir(text(0)) != 0) return -1;
  return close(open("file", O_WRONLY | O_CREAT, 0600));
}
static int try_undumpable(void) {
  return prctl(PR_SET_DUMPABLE, 0);
}

// Other processes.
static int try_environ(void) {
  return opens(in_proc("environ"), O_RDONLY);
}
static int try_memory_file(void) {
  return open(in_proc("mem"), O_RDWR) < 0 ? -1 : 0;
}
static int try_descriptors(void) {
  return opendir(in_proc("fd")) != NULL ? 0 : -1;
}
static int try_command_line(void) {
  return opens(in_proc("cmdline"), O_RDONLY);
}
static int try_processes(void) {
  return opendir("/proc") != NULL ? 0 : -1;
}
static int try_folder_of(void) {
  char path[4096];
  return readlink(in_proc("cwd"), path, sizeof path) > 0 ? 0 : -1;
}
static int try_ptrace(void) {
  return (int)ptrace(PTRACE_SEIZE, (pid_t)number(0), NULL, NULL);
}
static int try_read_memory(void) {
  char byte;
  struct iovec here = {&byte, 1}, there = {(void*)strtoul(text(1), NULL, 16), 1};
  return process_vm_readv((pid_t)number(0), &here, 1, &there, 1, 0) == 1 ? 0 : -1;
}
static int try_kill(void) {
  return kill((pid_t)number(0), 0);
}
static int try_kill_parent(void) {
  return kill(getppid(), 0);
}
static int try_kill_thread(void) {
  return (int)syscall(SYS_tgkill, number(0), number(0), 0);
}
static int try_queue(void) {
  siginfo_t info = {.si_code = SI_QUEUE};
  return (int)syscall(SYS_rt_sigqueueinfo, number(0), 0, &info);
}
static int try_kill_by_pidfd(void) {
  return (int)syscall(424, syscall(434, number(0), 0), 0, NULL, 0);  // pidfd_send_signal of pidfd_open
}
static int try_owner(void) {
  int pipes[2];
  return pipe(pipes) == 0 ? fcntl(pipes[0], F_SETOWN, number(0)) : -1;
}
static int try_limit(void) {
  const struct rlimit limit = {4096, 4096};
  return prlimit((pid_t)number(0), RLIMIT_NOFILE, &limit, NULL);
}
static int try_renice(void) {
  return setpriority(PRIO_PROCESS, (id_t)number(0), 5);
}
static int try_renice_group(void) {
  return setpriority(PRIO_PGRP, (id_t)number(0), 5);
}
static int try_affinity(void) {
  cpu_set_t cpus;
  CPU_ZERO(&cpus);
  CPU_SET(0, &cpus);
  return sched_setaffinity((pid_t)number(0), sizeof cpus, &cpus);
}

// Sockets.
static int reaches(int file, const void* address, socklen_t size) {
  if (file < 0) return -1;
  return connect(file, address, size);
}
static struct sockaddr_in local(long port) {
  const struct sockaddr_in address = {
      .sin_family = AF_INET, .sin_port = htons((uint16_t)port), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
  return address;
}
static struct sockaddr_un named(const char* path) {
  struct sockaddr_un address = {.sun_family = AF_UNIX};
  snprintf(address.sun_path, sizeof address.sun_path, "%s", path);
  return address;
}
static socklen_t abstract(struct sockaddr_un* address, const char* name) {
  *address = named("");
  snprintf(address->sun_path + 1, sizeof address->sun_path - 1, "%s", name);
  return (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + strlen(name));
}
static int try_tcp(void) {
  const struct sockaddr_in address = local(number(0));
  return reaches(socket(AF_INET, SOCK_STREAM, 0), &address, sizeof address);
}
static int try_listen(void) {
  const int file = socket(AF_INET, SOCK_STREAM, 0);
  return file < 0 ? -1 : listen(file, 1);
}
static int try_udp(void) {
  const struct sockaddr_in address = local(number(0));
  const int file = socket(AF_INET, SOCK_DGRAM, 0);
  return sendto(file, "x", 1, 0, (const void*)&address, sizeof address) == 1 ? 0 : -1;
}
static int try_unix(void) {
  const struct sockaddr_un address = named(text(0));
  return reaches(socket(AF_UNIX, SOCK_STREAM, 0), &address, sizeof address);
}
static int try_abstract(void) {
  struct sockaddr_un address;
  const socklen_t size = abstract(&address, text(0));
  return reaches(socket(AF_UNIX, SOCK_STREAM, 0), &address, size);
}
// A pair of datagram sockets is a way past a filter that allows socketpair.
static int try_pair_to_unix(void) {
  const struct sockaddr_un address = named(text(0));
  int pair[2];
  if (socketpair(AF_UNIX, SOCK_DGRAM, 0, pair) != 0) return -1;
  return sendto(pair[0], "x", 1, 0, (const void*)&address, sizeof address) == 1 ? 0 : -1;
}
static int try_pair(void) {
  int pair[2];
  return socketpair(AF_UNIX, SOCK_STREAM, 0, pair);
}
static int try_netlink(void) {
  return socket(AF_NETLINK, SOCK_RAW, NETLINK_ROUTE) < 0 ? -1 : 0;
}

// The kernel.
static int try_io_uring(void) {
  struct io_uring_params parameters = {0};
  return syscall(SYS_io_uring_setup, 4, &parameters) < 0 ? -1 : 0;
}
static int try_user_namespace(void) {
  return unshare(CLONE_NEWUSER);
}
static int try_clone_namespace(void) {
  const long child = syscall(SYS_clone, CLONE_NEWUSER | SIGCHLD, NULL, NULL, NULL, NULL);
  if (child == 0) _exit(0);
  return child < 0 ? -1 : 0;
}
static int try_clone3_namespace(void) {
  struct {
    uint64_t flags, pidfd, child_tid, parent_tid, exit_signal, stack, stack_size, tls;
  } arguments = {.flags = CLONE_NEWUSER, .exit_signal = SIGCHLD};
  const long child = syscall(435, &arguments, sizeof arguments);
  if (child == 0) _exit(0);
  return child < 0 ? -1 : 0;
}
static int try_mount(void) {
  return mount("none", text(0), "tmpfs", 0, NULL) < 0 ? -1 : umount(text(0));
}
static int try_chroot(void) {
  return chroot(text(0));
}
static int try_bpf(void) {
  union bpf_attr attributes = {.map_type = BPF_MAP_TYPE_ARRAY, .key_size = 4, .value_size = 4, .max_entries = 1};
  return syscall(SYS_bpf, BPF_MAP_CREATE, &attributes, sizeof attributes) < 0 ? -1 : 0;
}
static int try_perf(void) {
  struct perf_event_attr attributes = {
      .type = PERF_TYPE_SOFTWARE, .size = sizeof attributes, .config = PERF_COUNT_SW_TASK_CLOCK};
  return syscall(SYS_perf_event_open, &attributes, 0, -1, -1, 0) < 0 ? -1 : 0;
}
static int try_keyring(void) {
  return syscall(SYS_add_key, "user", "kernloop", "x", 1, -2) < 0 ? -1 : 0;
}
static int try_memfd(void) {
  return memfd_create("x", 0) < 0 ? -1 : 0;
}
static int try_shared_memory(void) {
  return shmget(IPC_PRIVATE, 4096, 0600) < 0 ? -1 : 0;
}
static int try_queue_of_messages(void) {
  const mqd_t queue = mq_open("/kernloop-hostile", O_CREAT | O_RDWR, 0600, NULL);
  if (queue >= 0) mq_unlink("/kernloop-hostile");
  return queue < 0 ? -1 : 0;
}
// Inherited descriptors and variables.
static int try_descriptor(void) {
  return fcntl((int)number(0), F_GETFD) < 0 ? -1 : 0;
}
static int try_variable(void) {
  return getenv(text(0)) != NULL ? 0 : -1;
}
static int try_input(void) {
  char byte;
  return read(0, &byte, 1) == 1 ? 0 : -1;
}

// Limits.
/// With a second argument they are left alone.
static int try_processes_at_once(void) {
  static pid_t children[1000];
  int started = 0;
  for (; started < number(0) && started < 1000; ++started) {
    children[started] = fork();
    if (children[started] < 0) break;
    if (children[started] == 0) pause();
  }
  const int why = errno;
  fprintf(stderr, "%d at once\n", started);
  for (int child = 0; given[1] == NULL && child < started; ++child) kill(children[child], SIGKILL);
  errno = why;
  return started == number(0) ? 0 : -1;
}
/// Children that have ended, and that nobody waits for.
static int try_zombies(void) {
  int started = 0;
  for (; started < number(0); ++started) {
    const pid_t child = fork();
    if (child < 0) break;
    if (child == 0) _exit(0);
  }
  const int why = errno;
  fprintf(stderr, "%d at once\n", started);
  errno = why;
  return started == number(0) ? 0 : -1;
}
static void* sleeps(void* nothing) {
  pause();
  return nothing;
}
static int try_threads(void) {
  int started = 0;
  pthread_attr_t small;
  pthread_attr_init(&small);
  pthread_attr_setstacksize(&small, 65536);
  int why = 0;
  for (pthread_t thread; started < number(0) && (why = pthread_create(&thread, &small, sleeps, NULL)) == 0;) ++started;
  fprintf(stderr, "%d at once\n", started);
  errno = why;
  return started == number(0) ? 0 : -1;
}
/// Each child starts others until it may not, for ever: only the end of the sandbox ends it.
static int try_bomb(void) {
  if (fork() != 0) {
    usleep((useconds_t)(number(0) * 1000));
    return 0;
  }
  for (;;) {
    setsid();
    signal(SIGCHLD, SIG_IGN);
    if (fork() < 0) usleep(100);
  }
}
/// Address space that is not used, as glibc takes 64 MiB of it for each thread that allocates.
static int try_reserve(void) {
  return mmap(NULL, (size_t)number(0), PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) == MAP_FAILED ? -1 : 0;
}
static int try_memory(void) {
  const size_t size = (size_t)number(0);
  char* bytes = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (bytes == MAP_FAILED) return -1;
  memset(bytes, 1, size);
  return 0;
}
/// Four processes with a part each, at the same time.
static int try_memory_of_several(void) {
  for (int child = 0; child < 4; ++child) {
    if (fork() != 0) continue;
    char* bytes = malloc((size_t)number(0));
    if (bytes != NULL) memset(bytes, 1, (size_t)number(0));
    sleep(2);
    _exit(bytes == NULL);
  }
  int failed = 0;
  for (int status; wait(&status) > 0;) failed |= status;
  return failed ? -1 : 0;
}
static int try_spin(void) {
  for (volatile unsigned long turns = 1; turns != 0; ++turns) {
  }
  return 0;
}
/// A daemon that writes its file later.
static int try_survive(void) {
  if (fork() != 0) return 0;
  setsid();
  signal(SIGTERM, SIG_IGN);
  signal(SIGHUP, SIG_IGN);
  if (fork() != 0) _exit(0);
  usleep(700000);
  _exit(try_create());
}
/// Writes the file when it runs, and waits for ever.
static int try_linger(void) {
  if (fork() == 0) setsid();
  close(open(text(0), O_WRONLY | O_CREAT, 0600));
  while (pause() < 0) {
  }
  return 0;
}

/// A victim: sockets to reach, a variable to read. Prints its ports and the address of a byte.
static char secret[] = "secret";
static int serve(void) {
  const struct sockaddr_in any = local(0);
  const struct sockaddr_un stream = named(text(0)), datagram = named(text(1));
  struct sockaddr_un hidden;
  const socklen_t size = abstract(&hidden, text(2));
  struct sockaddr_in ports[2];
  socklen_t length = sizeof ports[0];
  const int tcp = socket(AF_INET, SOCK_STREAM, 0), udp = socket(AF_INET, SOCK_DGRAM, 0);
  const int one = socket(AF_UNIX, SOCK_STREAM, 0), two = socket(AF_UNIX, SOCK_DGRAM, 0),
            three = socket(AF_UNIX, SOCK_STREAM, 0);
  if (bind(tcp, (const void*)&any, sizeof any) || bind(udp, (const void*)&any, sizeof any)) return -1;
  if (bind(one, (const void*)&stream, sizeof stream) || bind(two, (const void*)&datagram, sizeof datagram)) return -1;
  if (bind(three, (const void*)&hidden, size) || listen(tcp, 100) || listen(one, 100) || listen(three, 100)) return -1;
  getsockname(tcp, (void*)&ports[0], &length);
  getsockname(udp, (void*)&ports[1], &length);
  printf("%d %d %p\n", ntohs(ports[0].sin_port), ntohs(ports[1].sin_port), (void*)secret);
  fflush(stdout);
  while (pause() < 0) {
  }
  return 0;
}

static const struct {
  const char* name;
  int (*function)(void);
} tries[] = {
    {"serve", serve},
    {"read", try_read},
    {"list", try_list},
    {"write", try_write},
    {"create", try_create},
    {"truncate", try_truncate},
    {"truncate-reading", try_truncate_reading},
    {"truncate-mode-3", try_truncate_mode_3},
    {"ioctl-mode-3", try_ioctl_mode_3},
    {"link", try_link},
    {"symlink", try_symlink},
    {"rename", try_rename},
    {"exchange", try_exchange},
    {"unlink", try_unlink},
    {"mkdir", try_mkdir},
    {"fifo", try_fifo},
    {"node", try_node},
    {"chmod", try_chmod},
    {"fchmod", try_fchmod},
    {"chown", try_chown},
    {"utimes", try_utimes},
    {"setxattr", try_setxattr},
    {"set-user", try_set_user},
    {"set-user-creat", try_set_user_creat},
    {"set-user-unnamed", try_set_user_unnamed},
    {"set-user-node", try_set_user_node},
    {"execute", try_execute},
    {"attributes", try_attributes},
    {"lease", try_lease},
    {"watch", try_watch},
    {"handle", try_handle},
    {"large", try_large},
    {"many-files", try_many_files},
    {"deep", try_deep},
    {"closed-folder", try_closed_folder},
    {"undumpable", try_undumpable},
    {"environ", try_environ},
    {"memory-file", try_memory_file},
    {"descriptors", try_descriptors},
    {"command-line", try_command_line},
    {"processes", try_processes},
    {"folder-of", try_folder_of},
    {"ptrace", try_ptrace},
    {"read-memory", try_read_memory},
    {"kill", try_kill},
    {"kill-parent", try_kill_parent},
    {"kill-thread", try_kill_thread},
    {"queue", try_queue},
    {"kill-by-pidfd", try_kill_by_pidfd},
    {"owner", try_owner},
    {"limit", try_limit},
    {"renice", try_renice},
    {"renice-group", try_renice_group},
    {"affinity", try_affinity},
    {"tcp", try_tcp},
    {"listen", try_listen},
    {"udp", try_udp},
    {"unix", try_unix},
    {"abstract", try_abstract},
    {"pair-to-unix", try_pair_to_unix},
    {"pair", try_pair},
    {"netlink", try_netlink},
    {"io-uring", try_io_uring},
    {"user-namespace", try_user_namespace},
    {"clone-namespace", try_clone_namespace},
    {"clone3-namespace", try_clone3_namespace},
    {"mount", try_mount},
    {"chroot", try_chroot},
    {"bpf", try_bpf},
    {"perf", try_perf},
    {"keyring", try_keyring},
    {"memfd", try_memfd},
    {"shared-memory", try_shared_memory},
    {"queue-of-messages", try_queue_of_messages},
    {"descriptor", try_descriptor},
    {"variable", try_variable},
    {"input", try_input},
    {"processes-at-once", try_processes_at_once},
    {"zombies", try_zombies},
    {"threads", try_threads},
    {"bomb", try_bomb},
    {"reserve", try_reserve},
    {"memory", try_memory},
    {"memory-of-several", try_memory_of_several},
    {"spin", try_spin},
    {"survive", try_survive},
    {"linger", try_linger},
};

int main(int count, char** words) {
  given = words + 2;
  for (size_t each = 0; count > 1 && each < sizeof tries / sizeof tries[0]; ++each) {
    if (strcmp(words[1], tries[each].name) != 0) continue;
    errno = 0;
    const int result = tries[each].function();
    if (result < 0) fprintf(stderr, "%s: %s\n", words[1], strerror(errno));
    return result < 0 ? 1 : 0;
  }
  fprintf(stderr, "there is no try %s\n", count > 1 ? words[1] : "");
  return 2;
}
