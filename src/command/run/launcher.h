// Starting a worker: where its program is, what is set before exec, its end of the session, its output kept.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

#include "base/context.h"
#include "base/json.h"
#include "base/subprocess.h"
#include "run/launch_settings.h"
#include "schema/case.h"
#include "schema/channel.h"

namespace transformeter {

/// `setting` (the plan's worker) when not empty, else the environment's TRANSFORMETER_WORKER, else transformeter-worker
/// beside this program. Throws Error(kEnvironment), with what to do, when it is not an executable file.
std::filesystem::path find_worker(const Context& context, const std::string& setting);

/// measurement.md 17: the memory_limit of `asked`, within what the machine has beyond its reserve;
/// nothing when that is unknown and nothing was asked. Errors as memory_limit_within.
std::optional<std::int64_t> worker_memory_limit(const Case& asked);

/// An open file descriptor, closed with the object; negative: none.
class Descriptor {
 public:
  explicit Descriptor(int number) : number_(number) {}
  ~Descriptor();
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  int number() const { return number_; }

 private:
  int number_;
};

/// A running worker with its session's channel. The destructor ends it.
class WorkerProcess {
 public:
  /// Throws Error(kEnvironment) when it cannot be started.
  WorkerProcess(const std::filesystem::path& program, const Launch& launch, const Clock& clock);
  WorkerProcess(const WorkerProcess&) = delete;
  WorkerProcess& operator=(const WorkerProcess&) = delete;

  Channel& channel() { return start_.channel; }
  Subprocess& process() { return start_.process; }
  std::int64_t spawned_at_ns() const { return spawned_at_ns_; }
  /// The last lines of what it wrote to stdout and stderr, at most 600 bytes of valid UTF-8; empty when it was silent.
  std::string output_tail() const;

 private:
  struct Start {
    Channel channel;
    Descriptor output;  // what it writes, for reading
    Subprocess process;
  };
  static Start start(const std::filesystem::path& program, const Launch& launch);

  std::int64_t spawned_at_ns_;
  Start start_;
};

}  // namespace transformeter
