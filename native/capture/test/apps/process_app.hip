// Programs of several processes, for the end-to-end tests: one shape a sub-command. Each process that uses the GPU
// prints "process PID launched N", which is what the recorder must have seen of it.
#include <fcntl.h>
#include <hip/hip_runtime.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <string>
#include <thread>
#include <vector>

extern char** environ;

#define CHECK(call)                                                                          \
  do {                                                                                       \
    const hipError_t status = (call);                                                        \
    if (status != hipSuccess) {                                                              \
      std::fprintf(stderr, "line %d: %s: %s\n", __LINE__, #call, hipGetErrorString(status)); \
      std::_Exit(3);                                                                         \
    }                                                                                        \
  } while (0)

__global__ void add_one(int* values, int count) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count) values[i] += 1;
}

__global__ void of_the_parent(int* values) {
  values[threadIdx.x] += 2;
}

namespace {

constexpr int kCount = 1024;

int* zeros() {
  int* values;
  CHECK(hipMalloc(&values, kCount * sizeof(int)));
  const std::vector<int> host(kCount, 0);
  CHECK(hipMemcpy(values, host.data(), kCount * sizeof(int), hipMemcpyHostToDevice));
  return values;
}

// Launches, and checks what came of it.
int work(int launches) {
  int* values = zeros();
  for (int i = 0; i < launches; ++i) add_one<<<kCount / 256, 256>>>(values, kCount);
  CHECK(hipDeviceSynchronize());
  std::vector<int> host(kCount);
  CHECK(hipMemcpy(host.data(), values, kCount * sizeof(int), hipMemcpyDeviceToHost));
  dprintf(STDOUT_FILENO, "process %d launched %d\n", static_cast<int>(getpid()), launches);
  for (int value : host) {
    if (value != launches) return 1;
  }
  return 0;
}

void use_gpu_in_parent() {
  int* values = zeros();
  of_the_parent<<<1, 64>>>(values);
  CHECK(hipDeviceSynchronize());
  dprintf(STDOUT_FILENO, "process %d launched 1\n", static_cast<int>(getpid()));
}

int wait_for(pid_t child) {
  int status = -1;
  return waitpid(child, &status, 0) == child && WIFEXITED(status) ? WEXITSTATUS(status) : 4;
}

// A pool of workers that are forked before anybody has touched the GPU; worker n launches n times.
int fork_pool(int workers) {
  std::vector<pid_t> children;
  for (int n = 1; n <= workers; ++n) {
    const pid_t child = fork();
    if (child == 0) std::exit(work(n));
    children.push_back(child);
  }
  int result = 0;
  for (pid_t child : children) result |= wait_for(child);
  return result;
}

// As Python's "spawn": the parent has the GPU open, and the child is a fresh program.
int spawn(const char* self, bool by_fork) {
  use_gpu_in_parent();
  char name[] = "worker", what[] = "work", launches[] = "2";
  char* arguments[] = {name, what, launches, nullptr};
  pid_t child = -1;
  if (!by_fork) {
    if (posix_spawn(&child, self, nullptr, nullptr, arguments, environ) != 0) return 4;
  } else if ((child = fork()) == 0) {
    execv(self, arguments);
    std::_Exit(4);
  }
  return wait_for(child);
}

// A child of fork() that goes on with the GPU of its parent: no runtime supports that.
int fork_after_init() {
  use_gpu_in_parent();
  const pid_t child = fork();
  if (child == 0) {
    int* values;
    std::_Exit(hipMalloc(&values, kCount * sizeof(int)) == hipSuccess ? 1 : 0);
  }
  return wait_for(child);
}

// A server: its starter is gone before it touches the GPU, and it has a session and no terminal of its own.
int daemon(const char* pid_file) {
  int starter_alive[2];
  if (pipe2(starter_alive, O_CLOEXEC) != 0) return 4;
  if (fork() != 0) return 0;
  close(starter_alive[1]);
  setsid();
  if (fork() != 0) std::_Exit(0);
  char byte;
  while (read(starter_alive[0], &byte, 1) > 0) {
  }
  for (int fd : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) dup2(open("/dev/null", O_RDWR), fd);
  if (FILE* file = std::fopen(pid_file, "w")) {
    std::fprintf(file, "%d\n", static_cast<int>(getpid()));
    std::fclose(file);
  }
  return work(3);
}

// Threads of one process, each with a stream.
int threads(int count) {
  std::vector<std::thread> pool;
  for (int i = 0; i < count; ++i) {
    pool.emplace_back([] {
      hipStream_t stream;
      CHECK(hipStreamCreate(&stream));
      int* values = zeros();
      add_one<<<kCount / 256, 256, 0, stream>>>(values, kCount);
      CHECK(hipStreamSynchronize(stream));
    });
  }
  for (std::thread& thread : pool) thread.join();
  dprintf(STDOUT_FILENO, "process %d launched %d\n", static_cast<int>(getpid()), count);
  return 0;
}

}  // namespace

int main(int argument_count, char** arguments) {
  const std::string what = argument_count > 1 ? arguments[1] : "";
  const std::string value = argument_count > 2 ? arguments[2] : "0";
  if (what == "work") return work(std::stoi(value));
  if (what == "fork-pool") return fork_pool(std::stoi(value));
  if (what == "spawn") return spawn("/proc/self/exe", false);
  if (what == "fork-exec") return spawn("/proc/self/exe", true);
  if (what == "fork-after-init") return fork_after_init();
  if (what == "daemon") return daemon(value.c_str());
  if (what == "threads") return threads(std::stoi(value));
  std::fprintf(stderr, "unknown shape %s\n", what.c_str());
  return 2;
}
