#include "recorder/deep_thread.h"

#include <pthread.h>

#include <future>
#include <memory>
#include <system_error>
#include <utility>

namespace kernloop::recorder {

namespace {

constexpr size_t kStackBytes = size_t{128} << 20;

void* run(void* data) {
  const std::unique_ptr<std::function<void()>> work(static_cast<std::function<void()>*>(data));
  (*work)();
  return nullptr;
}

}  // namespace

void start_deep_thread(std::function<void()> work) {
  auto owned = std::make_unique<std::function<void()>>(std::move(work));
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setstacksize(&attributes, kStackBytes);
  pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
  pthread_t thread;
  const int failed = pthread_create(&thread, &attributes, &run, owned.get());
  pthread_attr_destroy(&attributes);
  if (failed != 0) throw std::system_error(failed, std::generic_category(), "pthread_create");
  owned.release();  // run() has it
}

void on_deep_thread(const std::function<void()>& work) {
  // The thread has a share of the task: it is still inside of it when the result is there.
  const auto task = std::make_shared<std::packaged_task<void()>>(work);
  auto done = task->get_future();
  start_deep_thread([task] { (*task)(); });
  done.get();
}

}  // namespace kernloop::recorder
